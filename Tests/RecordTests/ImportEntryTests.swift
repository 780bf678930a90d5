import Testing
import Exchange
import VaultFormat
import Cards

/// Databases of KeePass, and lines of a vault, at the bounds of what a card takes.
struct ImportEntryTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    // MARK: KeePass

    private func entry(_ strings: [(String, String)], _ more: String = "") -> String {
        "<Entry><UUID>id</UUID>" + strings.map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }.joined()
            + more + "</Entry>"
    }

    @Test func entriesOfKeePass() throws {
        let title = [("Title", "t")]
        #expect(try own(cards(keePass(entry(title + [("Notes", "{REF:P@I:00}")])))[0]) == ["UUID=id"])
        #expect(try own(cards(keePass(entry(title + [("Notes", "{REF}")])))[0]).isEmpty)
        let sealed = try keePass(
            "<Entry><String><Key>Password</Key><Value Protected=\"True\">x</Value></String></Entry>")
        #expect(
            said(sealed).first?.contains("Password: its value is encrypted") == true
                && cards(sealed)[0].fields.texts["password"] == nil)
        let bank = try cards(
            keePass(
                entry(
                    title + [
                        ("QuickVault kind", "bankcard"), ("bank", "B"), ("number", "4111111111111111"),
                        ("UserName", "li"), ("Notes", "n"), ("number", "2"),
                    ])))
        #expect(
            bank[0].schema.name == "bankcard"
                && bank[0].fields.texts == ["bank": "B", "number": "4111111111111111", "notes": "n"])
        #expect(own(bank[0]) == ["UserName=li", "number 2=2"])
        #expect(
            try cards(keePass(entry(title + [("QuickVault base64 UserName", "bGk=")])))[0].fields.texts["username"]
                == "li")
        let far = "/////////38="
        #expect(
            try own(
                cards(keePass(entry(title, "<Times><Expires>True</Expires><ExpiryTime>\(far)</ExpiryTime></Times>")))[0]
            ) == ["expires=\(far)"])
        #expect(
            try own(cards(keePass(entry(title, "<IconID>0</IconID><AutoType><Enabled>True</Enabled></AutoType>")))[0])
                .isEmpty)
        #expect(
            try own(cards(keePass(entry(title, "<IconID>7</IconID><AutoType><Enabled>False</Enabled></AutoType>")))[0])
                .map { $0.prefix(8) } == ["IconID=7", "AutoType"])
        for typing in ["<DefaultSequence>x</DefaultSequence>", "<Association><Window>w</Window></Association>"] {
            #expect(
                try own(cards(keePass(entry(title, "<AutoType>\(typing)</AutoType>")))[0]).first?.hasPrefix("AutoType=")
                    == true)
        }
    }

    /// `hello`, and the same by gzip.
    @Test func binariesOfKeePass() throws {
        func read(_ content: String, limit: Int = 5) throws -> [String] {
            let batch = try keePass(
                entry([("Title", "t")], "<Binary><Key>a</Key><Value Ref=\"0\"/></Binary>"),
                meta: "<Binaries>\(content)</Binaries>", limit: limit)
            return files(batch) + batch.problems.map(\.what.description)
        }
        let zipped = "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="
        #expect(try read("<Binary ID=\"0\">aGVs\n bG8=</Binary>") == ["a=hello"])
        #expect(try read("<Binary ID=\"0\">aGVsbG8=</Binary>", limit: 4) == ["a: is larger than an attachment may be"])
        #expect(try read("<Binary ID=\"0\" Compressed=\"True\">\(zipped)</Binary>") == ["a=hello"])
        #expect(
            try read("<Binary ID=\"0\" Compressed=\"True\">\(zipped)</Binary>", limit: 4) == [
                "a: is larger than an attachment may be"
            ])
        #expect(try read("<Binary ID=\"0\" Compressed=\"True\">aGVsbG8=</Binary>") == ["a: is no gzip"])
        #expect(try read("<Binary ID=\"0\" Compressed=\"True\">H4sIAAAAAAAAA8tIzcn=</Binary>") == ["a: is no gzip"])
        #expect(try read("<Binary ID=\"0\">!</Binary>") == ["a: is no base64"])
        #expect(try read("").first?.hasPrefix("a: its content is not in this file") == true)
    }

    // MARK: Lines of a vault

    private func native(_ lines: String...) throws -> ImportBatch {
        try ImportBatch(native: Array(([NativeExport.head] + lines).joined(separator: "\n").utf8))
    }

    @Test(arguments: [
        (#"{"kind":"attachment","title":"a/b","content":""}"#, "title: is no name for a file"),
        (#"{"kind":"watermark-seed","title":"s","content":"AAAA"}"#, "content: is no watermark seed"),
        (#"{"kind":"kind-15","title":"x","content":""}"#, "kind: 'kind-15' is no kind of records"),
        (#"{"kind":"kind-16","title":"x","content":""}"#, "kind: 'kind-16' is no kind of records"),
        (#"{"kind":"king-99","title":"x","content":""}"#, "kind: 'king-99' is no kind of records"),
        (#"{"kind":"note","title":"\#(String(repeating: "x", count: 256))"}"#, "title: is longer than 255 bytes"),
        (#"{"kind":"note","title":"n","tags":["a",1]}"#, "tags: are no list of texts"),
        (#"{"kind":"note","title":"n","tags":1}"#, "tags: are no list of texts"),
        (#"{"kind":"note","title":"n","created":"soon"}"#, "created: is no time that can be kept"),
        (#"{"kind":"note","title":"n","updated":7}"#, "updated: is no time that can be kept"),
        (#"{"kind":"note","title":"n","modified":"soon"}"#, "modified: is no time that can be kept"),
        (#"{"kind":"note","title":"n","colour":1}"#, "colour: is no member that is known"),
        (
            #"{"kind":"note","title":"n","own":[{"label":"a","value":"b","more":1}]}"#,
            "own: more: is no member that is known"
        ), (#"{"kind":"note","title":"n","own":[{"label":"a"}]}"#, "own: a field has a label and a value"),
        (#"{"kind":"note","title":"n","fields":[]}"#, "fields: is no object"),
        (#"{"kind":"wifi","title":"n","fields":{}}"#, "network: is missing"),
    ])
    func linesThatSayTooMuch(_ line: String, _ what: String) throws {
        #expect(try said(native(line)) == ["line 2: \(what)"])
    }

    @Test func linesThatAreTaken() throws {
        let id = String(repeating: "1", count: 32)
        let batch = try native(
            "", #"{"kind":"wifi","title":"n","id":"\#(id)","fields":{}}"#,
            #"{"kind":"note","title":"\#(text(255))","tags":null,"created":null,"fields":null}"#,
            #"{"kind":"kind-99","title":"x","content":""}"#,
            #"{"kind":"watermark","title":"a","owner":"\#(id)","fields":{"text":"x"}}"#,
            #"{"kind":"note","title":"n","own":[{"label":"a","value":"1","sensitive":true},{"label":"a","value":"2"},{"label":"b","value":""}]}"#,
            "")
        #expect(said(batch).isEmpty && batch.items.count == 5 && batch.items[3].id != nil && batch.items[2].id == nil)
        #expect(
            cards(batch)[2].fields.own.map { "\($0.label)\($0.value)\($0.isSensitive)" } == ["a1true", "a 22false"])
        let own = (1...257).map { #"{"label":"f\#($0)","value":"v"}"# }
        #expect(
            try said(native(#"{"kind":"note","title":"n","own":[\#(own.joined(separator: ","))]}"#)) == [
                "line 2: f257: is one field too many: 256 at most"
            ])
        #expect(
            try cards(native(#"{"kind":"note","title":"n","own":[\#(own.dropLast().joined(separator: ","))]}"#))[0]
                .fields.own.count == 256)
        for (text, what) in [("x", "no JSON"), ("{}", "not an export of QuickVault"), ("", "nothing is in it")] {
            let error = #expect(throws: MalformedText.self) { try ImportBatch(native: Array(text.utf8)) }
            #expect(error?.what.description.hasPrefix(what) == true)
        }
    }
}
