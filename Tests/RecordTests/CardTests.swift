import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Cards
import VaultStore
import VaultTesting

@Suite struct CardTests {
    private func card(_ kind: String) throws -> Card {
        Card(schema: try #require(Schema.named(kind)), overview: Overview(title: []), fields: RecordFields())
    }

    /// Keys and numbers are in stored vaults: none is given twice.
    @Test func schemasAreSound() {
        #expect(Set(Schema.cards.map(\.kind)).count == Schema.cards.count)
        #expect(Set(Schema.cards.map(\.name)).count == Schema.cards.count)
        for schema in Schema.cards {
            #expect(Set(schema.fields.map(\.key)).count == schema.fields.count, "\(schema.name)")
            #expect(schema.fields.allSatisfy { $0.key != "own" && !$0.label.chinese.isEmpty }, "\(schema.name)")
        }
    }

    /// Spec/product/records.md, portfolio.md, assets.md and apps.md have the same kinds and fields.
    @Test func schemasAreInTheSpec() throws {
        let folder = Vector.folder.deletingLastPathComponent().appending(path: "Spec/product")
        let page = try ["records.md", "portfolio.md", "assets.md", "apps.md"].map { name in
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }.joined()
        for schema in Schema.cards {
            let fields = schema.fields.map { "`\($0.key)`\($0.isRequired ? "*" : "")\($0.isSensitive ? "†" : "")" }
            let row = "| \(schema.kind.rawValue) | `\(schema.name)` | \(schema.label.chinese) | "
            #expect(page.contains("\n\(row)\(fields.joined(separator: " ")) |\n"), "\(schema.name)")
        }
    }

    @Test func allErrorsOfAFormAtOnce() throws {
        var card = try card("invoice")
        let wrong = card.set([("tax_id", "1"), ("phone", "1"), ("fax", "1"), ("bank", "a"), ("bank", "b")])
        #expect(wrong.map(\.key) == ["tax_id", "phone", "fax", "bank"])
        #expect(card.fields.texts == ["bank": "a"])
        #expect(card.missing(besides: wrong).map(\.key) == ["company"])
    }

    @Test func emptyAndBlankAreMissing() throws {
        var card = try card("text")
        #expect(card.set([("text", " \n ")]).isEmpty)
        #expect(card.missing(besides: []).map(\.key) == ["text"])
        #expect(card.set([("text", "a\nb")]).isEmpty && card.missing(besides: []).isEmpty)
        #expect(card.set([("text", "")]).isEmpty && card.fields.texts.isEmpty)
    }

    @Test func notesTakeFieldsOfTheirOwn() throws {
        var card = try card("note")
        #expect(card.set([("路由器", "a"), ("wifi", "b"), ("路由器 2", "c")]).isEmpty)
        #expect(card.set([("wifi", ""), ("路由器", "d")]).isEmpty)
        #expect(card.fields.own.map(\.label) == ["路由器", "路由器 2"] && card.fields.own[0].value == "d")
        #expect(try RecordFields(parsing: card.fields.bytes) == card.fields)
        #expect(card.set([("", "x")]).count == 1 && card.set([("a\nb", "x")]).count == 1)
    }

    /// A field of a newer program survives an edit byte for byte.
    @Test func unknownFieldsSurvive() throws {
        var writer = CBORWriter()
        writer.map(4)
        writer.text("own")
        writer.array(1)
        writer.array(2)
        writer.text("label")
        writer.text("value")
        writer.text("text")
        writer.text("old")
        writer.text("colour")
        writer.text("red")
        writer.text("weights")
        writer.array(2)
        writer.unsigned(7)
        writer.presence()
        var fields = try RecordFields(parsing: writer.bytes)
        #expect(fields.bytes == writer.bytes)
        #expect(fields.texts == ["text": "old", "colour": "red"])
        fields.texts["text"] = "new"
        let changed = try RecordFields(parsing: fields.bytes)
        #expect(changed.own == fields.own && changed.texts["colour"] == "red")
        #expect(changed != (try RecordFields(parsing: writer.bytes)))
        fields.texts["text"] = "old"
        #expect(fields.bytes == writer.bytes)
    }

    @Test(
        arguments: [
            [0x80], [0xA1, 0x01, 0x02], [0xA1, 0x63, 0x6F, 0x77, 0x6E, 0x80], [0xA0, 0x00], [0xA1, 0x61, 0x61],
            [0xA1, 0x63, 0x6F, 0x77, 0x6E, 0x81, 0x81, 0x61, 0x61],
            [0xA2, 0x61, 0x62, 0x61, 0x62, 0x61, 0x61, 0x61, 0x61],
        ] as [[UInt8]])
    func refusesWhatIsNoRecord(_ bytes: [UInt8]) {
        #expect { try RecordFields(parsing: bytes) } throws: { ($0 as? FormatError)?.code == .malformed }
    }

    /// A sheet that nobody changed changes nothing, whatever the values are.
    @Test func sheetsSayWhatCardsSay() throws {
        let pieces = ["a", " ", "\n", "\t", "#", ":", "key: x", "\u{301}", "张", "🏠", "  b", "\n\n", "=", ","]
        var random = CountingRandom(seed: 3)
        func text() throws -> String {
            var text = ""
            for _ in 0..<Int(try random.bytes(1)[0] % 8) { text += pieces[Int(try random.bytes(1)[0]) % pieces.count] }
            return text
        }
        for _ in 0..<2000 {
            var card = try card("note")
            card.overview = Overview(title: Array("t".utf8))
            card.overview.tags = ["x", "y z"]
            let values = [("text", try text()), ("own", try text()), ("label " + (try text()), try text())]
            _ = card.set(values.map { (key: $0.0, value: $0.1) })
            guard CardTextFormat.isWhole(card) else { continue }
            var again = card
            let wrong = CardTextFormat.apply(CardTextFormat.text(card), to: &again)
            #expect(
                wrong.isEmpty && again == card && again.fields.bytes == card.fields.bytes,
                "\(CardTextFormat.text(card))")
            again = card
            let windows = "\u{FEFF}" + CardTextFormat.text(card).replacing("\n", with: "\r\n")
            #expect(CardTextFormat.apply(windows, to: &again).isEmpty && again.fields.bytes == card.fields.bytes)
        }
        var empty = try card("note")
        #expect(!CardTextFormat.apply("", to: &empty).isEmpty)
        #expect(empty.set([("a:b", "x"), ("#a", "x"), ("title", "x"), ("tags", "x")]).count == 4)
    }

