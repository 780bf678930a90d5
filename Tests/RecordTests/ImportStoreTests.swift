import Testing
import Exchange
import VaultCrypto
import VaultFormat
import Cards
import VaultStore
import VaultTesting

/// What a vault does with imports that come once more, with what is there already, and with what belongs to nothing.
struct ImportStoreTests {
    private final class Place {
        let fixture: VaultFixture
        private var seed: UInt64 = 0
        init() throws { fixture = try VaultFixture() }

        var vault: Vault { get throws { try fixture.open() } }

        /// Added, changed, unchanged, deleted; and what is said.
        func store(
            _ batch: ImportBatch, limit: UInt64 = .max, read: @escaping (BytePath) throws -> [UInt8] = { _ in [] }
        ) throws -> (counts: [Int], said: [String]) {
            var batch = batch
            var counts: [Int] = []
            seed += 1
            try fixture.save(seed: seed) { save in
                let outcome = try save.store(&batch, limit: limit, read: read)
                counts = [outcome.added, outcome.changed, outcome.unchanged, outcome.deleted]
            }
            #expect(try fixture.verify().findings.isEmpty)
            return (counts, batch.problems.map { "\($0.place): \($0.what)" })
        }

        func cards() throws -> [Card] { try vault.cards(vault.cardEntries()) }

        func files() throws -> [String] {
            let vault = try vault
            return try vault.entries { $0.isAttachment }.map { entry in
                let content = try vault.content(of: entry, limit: 1 << 20)
                return
                    "\(String(decoding: entry.overview.title, as: UTF8.self))=\(String(decoding: content, as: UTF8.self))"
            }.sorted()
        }
    }

