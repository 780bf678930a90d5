import Cards
import Values

/// The kinds of cards, numbered for a person who chooses one.
enum CardKindMenu {
    private static let first = ["address", "idcard", "login", "bankcard", "invoice"].compactMap { Schema.named($0) }
    /// All kinds, those that most people begin with first.
    private static let all = first + Schema.cards.filter { schema in !first.contains { $0.name == schema.name } }

    /// The numbers of kinds that the first run and `card add` show.
    static let usual = first.count, count = all.count
    static let completion = LineCompletion.words(all.map(\.label.said))

    /// Writes the first of them with their numbers, three in a row.
    static func write(_ count: Int) throws {
        let kinds = all.prefix(count)
        let width = kinds.map { columns($0.label.said) }.max() ?? 0
        let cells = kinds.enumerated().map { padded("\($0 + 1)", 3, left: true) + "  " + padded($1.label.said, width) }
        for start in stride(from: 0, to: cells.count, by: 3) {
            try Terminal.write(cells[start..<min(start + 3, cells.count)].joined().trimmingEnd() + "\n")
        }
    }

    /// The kind that an answer means: its number, or its name in part or in pinyin.
    ///
    /// - Throws: `Failure` where it means none, or several.
    static func kind(_ answer: String) throws -> Schema {
        guard !answer.trimmed.isEmpty else { throw Failure(.invalid, "type a number of the list, or a name") }
        if let number = Int(answer.trimmed) {
            guard all.indices.contains(number - 1) else { throw Failure(.invalid, "the list has no number \(number)") }
            return all[number - 1]
        }
        return try CardArguments.schema(Array(answer.trimmed.utf8))
    }
}
