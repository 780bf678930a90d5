import Testing
import Values

/// Text for a terminal: nothing in it moves the cursor or the direction of what follows.
struct PrintableTextTests {
    private static let joiner = "\u{200D}"

    @Test(arguments: [
        ("plain ~", "plain ~"), ("a\\b", "a\\\\b"), ("\u{1F}\u{F}\u{7F}", "\\x1f\\x0f\\x7f"), ("\u{85}é", "\\x85é"),
        ("你好", "你好"), ("\u{2028}x\u{202E}", "\\u{2028}x\\u{202e}"), ("👩\(joiner)💻", "👩\(joiner)💻"),
        ("❤\u{FE0F}\(joiner)🔥", "❤\u{FE0F}\(joiner)🔥"), ("a\(joiner)💻", "a\\u{200d}💻"), ("👩\(joiner)a", "👩\\u{200d}a"),
        ("👩\(joiner)", "👩\\u{200d}"), ("\(joiner)👩", "\\u{200d}👩"), (joiner, "\\u{200d}"),
        (joiner + joiner, "\\u{200d}\\u{200d}"), ("1\(joiner)2", "1\\u{200d}2"),
        ("\u{FE0F}\(joiner)\u{FE0F}", "\u{FE0F}\\u{200d}\u{FE0F}"), ("\u{7F}你", "\\x7f你"),
    ])
    func escapes(_ text: String, _ shown: String) {
        #expect(printable(text.utf8) == shown)
        let isPlain =
            shown == text && !text.unicodeScalars.contains { $0.value > 0x9FFF || (0x80..<0x3000).contains($0.value) }
        #expect(isPrintable(Array(text.utf8).span) == isPlain)
    }

    /// Bytes that are no UTF-8 are shown one by one.
    @Test(
        arguments: [
            ([0xFF, 0x41, 0x5C, 0x7F, 0x20, 0x1F, 0x7E], "\\xffA\\x5c\\x7f \\x1f~"), ([0xE4, 0xBD], "\\xe4\\xbd"),
            ([0xE4, 0xBD, 0xA0], "你"), ([0xE4, 0xBD, 0x41], "\\xe4\\xbdA"), ([0xE4, 0x41, 0x42], "\\xe4AB"),
            ([0xE4, 0x41, 0x80], "\\xe4A\\x80"), ([0xE3, 0x80, 0x80], "\u{3000}"), ([0xE9, 0xBF, 0xBF], "\u{9FFF}"),
            ([0xEA, 0x80], "\\xea\\x80"), ([0xE2, 0x80], "\\xe2\\x80"), ([], ""),
            ([0x0A, 0xFF, 0x10], "\\x0a\\xff\\x10"),
        ] as [([UInt8], String)])
    func bytes(_ bytes: [UInt8], _ shown: String) { #expect(printable(bytes) == shown) }

    @Test func escapesThatAreThereStay() {
        #expect(terminalSafe("a\\x1b\u{1B}\n") == "a\\x1b\\x1b\\x0a" && terminalSafe("\\") == "\\")
        #expect(terminalSafe("a\n\t", keeping: ["\n"]) == "a\n\\x09" && terminalSafe("\n", keeping: ["\n"]) == "\n")
    }
}

struct SmallTextTests {
    @Test(arguments: [("  a  b ", "a  b"), ("", ""), ("   ", ""), ("a", "a"), ("\ta ", "\ta")])
    func trimmedText(_ text: String, _ trimmed: String) {
        #expect(text.trimmed == trimmed && text[...].trimmed == trimmed)
    }

