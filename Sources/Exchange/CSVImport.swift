public import Cards
import VaultFormat

extension ImportBatch {
    /// Columns that are no field, by the names that a header may give them.
    private static let heads = [
        "kind": "kind", "种类": "kind", "title": "title", "标题": "title", "group": "group", "分组": "group",
        "tags": "tags", "标签": "tags", "pinned": "pinned", "置顶": "pinned",
    ]

    /// True if a header means more than a field of one's own by this name.
    static func isColumn(_ name: String, _ schema: Schema) -> Bool {
        heads[name.lowercased()] != nil || name.hasPrefix(CSVWriter.ownMark) || schema.field(called: name) != nil
    }

    /// Cards from rows behind a header: keys or labels of fields in either language, and `kind`, `title`, `group`, `tags`
    /// (with commas between) and `pinned`. A table of logins, as browsers and password managers
    /// write it, is known by its header.
    ///
    /// - Parameter kind: what all cards are, where there is no column `kind`.
    /// - Throws: `ImportError`.
    public init(csv bytes: [UInt8], kind: Schema?) throws {
        self.init()
        var reader = CSVReader(bytes)
        guard let header = try reader.row()?.fields else { throw MalformedText("nothing is in it", line: 1) }
        let heads = header.map { Self.heads[$0.lowercased()] }
        if let twice = header.indices.first(where: { heads[$0] != nil && heads[..<$0].contains(heads[$0]) }) {
            throw MalformedText("the column '\(printable(header[twice].utf8))' stands there twice", line: 1)
        }
        if kind == nil, !heads.contains("kind"), let table = PasswordTable(header) {
            try add(table, &reader)
            return
        }
        guard kind != nil || heads.contains("kind") else {
            throw ImportError.unsupported(
                "no export that is known; a table of one's own says what its rows are",
                hint: "--kind KIND says it of all, or a column 'kind' of each")
        }
        while let (row, line) = try reader.row() { addRow(row, line, header, heads, kind) }
    }

    private mutating func addRow(_ row: [String], _ line: Int, _ header: [String], _ heads: [String?], _ kind: Schema?)
    {
        let place: Phrase = "line \(line)"
        guard row.count <= header.count else {
            return leaveOut(place, "\(row.count) fields under \(header.count) columns")
        }
        var head: [String: String] = [:]
        var fields: [(String, String)] = []
        for (index, value) in row.enumerated() where !value.isEmpty {
            if let name = heads[index] { head[name] = value } else { fields.append((header[index], value)) }
        }
        guard let schema = head["kind"].map(Schema.named) ?? kind else {
            return leaveOut(place, "kind: is no kind of cards")
        }
        // Fields of one's own whose labels are also those of columns stand behind `own:`.
        let own = fields.filter { $0.0.hasPrefix(CSVWriter.ownMark) }.map {
            RecordFields.CustomField(label: String($0.0.dropFirst(CSVWriter.ownMark.count)), value: $0.1)
        }
        fields.removeAll { $0.0.hasPrefix(CSVWriter.ownMark) }
        // A column may be called as people call it.
        let keys = fields.map { name, value in (key: schema.field(called: name)?.key ?? name, value: value) }
        let tags = (head["tags"] ?? "").split(separator: ",", maxSplits: Card.tagCount).map(\.trimmed).filter {
            !$0.isEmpty
        }
        add(
            schema, title: head["title"], at: place, group: head["group"], tags: tags,
            isPinned: !["", "no", "false", "0", "否"].contains((head["pinned"] ?? "").lowercased()), fields: keys,
            own: own)
    }
}
