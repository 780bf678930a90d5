import Foundation
import Testing

/// The output of `--json` has the form of Spec/product/json.md.
struct JSONTests {
    /// Member, types, whether it may be absent.
    private typealias Row = (name: String, types: Set<String>, isOptional: Bool)

    /// The table of a verb.
    private static func table(_ verb: String) throws -> [Row] {
        let page = try String(contentsOf: Sandbox.repository.appending(path: "Spec/product/json.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix(verb + "\n") })
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let types = cells[1].components(separatedBy: .init(charactersIn: ", ")).filter { $0 != "or" && !$0.isEmpty }
            return (cells[0].filter { $0 != "`" }, Set(types).subtracting(["absent"]), types.contains("absent"))
        }
    }

    private static func type(_ value: Any) -> String {
        switch value {
        case is NSNull: "null"
        case is String: "string"
        case is [Any]: "array"
        case let number as NSNumber: unsafe String(cString: number.objCType) == "c" ? "boolean" : "number"
        default: "object"
        }
    }

    private func check(_ outcome: Sandbox.Outcome, _ verb: String) throws {
        let table = try Self.table(verb)
        #expect(!outcome.text.isEmpty && !table.isEmpty, "\(verb): \(outcome)")
        for line in outcome.text.split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(object.keys).isSubset(of: Set(table.map(\.name))), "\(line)")
            for row in table {
                let value = object[row.name]
                #expect(value != nil || row.isOptional, "\(verb): \(row.name) is missing")
                if let value { #expect(row.types.contains(Self.type(value)), "\(verb): the type of \(row.name)") }
            }
        }
    }

