import Foundation
import Testing

/// `find`, the queries that have names, and `--find` of other verbs.
struct FindCommandTests {
    /// Two cards of the bank, a login and a file.
    private static func filled() throws -> Sandbox {
        let sandbox = try Sandbox.withNote()
        let outcome = try sandbox.shell(
            """
            export QVAULT_FILE=v.qvault; set -e
            $Q card add bankcard --title 工资卡 bank=招商银行 number=6225880137706868 expiry=01/27 --tag 日常
            $Q card add bankcard --title 备用 bank=工商银行 number=6222020200112230 expiry=11/30 --group 家庭
            $Q card add login --title 网站499 username=wang password=geheim99
            echo x > a.txt; $Q put a.txt
            """)
        #expect(outcome.code == 0, "\(outcome)")
        return sandbox
    }

    private static func run(_ script: String, in sandbox: Sandbox) throws -> Sandbox.Outcome {
        try sandbox.shell("export QVAULT_FILE=v.qvault; \(script) </dev/null")
    }

    @Test(arguments: [
        (
            "kind:bankcard --columns title,bank,number --sort -expiry",
            "title   bank      number\n备用    工商银行  ****2230\n工资卡  招商银行  ****6868\n"
        ),
        ("kind:bankcard --columns number --sort expiry --reveal", "number\n6225880137706868\n6222020200112230\n"),
        (
            "kind:card --facets kind,group",
            "kind  bank card  2\nkind  login      1\nkind  note       1\ngroup  家庭  1\ngroup  -     3\n"
        ),
        ("not kind:note --count", "4\n"), ("kind:contact --count", "0\n"),
        ("kind:card --columns size,title --sort title", "size  title\n  56  备用\n  56  工资卡\n  33  网站499\n"),
    ])
    func isWritten(_ words: String, _ text: String) throws {
        let outcome = try Self.run("$Q find 'not title=n' \(words)", in: Self.filled())
        let whole = try Self.run("$Q find \(words)", in: Self.filled())
        #expect((words.contains("size,title") ? outcome : whole).text == text, "\(whole)")
    }