    private func csv(_ text: String) throws -> ImportBatch { try ImportBatch(csv: Array(text.utf8), kind: nil) }
    private func native(_ lines: String...) throws -> ImportBatch {
        try ImportBatch(native: Array(([NativeExport.head] + lines).joined(separator: "\n").utf8))
    }
    private func pass(_ text: String, name: String = "web/shop") -> ImportBatch {
        var batch = ImportBatch()
        batch.add(pass: name, text: Array(text.utf8))
        return batch
    }
    private func json(_ items: String) throws -> ImportBatch {
        try ImportBatch(json: Array(#"{"items":[\#(items)]}"#.utf8))
    }

    // MARK: Tables

    @Test func aTableComesTwice() throws {
        let place = try Place()
        let table = "kind,title,tags,text,a,b\nnote,n,x,t,1,2\nnote,m,,u,,\n"
        #expect(try place.store(csv(table)).counts == [2, 0, 0, 0])
        #expect(try place.store(csv(table)).counts == [0, 0, 2, 0])
        #expect(
            try place.store(csv("kind,title,tags,text,b,a\nnote,n,x,t,2,1\n")).counts == [0, 0, 1, 0],
            "in another order")
        for row in ["note,n,x,t,1,3", "note,n,y,t,1,2", "note,n,x,s,1,2", "note,n,x,t,1,", "note,o,x,t,1,2"] {
            #expect(try place.store(csv("kind,title,tags,text,a,b\n\(row)\n")).counts == [1, 0, 0, 0], "\(row)")
        }
        #expect(try place.store(csv("kind,title,text\ntext,m,u\n")).counts == [1, 0, 0, 0], "of another kind")
        #expect(try place.store(csv("kind,title,text\nnote,m,u\nnote,m,u\n")).counts == [0, 0, 2, 0])
    }

    // MARK: Cards of other programs

    @Test func whatIsMoreIsJoined() throws {
        let place = try Place()
        #expect(try place.store(pass("pw\nlogin: li\n")).counts == [1, 0, 0, 0])
        #expect(try place.store(pass("pw\nlogin: li\n")).counts == [0, 0, 1, 0])
        #expect(try place.store(pass("pw\nlogin: li\npin: 12\nsome words\n")).counts == [0, 1, 0, 0])
        let card = try #require(try place.cards().first)
        #expect(
            card.fields.own.map(\.value) == ["12"] && card.fields.texts["notes"] == "some words"
                && card.overview.group == "web")
        #expect(try place.store(pass("pw\nlogin: li\n")).counts == [0, 0, 1, 0], "less is no news")
        #expect(try place.store(pass("other\nlogin: li\n")).counts == [1, 0, 0, 0], "another password")
        #expect(try place.store(pass("pw\nlogin: li\npin: 13\n")).counts == [1, 0, 0, 0], "another value of one label")
        #expect(try place.store(pass("pw\n")).counts == [1, 0, 0, 0], "a name on one side only")
        #expect(
            try place.store(pass("\nsome words\n")).counts == [1, 0, 0, 0]
                && place.store(pass("\nother words\n")).counts == [1, 0, 0, 0])
        #expect(try place.store(pass("\nsome words\n")).counts == [1, 0, 0, 0], "nothing in common but a title")
        #expect(try place.store(pass("pw\nlogin: li\n", name: "shop")).counts == [0, 0, 1, 0], "in another group")
    }

    @Test func fullCardsAreNotJoined() throws {
        let place = try Place()
        let own = (1...256).map { "f\($0): x\n" }.joined()
        #expect(try place.store(pass("pw\nlogin: li\n" + own)).counts == [1, 0, 0, 0])
        #expect(try place.store(pass("pw\nlogin: li\nmore: x\n")).counts == [1, 0, 0, 0])
        #expect(try place.cards().map(\.fields.own.count).sorted() == [1, 256])
        let other = try Place()
        #expect(try other.store(pass("pw\nlogin: li\n" + own.dropLast("f256: x\n".count))).counts == [1, 0, 0, 0])
        #expect(try other.store(pass("pw\nlogin: li\nmore: x\n")).counts == [0, 1, 0, 0])
    }

    /// Two formats of one program may tell different parts of other cards, whose fields have to agree.
    @Test func cardsOfOtherKinds() throws {
        let place = try Place()
        let card = #"{"type":3,"name":"Visa","card":{"brand":"Visa","number":"4111111111111111"\#("MORE")}}"#
        #expect(try place.store(json(card.replacing("MORE", with: ""))).counts == [1, 0, 0, 0])
        #expect(try place.store(json(card.replacing("MORE", with: ""))).counts == [0, 0, 1, 0])
        #expect(try place.store(json(card.replacing("MORE", with: #","code":"123""#))).counts == [1, 0, 0, 0])
        #expect(try place.store(json(card.replacing("MORE", with: #","odd":"x""#))).counts == [0, 1, 0, 0])
    }

    @Test func theBinIsTheTrash() throws {
        let place = try Place()
        let item =
            #"{"type":1,"name":"shop","deletedDate":"2024-01-01T00:00:00Z","login":{"username":"li","password":"pw"}MORE}"#
        let plain = item.replacing("MORE", with: "")
        #expect(try place.store(json(plain)).counts == [1, 0, 0, 1])
        #expect(try place.cards().isEmpty && place.vault.allEntries().count { $0.state == .trashed && $0.isCard } == 1)
        #expect(try place.store(json(plain)).counts == [0, 0, 1, 0])
        #expect(
            try place.store(json(item.replacing("MORE", with: #","odd":"x""#))).counts == [1, 0, 0, 1],
            "the trash keeps what it has")
        #expect(
            try place.store(json(#"{"type":1,"name":"shop","login":{"username":"li","password":"pw"}}"#)).counts == [
                1, 0, 0, 0,
            ])
        #expect(try place.cards().count == 1)
    }

    /// A card of the source that is no more does not take the place of one that is.
    @Test func theBinKnowsNoLiveCards() throws {
        let place = try Place()
        let item = #"{"type":1,"name":"shop"MORE,"login":{"username":"li","password":"pw"}}"#
        #expect(try place.store(json(item.replacing("MORE", with: ""))).counts == [1, 0, 0, 0])
        let deleted = item.replacing("MORE", with: #","deletedDate":"2024-01-01T00:00:00Z""#)
        #expect(try place.store(json(deleted)).counts == [1, 0, 0, 1])
        #expect(try place.cards().count == 1)
    }

    /// Two items that say more of one card do not overwrite each other.
    @Test func aCardIsJoinedOnce() throws {
        let place = try Place()
        func item(_ more: String) -> String {
            #"{"type":1,"name":"shop","login":{"username":"li","password":"pw"}\#(more)}"#
        }
        #expect(try place.store(json(item(""))).counts == [1, 0, 0, 0])
        #expect(try place.store(json(item(#","a":"1""#) + "," + item(#","b":"2""#))).counts == [1, 1, 0, 0])
        #expect(try Set(place.cards().map { $0.fields.own.map(\.value) }) == [["1"], ["2"]])
    }

    // MARK: Attachments

    private func keePass(_ files: [(String, String)], inBin: Bool = false) throws -> ImportBatch {
        let binaries = files.enumerated().map { "<Binary ID=\"\($0)\">\(Base64.text(Array($1.1.utf8)))</Binary>" }
            .joined()
        let places = files.enumerated().map { "<Binary><Key>\($1.0)</Key><Value Ref=\"\($0)\"/></Binary>" }.joined()
        let entry =
            "<Entry><String><Key>Title</Key><Value>t</Value></String><String><Key>UserName</Key><Value>li</Value></String>\(places)</Entry>"
        let text = """
            <KeePassFile><Meta><RecycleBinUUID>bin</RecycleBinUUID><Binaries>\(binaries)</Binaries></Meta><Root><Group>
            <UUID>r</UUID><Name>Root</Name>\(inBin ? "<Group><UUID>bin</UUID><Name>Recycle Bin</Name>\(entry)</Group>" : entry)</Group></Root></KeePassFile>
            """
        return try ImportBatch(keePass: Array(text.utf8), limit: 1 << 20)
    }

    @Test func filesKeepTheirNames() throws {
        let place = try Place()
        #expect(try place.store(keePass([("a.txt", "one")])).counts == [1, 0, 0, 0] && place.files() == ["a.txt=one"])
        #expect(try place.store(keePass([("a.txt", "one")])).counts == [0, 0, 1, 0])
        #expect(
            try place.store(keePass([("a.txt", "two")])).counts == [0, 1, 0, 0]
                && place.files() == ["2 a.txt=two", "a.txt=one"])
        #expect(try place.store(keePass([("a.txt", "two")])).counts == [0, 0, 1, 0], "behind a number it is the same")
        #expect(try place.store(keePass([("b.txt", "one")])).counts == [0, 1, 0, 0], "another name is another file")
        #expect(try place.store(keePass([("a.txt", "three!")])).counts == [0, 1, 0, 0])
        #expect(try place.files().contains("3 a.txt=three!"))
        #expect(try place.store(keePass([("txt", "one")])).counts == [0, 1, 0, 0], "the end of a name is another name")
        #expect(try place.files().contains("txt=one"))
    }

    @Test func filesInTheBin() throws {
        let place = try Place()
        #expect(
            try place.store(keePass([("a.txt", "one")], inBin: true)).counts == [1, 0, 0, 1] && place.files().isEmpty)
        #expect(try place.vault.allEntries().count { $0.isAttachment && $0.state == .trashed } == 1)
        #expect(try place.store(keePass([("a.txt", "one")], inBin: true)).counts == [0, 0, 1, 0])
        #expect(try place.store(keePass([], inBin: true)).counts == [0, 0, 1, 0])
        #expect(try place.store(keePass([("a.txt", "two")], inBin: true)).counts == [1, 0, 0, 1])
        #expect(try place.store(keePass([("a.txt", "one")])).counts == [1, 0, 0, 0] && place.files() == ["a.txt=one"])
    }

    // MARK: Records of a vault

    private static func id(_ digit: Int) -> String { String(repeating: "\(digit)", count: 32) }

    @Test func recordsComeWithTheirIds() throws {
        let place = try Place()
        let card = #"{"kind":"note","title":"n","id":"\#(Self.id(1))","fields":{"text":"a"}}"#
        #expect(
            try place.store(native(card)).counts == [1, 0, 0, 0] && place.store(native(card)).counts == [0, 0, 1, 0])
        let other = card.replacing(#""a""#, with: #""b""#)
        #expect(try place.store(native(other, card)) == ([0, 1, 0, 0], ["line 3: its id came before"]))
        let kind = card.replacing("note", with: "text")
        #expect(try place.store(native(kind)) == ([0, 0, 0, 0], ["line 2: another kind of record has its id here"]))
        #expect(
            try place.store(native(card.replacing(#""n""#, with: #""m""#))).counts == [0, 1, 0, 0], "another title")
        #expect(try place.cards().map(\.title) == ["m"])
    }

    @Test func settingsAreFoundByName() throws {
        let place = try Place()
        let setting = #"{"kind":"setting","title":"a.b","type":"text","value":"1"}"#
        #expect(try place.store(native(setting, setting)) == ([1, 0, 0, 0], ["line 3: its name came before"]))
        let id = hexText(try Setting.id("a.b").bytes)
        let named = setting.replacing(#""title""#, with: #""id":"\#(id)","title""#)
        #expect(try place.store(native(named, setting)) == ([0, 0, 1, 0], ["line 3: its name came before"]))
        #expect(try place.store(native(setting.replacing(#""1""#, with: #""2""#))).counts == [0, 1, 0, 0])
        #expect(try place.vault.setting("a.b")?.value == .text("2"))
    }

    @Test func whatBelongsToNothingIsLeftOut() throws {
        let place = try Place()
        let missing = "the record that it belongs to is not there"
        let card = #"{"kind":"note","title":"n","id":"\#(Self.id(1))"}"#
        let lines = [
            #"{"kind":"attachment","title":"a","owner":"\#(Self.id(7))","content":"YQ=="}"#,
            #"{"kind":"attachment","title":"a","content":"YQ=="}"#,
            #"{"kind":"kind-99","title":"a","owner":"\#(Self.id(7))","content":"YQ=="}"#,
            #"{"kind":"kind-99","title":"a","id":"\#(Self.id(6))","owner":"\#(Self.id(6))","content":"YQ=="}"#,
            #"{"kind":"watermark","title":"a","owner":"\#(Self.id(1))","fields":{"text":"x"}}"#,
            #"{"kind":"share","title":"a","fields":{"text":"x"}}"#,
        ]
        let batch = try ImportBatch(native: Array(([NativeExport.head, card] + lines).joined(separator: "\n").utf8))
        let outcome = try place.store(batch)
        #expect(outcome.counts == [1, 0, 0, 0] && outcome.said.sorted() == (3...8).map { "line \($0): \(missing)" })
        let owned = [
            #"{"kind":"attachment","title":"a","owner":"\#(Self.id(1))","id":"\#(Self.id(2))","content":"YQ=="}"#,
            #"{"kind":"watermark","title":"a","owner":"\#(Self.id(2))","fields":{"text":"x"}}"#,
            #"{"kind":"kind-99","title":"a","owner":"\#(Self.id(1))","content":"YQ=="}"#,
            #"{"kind":"kind-99","title":"b","content":"YQ=="}"#,
        ]
        let more = try ImportBatch(native: Array(([NativeExport.head] + owned).joined(separator: "\n").utf8))
        #expect(try place.store(more) == ([4, 0, 0, 0], []) && place.files() == ["a=a"])
    }

    @Test func filesBesideAnExport() throws {
        let place = try Place()
        let hash = hexText(try SHA256.hash(Array("hello".utf8).span))
        func line(_ more: String) -> String { #"{"kind":"attachment","title":"a","owner":"\#(Self.id(1))"\#(more)}"# }
        let card = #"{"kind":"note","title":"n","id":"\#(Self.id(1))"}"#
        func outcome(_ more: String, limit: UInt64 = .max) throws -> (counts: [Int], said: [String]) {
            try place.store(native(card, line(more)), limit: limit) { path in
                guard path == "d/x" else { throw ImportFileError("is not there") }
                return Array("hello".utf8)
            }
        }
        #expect(
            try outcome(#","file":"d/x","sha256":"00""#) == ([1, 0, 0, 0], ["line 3: d/x: is not what was exported"]))
        #expect(try outcome(#","file":"d/y""#) == ([0, 0, 1, 0], ["line 3: is not there"]))
        #expect(
            try outcome(#","content":"aGVsbG8=""#, limit: 4) == (
                [0, 0, 1, 0], ["line 3: is larger than an attachment may be"]
            ))
        #expect(
            try outcome(#","file":"d/x","sha256":"\#(hash)""#) == ([1, 0, 1, 0], []) && place.files() == ["a=hello"])
        #expect(try outcome(#","content":"aGVsbG8=","sha256":"\#(hash)""#, limit: 5).counts == [1, 0, 1, 0])
        #expect(try outcome(#","file":"d/x""#).counts == [1, 0, 1, 0])
    }

    @Test func cardsOfABatchCanBeChanged() throws {
        let place = try Place()
        var batch = try native(
            #"{"kind":"note","title":"n"}"#, #"{"kind":"setting","title":"a","type":"text","value":"1"}"#)
        batch.changeCards { $0.group = "g" }
        #expect(try place.store(batch).counts == [2, 0, 0, 0] && place.cards().map(\.overview.group) == ["g"])
    }
}
