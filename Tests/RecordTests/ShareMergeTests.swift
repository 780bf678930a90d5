import Cards
import Pictures
import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A share is evidence: two copies that are merged lose neither its record nor the note that it was asked back.
struct ShareMergeTests {
    /// What is done to the card on one side.
    struct Side: CustomStringConvertible {
        var trashes = false
        var revokes: String?
        var addsPart = false
        var description: String { "\(trashes ? "rm " : "")\(revokes ?? "") \(addsPart ? "part" : "")" }

        static let all = [false, true].flatMap { trashes in
            [nil, "2026-01-02", "2026-01-03"].flatMap { day in
                [false, true].map { Side(trashes: trashes, revokes: day, addsPart: $0) }
            }
        }
    }

    private struct Family {
        var card, attachment, share: RecordID
    }

    private static func family(_ save: VaultTransaction) throws -> Family {
        let family = Family(card: try save.makeID(), attachment: try save.makeID(), share: try save.makeID())
        let note = try #require(Schema.named("note"))
        let overview = Overview(title: Array("c".utf8))
        try save.put(Card(schema: note, overview: overview, fields: RecordFields()), as: family.card)
        let name = Overview(title: Array("front.jpg".utf8))
        try save.put(family.attachment, kind: .attachment, parent: family.card, overview: name, content: [1, 2, 3])
        var fields = RecordFields()
        fields.texts = ["recipient": "bank", "sha256": String(repeating: "0", count: 64)]
        try save.put(family.share, kind: .share, parent: family.attachment, overview: name, content: fields.bytes)
        return family
    }

    private static func change(_ fixture: VaultFixture, _ family: Family, _ side: Side, seed: UInt64) throws {
        if side.addsPart {
            try fixture.save(seed: seed) { save in
                let name = Overview(title: Array("back-\(seed).jpg".utf8))
                try save.put(
                    save.makeID(), kind: .attachment, parent: family.card, overview: name, content: [UInt8(seed)])
            }
        }
        if side.trashes {
            try fixture.save(seed: seed + 1) { save in
                let card = try #require(try save.entry(family.card))
                for entry in Vault.withDependents([card], among: try save.before.entries()).reversed() {
                    try save.trash(entry)
                }
            }
        }
        guard let day = side.revokes else { return }
        let share = try #require(try fixture.open().shares().first)
        try fixture.save(seed: seed + 2) { try $0.revoke(share, on: day) }
    }

    private static func merge(_ theirs: VaultFixture, into mine: VaultFixture, seed: UInt64) throws {
        let plan = try Merge(cardsOf: theirs.open(), into: mine.open())
        try mine.save(seed: seed) { try plan.carryOut(in: $0) }
        #expect(try mine.verify().findings.isEmpty)
    }

    /// A malformed record here, which somebody with the password may have stored, does not end a merge.
    @Test(arguments: [false, true]) func aMalformedShareHere(_ isTrashed: Bool) throws {
        let mine = try VaultFixture()
        var made: Family?
        try mine.save(seed: 1) { made = try Self.family($0) }
        let family = try #require(made)
        let theirs = VaultFixture(copying: mine)
        let entry = try #require(try mine.open().entry(family.share))
        try mine.save(seed: 2) { save in
            try save.put(entry.id, kind: .share, parent: entry.parent, overview: entry.overview, content: [0xFF])
        }
        if isTrashed { try mine.save(seed: 3) { try $0.trash(#require(try $0.entry(entry.id))) } }
        try Self.change(theirs, family, Side(revokes: "2026-01-02", addsPart: true), seed: 20)
        try Self.merge(theirs, into: mine, seed: 50)
        #expect(try mine.open().entries { $0.isAttachment }.count == 2)
        let content = try mine.open().content(of: #require(try mine.open().presentEntry(entry.id)), limit: 1 << 16)
        #expect(isTrashed || content == [0xFF])
    }

    @Test(arguments: Side.all, Side.all) func bothSidesKnowThatItWasAskedBack(_ here: Side, _ there: Side) throws {
        let mine = try VaultFixture()
        var made: Family?
        try mine.save(seed: 1) { made = try Self.family($0) }
        let family = try #require(made)
        let theirs = VaultFixture(copying: mine)
        try Self.change(mine, family, here, seed: 10)
        try Self.change(theirs, family, there, seed: 20)
        for round in 0..<2 as Range<UInt64> {
            try Self.merge(theirs, into: mine, seed: 50 + 2 * round)
            try Self.merge(mine, into: theirs, seed: 51 + 2 * round)
        }
        let states = try [mine, theirs].map { fixture in
            let vault = try fixture.open()
            let entry = try #require(try vault.presentEntry(family.share))
            let fields = try RecordFields(parsing: vault.content(of: entry, limit: 1 << 16))
            #expect(fields.texts["revoked"] == [here.revokes, there.revokes].compactMap(\.self).min())
            #expect(try vault.shares().count == 1)
            #expect(try vault.presentEntry(family.card)?.state == entry.state)
            return entry.state
        }
        #expect(states[0] == states[1])
    }
}
