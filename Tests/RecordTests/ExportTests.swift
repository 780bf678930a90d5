import Pictures
import Exchange
import Foundation
import Testing
import VaultCrypto
import VaultFormat
import Cards
import VaultStore
import VaultTesting

/// Cards as other programs read them, and back again: nothing is another afterwards (Spec/product/export.md, 6).
struct ExportTests {
    /// A card of a kind with title, group, tags, fields, and fields of one's own.
    private static func card(
        _ kind: String, _ title: String, group: String? = nil, tags: [String] = [], isPinned: Bool = false,
        _ texts: [String: String] = [:], own: [(String, String, Bool)] = []
    ) throws -> Card {
        var overview = Overview(title: Array(title.utf8))
        (overview.group, overview.tags, overview.isPinned) = (group, tags, isPinned)
        var fields = RecordFields()
        (fields.texts, fields.own) = (texts, own.map { .init(label: $0.0, value: $0.1, isSensitive: $0.2) })
        return Card(schema: try #require(Schema.named(kind)), overview: overview, fields: fields)
    }

    private static func cards() throws -> [Card] {
        let login = [
            "username": "li", "password": " p<w>&\" ", "url": "https://a", "notes": "one\ntwo",
            "totp": "JBSWY3DPEHPK3PXP",
        ]
        let history = #"[{"updated":"2020-01-01T00:00:00Z","strings":{"Title":"older","Password":"was"},"tags":"x"}]"#
        return [
            try card(
                "login", "all", group: "Web/Shops", tags: ["a", "b"], isPinned: true, login,
                own: [
                    ("Title", "own title", false), ("UserName", "own name", false), ("QuickVault x", "1", false),
                    ("PIN", "12", true),
                    ("expires", "2030-01-02T03:04:05Z", false), ("history", history, true),
                    ("old_password", "was", true),
                    ("old_password 2", "before", true), ("passkey", #"{"keyId":"k"}"#, true),
                    ("passkey 2", "no JSON", true),
                ]),
            try card(
                "login", "odd", group: "a//b", tags: ["x;y", " z"], ["username": "\u{FFFE}", "password": "p"],
                own: [
                    ("expires", "soon", false), ("history", "[1]", true), ("url", "u", false),
                    ("passkey", #"{"a":1}"#, false), ("old_passwordx", "y", true),
                ]),
            try card("login", "times", ["username": "u"], own: [("expires", "2030-01-02T03:04:05.5Z", false)]),
            try card("login", "hidden", ["username": "u"], own: [("expires", "2030-01-02T03:04:05Z", true)]),
            try card(
                "note", "n", group: "Web", ["text": "text"],
                own: [("text 2", "x", false), ("passkey", #"{"k":1}"#, true)]),
            try card("note", "empty", group: "Web/Shops"),
            try card(
                "bankcard", "Visa",
                ["bank": "Visa", "number": "4111111111111111", "expiry": "03/31", "branch": "B", "notes": "n"]),
            try card("bankcard", "none", group: "Other", ["bank": "B", "number": "4111111111111111"]),
            try card(
                "contact", "Li", ["name": "Li", "phone": "13800138000", "wechat": "w", "birthday": "1990-01-01"],
                own: [("x", "1", false)]),
            try card("ssh-key", "k", ["private_key": "p", "public_key": "q", "fingerprint": "f", "passphrase": "pp"]),
            try card("wifi", "w", tags: ["t"], isPinned: true, ["network": "n", "password": "p", "notes": "x"]),
            try card("text", "t", group: "Web/Shops/Deep", ["text": "two\nlines"]),
        ]
    }

    private struct Exported {
        let vault: Vault
        let entries: [Entry]
        let cards: [Card]
    }

    private static func exported() throws -> Exported {
        let (fixture, cards) = (try VaultFixture(), try cards())
        var ids: [RecordID] = []
        try fixture.save(seed: 1) { save in
            for card in cards {
                let id = try save.makeID()
                ids.append(id)
                try save.put(card, as: id)
            }
        }
        try fixture.save(seed: 2) { save in
            let file = NewAttachment(anyType: Array("hello".utf8), name: Array("a&b.txt".utf8))
            _ = try save.attach(file, to: #require(try save.entry(ids[0])), among: [])
        }
        let vault = try fixture.open()
        return Exported(vault: vault, entries: try ids.map { try #require(try vault.entry($0)) }, cards: cards)
    }

    private static func read(_ batch: ImportBatch) -> [String: Card] {
        let cards = batch.items.compactMap { if case .card(let card) = $0.content { card } else { nil } }
        return Dictionary(uniqueKeysWithValues: cards.map { ($0.title, $0) })
    }

    /// Own fields without an order: other programs have one of their own.
    private static func sorted(_ card: Card?) -> [String] {
        (card?.fields.own ?? []).map { "\($0.label)=\($0.value) \($0.isSensitive)" }.sorted()
    }

    /// A label that is a key of the kind gets a number.
    private static func numbered(_ card: Card) -> [String] {
        sorted(card).map { $0.hasPrefix("url=") ? "url 2=" + $0.dropFirst(4) : $0 }.sorted()
    }

    /// Each card comes back with its kind, labels and fields, and nothing is left out.
    private static func expectSame(
        _ batch: ImportBatch, _ cards: [Card], besidesOwnFieldsOf other: String? = nil
    ) throws {
        #expect(batch.problems.isEmpty && batch.items.count == cards.count, "\(batch.problems) \(batch.notices)")
        let read = read(batch)
        for card in cards {
            let back = try #require(read[card.title], "\(card.title)")
            #expect(back.schema == card.schema && back.overview.group == card.overview.group, "\(card.title)")
            #expect(
                back.overview.tags == card.overview.tags && back.overview.isPinned == card.overview.isPinned,
                "\(card.title)")
            #expect(back.fields.texts == card.fields.texts, "\(card.title)")
            if card.title != other { #expect(sorted(back) == numbered(card), "\(card.title)") }
        }
    }

    @Test func comesBackFromKeePass() throws {
        let exported = try Self.exported()
        let files = try exported.vault.entries { $0.isAttachment }
        var text = ""
        try KeePassExport(exported.vault, exported.entries + files).write(exported.entries) { text += $0 }
        let batch = try ImportBatch(keePass: Array(text.utf8), limit: 1 << 20)
        try Self.expectSame(batch, exported.cards)
        #expect(
            batch.items.first { $0.overview.title == Array("all".utf8) }?.attachments.map(\.content) == [
                Array("hello".utf8)
            ])
        // A group stands once, whatever stands between its cards.
        for name in ["Web", "Shops", "Deep", "Other"] {
            #expect(text.components(separatedBy: "<Name>\(name)</Name>").count == 2, "\(name)")
        }
        #expect(
            text.contains("<Tags>a;b</Tags>")
                && text.contains("<ExpiryTime>2030-01-02T03:04:05Z</ExpiryTime><Expires>True</Expires>"))
        #expect(
            text.components(separatedBy: "<Expires>True</Expires>").count == 2, "one has a whole time that is no secret"
        )
        #expect(
            text.contains("<Value ProtectInMemory=\"True\"> p&lt;w&gt;&amp;&quot; </Value>")
                && text.contains("<Key>a&amp;b.txt</Key>"))
        #expect(text.components(separatedBy: "<History>").count == 2 && !text.contains("\u{FFFE}"))
    }

    @Test func comesBackFromBitwarden() throws {
        let exported = try Self.exported()
        let text = try exported.vault.bitwarden(exported.entries)
        let json = try JSON(parsing: Array(text.utf8))
        #expect(json["folders"]?.items?.count == 5 && json["items"]?.items?.count == exported.cards.count)
        let batch = try ImportBatch(json: Array(text.utf8))
        try Self.expectSame(batch, exported.cards, besidesOwnFieldsOf: "all")
        let items = try #require(json["items"]?.items)
        #expect(items[0]["passwordHistory"]?.items?.map { $0["password"]?.text } == ["was", "before"])
        #expect(items[0]["login"]?["fido2Credentials"]?.items?.map(\.line) == [#"{"keyId":"k"}"#])
        #expect(
            items[1]["passwordHistory"]?.items?.isEmpty == true
                && items[1]["login"]?["fido2Credentials"]?.items?.isEmpty == true)
        #expect(items.map { $0["type"]?.number } == [1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 2, 2])
        #expect(
            items[6]["card"]?["expMonth"]?.text == "3" && items[6]["card"]?["expYear"]?.text == "2031"
                && items[7]["card"]?["expMonth"]?.isNull == true)
        #expect(
            items[4]["fields"]?.items?.map { $0["name"]?.text } == ["text 2", "passkey"],
            "a note needs no name of its kind")
        #expect(items[10]["fields"]?.items?[0]["name"]?.text == "QuickVault kind")
        #expect(json["folders"]?.items?.first?["id"]?.text == "00000000-0000-4000-8000-000000000001")
        #expect(
            json["folders"]?.items?.map { $0["name"]?.text } == ["Web/Shops", "a//b", "Web", "Other", "Web/Shops/Deep"])
    }

    @Test func comesBackFromATable() throws {
        let exported = try Self.exported()
        let text = try exported.vault.csv(exported.entries)
        let header = try #require(text.split(separator: "\n").first).split(separator: ",").map(String.init)
        #expect(header.prefix(5) == ["kind", "title", "group", "tags", "pinned"] && Set(header).count == header.count)
        // `text` is a column of notes; a field of one's own that is called as one has a mark, and so has one of a kind without own fields.
        for name in ["own:Title", "own:UserName", "own:url", "text 2", "PIN", "x"] {
            #expect(header.contains(name), "\(name)")
        }
        #expect(!header.contains("Title") && !header.contains("own:PIN"))
        let cards = Self.read(try ImportBatch(csv: Array(text.utf8), kind: nil))
        for card in exported.cards where !["odd", "bankcard"].contains(card.title) {
            let back = try #require(cards[card.title], "\(card.title)")
            #expect(
                back.schema == card.schema && back.overview.group == card.overview.group
                    && back.overview.isPinned == card.overview.isPinned)
            #expect(back.fields.texts == card.fields.texts && back.overview.tags == card.overview.tags, "\(card.title)")
            #expect(
                Set(back.fields.own.map { "\($0.label)=\($0.value)" })
                    == Set(card.fields.own.map { "\($0.label)=\($0.value)" }), "\(card.title)")
        }
    }

    /// A kind without fields of one's own may have some that an import brought.
    @Test func marksOfATable() throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            for card in [
                try Self.card("wifi", "w", ["network": "n"], own: [("extra", "1", false)]),
                try Self.card("note", "n", own: [("network", "2", false), ("extra", "3", false)]),
            ] {
                try save.put(card, as: save.makeID())
            }
        }
        let vault = try fixture.open()
        let entries = try vault.cardEntries().sorted { $0.overview.title.lexicographicallyPrecedes($1.overview.title) }
        let text = try vault.csv(entries)
        #expect(
            text == """
                kind,title,group,tags,pinned,text,network,password,security,notes,own:network,extra,own:extra
                note,n,,,,,,,,,2,3,
                wifi,w,,,,,n,,,,,,1

                """)
        let cards = Self.read(try ImportBatch(csv: Array(text.utf8), kind: nil))
        #expect(
            Self.sorted(cards["w"]) == ["extra=1 false"]
                && Self.sorted(cards["n"]) == ["extra=3 false", "network=2 false"])
    }
}
