/// Rows of comma-separated values (RFC 4180), or of values with another separator: fields in quotes hold separators, line feeds and
/// doubled quotes. A mark of the
/// byte order is skipped, and lines end with LF or CRLF. The bytes of a field stay as they are.
package struct CSVReader {
    private let bytes: [UInt8]
    private let separator: UInt8
    private var place = 0
    private var line = 1
    private var budget = TextBudget()

    /// Fields of a row at most.
    private static let fieldCount = 1024
    /// Bytes of a field at most: 16 MiB.
    private static let fieldByteCount = 1 << 24

    /// Signs that may stand between fields: a comma, a tab, a semicolon.
    package static let separators: [UInt8] = [0x2C, 0x09, 0x3B]

    /// - Parameter separator: one of `separators`.
    package init(_ bytes: [UInt8], separator: UInt8 = 0x2C) {
        (self.bytes, self.separator) = (bytes, separator)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The next row that is not empty, and the line it begins in; nil at the end.
    ///
    /// - Throws: `MalformedText`, also for more rows or fields than an import may have.
    package mutating func row() throws -> (fields: [String], line: Int)? {
        while place < bytes.count {
            let start = line
            var fields: [String] = []
            repeat {
                guard fields.count < Self.fieldCount else {
                    throw MalformedText("more than \(Self.fieldCount) fields in a row", line: start)
                }
                fields.append(try field())
            } while take(separator)
            endLine()
            guard fields.contains(where: { !$0.isEmpty }) else { continue }
            try budget.takeRecord(line: start)
            try budget.takeValues(fields.count, line: start)
            return (fields, start)
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func endLine() {
        _ = take(0x0D)
        if take(0x0A) { line += 1 }
    }

    private static func tooLong(line: Int) -> MalformedText {
        MalformedText("a field of more than \(fieldByteCount >> 20) MiB", line: line)
    }

    private mutating func field() throws -> String {
        var value: [UInt8] = []
        if take(0x22) {
            let start = line
            while true {
                guard place < bytes.count else { throw MalformedText("a quote that does not end", line: start) }
                let byte = bytes[place]
                place += 1
                if byte == 0x0A { line += 1 }
                if byte == 0x22, !take(0x22) { break }
                guard value.count < Self.fieldByteCount else { throw Self.tooLong(line: start) }
                value.append(byte)
            }
            guard place == bytes.count || bytes[place] == separator || isLineEnd else {
                throw MalformedText("something behind a closing quote", line: line)
            }
        } else {
            let start = place
            while place < bytes.count, bytes[place] != separator, !isLineEnd { place += 1 }
            guard place - start <= Self.fieldByteCount else { throw Self.tooLong(line: line) }
            value = Array(bytes[start..<place])
        }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw MalformedText("bytes that are no UTF-8", line: line)
        }
        return text
    }

    /// True at LF, at CRLF, and at a CR that ends the source. Another CR is part of a field.
    private var isLineEnd: Bool {
        bytes[place] == 0x0A
            || bytes[place] == 0x0D && (place + 1 == bytes.count || bytes[place + 1] == 0x0A)
    }
}

/// Writes what `CSVReader` reads.
package struct CSVWriter {
    package init() {}

    /// Stands before the label of a field of one's own that is also the name of a column; no label holds a colon.
    package static let ownMark = "own:"

    package private(set) var text = ""

    package mutating func row(_ fields: [String]) {
        text += fields.map(Self.quoted).joined(separator: ",") + "\n"
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { "\",\n\r".utf8.contains($0) }) || field.first == " " || field.last == " "
        else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
