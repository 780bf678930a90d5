import VaultFormat

extension ImportBatch {
    /// Columns that are no field, by the names that a header may give them.
    private static let heads = [
        "kind": "kind", "种类": "kind", "title": "title", "标题": "title", "group": "group", "分组": "group",
        "tags": "tags", "标签": "tags", "pinned": "pinned", "置顶": "pinned",
    ]

    /// Cards from rows behind a header: keys or labels of fields in either language, and `kind`, `title`, `group`, `tags`
    /// (with commas between) and `pinned`. What KeePassXC and KeePass 1 write is known by its header.
    ///
    /// - Parameter kind: what all cards are, where there is no column `kind`.
    /// - Throws: `ImportError`.
    public init(csv bytes: [UInt8], kind: Schema?) throws {
        self.init()
        var reader = CSVReader(bytes)
        guard let header = try reader.row()?.fields else { throw ImportError.malformed("nothing is in it", line: 1) }
        if let columns = Self.keePassColumns(header) {
            try addKeePass(&reader, columns, header.count)
            return
        }
        let heads = header.map { Self.heads[$0.lowercased()] }
        guard kind != nil || heads.contains("kind") else {
            throw ImportError.unsupported(
                "the rows do not say what they are", hint: "--kind KIND says it of all, or a column 'kind' of each")
        }
        while let (row, line) = try reader.row() { addRow(row, line, header, heads, kind) }
    }

    private mutating func addRow(_ row: [String], _ line: Int, _ header: [String], _ heads: [String?], _ kind: Schema?)
    {
        let place: Phrase = "line \(line)"
        guard row.count <= header.count else {
            return problems.append(ImportProblem(place, "\(row.count) fields under \(header.count) columns"))
        }
        var head: [String: String] = [:]
        var fields: [(String, String)] = []
        for (index, value) in row.enumerated() where !value.isEmpty {
            if let name = heads[index] { head[name] = value } else { fields.append((header[index], value)) }
        }
        guard let schema = head["kind"].map(Schema.named) ?? kind else {
            return problems.append(ImportProblem(place, "kind: is no kind of cards"))
        }
        // A column may be called as people call it.
        let keys = fields.map { name, value in
            let field = schema.fields.first {
                $0.key == name.lowercased() || $0.label.chinese == name || $0.label.english == name.lowercased()
            }
            return (key: field?.key ?? name, value: value)
        }
        let tags = (head["tags"] ?? "").split(separator: ",", maxSplits: Card.tagCount).map(\.trimmed).filter {
            !$0.isEmpty
        }
        add(
            schema, title: head["title"], at: place, group: head["group"], tags: tags,
            isPinned: !["", "no", "false", "0", "否"].contains((head["pinned"] ?? "").lowercased()), fields: keys)
    }

    // MARK: KeePass

    /// Which column holds what, in files of KeePassXC (2.x) and KeePass (1.x).
    private static func keePassColumns(_ header: [String]) -> [String: Int]? {
        let names = [
            "group": "group", "title": "title", "account": "title", "username": "username", "login name": "username",
            "password": "password", "url": "url", "web site": "url", "notes": "notes", "comments": "notes",
            "totp": "totp",
        ]
        var columns: [String: Int] = [:]
        for (index, name) in header.enumerated() {
            if let field = names[name.lowercased()], columns[field] == nil { columns[field] = index }
        }
        let isTheirs = header.contains { ["username", "login name"].contains($0.lowercased()) && $0 != "username" }
        return isTheirs && columns["title"] != nil && columns["password"] != nil ? columns : nil
    }

    private mutating func addKeePass(_ reader: inout CSVReader, _ columns: [String: Int], _ count: Int) throws {
        guard let schema = Schema.named("login") else { preconditionFailure("there are logins") }
        while let (row, line) = try reader.row() {
            guard row.count <= count else {
                problems.append(ImportProblem("line \(line)", "\(row.count) fields under \(count) columns"))
                continue
            }
            func value(_ name: String) -> String? {
                columns[name].flatMap { $0 < row.count && !row[$0].isEmpty ? row[$0] : nil }
            }
            let fields = ["username", "password", "url", "notes", "totp"].compactMap { key in
                value(key).map { (key: key, value: $0) }
            }
            add(schema, title: value("title"), at: "line \(line)", group: value("group"), fields: fields)
        }
    }
}
