import Cards
import Exchange
import Testing
import VaultFormat

/// Items of 1Password: what each of their parts becomes.
struct OnePasswordTests {
    private func read(_ items: String, files: [(String, String)] = []) throws -> ImportBatch {
        let document = #"{"accounts":[{"vaults":[{"attrs":{"name":"Home"},"items":[\#(items)]}]}]}"#
        let archive = StoredArchive(([("export.data", document)] + files).map { ($0.0, Array($0.1.utf8)) })
        return try ImportBatch(zip: archive.bytes, limit: 1 << 20)
    }

    private func item(_ details: String, kind: String = "001", overview: String = "", more: String = "") -> String {
        #"{"categoryUuid":"\#(kind)","overview":{"title":"t"\#(overview)},"details":{\#(details)}\#(more)}"#
    }

    private func card(_ details: String, kind: String = "001", overview: String = "", more: String = "") throws -> Card
    {
        let batch = try read(item(details, kind: kind, overview: overview, more: more))
        #expect(said(batch).isEmpty)
        return try #require(cards(batch).first)
    }

    private func section(_ fields: String, _ head: String = "") -> String {
        #""sections":[{\#(head)"fields":[\#(fields)]}]"#
    }

    @Test func noAccountsAreNoExport() {
        for document in ["{}", #"{"accounts":{}}"#] {
            #expect(throws: MalformedText.self) {
                try ImportBatch(zip: StoredArchive([("export.data", Array(document.utf8))]).bytes, limit: 99)
            }
        }
    }

    @Test(arguments: [
        ("001", #""loginFields":[{"value":"u","designation":"username"}]"#, "login", ["username": "u"]),
        ("005", #""password":"p""#, "login", ["password": "p"]), ("003", #""notesPlain":"x""#, "note", ["text": "x"]),
        (
            "109",
            #""sections":[{"fields":[{"id":"network_name","value":{"string":"n"}},{"id":"wireless_password","value":{"concealed":"p"}},{"id":"wireless_security","value":{"menu":"wpa"}}]}]"#,
            "wifi", ["network": "n", "password": "p", "security": "wpa"]
        ),
        (
            "110",
            #""sections":[{"fields":[{"id":"url","value":{"string":"h"}},{"id":"username","value":{"string":"u"}},{"id":"password","value":{"concealed":"p"}}]}]"#,
            "server", ["host": "h", "username": "u", "password": "p"]
        ),
        (
            "114",
            #""sections":[{"fields":[{"id":"k","value":{"sshKey":{"privateKey":"a","metadata":{"publicKey":"b","fingerprint":"c"}}}}]}]"#,
            "ssh-key", ["private_key": "a", "public_key": "b", "fingerprint": "c"]
        ), ("999", #""notesPlain":"x""#, "note", ["text": "x"]),
    ])
    func kindsOfItems(_ number: String, _ details: String, _ kind: String, _ texts: [String: String]) throws {
        let card = try card(details, kind: number)
        #expect(card.schema.name == kind && card.fields.texts == texts && card.overview.group == "Home")
        #expect(own(card).isEmpty, "\(own(card))")
    }

    /// Values that are there already are taken once; others get a field of their own.
    @Test func fieldsOfALogin() throws {
        let fields =
            #"{"value":"u","designation":"username","name":"Email"},{"value":"p","designation":"password","name":"password"}"#
        let card = try card(
            #""loginFields":[\#(fields),{"value":"u2","name":"Username","fieldType":"T"},{"value":"s","id":"pin","fieldType":"P"},{"value":"x"}],"password":"p""#
        )
        #expect(card.fields.texts == ["username": "u", "password": "p"])
        #expect(own(card) == ["Username=u2", "pin=s", "field=x"])
        #expect(card.fields.own.map(\.isSensitive) == [false, true, false])
        // A password of the item beside another one in its fields.
        #expect(try own(self.card(#""loginFields":[\#(fields)],"password":"q""#)) == ["password 2=q"])
        // A label is one of the program, or what it is for; any other is kept.
        for (name, designation, isKept) in [
            ("E-Mail", "", true), ("EMAIL", "", false), ("odd", "odd", false), ("u", "username", true),
        ] {
            let field = #"{"value":"v","name":"\#(name)","designation":"\#(designation)"}"#
            let texts = try own(self.card(#""loginFields":[\#(field)]"#))
            #expect(
                texts.contains { $0.hasPrefix("more=") } == (isKept && designation == "username"), "\(name) \(texts)")
        }
    }

    @Test func addressesOfALogin() throws {
        let card = try card(
            "",
            overview:
                #","url":"https://a","urls":[{"url":"https://a"},{"url":"https://b","label":"website"},{"url":"https://c","label":"admin"},{"url":"https://c","label":"admin"}]"#
        )
        #expect(card.fields.texts == ["url": "https://a"] && own(card) == ["url 2=https://b", "url admin=https://c"])
    }

    /// The values of a section, by their types; the heading stands before the name.
    @Test(arguments: [
        (#""title":"T","value":{"string":"x"}"#, ["T=x"]), (#""id":"i","title":"","value":{"string":"x"}"#, ["i=x"]),
        (#""value":{"phone":"1"}"#, ["phone=1"]), (#""title":"T","value":{"monthYear":203103}"#, ["T=03/31"]),
        (#""title":"T","value":{"monthYear":203110}"#, ["T=10/31"]),
        (#""title":"T","value":{"monthYear":203109}"#, ["T=09/31"]),
        (#""title":"T","value":{"monthYear":200001}"#, ["T=01/00"]),
        (#""title":"T","value":{"monthYear":200000}"#, ["T=200000"]),
        (#""title":"T","value":{"monthYear":209912}"#, ["T=12/99"]),
        (#""title":"T","value":{"monthYear":209913}"#, ["T=209913"]),
        (#""title":"T","value":{"date":1700000000}"#, ["T=2023-11-14"]),
        (#""title":"T","value":{"date":-1}"#, ["T=-1"]), (#""title":"T","value":{"date":null}"#, []),
        (#""title":"T","value":{"email":{"email_address":"a@b","provider":null}}"#, ["T=a@b"]),
        (#""title":"T","value":{"email":{"x":"y"}}"#, [#"T={"x":"y"}"#]),
        (#""title":"T","value":{"address":{"street":"S","city":"","zip":"Z"}}"#, ["T=S, Z"]),
        (#""title":"T","value":{"list":["a"]}"#, [#"T=["a"]"#]), (#""title":"T","value":{}"#, []),
        (#""title":"T""#, []),
    ])
    func valuesOfASection(_ field: String, _ wanted: [String]) throws {
        let found = try own(card(#""notesPlain":"n","# + section("{\(field)}"), kind: "003"))
        #expect(found.filter { !$0.hasPrefix("more=") } == wanted)
        let headed = try own(card(#""notesPlain":"n","# + section("{\(field)}", #""title":"H","#), kind: "003"))
        #expect(headed.filter { !$0.hasPrefix("more=") } == wanted.map { "H " + $0 })
    }

    @Test func secretsOfASection() throws {
        let card = try card(
            #""notesPlain":"n","#
                + section(
                    #"{"title":"a","value":{"concealed":"1"}},{"title":"b","value":{"creditCardNumber":"2"}},{"title":"c","value":{"totp":"3"}},{"title":"d","value":{"string":"4"}}"#
                ), kind: "003")
        #expect(card.fields.own.map { "\($0.label) \($0.isSensitive)" } == ["a true", "b true", "c true", "d false"])
    }

    /// Names that the program makes up say nothing; any other is kept.
    @Test(arguments: [("Section_7F", false), ("linked items", false), ("Mine", true)])
    func namesOfSections(_ name: String, _ isKept: Bool) throws {
        let fields = own(
            try card(
                #""notesPlain":"n","#
                    + section(#"{"title":"T","value":{"string":"x"}}"#, #""name":"\#(name)","title":"","#),
                kind: "003"))
        #expect(fields.contains { $0.contains("more=") && $0.contains(name) } == isKept, "\(fields)")
    }

    /// A label stands in the card; that of a value which has a field here is kept, unless every login has it.
    @Test(arguments: [("one-time password", false), ("ONE-TIME PASSWORD", false), ("code", true)])
    func labelsOfFieldsOfTheKind(_ title: String, _ isKept: Bool) throws {
        let card = try card(
            section(#"{"title":"\#(title)","id":"i","value":{"totp":"otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"}}"#))
        #expect(card.fields.texts["totp"] != nil && own(card).contains { $0.hasPrefix("more=") } == isKept)
    }

    @Test func bankCardsHaveTheNameOfTheirItem() throws {
        let number = #"{"id":"ccnum","value":{"creditCardNumber":"4111111111111111"}}"#
        let plain = try card(section(number), kind: "002")
        #expect(plain.fields.texts == ["number": "4111111111111111", "bank": "t"])
        let named = try card(section(number + #",{"id":"bank","value":{"string":"B"}}"#), kind: "002")
        #expect(named.fields.texts["bank"] == "B" && own(named) == ["bank 2=t"])
    }

    @Test(arguments: [("0", false), ("1", true), ("-1", true)]) func favourites(_ index: String, _ isPinned: Bool)
        throws
    {
        #expect(try card(#""password":"p""#, more: #","favIndex":\#(index)"#).overview.isPinned == isPinned)
    }

    @Test func documents() throws {
        let file = #"{"documentId":"d","fileName":"mine.txt"}"#
        let batch = try read(
            [
                item(#""notesPlain":"n","documentAttributes":\#(file)"#, kind: "006"),
                item(#""notesPlain":"n","documentAttributes":{"documentId":"d"}"#, kind: "006"),
                item(#""notesPlain":"n","documentAttributes":{"documentId":"gone","fileName":"x"}"#, kind: "006"),
                item(#""notesPlain":"n","documentAttributes":{"documentId":"lost"}"#, kind: "006"),
                item(#""notesPlain":"n","documentAttributes":{"fileName":"y"}"#, kind: "006"),
            ].joined(separator: ","), files: [("files/d__theirs.txt", "hello"), ("files/dd__no", "other")])
        #expect(files(batch) == ["mine.txt=hello", "theirs.txt=hello", "dd__no=other"])
        #expect(
            said(batch) == [
                "item 3 't': x: its content is not in the export", "item 4 't': lost: its content is not in the export",
            ])
    }

    /// Times that are none here are kept as they are.
    @Test func timesOfItems() throws {
        let batch = try read(item(#""password":"p""#, more: #","createdAt":1700000000,"updatedAt":-5"#))
        #expect(batch.items[0].created?.text == "2023-11-14T22:13:20Z" && own(cards(batch)[0]) == ["updated=-5"])
    }
}
