import Cards
import Testing
import Values
import VaultTesting

/// How queries are read and written.
struct QueryTermTests {
    @Test(arguments: [
        ("a", "a"), ("a b", "a b"), ("a and b", "a b"), ("a AND b or c", "(a b) or c"), ("a (b or c)", "a (b or c)"),
        ("a 或 b", "a or b"), ("a | b || c", "a or b or c"), ("not a", "not a"), ("-a !b 非 c", "not a not b not c"),
        ("not not a", "not not a"), ("((a))", "a"), ("（a）", "a"), ("(a b) c", "a b c"),
        ("a or (b or c)", "a or b or c"),
        ("kind:login", "kind:login"), ("kind：login", "kind:login"), ("amount >= 5", "amount>=5"),
        ("amount≥5", "amount>=5"),
        ("x＞5", "x>5"), ("x≠5", "x!=5"), ("x!=5", "x!=5"), ("kind: login", "kind:login"), ("x=>5", "x>=5"),
        ("x=<5", "x<=5"), ("x<>5", "x!=5"), ("x==5", "x=5"), ("x≧5", "x>=5"),
        ("＃家 ！标签：a｜b", "tag:家 not 标签:a|b"), ("金额＞＝５万", "金额>=5万"), ("1．．2", "1..2"), ("x：1．．2", "x:1..2"),
        ("“Ａ：b”", "\"Ａ：b\""), ("#", "#"), ("C#", "C#"),
        ("a:1..5", "a:1..5"),
        ("a:..5", "a:..5"), ("a:1..", "a:1.."), ("a:b|c", "a:b|c"), ("a:1..2|4", "a:1..2|4"), ("\"a b\"", "\"a b\""),
        ("“a b”", "\"a b\""), ("「甲」", "\"甲\""), (#""a\"b\\c""#, #""a\"b\\c""#), (#""a\nb""#, #""a\\nb""#),
        ("title:\"a:b\"", "title:\"a:b\""), ("\"my field\":x", "\"my field\":x"), (".合同号:5", ".合同号:5"),
        ("12:30", "12:30"), ("https://a.example/x?y=z", "https://a.example/x?y=z"), ("@工作 a", "@工作 a"),
        ("@\"a b\"", "@\"a b\""),
        ("- a", "- a"), ("a -", "a -"), ("order", "order"), ("orange or b", "orange or b"), ("\"or\"", "\"or\""),

        ("a-b", "a-b"), ("张三（备用）", "张三 备用"), ("\u{3000}a\u{3000}b", "a b"),
    ])
    func areRead(_ text: String, _ written: String) throws {
        let term = try QueryTerm(text)
        #expect(term.description == written)
        #expect(try QueryTerm(written) == term)
    }

    @Test(arguments: [
        ("", "a word or a condition is missing", 0..<0), ("(a", "this bracket is not closed", 0..<1),
        ("a)", "no bracket is open here", 1..<2), ("a or", "a word or a condition is missing", 4..<4),
        ("or a", "a word or a condition is missing", 0..<0), ("()", "a word or a condition is missing", 1..<1),
        ("not", "a word or a condition is missing", 3..<3), ("kind:", "a value is missing behind 'kind'", 0..<5),
        ("张 amount>", "a value is missing behind 'amount'", 4..<11),
        ("a:..", "a range needs a value at one end", 2..<4),
        ("a>1..5", "a range goes with ':', not with '>'", 0..<6), ("\"a", "this quote is not closed", 0..<1),
        ("@", "the name of a query is missing behind '@'", 0..<1),
        ("a and or b", "a word or a condition is missing", 6..<6),
        ("12 >5", "a field is missing before '>'; in quotes it is a word", 3..<4),
        ("a===5", "a value that begins with '=' stands in quotes", 3..<4),
        ("a:b|", "a value is missing behind 'a'", 0..<4), ("\"\"", "these quotes hold nothing", 0..<2),
    ])
    func areWrong(_ text: String, _ what: String, _ place: Range<Int>) throws {
        let error = try #require(throws: QueryError.self) { try QueryTerm(text) }
        #expect(error.what.description == what && error.place == place && error.text == text)
    }

    @Test func haveLimits() throws {
        func fails(_ text: String, _ what: String) {
            let error = #expect(throws: QueryError.self) { try QueryTerm(text) }
            #expect(error?.what.description.contains(what) ?? false)
        }
        fails(String(repeating: "a ", count: 1 << 19), "longer than 64 KiB")
        fails(
            String(repeating: "(", count: 10_000) + "a" + String(repeating: ")", count: 10_000), "more than 64 brackets"
        )
        fails(String(repeating: "not ", count: 10_000) + "a", "more than 64 brackets")
        fails(String(repeating: "a ", count: 1001), "more than 1000 words")
        let most = String(repeating: "(", count: 64) + "a" + String(repeating: ")", count: 64)
        #expect(try QueryTerm(most).description == "a")
        #expect(try QueryTerm(String(repeating: "a ", count: 1000)) != QueryTerm("a"))
        #expect(try QueryTerm(String(repeating: "a", count: 65_536)).description.count == 65_536)
    }

    /// Queries of random parts, written and read, are the same; and so are random signs that can be read at all.
    @Test func aWrittenQueryReadsAsTheSame() throws {
        var random = CountingGenerator(seed: 7)
        let parts = [
            "a", "招行", "\"x y\"", "kind:login", "amount>=1.2万", "tag:a|b", "due:1..2", "@q", "-x", "not y", ".own:1",
            "\"f g\"=\"\\\\\"",
            "(", ")", "or", "and", "|", " ", "..", ":", "<", "「", "」", "\"", "-", "@", "\\", "：",
        ]
        var readable = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)] + (Bool.random(using: &random) ? " " : "")
            }.joined()
            guard let term = try? QueryTerm(text) else { continue }
            readable += 1
            let again = try? QueryTerm(term.description)
            #expect(again == term, "\(text) is written as \(term)")
        }
        #expect(readable > 5000)
    }

    @Test(arguments: [
        ("a b>5 c=1", ["a b>=5 c=1", "a b>5 c:1", "a b>5", "a c=1", "b>5 c=1"]), ("x<2", ["x<=2"]), ("a", []),
        ("a or b", []),
        ("x>=1 y", ["x>=1", "y"]),
    ])
    func loosen(_ text: String, _ looser: [String]) throws {
        #expect(try QueryTerm(text).looser.map(\.description) == looser)
    }
}
