import Foundation
import Testing

/// Strange but legal content goes through other programs' formats without a change.
struct ExchangeLossTests {
    /// Cards whose labels, tags, groups and values the formats take for something else.
    private static let cards = #"""
        {"format":"quickvault-export","version":1}
        {"kind":"login","title":"A","fields":{"username":"u","password":"REAL","url":"x"},"own":[{"label":"Password","value":"other"},{"label":"Title","value":"T2"},{"label":"Notes","value":"N2"},{"label":"otp","value":"OO"}]}
        {"kind":"login","title":"B","group":"a//b/","tags":["x;y","z"],"fields":{"username":"u"},"own":[{"label":"QuickVault kind","value":"note"},{"label":"expires","value":"2030-01-01T00:00:00.5Z","sensitive":true},{"label":"history","value":"[\"2019 Ford\"]"},{"label":"passkey hint","value":"blue"},{"label":"old_passwords live in","value":"safe"}]}
        {"kind":"note","title":"C","fields":{"text":"bad\uFFFEchar"},"own":[{"label":"kind","value":"server"},{"label":"passkey","value":"{\"a\":1}"}]}
        {"kind":"contact","title":"D","pinned":true,"fields":{"name":"Li","birthday":"1980-01-01","notes":"n"}}
        {"kind":"wifi","title":"E","fields":{"network":"n","password":"   "}}
        {"kind":"server","title":"F","fields":{"host":"h","username":"u","notes":"a\nb"},"own":[{"label":"note","value":"1"}]}
        {"kind":"login","title":"G","fields":{"username":"e\u0301","password":"\u00e9"},"own":[{"label":"kind","value":"bankcard"},{"label":"Username","value":"un2"}]}
        """# + "\n"

    /// The cards of a vault without ids and times, fields of one's own by label.
    private func contents(_ sandbox: Sandbox, _ vault: String) throws -> [String] {
        let text = try sandbox.qvault("export", "-f", vault, "-o", "-").text
        return try text.split(separator: "\n").dropFirst().map { line in
            var card = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for key in ["id", "created", "updated"] { card[key] = nil }
            if let own = card["own"] as? [[String: Any]] {
                card["own"] = own.sorted { "\($0["label"] ?? "")" < "\($1["label"] ?? "")" }
            }
            let bytes = try JSONSerialization.data(withJSONObject: card, options: .sortedKeys)
            return Array(bytes).map { "\($0)" }.joined(separator: " ")
        }.sorted()
    }

    @Test(arguments: ["keepass", "bitwarden", "csv"])
    func aFormatGivesBackWhatItGot(_ format: String) throws {
        let sandbox = try Sandbox()
        // A table does not tell which fields are secret, and has lists of tags with commas.
        let cards = format == "csv" ? Self.cards.replacing(#","sensitive":true"#, with: "") : Self.cards
        try sandbox.write("cards.jsonl", cards)
        let made = try sandbox.shell(
            """
            set -e; $Q create v.qvault; $Q create w.qvault; $Q import -f v.qvault cards.jsonl
            $Q export -f v.qvault --format \(format) -o back; $Q import -f w.qvault back; $Q import -f v.qvault back
            """)
        #expect(made.code == 0, "\(made)")
        #expect(
            made.errors.split(separator: "\n").last == "qvault: added 0, changed 0, unchanged 7, skipped 0", "\(made)")
        #expect(try contents(sandbox, "w.qvault") == contents(sandbox, "v.qvault"))
    }

    /// What a row of a table holds is kept to the byte, and a group is not cut.
    @Test func tablesKeepTheirBytes() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            "b.csv",
            "folder,name,login_uri,login_username,login_password,notes\nWork/Bank,a,x,u,\"p\rq\",\"l1\r\nl2\"\nWork/Mail,b,y,u,   ,n\n"
        )
        let outcome = try sandbox.shell(
            """
            $Q create v.qvault && $Q import -f v.qvault b.csv && $Q card list -f v.qvault | grep -o '\\[.*\\]' | sort
            $Q cat -f v.qvault a/password.txt | od -An -c | tr -d ' '; $Q card show -f v.qvault b --field password
            """)
        #expect(outcome.text == "[Work/Bank]\n[Work/Mail]\np\\rq\n   \n", "\(outcome)")
    }

    /// An import never puts an older file, or less, in the place of what the vault has.
    @Test func anImportReplacesNothing() throws {
        let sandbox = try Sandbox()
        func keePass(_ notes: String, _ file: String, bin: Bool) -> String {
            let entry = """
                <Entry><String><Key>Title</Key><Value>T</Value></String><String><Key>UserName</Key><Value>u</Value></String>
                \(notes)<Binary><Key>doc.txt</Key><Value Ref="0"/></Binary></Entry>
                """
            let place = bin ? "<Group><UUID>bin</UUID><Name>Bin</Name>\(entry)</Group>" : entry
            return """
                <KeePassFile><Meta><RecycleBinUUID>bin</RecycleBinUUID><Binaries><Binary ID="0">\(file)</Binary></Binaries>
                </Meta><Root><Group><Name>Root</Name>\(place)</Group></Root></KeePassFile>
                """
        }
        let notes = "<String><Key>Notes</Key><Value>IMPORTANT</Value></String>"
        try sandbox.write("new.xml", keePass("", "bmV3", bin: false))
        try sandbox.write("old.xml", keePass("", "b2xk", bin: false))
        try sandbox.write("bin1.xml", keePass("", "bmV3", bin: true))
        try sandbox.write("bin2.xml", keePass(notes, "b2xk", bin: true))
        let outcome = try sandbox.shell(
            """
            set -e; export QVAULT_FILE=v.qvault; $Q create v.qvault
            for file in new old old bin1 bin1 bin2; do $Q import $file.xml; done
            $Q cat T/doc.txt; $Q cat 'T/2 doc.txt'; $Q ls --trash | wc -l
            """)
        #expect(outcome.text == "newold4\n", "\(outcome)")
        let counts = outcome.errors.split(separator: "\n").filter { $0.contains("unchanged") }.map { $0.dropFirst(8) }
        #expect(
            counts == [
                "added 1, changed 0, unchanged 0, skipped 0", "added 0, changed 1, unchanged 0, skipped 0",
                // With an entry in the bin comes a note of the bin's name.
                "added 0, changed 0, unchanged 1, skipped 0", "added 2, changed 0, unchanged 0, skipped 0",
                "added 0, changed 0, unchanged 2, skipped 0", "added 1, changed 0, unchanged 1, skipped 0",
            ], "\(outcome.errors)")
    }

    /// A broken source and a report tell nothing of its secrets.
    @Test func secretsStayOutOfMessages() throws {
        let sandbox = try Sandbox()
        try sandbox.write("a.json", #"{"encrypted":false,"items":[{"login":{"password":"hunter2" x}}]}"#)
        try sandbox.write("b.csv", "name,url,username,password\na,x,u,\"hunter2\u{7}\"\n")
        let outcome = try sandbox.shell(
            "$Q create v.qvault; $Q import -f v.qvault a.json; $Q import -f v.qvault b.csv --report r; grep -c sha256 r; grep -c password.txt r; grep -o '\"sha256\"' r"
        )
        #expect(outcome.text == "1\n1\n" && !outcome.errors.contains("hunter2"), "\(outcome)")
        // A report that is there stops the import before it begins.
        let again = try sandbox.shell("$Q import -f v.qvault b.csv --report r; echo $?; $Q history -f v.qvault | wc -l")
        #expect(again.text == "12\n2\n", "\(again)")
    }
}
