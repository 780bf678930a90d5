import Foundation
import Testing
import VaultFormat
import Cards
import Pictures
import Exchange
import VaultTesting

/// Files of other programs, and files that are none.
struct ImportTests {
    private func cards(_ batch: ImportBatch) -> [Card] {
        batch.items.compactMap { if case .card(let card) = $0.content { card } else { nil } }
    }

    private func said(_ batch: ImportBatch) -> [String] { batch.problems.map { "\($0.place): \($0.what)" } }

    // MARK: CSV

    @Test func csvHoldsWhatItMay() throws {
        let text =
            "\u{FEFF}title,标签,文本,kind\r\n\"a \"\"b\"\"\",\"x, y\",\"two\nlines, and a comma\",text\r\n\r\n,,plain,text"
        let batch = try ImportBatch(csv: Array(text.utf8), kind: nil)
        #expect(
            said(batch).filter { $0.contains("is no field") }
                == [2, 5].map { "line \($0): 文本: is no field of this kind" })
        let known = text.replacingOccurrences(of: "文本", with: "内容")
        let cards = try cards(ImportBatch(csv: Array(known.utf8), kind: nil))
        #expect(cards.map(\.title) == ["a \"b\"", "plain"])
        #expect(cards[0].overview.tags == ["x", "y"])
        #expect(cards[0].fields.texts == ["text": "two\nlines, and a comma"])
    }

    @Test func badRowsAreListedAndGoodOnesTaken() throws {
        let text = "title,name,phone,email\nok,A,13800138000,a@b.cn\nbad,B,12,x\nlong,C,,,,,\n,,,\nnone,,,\nlast,D,,"
        let batch = try ImportBatch(csv: Array(text.utf8), kind: Schema.named("contact"))
        #expect(cards(batch).map(\.title) == ["ok", "last"])
        #expect(batch.problems.count == 4)  // two fields of one row, a row that is too long, and one without a name
        #expect(said(batch).contains { $0.hasPrefix("line 3: phone: ") })
        #expect(said(batch).contains("line 4: 7 fields under 4 columns"))
        #expect(said(batch).contains("line 6: name: is missing"))
    }

    @Test(
        arguments: [
            ("", 1), ("kind\n\"x", 2), ("kind\n\"x\"y,", 2),
            ("kind,a\n\u{1}\n" + String(repeating: ",", count: 1100), 3),
        ])
    func brokenCSV(_ text: String, _ line: Int) {
        #expect {
            try ImportBatch(csv: Array(text.utf8), kind: nil)
        } throws: { ($0 as? MalformedText)?.line == line }
    }

    @Test func whatCSVIsWrittenIsRead() throws {
        let pieces = ["a", ",", "\"", "\n", " ", "张", "", "=1+1", "\t", "'"]
        for seed in 0..<500 {
            let fields = (0..<4).map { column in
                (0..<seed % 5).map { pieces[(seed * 31 + column * 7 + $0 * (seed + 3)) % pieces.count] }.joined()
            }
            var writer = CSVWriter()
            writer.row(fields + ["end"])
            var reader = CSVReader(Array(writer.text.utf8))
            #expect(try reader.row()?.fields == fields + ["end"])
            #expect(try reader.row() == nil)
        }
    }

    @Test func keePassTables() throws {
        let xc =
            "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"\n"
            + "\"Root/Mail\",\"Post\",\"li\",\"p,\"\"w\",\"https://post.cn\",\"n1\nn2\",\"\",\"0\",\"\",\"\"\n"
        let card = try #require(try cards(ImportBatch(csv: Array(xc.utf8), kind: nil)).first)
        #expect(card.title == "Post" && card.overview.group == "Mail")
        #expect(
            card.fields.texts == ["username": "li", "password": "p,\"w", "url": "https://post.cn", "notes": "n1\nn2"])
        let old = "\"Account\",\"Login Name\",\"Password\",\"Web Site\",\"Comments\"\n\"a\",\"b\",\"c\",\"d\",\"e\"\n"
        #expect(
            try cards(ImportBatch(csv: Array(old.utf8), kind: nil)).first?.fields.texts
                == ["username": "b", "password": "c", "url": "d", "notes": "e"])
    }

    // MARK: KeePass

    private func keePass(_ body: String, meta: String = "") -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="utf-8" standalone="yes"?>
            <KeePassFile><Meta><RecycleBinUUID>bin</RecycleBinUUID>\(meta)</Meta><Root><Group><UUID>r</UUID><Name>All</Name>
            \(body)</Group></Root></KeePassFile>
            """.utf8)
    }

    @Test func keePassXML() throws {
        let picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        let body = """
            <Entry><Tags>red;green</Tags><Times><CreationTime>2020-01-02T03:04:05Z</CreationTime>
            <LastModificationTime>2021-01-02T03:04:05Z</LastModificationTime>
            <Expires>True</Expires><ExpiryTime>JUxv6A4AAAA=</ExpiryTime></Times>
            <String><Key>Title</Key><Value>Bank &amp; more</Value></String><String><Key>UserName</Key><Value>li</Value></String>
            <String><Key>Password</Key><Value ProtectInMemory="True">&lt;pw&gt;</Value></String>
            <String><Key>PIN</Key><Value ProtectInMemory="True">1234</Value></String>
            <String><Key>branch: main</Key><Value>杭州</Value></String>
            <Binary><Key>dot.png</Key><Value Ref="0"/></Binary><Binary><Key>a.txt</Key><Value Ref="1"/></Binary>
            <Binary><Key>gone</Key><Value Ref="7"/></Binary>
            <History><Entry><String><Key>Title</Key><Value>older</Value></String></Entry></History></Entry>
            <Group><UUID>g</UUID><Name>Mail</Name><Group><UUID>h</UUID><Name>Old</Name>
            <Entry><String><Key>Title</Key><Value>deep</Value></String></Entry></Group></Group>
            <Group><UUID>bin</UUID><Name>Bin</Name><Entry><String><Key>Title</Key><Value>dead</Value></String></Entry></Group>
            """
        let meta = """
            <Binaries><Binary ID="0">\(picture)</Binary>
            <Binary ID="1" Compressed="True">H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==</Binary></Binaries>
            """
        let batch = try ImportBatch(keePass: keePass(body, meta: meta), limit: 1 << 20)
        let all = cards(batch)
        #expect(all.map(\.title) == ["Bank & more", "deep", "dead", "rest of an import"])
        #expect(all.map(\.overview.group) == [nil, "Mail/Old", nil, nil])
        #expect(batch.items.map(\.isDeleted) == [false, false, true, false])
        #expect(all[0].overview.tags == ["red", "green"])
        #expect(all[0].fields.texts == ["username": "li", "password": "<pw>"])
        #expect(
            all[0].fields.own.map(\.label) == ["PIN", "branch  main", "name of branch  main", "expires", "history"])
        #expect(all[0].fields.own.map(\.isSensitive) == [true, false, false, false, true])
        #expect(all[0].fields.own[3].value.hasPrefix("2030-01-02T03:04:05"))
        #expect(all[0].fields.own[4].value == #"[{"updated":"","strings":{"Title":"older"}}]"#)
        #expect(batch.items[0].attachments.map(\.name) == ["dot.png", "a.txt"].map { Array($0.utf8) })
        #expect(batch.items[0].attachments[1].content == Array("hello".utf8))
        #expect(batch.items[0].created == 1_577_934_245_000_000)
        #expect(said(batch).count == 1 && said(batch)[0].contains("gone:"))
    }

    /// KeePassXC writes the pairs of plugins in any order, and with the time at which it loaded them: of an entry, of its
    /// older versions, of a group and of the whole.
    @Test func pairsOfPlugins() throws {
        func pairs(_ keys: [String], _ second: Int) -> String {
            let time = "<Item><Key>_LAST_MODIFIED</Key><Value>Wed Nov 25 14:31:0\(second) 2026 GMT</Value></Item>"
            let items = keys.map { "<Item><Key>\($0)</Key><Value>of \($0)</Value></Item>" }.joined()
            return "<CustomData>\(second > 4 ? items + time : time + items)</CustomData>"
        }
        func export(_ keys: [String], _ second: Int) throws -> ImportBatch {
            let custom = pairs(keys, second)
            let entry = "<Entry><String><Key>Title</Key><Value>t</Value></String>\(custom)"
            let body = """
                \(custom)\(entry)<History>\(entry)</Entry></History></Entry>
                <Entry><String><Key>Title</Key><Value>plain</Value></String>\(pairs([], second))</Entry>
                """
            return try ImportBatch(keePass: keePass(body, meta: custom), limit: 1 << 20)
        }
        let (one, other) = (cards(try export(["a", "b"], 1)), cards(try export(["b", "a"], 8)))
        #expect(one.map(\.title) == ["t", "plain", "rest of an import"])
        #expect(one.map(\.fields.own) == other.map(\.fields.own) && one[1].fields.own.isEmpty)
        #expect(one.map(\.fields.texts) == other.map(\.fields.texts))
        #expect(one[0].fields.own.first?.value.contains("of a") == true)
    }

    /// Attachments that the document only refers to: never by a path that two entries have, and each number once.
    @Test func attachmentsBehindNumbers() throws {
        func entry(_ title: String, _ number: Int, history: String = "") -> String {
            """
            <Entry><String><Key>Title</Key><Value>\(title)</Value></String>
            <Binary><Key>a.txt</Key><Value Ref="\(number)"/></Binary>\(history)</Entry>
            """
        }
        let history = "<History>\(entry("one", 2))\(entry("one", 8))</History>"
        let body = """
            \(entry("one", 1, history: history))\(entry("twin", 2))\(entry("twin", 3))\(entry("g/deep", 4))
            <Group><UUID>g</UUID><Name>g</Name>\(entry("deep", 5))\(entry("shared", 3))</Group>
            <Group><UUID>bin</UUID><Name>Bin</Name>\(entry("one", 6))</Group>
            """
        var asked: [String] = []
        let batch = try ImportBatch(keePass: keePass(body), limit: 1 << 20) { path, name in
            asked.append(path)
            return Array("\(path) \(name)".utf8)
        }
        #expect(asked.sorted() == ["/Bin/one", "/g/shared", "/one"])
        let contents = batch.items.map { $0.attachments.map { String(decoding: $0.content, as: UTF8.self) } }
        #expect(
            contents == [["/one a.txt"], [], ["/g/shared a.txt"], [], [], ["/g/shared a.txt"], ["/Bin/one a.txt"], []])
        #expect(batch.problems.count == 5 && said(batch).allSatisfy { $0.contains("a.txt: keepassxc-cli cannot") })
    }

    @Test(
        arguments: [
            "", "<a>", "<a></b>", "<other/>", "\u{1}", String(repeating: "<a>", count: 200),
            "<!DOCTYPE a [<!ENTITY x \"xxxxxxxxxx\"><!ENTITY y \"&x;&x;&x;\">]><KeePassFile>&y;</KeePassFile>",
            "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><KeePassFile><Root/></KeePassFile>",
        ])
    func brokenXML(_ text: String) {
        #expect {
            try ImportBatch(keePass: Array(text.utf8), limit: 1 << 20)
        } throws: { $0 is MalformedText }
    }

    // MARK: Bitwarden

    @Test func bitwarden() throws {
        let text = #"""
            {"encrypted":false,"folders":[{"id":"f","name":"Home"}],"items":[
            {"type":1,"name":"Post","favorite":true,"folderId":"f","notes":"n","creationDate":"2024-01-01T00:00:00.000Z",
             "revisionDate":"2024-02-01T00:00:00.000Z","passwordHistory":[{"password":"was"}],
             "fields":[{"name":"PIN","value":"12","type":1},{"name":"on","value":"true","type":2}],
             "login":{"username":"li","password":"pw","totp":null,"uris":[{"uri":"https://a"},{"uri":"https://b"}]}},
            {"type":2,"name":"Note","notes":"two\nlines","secureNote":{"type":0}},
            {"type":3,"name":"Card","card":{"brand":"Visa","number":"4111 1111 1111 1111","expMonth":"3","expYear":"2031",
             "code":"123","cardholderName":"LI"}},
            {"type":3,"name":"Bad","card":{"brand":"Visa","number":"4111111111111112"}},
            {"type":4,"name":"Me","identity":{"firstName":"Si","lastName":"Li","ssn":"1","phone":"call me","city":"杭州"}},
            {"type":9,"name":"?"}]}
            """#
        let batch = try ImportBatch(json: Array(text.utf8))
        let all = cards(batch)
        #expect(all.map(\.schema.name) == ["login", "note", "bankcard", "note", "contact", "note"])
        #expect(all[0].overview.isPinned && all[0].overview.group == "Home")
        #expect(all[0].fields.texts == ["username": "li", "password": "pw", "url": "https://a", "notes": "n"])
        #expect(all[0].fields.own.map(\.value) == ["https://b", "12", "true", "was"])
        #expect(all[0].fields.own.map(\.isSensitive) == [false, true, false, true])
        #expect(all[2].fields.texts["expiry"] == "03/31" && all[2].fields.texts["number"] == "4111111111111111")
        #expect(all[4].fields.texts == ["name": "Si Li", "address": "杭州"])
        #expect(all[4].fields.own.map(\.label) == ["phone 2", "ssn"])
        #expect(said(batch).isEmpty && batch.notices.count == 1)
        #expect(throws: ImportError.self) { try ImportBatch(json: Array(#"{"encrypted":true}"#.utf8)) }
        #expect(throws: MalformedText.self) { try ImportBatch(json: Array(#"{"a":1,"a":2}"#.utf8)) }
        #expect(throws: MalformedText.self) { try ImportBatch(json: Array(#"[]"#.utf8)) }
    }

    // MARK: Native

    private func native(_ lines: String...) throws -> ImportBatch {
        try ImportBatch(native: Array(([NativeExport.head] + lines).joined(separator: "\n").utf8))
    }

    @Test(
        arguments: [
            ("{", "no JSON"), ("[]", "kind: is missing"), (#"{"kind":"folder","title":"x"}"#, "no kind of records"),
            (#"{"kind":"kind-33","title":"x","content":""}"#, "no kind of records"),
            (#"{"kind":"kind-99","title":"x"}"#, "no kind of records"), (#"{"kind":"text"}"#, "title: is missing"),
            (#"{"kind":"text","title":"x","fields":{"text":1}}"#, "text: is no text"),
            (#"{"kind":"text","title":"x","fields":{}}"#, "text: is missing"),
            (#"{"kind":"text","title":"x","id":"12","fields":{"text":"a"}}"#, "32 digits"),
            (#"{"kind":"text","title":"x\u0007","fields":{"text":"a"}}"#, "title: "),
            (#"{"kind":"text","title":"x","tags":["a\nb"],"fields":{"text":"a"}}"#, "more than one line"),
            (#"{"kind":"text","title":"x","content":"!!!!"}"#, "no base64"),
            (#"{"kind":"text","title":"x","content":"AAAA"}"#, "map expected"),
            (#"{"kind":"setting","title":"a b","type":"text","value":"x"}"#, "no name of a setting"),
            (#"{"kind":"setting","title":"a","type":"number","value":"x"}"#, "none of its type"),
            (#"{"kind":"attachment","title":"a","file":"../x"}"#, "no path beneath"),
            (#"{"kind":"attachment","title":"a","file":"/etc/passwd"}"#, "no path beneath"),
            (#"{"kind":"attachment","title":"a","sha256":"00","content":"AAAA"}"#, "not what was exported"),
        ])
    func badLines(_ line: String, _ what: String) throws {
        let batch = try native(line, #"{"kind":"text","title":"good","fields":{"text":"a"}}"#)
        #expect(batch.items.count == 1 && batch.problems.count == 1)
        #expect(said(batch)[0].hasPrefix("line 2: ") && said(batch)[0].contains(what), "\(said(batch))")
    }

    @Test func anotherFormat() {
        for text in ["", "{}", "x"] {
            #expect(throws: MalformedText.self) { try ImportBatch(native: Array(text.utf8)) }
        }
        let newer = #"{"format":"quickvault-export","version":2}"#
        #expect(throws: ImportError.self) { try ImportBatch(native: Array(newer.utf8)) }
    }
}
