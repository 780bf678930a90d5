import Testing
import Values

/// Tables, XML and the limits of what an import takes into memory.
struct SourceTests {
    private func rows(_ text: [UInt8]) throws -> [String] {
        var reader = CSVReader(text)
        var rows: [String] = []
        while let row = try reader.row() { rows.append("\(row.line)|" + row.fields.joined(separator: "|")) }
        return rows
    }

    @Test(
        arguments: [
            ("a,b\r\nc", ["1|a|b", "2|c"]), ("a\rb", ["1|a\rb"]), ("a\r", ["1|a"]), ("a\r\r\nb", ["1|a\r", "2|b"]),
            ("\"a\"\"b\",c", ["1|a\"b|c"]), ("\"a\"\r", ["1|a"]), ("\"a\"\r\nb", ["1|a", "2|b"]),
            ("\u{FEFF}a", ["1|a"]),
            ("a\n\n\"b\nc\"\nd", ["1|a", "3|b\nc", "5|d"]), (",,\n,a,\n", ["2||a|"]), ("", []), ("\n\r\n", []),
            ("a\"b", ["1|a\"b"]), ("\"\",x", ["1||x"]), ("a,\"\"", ["1|a|"]), ("\"\r\n\"", ["1|\r\n"]),
        ]) func rowsOfATable(_ text: String, _ expected: [String]) throws
    {
        #expect(try rows(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("\"a", 1), ("a\n\"b\n", 2), ("\"a\"x", 1), ("\"a\nb\"x", 2), ("\"a\"\rb", 1), ("\"a\" ", 1), ("a\n\"", 2),
        ]) func brokenTables(_ text: String, _ line: Int)
    {
        #expect { try rows(Array(text.utf8)) } throws: { ($0 as? MalformedText)?.line == line }
    }

    @Test func bytesThatAreNoText() {
        #expect { try rows([0x61, 0x0A, 0xFF]) } throws: { ($0 as? MalformedText)?.line == 2 }
        #expect { try rows([0x22, 0xFF, 0x22]) } throws: { ($0 as? MalformedText)?.line == 1 }
    }

    @Test(arguments: [(1023, false), (1024, true)]) func fieldsOfARow(_ commas: Int, _ isTooLong: Bool) throws {
        let text = "x" + String(repeating: ",", count: commas)
        if isTooLong {
            #expect(throws: MalformedText.self) { try rows(Array(text.utf8)) }
        } else {
            #expect(try rows(Array(text.utf8))[0].utf8.count == 2 + text.utf8.count)
        }
    }

    @Test(arguments: [false, true]) func bytesOfAField(_ isQuoted: Bool) throws {
        let most = [UInt8](repeating: 0x61, count: 1 << 24)
        let quote: [UInt8] = isQuoted ? [0x22] : []
        var reader = CSVReader(quote + most + quote)
        #expect(try reader.row()?.fields[0].utf8.count == 1 << 24)
        reader = CSVReader(quote + most + [0x61] + quote)
        #expect(throws: MalformedText.self) { try reader.row() }
    }

    /// Each field has its own bound.
    @Test func twoLongFields() throws {
        let half = [UInt8](repeating: 0x61, count: 9 << 20)
        var reader = CSVReader(half + [0x2C] + half)
        #expect(try reader.row()?.fields.map(\.utf8.count) == [9 << 20, 9 << 20])
    }

    @Test func fieldsThatAreQuoted() {
        var writer = CSVWriter()
        writer.row(["a b", " a", "a ", "a,b", "a\"b", "a\nb", "a\rb", ""])
        #expect(writer.text == "a b,\" a\",\"a \",\"a,b\",\"a\"\"b\",\"a\nb\",\"a\rb\",\n")
    }

    @Test func recordsAndValuesOfAnImport() throws {
        var budget = TextBudget()
        for _ in 0..<100_000 { try budget.takeRecord(line: 1) }
        #expect { try budget.takeRecord(line: 7) } throws: { ($0 as? MalformedText)?.line == 7 }
        try budget.takeValues(499_999, line: 1)
        try budget.takeValues(line: 1)
        #expect { try budget.takeValues(line: 8) } throws: { ($0 as? MalformedText)?.line == 8 }
    }

    /// What stands in a string is no value.
    @Test func valuesOfJSONAreCountedBeforeItIsRead() {
        func isTaken(_ parts: (String, Int)...) -> Bool {
            var budget = TextBudget()
            let text = parts.map { String(repeating: $0.0, count: $0.1) }.joined()
            return (try? budget.takeValues(ofJSON: Array(text.utf8).span)) != nil
        }
        for mark in [",", "[", "{"] { #expect(isTaken((mark, 499_999)) && !isTaken((mark, 500_000)), "\(mark)") }
        #expect(isTaken(("\"", 1), (",", 600_000)) && isTaken(("\"", 1), (",", 600_000), ("\"", 1)))
        #expect(isTaken(("\"\\\"", 1), (",", 600_000), ("\"", 1)) && !isTaken(("\"\\\\\"", 1), (",", 600_000)))
        #expect(isTaken(("\"a\"", 1), (",", 499_999)) && !isTaken(("\"a\"", 1), (",", 500_000)))
        var budget = TextBudget()
        let lines = Array(("\n\"\n\"\n" + String(repeating: ",", count: 500_000)).utf8)
        #expect { try budget.takeValues(ofJSON: lines.span) } throws: { ($0 as? MalformedText)?.line == 3 }
    }

    // MARK: XML

    private func parse(_ text: String, _ name: String = "e") throws -> (
        root: XMLElement, taken: [(XMLElement, [XMLElement])]
    ) {
        var taken: [(XMLElement, [XMLElement])] = []
        let root = try XMLElement.parse(Array(text.utf8), handing: name) { taken.append(($0, $1)) }
        return (root, taken)
    }

    @Test func elementsAreHandedOut() throws {
        let (root, taken) = try parse("<r a='1' b=''>x<g>y<e><e>in</e>\nz</e></g>w<e/></r>")
        #expect(root.name == "r" && root.text == "xw" && root.attributes == ["a": "1", "b": ""])
        #expect(root.children.map(\.name) == ["g"] && root["g"]?.text == "y" && root["e"] == nil)
        #expect(taken.map { $0.1.map(\.name) } == [["r", "g"], ["r"]] && taken[0].0.text == "\nz")
        #expect(taken[0].0["e"]?.text == "in" && taken.map(\.0.line) == [1, 2])
        // The root itself is not handed out.
        let (whole, none) = try parse("<e>x</e>")
        #expect(whole.text == "x" && none.isEmpty)
    }

    @Test(
        arguments: [
            ("", "no XML"), ("<a>", "no XML"), ("<a></b>", "no XML"), ("<!DOCTYPE a><a/>", "has a document type"),
            (String(repeating: "<a>", count: 129) + String(repeating: "</a>", count: 129), "is nested too deep"),
            ("<r>" + String(repeating: "<a/>", count: 500_000) + "</r>", "has more than 500000 elements"),
            ("<r>" + String(repeating: "<e/>", count: 100_001) + "</r>", "has more than 100000 records"),
            ("<a b='" + String(repeating: "x", count: 2 << 20) + "'/>", "a tag longer than 1 MiB"),
        ]) func documentsThatAreRefused(_ text: String, _ what: String)
    {
        let error = #expect(throws: MalformedText.self) { try parse(text) }
        #expect(error?.what.description.hasPrefix(what) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func documentsThatAreTaken() throws {
        let deep = try parse(String(repeating: "<a>", count: 128) + "x" + String(repeating: "</a>", count: 128)).root
        #expect(deep.children.count == 1)
        #expect(try parse("<r>" + String(repeating: "<a/>", count: 499_999) + "</r>").root.children.count == 499_999)
        // Elements of what was handed out are free again.
        let many = "<r>" + String(repeating: "<e><a/><a/><a/><a/><a/></e>", count: 100_000) + "</r>"
        #expect(try parse(many).taken.count == 100_000)
        #expect(
            try parse("<a b='" + String(repeating: "x", count: 1 << 19) + "'/>").root.attributes["b"]?.utf8.count == 1
                << 19)
        let error = #expect(throws: MalformedText.self) { try parse("<a>\n\n<!DOCTYPE b>") }
        #expect(error?.line == 3)
    }
}
