import Cards
import Pictures
import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting
import Watermark

/// Copies that were given away, as records: whose they are, what is kept for them, and what becomes of them.
struct ShareTests {
    /// A vault with a card of two attachments, of which the first was given away twice and the second once.
    private struct Scene {
        let fixture: VaultFixture
        private(set) var (card, front, back): (RecordID, RecordID, RecordID)
        private(set) var shares: [RecordID] = []

        init() throws {
            fixture = try VaultFixture()
            var (ids, shares): ([RecordID], [RecordID]) = ([], [])
            try fixture.save(seed: 1) { save in
                let note = try #require(Schema.named("note"))
                ids = try [save.makeID(), save.makeID(), save.makeID()]
                let overview = Overview(title: Array("n".utf8))
                try save.put(Card(schema: note, overview: overview, fields: RecordFields()), as: ids[0])
                for id in ids.dropFirst() {
                    try save.put(
                        id, kind: .attachment, parent: ids[0], overview: Overview(title: Array("a.jpg".utf8)),
                        content: Array("one".utf8))
                }
                shares = try [ids[1], ids[2], ids[1]].map { try Self.share(of: $0, in: save) }
            }
            (card, front, back, self.shares) = (ids[0], ids[1], ids[2], shares)
        }

        static func share(of original: RecordID?, in save: VaultTransaction) throws -> RecordID {
            var fields = RecordFields()
            fields.texts = ["revision": "1", "recipient": "bank"]
            let id = try save.makeID()
            try save.put(
                id, kind: .share, parent: original, overview: Overview(title: Array("a.jpg".utf8)),
                content: fields.bytes)
            return id
        }

