public import Values
import VaultFormat
import Cards
public import VaultStore

/// The funds that there are, for searching: code, name, type and company (Spec/product/portfolio.md, 11).
public struct FundDirectory: Sendable {
    /// One fund.
    public struct Item: Sendable, Equatable {
        /// Its code, six digits, and its name.
        public let code: String, name: String
        /// Its type and its company; either may be empty.
        public let type: String, company: String
    }

    /// A line of `fund search`.
    package static let line = Shape<(place: Int, item: Item, isWatched: Bool)>(
        "",
        [
            .text("code", \.item.code), .text("name", \.item.name), .text("type", \.item.type),
            .text("company", \.item.company), .flag("watched", \.isWatched),
        ])

    /// All of them, by code.
    public private(set) var items: [Item] = []

    private static let name = "directory.fund"

    /// The directory of a vault; empty where there is none.
    ///
    /// - Throws: as `Vault.series`.
    public init(_ vault: Vault) throws {
        items = try vault.series(named: Self.name).points.compactMap { code, points in
            guard let values = points.last?.values, values.count > 2 else { return nil }
            return Item(code: code, name: values[0], type: values[1], company: values[2])
        }.sorted { $0.code < $1.code }
    }

    /// The fund with a code.
    public subscript(_ code: String) -> Item? { items.first { $0.code == code } }

    /// Reads a list of funds: lines or a table as `FundLine` reads them, or the list of a web site, where a fund is a list
    /// of code, initials, name, type and pinyin.
    ///
    /// - Returns: nil where a line is no fund with a name.
    public static func item(_ line: FundLine) -> Item? {
        guard case .fund(let code, let values) = line, let name = values["name"] else { return nil }
        return item(code, name, values["type"] ?? "", values["company"] ?? "")
    }

    /// The same of one list of a web site.
    package static func item(_ json: JSON) -> Item? {
        guard let texts = json.items?.map(\.text), texts.count > 3, let code = texts[0], let name = texts[2],
            let type = texts[3], Check.fundCode.complaint(about: code) == nil
        else { return nil }
        return item(code, name, type, "")
    }

    private static func item(_ code: String, _ name: String, _ type: String, _ company: String) -> Item? {
        let isShort = [name, type, company].allSatisfy {
            $0.utf8.count <= 200 && Check.line.complaint(about: $0) == nil
        }
        return isShort && !name.isEmpty ? Item(code: code, name: name, type: type, company: company) : nil
    }

    /// Stores a directory in place of the one that is there.
    ///
    /// - Parameter day: today.
    /// - Throws: all that storing throws.
    public static func store(_ items: [Item], day: Day, in transaction: VaultTransaction) throws {
        var series = Series()
        for item in items {
            series.set(item.code, Series.Point(day: day, values: [item.name, item.type, item.company]))
        }
        try transaction.put(series, as: name)
    }

    /// The funds that answer a query: the one with this code, those that were chosen before, then names, the best first.
    ///
    /// - Parameters:
    ///   - watched: funds that need not be in the directory.
    ///   - chosen: codes that were chosen before, the newest last.
    public func search(_ text: String, watched: [Fund], chosen: [String]) -> [Item] {
        guard let query = CardQuery(text), let schema = Schema.named("fund") else { return [] }
        let code = Check.fundCode.normalized(text)
        let known = Set(items.map(\.code))
        let all =
            items
            + watched.filter { !known.contains($0.code) }
            .map { Item(code: $0.code, name: $0.name, type: "", company: "") }
        let found = all.compactMap { item -> (Item, rank: Int)? in
            if item.code == code { return (item, -2) }
            var card = Card(schema: schema, overview: Overview(title: Array(item.name.utf8)))
            card.fields.texts = ["code": item.code, "type": item.type, "company": item.company]
            guard let match = query.match(card) else { return nil }
            return (item, chosen.contains(item.code) ? -1 : match.level.rawValue * 10 + match.place.rawValue)
        }
        return found.sorted { ($0.rank, $0.0.code) < ($1.rank, $1.0.code) }.map(\.0)
    }
}
