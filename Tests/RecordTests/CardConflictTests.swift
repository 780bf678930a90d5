import Testing
import VaultFormat
import Cards
import Pictures
import VaultStore
import VaultTesting

/// What `resolve` does with cards that a merge kept twice.
struct CardConflictTests {
    private let id = RecordID([UInt8](repeating: 7, count: 16))

    private func contact(_ values: [(String, String)]) throws -> Card {
        let schema = try #require(Schema.named("contact"))
        var card = Card(schema: schema, overview: Overview(title: Array("Li".utf8)), fields: RecordFields())
        #expect(card.set([("name", "Li")] + values).isEmpty)
        return card
    }

    /// A vault into which a copy was merged that had changed the same fields, and had a file attached.
    private func merged() throws -> VaultFixture {
        let mine = try VaultFixture()
        try mine.save(seed: 1) { try $0.put(contact([("phone", "13800138000")]), as: id) }
        let theirs = VaultFixture(copying: mine)
        try mine.save(seed: 2) { try $0.put(contact([("phone", "13800138001"), ("own", "a")]), as: id) }
        try theirs.save(seed: 3) { save in
            var card = try contact([("phone", "13800138002"), ("email", "li@example.com"), ("own", "b")])
            (card.overview.group, card.overview.tags) = ("family", ["x"])
            try save.put(card, as: id)
        }
        try theirs.save(seed: 4) { save in
            let entry = try #require(try save.entry(id))
            let file = NewAttachment(anyType: [1, 2, 3], name: Array("scan".utf8))
            _ = try save.attach(file, to: entry, among: save.before.entries())
        }
        let merge = try Merge(cardsOf: theirs.open(), into: mine.open())
        try mine.save(seed: 5) { try merge.carryOut(in: $0) }
        return mine
    }

    @Test func aConflictIsFoundAndMended() throws {
        let fixture = try merged()
        let vault = try fixture.open()
        let (known, lonely) = try CardConflict.all(in: vault)
        let conflict = try #require(known.first)
        #expect(known.count == 1 && lonely.isEmpty && conflict.mine.id == id && conflict.others.count == 1)
        let card = try conflict.resolved(in: vault)
        #expect(card.fields.texts["phone"] == "13800138001" && card.fields.texts["email"] == "li@example.com")
        #expect(card.fields.own.map(\.value) == ["a"])
        #expect(card.overview.group == "family" && card.overview.tags == ["x"])
        try fixture.save(seed: 6) { save in
            #expect(try conflict.isUnchanged(in: save))
            try conflict.store(card, in: save)
            #expect(try !conflict.isUnchanged(in: save))
        }
        let after = try fixture.open()
        #expect(try after.cardEntries().map(\.id) == [id] && CardConflict.all(in: after).known.isEmpty)
        #expect(try after.card(#require(try after.entry(id))) == card && after.verify().findings.isEmpty)
        #expect(try after.attachments(of: #require(try after.entry(id))).map(\.overview.title) == [Array("scan".utf8)])
    }

    @Test func theOtherValueIsTakenWhereItIsChosen() throws {
        let vault = try merged().open()
        let conflict = try #require(try CardConflict.all(in: vault).known.first)
        var asked: [String] = []
        let card = try conflict.resolved(in: vault) { own, other in
            asked.append("\(own.key) \(own.value) \(other.value)")
            return own.key == "own"
        }
        #expect(asked == ["phone 13800138001 13800138002", "own a b"])
        #expect(card.fields.texts["phone"] == "13800138001" && card.fields.own.map(\.value) == ["b"])
    }

    @Test func aCopyWithoutItsCardIsNamedWithIt() throws {
        let fixture = try merged()
        let conflict = try #require(try CardConflict.all(in: fixture.open()).known.first)
        try fixture.save(seed: 6) { save in
            let entry = try #require(try save.entry(id))
            var overview = entry.overview
            overview.title = Array("Li Ming".utf8)
            try save.updateMetadata(entry, overview)
        }
        let vault = try fixture.open()
        let (known, lonely) = try CardConflict.all(in: vault)
        #expect(known.isEmpty && lonely.map(\.id) == conflict.others.map(\.id))
        let copy = lonely[0].id
        let named = try CardConflict.all(in: vault, naming: [id, copy])
        #expect(named.known.map(\.mine.id) == [id] && named.known.first?.others.map(\.id) == [copy])
        #expect(named.lonely.isEmpty)
        #expect(try CardConflict.all(in: vault, naming: [copy]).lonely.map(\.id) == [copy])
        #expect(try CardConflict.all(in: vault, naming: [id]).lonely.isEmpty)
    }

    @Test(arguments: [
        (["a", "b", "a"], ["b", "a"]), ([], ["b"]), (["家人", " x"], ["b", "家人", " x"]),
    ])
    func tagsStandOnce(_ texts: [String], _ wanted: [String]) throws {
        #expect(try Card.tags(texts, "--tag", besides: ["b"]) == wanted)
    }

    @Test(arguments: [
        (["a,b"], "--tag", "a tag has no comma"), ([" "], "--tag", "is empty"),
        ([String(repeating: "x", count: 256)], "--tag", "is longer than 255 bytes"),
        (["\u{FFFD}"], nil, "'\u{FFFD}' is not UTF-8"),
        ((0..<33).map { "\($0)" }, nil, "a record takes 32 tags, not 33"),
    ])
    func tagsAreRefused(_ texts: [String], _ key: String?, _ what: String) throws {
        let refusal = #expect(throws: Refusal.self) { try Card.tags(texts, "--tag") }
        #expect(refusal?.key == key && refusal?.what.description == what)
    }
}
