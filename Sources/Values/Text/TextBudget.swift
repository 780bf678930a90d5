/// The limits of one import. The whole source is in memory during an import. A value costs some 100 bytes there, a record
/// some 1,500, beside their text.
package struct TextBudget {
    /// Records, good and bad.
    private var records = 100_000
    /// Cells of a table, elements of XML, values of JSON.
    private var values = 500_000

    package init() {}

    /// Counts a record at a line.
    ///
    /// - Throws: `MalformedText` for one too many.
    package mutating func takeRecord(line: Int) throws {
        records -= 1
        guard records >= 0 else {
            throw MalformedText("more than 100000 records: import it in parts", line: line)
        }
    }

    /// Counts values up to a line.
    ///
    /// - Throws: `MalformedText` for too many.
    package mutating func takeValues(_ count: Int = 1, line: Int) throws {
        values -= count
        guard values >= 0 else {
            throw MalformedText("more than 500000 values: import it in parts", line: line)
        }
    }

    /// Counts the values of a JSON text before it is parsed: a comma or an opening bracket outside of strings stands
    /// before each.
    package mutating func takeValues(ofJSON text: Span<UInt8>) throws {
        var (count, line, index) = (1, 1, 0)
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: "\""):
                index += 1
                while index < text.count, text[index] != UInt8(ascii: "\"") {
                    index += text[index] == UInt8(ascii: "\\") ? 2 : 1
                }
            default: break
            }
            index += 1
            if count > 500_000 { break }
        }
        try takeValues(count, line: line)
    }
}
