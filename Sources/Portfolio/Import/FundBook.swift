public import Values
import VaultCrypto
import VaultFormat
import Cards
public import VaultStore

/// Cards of funds and holdings that came in and are to be stored: one save takes all of them (Spec/product/portfolio.md, 7).
public struct FundBook {
    private let vault: Vault
    /// A card, what it was, and what lines gave.
    private typealias Item = (card: Card, old: Card?, given: [String: String])
    private var cards: [RecordID: Item] = [:]
    /// The card of each code, and of each code and platform.
    private var ids: [String: RecordID] = [:]
    private var stocks: [String: (lines: [String], reportDate: String?, isSpoilt: Bool)] = [:]

    /// Nothing yet, over what a vault holds.
    ///
    /// - Throws: as `Vault.cards`.
    public init(_ vault: Vault) throws {
        self.vault = vault
        for (entry, card) in try FundCards(vault).items where card.fields.texts["code"] != nil {
            let key = FundCards.key(card)
            if ids[key] == nil { ids[key] = entry.id }
            if ids[key] == entry.id { cards[entry.id] = (card, card, [:]) }
        }
    }

    private func id(_ key: String, _ schema: String) throws -> RecordID {
        if let id = ids[key] { return id }
        return try schema == "fund" ? Fund.recordID(key) : Holding.recordID(key)
    }

    /// Takes what one line says of funds and holdings; net values and prices are left to `PriceBook`.
    ///
    /// - Parameter today: what was bought later is refused.
    /// - Throws: `PriceLine.Problem`, and then nothing of the line is taken; an error of hashing.
    public mutating func take(_ lines: [FundLine], today: Day) throws {
        var drafts: [Draft] = []
        for line in lines {
            switch line {
            case .price: break
            case .fund(let code, let values): drafts.append(try draft(code, values, "fund", code))
            case .holding(let code, var values):
                values["platform"] = values["platform"].map { FundColumns.platform($0) }
                values["date"] = values["date"].map { Check.date.normalized($0) }
                let draft = try draft(code, values, "holding", FundCards.lotKey(code, values))
                if let complaint = draft.entry.card.complaintOfDays(after: today) {
                    throw PriceLine.Problem("\(complaint.key): \(complaint.what)")
                }
                drafts.append(draft)
            case .stock(let code, let line, let reportDate): try takeStock(code, line, reportDate)
            }
        }
        for draft in drafts { (ids[draft.key], cards[draft.id]) = (draft.id, draft.entry) }
    }

    /// Gives a fund that is watched the name, the type and the company that it does not have yet.
    public mutating func describe(_ code: String, _ values: [String: String]) {
        guard let id = ids[code], var item = cards[id] else { return }
        if let name = values["name"], item.card.title == code, Card.complaint(aboutName: name) == nil {
            item.card.overview.title = Array(name.utf8)
        }
        item.card.fillEmpty(values.filter { $0.key != "name" && FundLine.described.contains($0.key) })
        cards[id] = item
    }

    private mutating func takeStock(_ code: String, _ line: String, _ reportDate: String?) throws {
        var list = stocks[code] ?? ([], nil, false)
        defer { stocks[code] = list }
        guard StockWeight(line) != nil else {
            list.isSpoilt = true
            throw PriceLine.Problem("has no stock with a weight from 0 to 100")
        }
        guard list.reportDate == reportDate || list.lines.isEmpty else {
            list.isSpoilt = true
            throw PriceLine.Problem("is of another report than the lines before")
        }
        (list.lines, list.reportDate) = (list.lines + [line], reportDate)
    }

    /// A card as a line makes it.
    private typealias Draft = (key: String, id: RecordID, entry: Item)

    private func draft(_ code: String, _ values: [String: String], _ kind: String, _ key: String) throws -> Draft {
        guard let schema = Schema.named(kind) else { throw PriceLine.Problem("has no code") }
        let id = try id(key, kind)
        let new = Card(schema: schema, overview: Overview(title: Array(code.utf8)))
        var item = cards[id] ?? (new, nil, [:])
        let before = item.card
        for (key, value) in values where item.given[key].map({ $0 != value }) ?? false {
            throw PriceLine.Problem("has another \(key) than a line before: a holding needs a platform")
        }
        let fields = values.filter { $0.key != "name" && $0.key != "group" } + (item.old == nil ? [("code", code)] : [])
        let complaints = item.card.set(fields.map { ($0.0, $0.1) }.sorted { $0.0 < $1.0 })
        item.card.followDerived(from: before)
        if let first = (complaints + item.card.missing(besides: complaints)).first {
            throw PriceLine.Problem("\(first.key): \(first.what)")
        }
        for name in [values["name"], values["group"]].compactMap(\.self) {
            if let what = Card.complaint(aboutName: name) { throw PriceLine.Problem(what) }
        }
        if let name = values["name"] { item.card.overview.title = Array(name.utf8) }
        if kind == "holding", item.old == nil {
            item.card.overview.title = Array("\(code) \(item.card.fields.texts["platform"] ?? "")".utf8)
        }
        if let group = values["group"] { item.card.overview.group = try vault.knownGroup(group) }
        item.given.merge(values) { first, _ in first }
        return (key, id, item)
    }

    /// Puts the stocks that came in into their funds, in place of older ones.
    ///
    /// - Returns: why stocks of a fund are not taken: it is not watched, one of their lines was refused, or their weights are
    ///   more than 100 in all. The old ones stay.
    public mutating func finish() -> [PriceLine.Problem] {
        defer { stocks = [:] }
        return stocks.sorted { $0.key < $1.key }.compactMap { code, report in
            guard let id = ids[code], var entry = cards[id] else {
                return PriceLine.Problem("has stocks of \(code), which is not watched")
            }
            guard !report.isSpoilt else {
                return PriceLine.Problem("the stocks of \(code) stay as they were: a line of the new ones is refused")
            }
            if let old = entry.card.fields.texts["report_date"], let new = report.reportDate, new < old {
                return PriceLine.Problem("the stocks of \(code) stay as they were: its report of \(old) is newer")
            }
            let values = [("stocks", report.lines.joined(separator: "\n")), ("report_date", report.reportDate ?? "")]
            if let first = entry.card.set(values).first {
                return PriceLine.Problem("\(code): \(first.key): \(first.what)")
            }
            cards[id] = entry
            return nil
        }
    }

    /// The cards that are new or not as they were.
    private var changed: [(id: RecordID, card: Card)] {
        cards.filter { $0.value.old != $0.value.card }.map { ($0.key, $0.value.card) }.sorted { $0.id < $1.id }
    }

    /// All cards, as they will be.
    var cardsByID: [RecordID: Card] { cards.mapValues(\.card) }

    /// Cards that are new.
    public var added: Int { cards.values.count { $0.old == nil } }

    /// Cards that were there and have other values.
    public var edited: Int { changed.count - added }

    /// Stores all.
    ///
    /// - Throws: all that storing throws.
    public func store(in transaction: VaultTransaction) throws {
        for (id, card) in changed { try transaction.put(card, as: id) }
    }
}
