import Cards
public import VaultFormat
public import VaultStore

extension Vault {
    /// Cards as rows behind a header, which `ImportBatch(csv:kind:)` reads: kind, title, group, tags, pinned, then the
    /// fields that any of the cards has. Fields of one's own stand under their labels.
    ///
    /// - Throws: as `card`.
    public func csv(_ entries: [Entry]) throws -> String {
        let cards = try cards(entries)
        var columns: [String] = []
        for schema in Schema.cards where cards.contains(where: { $0.schema == schema }) {
            for field in schema.fields where !columns.contains(field.key) { columns.append(field.key) }
        }
        let fields = Set(columns)
        func column(_ line: Card.Line, _ schema: Schema) -> String {
            guard line.label == nil else { return line.key }
            let isClear = schema.takesOwnFields && !fields.contains(line.key) && !ImportBatch.isColumn(line.key, schema)
            return isClear ? line.key : CSVWriter.ownMark + line.key
        }
        for card in cards {
            for line in card.lines {
                let name = column(line, card.schema)
                if !columns.contains(name) { columns.append(name) }
            }
        }
        var writer = CSVWriter()
        writer.row(["kind", "title", "group", "tags", "pinned"] + columns)
        for card in cards {
            let values = Dictionary(
                card.lines.map { (column($0, card.schema), $0.value) }, uniquingKeysWith: { first, _ in first })
            let overview = card.overview
            writer.row(
                [
                    card.schema.name, card.title, overview.group ?? "", overview.tags.joined(separator: ", "),
                    overview.isPinned ? "yes" : "",
                ] + columns.map { values[$0] ?? "" })
        }
        return writer.text
    }
}
