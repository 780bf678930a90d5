import VaultFormat
import Cards
public import VaultStore

/// Funds, holdings and net values as text that `FundLine` reads back (Spec/product/portfolio.md, 7.2).
public struct FundExport {
    /// The format of the text.
    public enum Format: String, CaseIterable, Sendable {
        /// A line of JSON for each fund, holding and net value.
        case jsonl
        /// A table of funds and holdings.
        case csv
        /// Net values as price directives of ledger and hledger.
        case ledger
        /// Net values as price directives of beancount.
        case beancount
    }

    private let cards: [Card]
    private let watchlist: Watchlist
    /// Titles of cards that are not in it: copies that a merge left.
    public var mergeCopies: [String] { watchlist.mergeCopies }

    /// What a vault holds.
    ///
    /// - Throws: as `Vault.cards` and `Watchlist`.
    public init(_ vault: Vault) throws {
        cards = try FundCards(vault).items.map(\.card).sorted { one, other in
            let (code, otherCode) = (one.fields.texts["code"] ?? "", other.fields.texts["code"] ?? "")
            // A fund stands before what is held of it.
            return (code, one.schema.name, one.title) < (otherCode, other.schema.name, other.title)
        }
        watchlist = try Watchlist(vault)
    }

    /// The lines, without what ends them.
    public func lines(_ format: Format) -> [String] {
        switch format {
        case .jsonl: cards.map { Self.object($0).line } + netValues(Self.line)
        case .csv: table
        case .ledger: netValues { code, day, value in "P \(day) \"\(code)\" \(value) CNY" }
        case .beancount: netValues { code, day, value in "\(day) price F\(code) \(value) CNY" }
        }
    }

    private func netValues(_ line: (String, String, ExactDecimal) -> String) -> [String] {
        watchlist.netValues.sorted { $0.key < $1.key }.flatMap { code, values in
            values.map { line(code, $0.day.text, $0.value) }
        }
    }

    private static func line(_ code: String, _ day: String, _ value: ExactDecimal) -> String {
        let json: JSON = ["code": code, "nav": value.description, "nav_date": day]
        return json.line
    }

    private static func members(_ card: Card) -> [(String, String)] {
        let fields =
            [("kind", card.schema.name)]
            + card.schema.fields.compactMap { field in card.fields.texts[field.key].map { (field.key, $0) } }
        guard card.schema.name == "fund" else { return fields }
        return fields + [("name", card.title)] + (card.overview.group.map { [("group", $0)] } ?? [])
    }

    private static func object(_ card: Card) -> JSON { .object(members(card).map { ($0.0, .text($0.1)) }) }

    private var table: [String] {
        let keys =
            ["kind", "code", "name", "group"]
            + Set(cards.flatMap { $0.schema.fields.map(\.key) }).subtracting(["code"]).sorted()
        var writer = CSVWriter()
        writer.row(keys)
        for card in cards {
            let values = Dictionary(Self.members(card)) { first, _ in first }
            writer.row(keys.map { values[$0] ?? "" })
        }
        return writer.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