    @Test func aLineHasWhatAnswers() throws {
        let sandbox = try Self.filled()
        let lines = try Self.run(
            "$Q find 招行; $Q find 'kind:file'; $Q find geheim99; $Q find kind:save --json", in: sandbox
        ).text
            .split(separator: "\n").map { $0.drop { $0 != " " } }
        #expect(lines[0] == "     bank card  工资卡  #日常  bank: 招商银行" && lines[1] == "     file  a.txt")
        #expect(lines[2] == "     login  网站499  password: ****" && lines.count == 9)
        #expect(
            try Self.run("$Q find --explain kind:login", in: sandbox).errors.contains(
                "looked at 5 records, read the content of 0"))
        #expect(
            try Self.run("$Q find --explain wang", in: sandbox).errors.contains(
                "looked at 5 records, read the content of 4"))
    }

    @Test(
        arguments: [
            ("find 'amount>abc'", 2, "[amount>abc]", "hint"), ("find 'knd:a'", 2, "[knd]:a", "did you mean kind?"),
            ("find '(a'", 2, "[(]a", "qvault help finding"), ("find 'a or'", 2, "a or[?]", "qvault help finding"),
            ("find @x", 2, "@[x]", "qvault query list"), ("find nothing", 10, "nothing answers 'nothing'", "qvault ls"),
            (
                "find 'kind:bankcard expiry>2030-11'", 10, "nothing answers",
                "kind:bankcard expiry>=2030-11 (1); kind:bankcard (2)"
            ),
            ("find a --columns nope", 2, "no field is called 'nope'", "hint"),
            ("find a --sort -has", 2, "'has' has no values", "hint"),
            ("find a --count --sort title", 2, "--count goes without", ""),
            ("find \"$(printf '\\377')\"", 11, "is not UTF-8", ""),
            ("find a --columns title,title", 2, "names a field twice", ""),
            ("find a --count --facets kind", 2, "--count goes without", ""),
            ("find a --facets kind --sort title", 2, "goes without", ""),
            ("rm --find 'kind:contact'", 10, "nothing answers 'kind:contact'", "qvault find"),
            ("rm --find '(' n", 2, "is missing: ([?]", ""),
            ("rm", 2, "NAME… is missing", ""), ("tag --find kind:login", 2, "which tags?", ""),
            ("group --find kind:login", 2, "which records?", ""),
            ("ls --trash --find a", 10, "nothing answers 'a'", ""),
            ("undelete --find a", 10, "nothing answers 'a'", ""),
            ("share --find kind:login --recipient a -o x.png", 10, "no attachments", ""),
            ("attach rm --find kind:login", 10, "none of which this verb is for", ""),
            ("find kind:save --columns updated", 2, "saves have no fields", ""),
            ("find --at 1 kind:save", 2, "as they are now", ""),
            ("find a --columns ,", 2, "names no field", ""), ("find '知：1'", 2, "[知]：1", ""),
            ("find '种类:登陆'", 2, "登陆", "登录"),
            ("find '金饿>5'", 2, "[金饿]>5", "金额"), ("tag -n", 2, "which tags?", ""),
            ("query save a.b x", 11, "is no name of a query", ""),
            ("query save a 'x>'", 2, "a value is missing behind 'x': [x>]", ""),
            ("query rm a", 10, "no query is called 'a'", ""), ("query edit a b", 10, "no query is called 'a'", ""),
        ] as [(String, Int32, String, String)])
    func isRefused(_ words: String, _ code: Int32, _ message: String, _ hint: String) throws {
        let sandbox = try Self.filled()
        let before = try sandbox.read("v.qvault")
        let outcome = try Self.run("$Q \(words)", in: sandbox)
        #expect(
            outcome.code == code && outcome.errors.contains(message) && (hint.isEmpty || outcome.errors.contains(hint)),
            "\(outcome)")
        #expect(try sandbox.read("v.qvault") == before)
    }

    /// A setting that somebody made is no query, whatever it is called.
    @Test func aSettingIsNotReplaced() throws {
        let sandbox = try Self.filled()
        let outcome = try Self.run(
            "$Q config set --type list query.x a b; $Q query save x kind:login; echo $?; $Q find @x; echo $?; $Q config get query.x",
            in: sandbox)
        #expect(outcome.text == "12\n2\na\nb\n" && outcome.errors.contains("is no query"), "\(outcome)")
    }

    /// Facets are masked as columns are, and shown where that is asked for.
    @Test func facetsAreMasked() throws {
        let sandbox = try Self.filled()
        let facets = try Self.run(
            "$Q find kind:login --facets password; $Q find kind:login --facets password --reveal", in: sandbox)
        #expect(facets.text == "password  ****  1\npassword  geheim99  1\n")
    }

    @Test func queriesHaveNames() throws {
        let sandbox = try Self.filled()
        let outcome = try Self.run(
            """
            $Q query save 卡 kind:bankcard && $Q query save 招行 '@卡 招行' && $Q query list
            $Q find @招行 --columns title; $Q query save 卡 x; echo $?; $Q query edit 卡 @招行; echo $?
            $Q query edit 卡 kind:login; $Q find @卡 --columns title; $Q find @招行; echo $?
            $Q query rm 招行; $Q query list; $Q undelete query.招行; $Q query list --json
            """, in: sandbox)
        #expect(
            outcome.text == """
                卡    kind:bankcard
                招行  @卡 招行
                title
                工资卡
                12
                2
                title
                网站499
                10
                卡  kind:login
                {"name":"卡","query":"kind:login"}
                {"name":"招行","query":"@卡 招行"}

                """, "\(outcome)")
        #expect(outcome.errors.contains("the query '卡' contains itself"))
    }

    /// Two machines may each save half of a circle: nobody hangs.
    @Test func halvesOfACircleThatAMergeJoins() throws {
        let sandbox = try Self.filled()
        let outcome = try sandbox.shell(
            """
            $Q query save -f v.qvault b kind:login; cp v.qvault w.qvault; $Q query save -f v.qvault a @b
            $Q query edit -f w.qvault --allow-rollback b 'x or y'; $Q query save -f w.qvault c @b; $Q query edit -f w.qvault b @a
            $Q merge -f v.qvault w.qvault; $Q query edit -f v.qvault b @a; echo $?; $Q find -f v.qvault @c; echo $?
            """)
        #expect(
            outcome.text.hasSuffix("2\n") || outcome.text.hasSuffix("10\n") || outcome.text.hasSuffix("0\n"),
            "\(outcome)")
        #expect(outcome.errors.contains("contains itself"))
    }

    @Test func aQueryStandsForNames() throws {
        let sandbox = try Self.filled()
        func titles(_ query: String) throws -> [Substring] {
            try Self.run("$Q find '\(query)' --columns title --sort title", in: sandbox).text.split(separator: "\n")
                .dropFirst() + []
        }
        #expect(try Self.run("$Q rm --find kind:card -n", in: sandbox).errors.split(separator: "\n").count == 4)
        #expect(
            try Self.run(
                "$Q tag --find kind:bankcard 银行 && $Q pin --find 招行 && $Q group --find kind:login n 网络", in: sandbox
            ).code == 0)
        #expect(
            try titles("tag:银行") == ["备用", "工资卡"] && titles("is:pinned") == ["工资卡"]
                && titles("group:网络") == ["n", "网站499"])
        let left = try Self.run("$Q card rm --find 'tag:银行 or kind:file'", in: sandbox)
        #expect(left.errors.contains("left as they are: 1"))
        #expect(
            try Self.run("$Q tag --find kind:login -n x; $Q pin -n n", in: sandbox).errors.contains(
                "would change: 网站499"))
        #expect(try titles("tag:x").isEmpty && titles("path:n").isEmpty)
        #expect(try titles("kind:card") == ["n", "网站499"] && titles("kind:file") == ["a.txt"])
        #expect(
            try Self.run("$Q undelete 备用 && $Q rm a.txt --find kind:login && $Q ls --find kind:bankcard", in: sandbox)
                .text.contains("备用"))
        #expect(try titles("not kind:setting") == ["n", "备用"])
        #expect(
            try Self.run(
                "$Q export -o - --find kind:bankcard | wc -l; echo y > b.txt; $Q put b.txt; $Q unpack -o o --find kind:file; ls o",
                in: sandbox
            ).text == "2\nb.txt\n")
        #expect(try Self.run("$Q purge -y --find kind:bankcard && $Q history 备用", in: sandbox).code == 10)
    }

    /// Searches are kept where that is asked for, and nowhere else.
    @Test func searchesAreKeptWhereThatIsAskedFor() throws {
        let outcome = try Self.run(
            """
            $Q find 招行 >x; $Q query history || echo "code $?"; $Q query history on; $Q find 招行 >x; $Q search 招行 >x
            $Q find kind:login >x; $Q find --at 2 kind:login >x; $Q find none || echo "code $?"; $Q query history | cut -c1-6,25-
            for i in $(seq 60); do $Q find --count x$i >x; done; $Q query history --json | wc -l; $Q query history | head -1 | cut -c25-
            $Q backup -o b.qvault; $Q find -f b.qvault --count kind:login
            $Q query history clear; $Q query history | wc -l; $Q query history off; $Q query history || echo "code $?"
            """, in: Self.filled())
        #expect(outcome.code == 0, "\(outcome)")
        for text in ["code 10\n", "   2  招行\n", "   1  none\n", "\n50\n", "\n1\n0\ncode 10\n"] {
            #expect(outcome.text.contains(text), "\(text): \(outcome.text)")
        }
    }
}