    @Test(
        arguments: [
            ("", []), ("00ff", [0, 255]), ("AbCd", [0xAB, 0xCD]), ("0", nil), ("0g", nil), ("é", nil), ("+1", nil),
        ]
            as [(String, [UInt8]?)])
    func hexadecimal(_ text: String, _ bytes: [UInt8]?) {
        #expect(hexadecimalBytes(text) == bytes)
        if let bytes { #expect(hexText(bytes) == text.lowercased()) }
    }

    @Test(arguments: [
        ("", "a", "a"), (".", "a", "a"), ("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), ("..", "b", "../b"),
    ])
    func componentsBehindAPath(_ path: String, _ component: String, _ joined: String) {
        #expect(BytePath(path).appending(Array(component.utf8)) == BytePath(joined))
    }

    @Test(arguments: [
        ("a", ".", "a"), ("/a", "/", "a"), ("/", ".", ""), ("a/b/", "a", "b"), ("/a/b", "/a", "b"), ("", ".", ""),
        ("a/b//", "a", "b"), ("//", ".", ""),
    ])
    func partsOfAPath(_ path: String, _ parent: String, _ last: String) {
        #expect(BytePath(path).parent == BytePath(parent) && BytePath(path).lastComponent == Array(last.utf8))
    }

    @Test func pathsInAFolder() {
        #expect(BytePath("/a//b/").components == [[0x61], [0x62]] && BytePath("a\n").description == "a\\x0a")
        for (path, isBeneath) in [("a", true), ("a/b", true), ("ab", false), ("b/a", false), ("", false)] {
            #expect(BytePath(path).isOrIsBeneath(BytePath("a")) == isBeneath, "\(path)")
        }
        #expect(!BytePath("a").isOrIsBeneath(BytePath("a/b")))
    }

    @Test func phrasesInOtherWords() {
        let inner: Phrase = "in \(1)"
        let phrase: Phrase = "the \("x") and \(inner) of \(3)"
        #expect(phrase.description == "the x and in 1 of 3" && phrase.template == "the {} and {} of {}")
        let words = ["the {} and {} of {}": "{3} {1} {2}, {1}", "in {}": "<{}>"]
        #expect(phrase.said { words[$0] } == "3 x <1>, x")
        let odd: Phrase = "\(1)\(2)"
        for (template, said) in [
            ("{2}{}", "2"), ("{1}{}", "12"), ("{}{}{}", "12"), ("{0}a", "a"), ("a{", "a1"), ("a{}b}", "a1b}"),
            ("{9}", ""),
        ] {
            #expect(odd.said { _ in template } == said, "\(template)")
        }
    }
}

struct JSONValueTests {
    @Test(
        arguments: [
            (.integer(-5), "-5"), (.unsigned(.max), "18446744073709551615"), (.real(0.1), "0.1"), (.real(-0.1), "-0.1"),
            (.real(0.1 + 0.2), "0.3"), (.real(123_456_789.123456789), "123456789.123457"), (.real(1.5e-05), "0.000015"),
            (.real(0.00012345678901234567), "0.000123456789012346"), (.real(1e16), "10000000000000000"),
            (.real(1e33), "1" + String(repeating: "0", count: 33)), (.real(1e34), nil), (.real(1e35), nil),
            (.real(1e-34), "0." + String(repeating: "0", count: 33) + "1"), (.real(1e-35), nil), (.real(.nan), nil),
            (.real(.infinity), nil), (.text("1"), nil), (.null, nil), (.decimal(ExactDecimal(7)), "7"),
            (.real(100), "100"),
            (.real(1.2345678901234567e-05), "0.0000123456789012346"),
            (.real(12_345_678_901_234_568), "12345678901234600"),
        ] as [(JSON, String?)])
    func numbers(_ json: JSON, _ digits: String?) { #expect(json.decimal?.shortest.description == digits) }

    @Test func membersAndItems() throws {
        let text = #"{"a":[1,null,true,"x\u0000y"],"b":{"c":-2.50},"é":{}}"#
        let json = try JSON(parsing: [0xEF, 0xBB, 0xBF] + Array(text.utf8))
        #expect(json["a"]?.items?.count == 4 && json["a"]?.items?[1].isNull == true && json["a"]?.isNull == false)
        #expect(json["a"]?.items?[0].number == 1 && json["a"]?.items?[2].flag == true && json["a"]?.text == nil)
        #expect(json["a"]?.items?[3].text == "x\u{0}y" && json["b"]?["c"]?.decimal == ExactDecimal("-2.5"))
        #expect(json["none"] == nil && json["a"]?["b"] == nil && json.members?.map(\.0) == ["a", "b", "é"])
        #expect(json.number == nil && json.flag == nil && json.items == nil && json["a"]?.members == nil)
        #expect(json.line == #"{"a":[1,null,true,"x\u0000y"],"b":{"c":-2.5},"é":{}}"#)
        #expect(JSON.quoted("\"\\\n\t\u{7F}\u{2028}\u{E0001}") == #""\"\\\n\t\u007f\u2028\udb40\udc01""#)
        #expect(JSON.list([.bool(false), .decimal(ExactDecimal("1.50") ?? .zero)]).line == "[false,1.5]")
    }

    @Test(arguments: [("", 1), ("[1,\n2", 2), ("{\"a\":1,\n\"a\":2}", 2), ("[1] x", 1), ("\n\n{a}", 3)])
    func malformedTexts(_ text: String, _ line: Int) {
        let error = #expect(throws: MalformedText.self) { try JSON(parsing: Array(text.utf8)) }
        #expect(error?.line == line && error?.what.description.hasPrefix("no JSON: ") == true)
    }
}
