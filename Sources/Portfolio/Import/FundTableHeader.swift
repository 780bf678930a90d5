import VaultFormat

/// A table of funds, holdings or prices with a header in English or Chinese, as programs and spreadsheets write it: its cells stand
/// between commas, tabs or semicolons, a code may be `="110022"`, and amounts have units.
public struct FundTableHeader: Sendable {
    /// The key of each column; nil of one that is left out.
    private let keys: [String?]
    private let separator: UInt8
    private let fillsZeros: Bool
    /// The columns that mean something, and what: `基金代码 → code`.
    public let meanings: [(column: String, key: String)]
    /// The columns that are left out.
    public let unknown: [String]
    /// Those of them that may be the cost of a share, or of all shares.
    public let ambiguous: [String]

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - map: names of columns by key, which go before the known ones.
    ///   - fillsZeros: codes that a spreadsheet took for numbers get the zeros at their beginning back.
    /// - Returns: nil where it is no header: no column is a code.
    public init?(_ line: [UInt8], map: [String: String] = [:], fillsZeros: Bool = false) {
        // Of several the one that makes most columns.
        let tables = CSVReader.separators.compactMap { separator in
            Self.fields(line, separator).map { (separator, names: $0.map(Self.bare)) }
        }
        guard let (separator, names) = tables.max(by: { $0.names.count < $1.names.count }), names.count > 1 else {
            return nil
        }
        (self.separator, self.fillsZeros) = (separator, fillsZeros)
        let given = Dictionary(map.map { ($0.value, $0.key) }) { first, _ in first }
        keys = names.map { given[$0] ?? FundColumns.key($0).flatMap { map[$0] == nil ? $0 : nil } }
        ambiguous = zip(names, keys).compactMap { $1 == nil && FundColumns.isAmbiguous($0) ? $0 : nil }
        guard keys.contains("code") else { return nil }
        meanings = zip(names, keys).compactMap { name, key in key.map { (name, $0) } }
        unknown = zip(names, keys).filter { $0.1 == nil && !$0.0.isEmpty }.map(\.0)
    }

    /// What a row says.
    ///
    /// - Throws: `PriceLine.Problem`.
    public func lines(_ row: [UInt8], source: String) throws(PriceLine.Problem) -> [FundLine] {
        guard String(validating: row, as: UTF8.self) != nil else { throw PriceLine.Problem("is not UTF-8") }
        guard let fields = Self.fields(row, separator) else { throw PriceLine.Problem("is no row of a table") }
        guard fields.contains(where: { !$0.trimmed.isEmpty }) else { return [] }
        guard fields.count <= keys.count else { throw PriceLine.Problem("has more fields than the header") }
        var (values, empty) = ([String: String](), Set<String>())
        for (key, value) in zip(keys, fields) {
            guard let key else { continue }
            guard !value.trimmed.isEmpty else {
                empty.insert(key)
                continue
            }
            guard values.updateValue(cell(value, key), forKey: key) == nil else {
                throw PriceLine.Problem("has two columns for \(key)")
            }
        }
        return try FundLine.lines(source: source) { values[$0].map { .text($0) } ?? (empty.contains($0) ? .null : nil) }
    }

    /// The code of a row that may have lost the zeros at its beginning, as spreadsheets do that; nil of any other.
    public func shortCode(_ row: [UInt8]) -> String? {
        guard let place = keys.firstIndex(of: "code"), let fields = Self.fields(row, separator), place < fields.count
        else { return nil }
        let code = Self.unwrapped(fields[place].trimmed)
        return Self.isShort(code) && !fillsZeros ? code : nil
    }

    private static func isShort(_ code: String) -> Bool {
        1...5 ~= code.utf8.count && code.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// Keys whose values are amounts or prices.
    private static let amounts: Set = [
        "shares", "cost", "nav", "price", "previous_close", "estimate", "rate", "coefficient",
    ]

    /// A cell as it is meant: without `="…"`, an amount without its unit, a code with its zeros where that is asked for.
    private func cell(_ text: String, _ key: String) -> String {
        let text = Self.unwrapped(text.trimmed)
        if key == "code", fillsZeros, Self.isShort(text) {
            return String(repeating: "0", count: 6 - text.utf8.count) + text
        }
        return Self.amounts.contains(key) ? ExactDecimal(typed: text)?.description ?? text : text
    }

    /// A text that a spreadsheet is kept from taking for a number.
    private static func unwrapped(_ text: String) -> String {
        guard text.hasPrefix("=\""), text.hasSuffix("\""), text.count > 2 else { return text }
        return String(text.dropFirst(2).dropLast())
    }

    /// The name of a column without the unit in brackets behind it: `持有份额(份)`.
    private static func bare(_ name: String) -> String {
        let name = unwrapped(name.trimmed)
        guard let last = name.last, ")）".contains(last), let open = name.lastIndex(where: { "(（".contains($0) }),
            open > name.startIndex
        else { return name }
        let whole = FundColumns.key(name)
        return whole == nil ? String(name[..<open]).trimmed : name
    }

    /// The fields of one row; nil of what is none.
    static func fields(_ line: [UInt8], _ separator: UInt8 = 0x2C) -> [String]? {
        var reader = CSVReader(line, separator: separator)
        do { return try reader.row()?.fields ?? [] } catch { return nil }
    }

    /// The keys that `--map` may name.
    public static func isKey(_ word: String) -> Bool { FundColumns.isKey(word) }
}
