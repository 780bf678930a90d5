import Cards
import Pictures
import Values
import VaultFormat
import VaultStore

/// The parts that `--hide` names, also by fields of the cards that pictures belong to.
enum HiddenFields {
    /// The parts that the options name.
    ///
    /// - Parameters:
    ///   - entries: attachments whose cards may have the fields; none for a file.
    ///   - vault: where they are; nil for a file.
    static func hiding(_ arguments: Arguments, of entries: [Entry] = [], in vault: Vault? = nil) throws -> [Hiding] {
        let words = arguments.all(.hide)
        let parts = words.map { Hiding(String(decoding: $0, as: UTF8.self)) }
        guard parts.contains(nil) else { return parts.compactMap(\.self) }
        // A page with several pictures has no layout of a card.
        let side = entries.count == 1 ? String(decoding: entries[0].overview.title, as: UTF8.self) : ""
        var cards: [Card] = []
        for parent in Set(entries.compactMap(\.parent)) {
            guard let vault, let entry = try vault.entry(parent), entry.isCard else { continue }
            cards.append(try vault.card(entry))
        }
        return try zip(words, parts).flatMap { word, part in try part.map { [$0] } ?? field(word, of: cards, side: side)
        }
    }

    /// The values of all cards that have the field: each has to be found.
    private static func field(_ word: [UInt8], of cards: [Card], side: String) throws -> [Hiding] {
        let name = String(decoding: word, as: UTF8.self)
        let lines = cards.compactMap { CardArguments.lineIfAny(name, of: $0) }
        guard !lines.isEmpty || cards.contains(where: { $0.schema.field(called: name) != nil }) else {
            throw Failure(
                .usage, "--hide takes no '\(printable(word))'",
                hint:
                    "X,Y,W,H in percent, within the picture: 60,10,35,60; digits, digits:last4, digits:butlast4, text:WORDS; or a field that its card has"
            )
        }
        guard !lines.isEmpty else {
            throw Failure(
                .notFound, "--hide: the card has no value for '\(printable(word))', so it cannot be found in a picture",
                hint: "'qvault card edit' adds it; or --hide X,Y,W,H in percent")
        }
        let layout = cards.lazy.compactMap { card in
            CardArguments.lineIfAny(name, of: card).flatMap {
                CardLayout(of: $0.key, kind: card.schema.name, side: side)
            }
        }.first
        return lines.map { .field(name, forms: forms($0.value), layout: layout) }
    }

    /// A value as it may be printed: a day also as 2026年1月31日, 2026.01.31 and 20260131.
    private static func forms(_ value: String) -> [String] {
        guard let day = Day(stored: value) else { return [value] }
        let parts = day.text.split(separator: "-").compactMap { Int($0) }
        return [
            value, "\(parts[0])年\(parts[1])月\(parts[2])日", value.replacing("-", with: "."),
            value.replacing("-", with: ""),
        ]
    }
}
