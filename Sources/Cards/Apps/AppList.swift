import Values

/// A list of apps that another program wrote: JSON, JSON lines, or a table with a header (Spec/product/apps.md, 4).
public struct AppList: Sendable {
    let items: [AppItem]
    /// Names of members or columns that mean nothing here, and were left out.
    public let unknown: [String]

    /// Bytes of a list at most: 48 MiB.
    public static let byteCount = 48 << 20

    /// Reads a list.
    ///
    /// - Throws: `MalformedText` where it is neither JSON nor a table.
    package init(_ bytes: [UInt8]) throws {
        let start = bytes.first { ![0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        var unknown: Set<String> = []
        if let start, "{[".utf8.contains(start) {
            items = try Self.json(bytes).enumerated().map { place, json in
                AppItem(json, place: "item \(place + 1)", unknown: &unknown)
            }
        } else {
            items = try Self.table(bytes, &unknown)
        }
        self.unknown = unknown.sorted()
    }

    /// The objects of a document, or of lines.
    private static func json(_ bytes: [UInt8]) throws -> [JSON] {
        do {
            let document = try JSON(parsing: bytes)
            if let list = document.items { return list }
            let lists = ["apps", "results", "data", "items"].compactMap { document[$0]?.items }
            return lists.first ?? [document]
        } catch let error as MalformedText {
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            guard lines.count > 1, (try? JSON(parsing: Array(lines[0]))) != nil else { throw error }
            return try lines.enumerated().compactMap { place, line in
                guard !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return nil }
                do { return try JSON(parsing: Array(line)) } catch let error as MalformedText {
                    throw MalformedText(error.what, line: place + 1)
                }
            }
        }
    }

    /// The names of the columns and their keys, and a reader for the rows.
    private static func header(
        _ bytes: [UInt8], _ separator: UInt8
    ) throws -> (reader: CSVReader, names: [String], keys: [String?]) {
        var reader = CSVReader(bytes, separator: separator)
        let names = try reader.row()?.fields.map(\.trimmed) ?? []
        return (reader, names, names.map(AppNames.key))
    }

    private static func table(_ bytes: [UInt8], _ unknown: inout Set<String>) throws -> [AppItem] {
        // The separator that makes most known columns counts. One that a header cannot be read with makes none.
        let headers = CSVReader.separators.compactMap { try? Self.header(bytes, $0) }
        let best = headers.max { $0.keys.compactMap(\.self).count < $1.keys.compactMap(\.self).count }
        var (reader, header, keys) = try best ?? Self.header(bytes, CSVReader.separators[0])
        guard !header.isEmpty else { throw MalformedText("nothing is in it", line: 1) }
        guard keys.contains(AppNames.title) else {
            throw MalformedText("no column is the name of an app", line: 1)
        }
        unknown.formUnion(zip(header, keys).filter { $1 == nil && !$0.isEmpty }.map(\.0))
        var items: [AppItem] = []
        while let (row, line) = try reader.row() {
            var item = AppItem(place: "line \(line)")
            for (key, text) in zip(keys, row) { if let key { item.take(key, text) } }
            if row.count > header.count { item.refuse("\(row.count) fields under \(header.count) columns") }
            items.append(item)
        }
        return items
    }
}