    @Test func everyVerbPrintsWhatIsDocumented() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir d && echo x > d/x && chmod +x d/x && ln -s x d/l && $Q pack d -o v.qvault")
        try sandbox.shell(
            "cp v.qvault b.qvault && printf damaged! | dd of=b.qvault bs=1 seek=136000 conv=notrunc; echo > junk")
        try check(sandbox.qvault("ls", "-f", "v.qvault", "--json"), "ls")
        try check(sandbox.qvault("pack", "d", "-o", "p.qvault", "--json"), "put")
        try check(sandbox.qvault("put", "d", "-f", "p.qvault", "--as", "e", "--json"), "put")
        try check(sandbox.qvault("put", "d", "-f", "p.qvault", "--json", "-n"), "put")
        try sandbox.shell("mkdir k")
        try check(sandbox.qvault("backup", "p.qvault", "--to", "k", "--keep", "1", "--json"), "backup")
        try check(sandbox.shell("$Q restore --drill k/p-*.qvault -f p.qvault --json"), "restore --drill")
        try sandbox.write("list", "p-*.qvault 1d\nnone.qvault\n")
        try check(
            sandbox.shell("$Q verify k --keyless --expect-file list --json | grep expected\\\""),
            "verify --expect-file")
        try sandbox.shell("cp k/p-*.qvault pr.qvault")
        try check(sandbox.qvault("parity", "rm", "pr.qvault", "--json"), "parity add")
        try check(sandbox.qvault("parity", "add", "pr.qvault", "--json"), "parity add")
        try check(sandbox.qvault("push", "k/", "-f", "p.qvault", "--json"), "push")
        try check(sandbox.qvault("pull", "k/p.qvault", "-f", "p.qvault", "--json"), "push")
        try check(sandbox.shell("$Q restore k/p-*.qvault -o r.qvault --json"), "restore")
        try check(sandbox.qvault("salvage", "b.qvault", "-o", "s.qvault", "--json"), "salvage")
        try sandbox.shell(
            "$Q backup p.qvault -o w.qvault && dd if=/dev/zero of=w.qvault bs=1024 seek=128 count=30 conv=notrunc"
        )
        try check(sandbox.qvault("repair", "w.qvault", "-o", "m.qvault", "--json"), "repair")
        try check(sandbox.qvault("card", "add", "note", "text=x", "-f", "p.qvault", "--json"), "card add")
        try sandbox.shell("printf 'title,text\\na,b\\n' > n.csv")
        try check(sandbox.qvault("import", "n.csv", "--kind", "note", "-f", "p.qvault", "--json"), "import")
        try check(sandbox.qvault("verify", "--json", "v.qvault", "b.qvault", "junk", "none"), "verify")
        try check(sandbox.qvault("verify", "--json", "--keyless", "v.qvault", "b.qvault"), "verify")
        try check(sandbox.qvault("info", "--json", "v.qvault"), "info")
        try check(sandbox.qvault("key", "list", "v.qvault", "--json"), "key list")
        try check(sandbox.qvault("status", "v.qvault", "--json"), "status")
        try check(sandbox.qvault("log", "list", "--json"), "log")
        try sandbox.shell("cp v.qvault w.qvault && $Q rm -f v.qvault d/x && echo y > d/x && rm d/l && echo z > d/z")
        try sandbox.shell("$Q put -f w.qvault d --allow-rollback && $Q put -f w.qvault d/z --as d/x")
        try check(sandbox.qvault("history", "-f", "w.qvault", "--json"), "history")
        try check(sandbox.qvault("history", "-f", "w.qvault", "d/x", "--json"), "history of a record")
        try check(sandbox.qvault("diff", "-f", "v.qvault", "w.qvault", "--json"), "diff")
        try check(sandbox.qvault("merge", "-f", "v.qvault", "w.qvault", "--json"), "merge")
        let add = "$Q card add note --title n text=x own=y && $Q tag n a && $Q group n g"
        #expect(try sandbox.shell("export QVAULT_FILE=v.qvault; \(add)").code == 0)
        for verb in ["card list", "card kinds", "watermark templates", "card show", "search", "tag", "group"] {
            let operand = ["card show", "search"].contains(verb) ? " n" : ""
            try check(sandbox.shell("QVAULT_FILE=v.qvault $Q \(verb)\(operand) --json"), verb)
        }
        try check(sandbox.shell("$Q find -f v.qvault n --json --columns title,.own,tag"), "find")
        try check(sandbox.shell("$Q find -f v.qvault 'size>=0' --json"), "find")
        try check(sandbox.shell("$Q find -f v.qvault n --json --count"), "find with a count")
        try check(sandbox.shell("$Q find -f v.qvault n --json --facets kind,group,tag"), "find with facets")
        try check(
            sandbox.shell(
                "$Q query history on -f v.qvault && $Q find -f v.qvault n >x && $Q query history -f v.qvault --json"),
            "query history")
        try check(sandbox.shell("$Q query save -f v.qvault a n && $Q query list -f v.qvault --json"), "query list")
        try sandbox.shell("$Q card add -f v.qvault login --title l totp=GEZDGNBVGY3TQOJQ")
        try sandbox.shell("$Q card add -f v.qvault passport --title p name=a number=E12345678 valid_until=2001-01-01")
        try check(sandbox.qvault("due", "-f", "v.qvault", "--json"), "due")
        #expect(try sandbox.qvault("fund", "add", "-f", "v.qvault", "110011").code == 0)
        try check(sandbox.qvault("fund", "-f", "v.qvault", "--json"), "fund")
        let prices = """
            P 2026-01-05 110011 2.5 CNY
            {"code":"110011","estimate":"2.5","time":"2026-01-06T14:45:00+08:00"}
            P 2026-01-06 110011 2.5 CNY

            """
        try check(
            sandbox.qvault("fund", "import", "-f", "v.qvault", "--json", "-", input: Data(prices.utf8)), "fund import")
        try check(sandbox.qvault("fund", "accuracy", "-f", "v.qvault", "--json"), "fund accuracy")
        try check(sandbox.qvault("fund", "accuracy", "-f", "v.qvault", "--json", "110011"), "fund accuracy of a fund")
        try check(sandbox.qvault("fund", "show", "-f", "v.qvault", "110011", "--json"), "fund show")
        try check(sandbox.qvault("fund", "chart", "-f", "v.qvault", "110011", "--json"), "fund chart")
        try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; $Q asset add a category=liquid amount=1 bucket=liquid
            $Q policy add p insurer=a insured_person=b annual_premium=1; $Q position set 10; $Q holding add 110011 shares=1 cost=2 platform=a
            $Q holding update 110011@a shares=2; echo '{"issues_summary":[{"issue":"a","severity":"high"}]}' | $Q diagnosis import -
            """)
        for verb in [
            "asset list", "asset summary", "asset allocation", "policy list", "holding list", "holding log", "position",
            "position strategy", "position log", "month --dry-run", "snapshot", "snapshot list", "asset trend",
            "dashboard", "check",
            "diagnosis show",
            "report",
        ] {
            try check(sandbox.shell("$Q \(verb) -f v.qvault --json"), verb)
        }
        try check(sandbox.qvault("fund", "search", "-f", "v.qvault", "110011", "--json"), "fund search")
        let apps = Data(#"[{"name":"Bear","price":3,"currentPrice":0,"freeEndTime":"2199-01-01T00:00:00Z"}]"#.utf8)
        try check(sandbox.qvault("app", "import", "-f", "v.qvault", "--json", "-", input: apps), "app import")
        for verb in ["app list", "app presets", "app show Bear"] {
            let name = verb.split(separator: " ").prefix(2).joined(separator: " ")
            try check(sandbox.shell("$Q \(verb) -f v.qvault --json"), name)
        }
        try check(
            sandbox.shell(
                "XDG_CONFIG_HOME=$PWD/c; export XDG_CONFIG_HOME; umask 22; $Q settings set feed.nav true; $Q fund feeds check --json -f v.qvault"
            ),
            "fund feeds")
        let feed = "echo P 2026-01-06 110011 2.5 CNY"
        try check(sandbox.qvault("fund", "update", "-f", "v.qvault", "--json", "--feed", feed), "fund update")
        try check(sandbox.qvault("otp", "-f", "v.qvault", "l", "--json"), "otp")
        try sandbox.shell("export QVAULT_FILE=v.qvault; $Q config set a 1; printf %%PDF-1 > x; $Q attach add n x")
        for verb in ["attach list", "config list"] {
            try check(sandbox.shell("$Q \(verb) -f v.qvault --json"), verb)
        }
        try check(sandbox.qvault("config", "get", "-f", "v.qvault", "a", "--json"), "config list")
        try sandbox.shell("/usr/bin/python3 $REPOSITORY/Tests/Scripts/pictures.py . 300 200")
        try check(
            sandbox.qvault("watermark", "file", "plain.png", "--text", "copy", "-o", "m.png", "--json"),
            "watermark file")
        try sandbox.shell("$Q attach add -f v.qvault n plain.png")
        for (verb, section) in [
            ("watermark set plain.png", "watermark show"), ("watermark show plain.png", "watermark show"),
            ("share plain.png --recipient a --purpose b", "share"), ("shares", "shares"),
            ("info --mark-key", "info --mark-key"),
        ] { try check(sandbox.shell("$Q \(verb) -f v.qvault --json"), section) }
        try sandbox.shell(
            "/usr/bin/python3 $REPOSITORY/Tests/Scripts/id-card.py c.jpg 800; $Q watermark file c.jpg --text copy --sign -o s.jpg"
        )
        try check(sandbox.qvault("verify-copy", "s.jpg", "--json"), "verify-copy")
        let texts = try ["zh_CN.UTF-8", "C"].map {
            try sandbox.shell("LANG=\($0) $Q verify --json b.qvault | jq -c 'del(.duration_ms)'").text
        }
        #expect(texts[0] == texts[1], "the same in every language")
    }

    /// Verbs that give a content, a screen or a stream: Spec/product/json.md names them.
    @Test func everyVerbButThoseOfContentHasJSON() throws {
        let sandbox = try Sandbox()
        let text = try sandbox.shell(
            """
            $Q help | sed -n 's/^  \\([a-z]*\\( [a-z]*\\)*\\)  .*/\\1/p' | while read -r verb; do
                $Q $verb --help </dev/null 2>none | grep -q '^usage\\|^用法' || continue
                $Q $verb --help | grep -q -- --json || echo "$verb"
            done
            """
        ).text
        let page = try String(contentsOf: Sandbox.repository.appending(path: "Spec/product/json.md"), encoding: .utf8)
        let sentence = try #require(
            page.components(separatedBy: "\n\n").first { $0.hasPrefix("These verbs have no `--json`") })
        let named = sentence.drop { $0 != ":" }.split(separator: "`").enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(Set(text.split(separator: "\n").map(String.init)) == Set(named), "\(text)")
    }

    @Test func savesAreShown() throws {
        let sandbox = try Sandbox()
        let setUp = """
            export QVAULT_FILE=v.qvault; umask 77; mkdir d; echo x > d/x; echo y > d/y; echo another-horse-battery > new
            $Q create --json
            """
        try check(sandbox.shell(setUp), "a save")
        try sandbox.shell(
            "export QVAULT_FILE=v.qvault; $Q put d; $Q card add note --title n text=a; printf %%PDF-1 > p.pdf")
        for verb in [
            "tag n a -n", "tag n a", "tag n a", "pin n", "group n g", "group rename g h", "group rm h -y -n",
            "card edit n text=b",
            "attach add n p.pdf", "attach rm p.pdf", "mv d/x d/z -n", "mv d/x d/z", "rm d/z -n", "rm d/z",
            "undelete d/z -n",
            "undelete d/z", "rm d/y", "purge d/y -n", "purge d/y -y", "fund add 110011",
            "fund edit 110011 coefficient=0.9",
            "fund move 110011 1", "fund clean", "fund rm 110011 -y", "config set a 1", "config rm a", "query save q n",
            "asset add a category=liquid amount=1 bucket=liquid", "asset update a=2", "position set 10", "card rm n -n",
            "card rm n", "resolve",
        ] { try check(sandbox.shell("QVAULT_FILE=v.qvault $Q \(verb) --json"), "a save") }
        let change = try sandbox.shell(
            "QVAULT_FILE=v.qvault $Q mv d/z d/x --json | jq -c '[.save, .dry_run, .changes[].path, .changes[].change]'"
        ).text
        #expect(change.contains(#"false,"d/x","moved"]"#), "\(change)")
        let dry = try sandbox.shell(
            "QVAULT_FILE=v.qvault $Q rm -r d -n --json | jq -c '[.save, .dry_run, .changes[].path]'"
        ).text
        #expect(dry == "[null,true,\"d\",\"d/x\"]\n")
        let secret = "--new-password-file new"
        for (verb, table) in [
            ("get d/x -o o", "get"), ("unpack v.qvault -o u", "unpack"), ("compact -n", "compact"),
            ("compact", "compact"),
            ("key add \(secret)", "key add"), ("key rm 2", "key add"), ("key recovery -o r", "key add"),
            ("rekey iterations 100001", "key add"),
            ("rekey rotate --drop 2", "rekey rotate"), ("key identity -o me", "key identity"),
            ("key identity me", "key identity"),
            ("key audit -o a", "destroy"), ("fund export -o f", "destroy"), ("rekey password \(secret)", "key add"),
            ("lock", "destroy"),
            ("lock --all", "destroy"),
            ("settings set session-timeout 5m", "settings"), ("settings rm session-timeout", "settings"),
            ("forget v.qvault", "destroy"), ("destroy v.qvault --yes", "destroy"),
        ] {
            let outcome = try sandbox.shell(
                "XDG_CONFIG_HOME=$PWD/c; export XDG_CONFIG_HOME QVAULT_FILE=v.qvault; umask 77; $Q \(verb) --json")
            try check(outcome, table)
        }
    }

    @Test func namesThatAreNotUTF8() throws {
        let sandbox = try Sandbox()
        try sandbox.shell("mkdir d && touch \"$(printf 'd/\\377')\" && $Q pack d -o v.qvault")
        let lines = try sandbox.qvault("ls", "-f", "v.qvault", "--json").text
        #expect(lines.contains("\"path_hex\":\"642fff\""))
    }
}