    @Test func cardsLiveInAVault() throws {
        let fixture = try VaultFixture([("a", pattern(10))])
        var card = try card("address")
        let values = [("name", "张三"), ("phone", "13800138000"), ("province", "浙江省"), ("city", "杭州市")]
        #expect(card.set(values + [("district", "西湖区"), ("address", "文三路1号")]).isEmpty)
        card.overview = Overview(title: Array("家".utf8))
        card.overview.tags = ["家人"]
        var ids: [RecordID] = []
        try fixture.save(seed: 1) { save in
            ids = [try save.makeID(), try save.makeID()]
            try save.put(card, as: ids[0])
            try save.put(card, as: ids[1])
        }
        var vault = try fixture.open()
        #expect(try vault.cards(vault.cardEntries()) == [card, card])
        try fixture.save(seed: 2) { save in
            guard let entry = try save.entry(ids[0]) else { return }
            var overview = entry.overview
            overview.isPinned = true
            try save.updateMetadata(entry, overview)
        }
        vault = try fixture.open()
        #expect(try vault.cardEntries().map(\.id) == ids)
        #expect(try vault.changes(of: ids[0]).count == 2)
        #expect(try vault.verify().findings.isEmpty)
    }

    /// Two people change one card: each keeps what the other did not touch.
    @Test func changesAreJoined() throws {
        var old = try card("contact")
        #expect(old.set([("name", "A"), ("phone", "13800138000"), ("x", "1"), ("y", "2")]).isEmpty)
        var (mine, theirs) = (old, old)
        #expect(mine.set([("phone", ""), ("company", "C"), ("x", "9"), ("y", "")]).isEmpty)
        #expect(theirs.set([("name", "B"), ("x", "8"), ("z", "3")]).isEmpty)
        mine.overview.tags = ["t"]
        theirs.overview.group = "g"
        let (joined, conflicts) = mine.merged(since: old, into: theirs)
        #expect(joined.fields.texts == ["name": "B", "company": "C"])
        #expect(joined.fields.own.map(\.label) == ["x", "z"] && joined.fields.own.map(\.value) == ["9", "3"])
        #expect(joined.overview.tags == ["t"] && joined.overview.group == "g")
        #expect(conflicts == ["x"])
        #expect(old.merged(since: old, into: theirs).card == theirs && mine.merged(since: old, into: old).card == mine)
    }
}