        func trash(_ ids: [RecordID], seed: UInt64) throws {
            try fixture.save(seed: seed) { save in
                for id in ids { try save.trash(#require(try save.entry(id))) }
            }
        }

        func purge(_ ids: Set<RecordID>, seed: UInt64) throws {
            var environment = fixture.environment
            environment.random = CountingRandom(seed: seed)
            let save = try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
            try save.rewrite(keeping: 1, purging: ids)
        }

        func isRemoved() throws -> [Bool] {
            let all = try fixture.open().shares()
            return try shares.map { id in try #require(all.first { $0.id == id }).isCardRemoved }
        }
    }

    @Test func sharesOfOneAttachment() throws {
        let scene = try Scene()
        let vault = try scene.fixture.open()
        #expect(try vault.shares().map(\.id) == scene.shares.sorted(), "made at once: by their ids")
        #expect(try Set(vault.shares(of: scene.front).map(\.id)) == [scene.shares[0], scene.shares[2]])
        #expect(try vault.shares(of: scene.back).map(\.id) == [scene.shares[1]])
        #expect(try vault.shares(of: scene.card).isEmpty)
    }

    @Test func aShareKnowsThatItsCardIsGone() throws {
        let scene = try Scene()
        #expect(try scene.isRemoved() == [false, false, false])
        try scene.trash([scene.back], seed: 2)
        #expect(try scene.isRemoved() == [false, true, false])
        try scene.trash([scene.card], seed: 3)
        #expect(try scene.isRemoved() == [true, true, true], "an attachment alone is of no card")
    }

    /// Files of the tree belong to no card, wherever they lie.
    @Test func sharesOfFiles() throws {
        let fixture = try VaultFixture([("a.jpg", [1]), ("d/b.jpg", [2])])
        let vault = try fixture.open()
        let files = try ["a.jpg", "d/b.jpg"].map { try #require(try vault.entry(at: $0)) }
        try fixture.save(seed: 1) { save in
            for file in files { _ = try Scene.share(of: file.id, in: save) }
        }
        #expect(try fixture.open().shares().map(\.isCardRemoved) == [false, false])
        #expect(try Set(fixture.open().sharedOriginals().map(\.id)) == Set(files.map(\.id)))
    }

    /// Only a purge of the original leaves a trace without it.
    @Test func originalsOfShares() throws {
        let scene = try Scene()
        func originals() throws -> Set<RecordID> { Set(try scene.fixture.open().sharedOriginals().map(\.id)) }
        #expect(try originals() == [scene.front, scene.back])
        try scene.trash([scene.front], seed: 2)
        #expect(try originals() == [scene.front, scene.back])
        try scene.purge([scene.front], seed: 3)
        #expect(try originals() == [scene.back])
        #expect(try scene.fixture.open().shares(of: scene.front).map(\.isCardRemoved) == [true, true])
        #expect(try VaultFixture([("a", [1])]).open().sharedOriginals().isEmpty)
    }

    /// The version that was shared is kept, and no other one.
    @Test func versionsOfShares() throws {
        let scene = try Scene()
        try scene.fixture.save(seed: 2) { save in
            let old = try #require(try save.entry(scene.front))
            try save.put(
                old.id, kind: old.kind, parent: old.parent, overview: old.overview, content: Array("two".utf8))
        }
        let vault = try scene.fixture.open()
        let isShared = try vault.sharedVersions()
        let versions = try vault.changes(of: scene.front).map(\.entry)
        #expect(versions.filter(isShared).map(\.revision) == [1] && versions.count == 2)
        for id in [scene.card, scene.shares[0]] { #expect(try !isShared(#require(try vault.entry(id)))) }
        #expect(try isShared(#require(try vault.entry(scene.back))))
    }

    @Test func onlySharesAreAskedBack() throws {
        let scene = try Scene()
        let share = try #require(try scene.fixture.open().shares(of: scene.back).first)
        try scene.fixture.save(seed: 2) { try $0.revoke(share, on: "2026-02-01") }
        let revoked = try #require(try scene.fixture.open().shares(of: scene.back).first)
        #expect(revoked.texts["revoked"] == "2026-02-01" && revoked.texts["recipient"] == "bank")
        try scene.purge([share.id], seed: 3)
        try scene.fixture.save(seed: 4) { save in
            #expect {
                try save.revoke(share, on: "2026-02-01")
            } throws: { if case .noSuchRecord? = $0 as? VaultError { true } else { false } }
        }
    }

    // MARK: Marks

    private static let styles: [@Sendable (inout MarkStyle) -> Void] = [
        { _ in }, { $0.angle = -12.5 }, { $0.gap = 0.5 }, { $0.layout = .sparse }, { $0.layout = .single },
        { $0.isTracedAllOver = true }, { $0.focus = MarkStyle.Focus(x: 0, y: 12.5, width: 100, height: 25) },
        { ($0.opacity, $0.size, $0.isLight, $0.family) = (0.05, 1000, true, "x") },
    ]

    @Test(arguments: styles.indices) func stylesAreStored(_ number: Int) throws {
        let scene = try Scene()
        var profile = MarkProfile(text: "{recipient} {purpose}", recipient: "a", purpose: "b")
        Self.styles[number](&profile.style)
        try scene.fixture.save(seed: 2) { save in
            try save.setMark(profile, on: #require(try save.entry(scene.front)))
        }
        let vault = try scene.fixture.open()
        #expect(try vault.mark(of: scene.front) == profile && vault.mark(of: scene.back) == nil)
    }

    /// What is shown has the mark of today, also as it was once, and the mark of then where there is none today.
    @Test func marksOfThePast() throws {
        let scene = try Scene()
        let picture = try Picture(width: 64, height: 48, pixels: [UInt8](repeating: 180, count: 64 * 48 * 3)).jpeg(
            quality: 90)
        func save(_ seed: UInt64, _ mark: MarkProfile?) throws {
            try scene.fixture.save(seed: seed) { save in
                let old = try #require(try save.entry(scene.front))
                if seed == 2 {
                    try save.put(old.id, kind: old.kind, parent: old.parent, overview: old.overview, content: picture)
                } else {
                    try save.setMark(mark, on: old)
                }
            }
        }
        func shown(_ present: Vault?) throws -> [UInt8] {
            let vault = try scene.fixture.open()
            return try vault.shownContent(of: #require(try vault.entry(scene.front)), present: present)
        }
        try save(2, nil)
        #expect(try shown(nil) == picture)
        try save(3, MarkProfile(text: "one {date}"))
        let (then, one) = (try scene.fixture.open(), try shown(nil))
        try save(4, MarkProfile(text: "two {date}"))
        let (now, two) = (try scene.fixture.open(), try shown(nil))
        #expect(one != two && picture != one)
        let entry = try #require(try then.entry(scene.front))
        #expect(try then.shownContent(of: entry, present: now) == two && then.shownContent(of: entry) == one)
        try save(5, nil)
        let bare = try scene.fixture.open()
        #expect(try bare.shownContent(of: entry) == picture && then.shownContent(of: entry, present: bare) == one)
        #expect(throws: MarkError.notAnImage) { try MarkProfile(text: "x").attempt(on: Array("one".utf8)) }
        #expect(throws: Never.self) { try MarkProfile(text: "x {date}").attempt(on: picture) }
    }

    /// A seed of another length or kind is damage, and no reason to make a new one.
    @Test(arguments: [(Entry.Kind.watermarkSeed, 31), (.watermarkSeed, 33), (.watermark, 32)])
    func seedsThatAreNone(_ kind: Entry.Kind, _ count: Int) throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            try save.put(
                Vault.seedRecordID(), kind: kind, parent: nil, overview: Overview(title: Array("s".utf8)),
                content: [UInt8](repeating: 1, count: count))
        }
        let error = #expect(throws: FormatError.self) { _ = try fixture.open().watermarkSeed() }
        #expect(error?.code == .malformed)
    }
}
