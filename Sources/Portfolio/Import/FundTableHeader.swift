import VaultFormat

/// A table of funds, holdings or prices: comma-separated values with a header in English or Chinese.
public struct FundTableHeader: Sendable {
    /// The key of each column; nil of one that is left out.
    private let keys: [String?]
    /// The columns that are left out.
    public let unknown: [String]
    /// Those of them that may be the cost of a share, or of all shares.
    public let ambiguous: [String]

    /// Reads a header.
    ///
    /// - Parameter map: names of columns by key, which go before the known ones.
    /// - Returns: nil where it is no header: no column is a code.
    public init?(_ line: [UInt8], map: [String: String] = [:]) {
        guard let names = Self.fields(line)?.map(\.trimmed) else { return nil }
        let given = Dictionary(map.map { ($0.value, $0.key) }) { first, _ in first }
        keys = names.map { given[$0] ?? FundColumns.key($0).flatMap { map[$0] == nil ? $0 : nil } }
        ambiguous = zip(names, keys).compactMap { $1 == nil && FundColumns.isAmbiguous($0) ? $0 : nil }
        guard keys.contains("code") else { return nil }
        unknown = zip(names, keys).filter { $0.1 == nil && !$0.0.isEmpty }.map(\.0)
    }

    /// What a row says.
    ///
    /// - Throws: `PriceLine.Problem`.
    public func lines(_ row: [UInt8], source: String) throws(PriceLine.Problem) -> [FundLine] {
        guard String(validating: row, as: UTF8.self) != nil else { throw PriceLine.Problem("is not UTF-8") }
        guard let fields = Self.fields(row) else { throw PriceLine.Problem("is no row of a table") }
        guard fields.contains(where: { !$0.trimmed.isEmpty }) else { return [] }
        guard fields.count <= keys.count else { throw PriceLine.Problem("has more fields than the header") }
        var (values, empty) = ([String: String](), Set<String>())
        for (key, value) in zip(keys, fields) {
            guard let key else { continue }
            guard !value.trimmed.isEmpty else {
                empty.insert(key)
                continue
            }
            guard values.updateValue(value.trimmed, forKey: key) == nil else {
                throw PriceLine.Problem("has two columns for \(key)")
            }
        }
        return try FundLine.lines(source: source) { values[$0].map { .text($0) } ?? (empty.contains($0) ? .null : nil) }
    }

    /// The fields of one row; nil of what is none.
    static func fields(_ line: [UInt8]) -> [String]? {
        var reader = CSVReader(line)
        do { return try reader.row()?.fields ?? [] } catch { return nil }
    }

    /// The keys that `--map` may name.
    public static func isKey(_ word: String) -> Bool { FundColumns.isKey(word) }
}
