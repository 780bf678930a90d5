import VaultCrypto
import VaultFormat
import VaultRecords
public import VaultStore

/// Cards of funds and holdings that came in and are to be stored: one save takes all of them (Spec/product/portfolio.md, 7).
public struct FundBook {
    private let vault: Vault
    private var cards: [RecordID: (card: Card, old: Card?, given: [String: String])] = [:]
    /// The card of each code, and of each code and platform.
    private var ids: [String: RecordID] = [:]
    private var stocks: [String: (lines: [String], reportDate: String?)] = [:]

    /// Nothing yet, over what a vault holds.
    ///
    /// - Throws: as `Vault.cards`.
    public init(_ vault: Vault) throws {
        self.vault = vault
        let kinds = Set(["fund", "holding"].compactMap { Schema.named($0)?.kind })
        let entries = try vault.cardEntries { kinds.contains($0.kind) }
        for (entry, card) in zip(entries, try vault.cards(entries)) {
            guard let code = card.fields.texts["code"] else { continue }
            let key = card.schema.name == "fund" ? code : Self.lotKey(code, card.fields.texts)
            if ids[key] == nil { ids[key] = entry.id }
            if ids[key] == entry.id { cards[entry.id] = (card, card, [:]) }
        }
    }

    /// The ids of holdings that came in, the same in every copy of a vault.
    private static func lotKey(_ code: String, _ values: [String: String]) -> String {
        "\(code)\u{0}\(values["platform"] ?? "")\u{0}\(values["date"] ?? "")"
    }

    private static let lotPrefix = Array("quickvault/1/holding".utf8) + [0]

    private mutating func id(_ key: String, _ schema: String) throws -> RecordID {
        if let id = ids[key] { return id }
        let id =
            schema == "fund"
            ? try Fund.recordID(key) : RecordID(try SHA256.hash((Self.lotPrefix + Array(key.utf8)).span))
        ids[key] = id
        return id
    }

    /// Takes what a line says of a fund or a holding.
    ///
    /// - Throws: `PriceLine.Problem`, and then nothing of the line is taken; an error of hashing.
    public mutating func take(_ line: FundLine) throws {
        switch line {
        case .price: break
        case .fund(let code, let values): try take(code, values, "fund", code)
        case .holding(let code, var values):
            values["platform"] = values["platform"].map { FundColumns.platform($0) }
            values["date"] = values["date"].map { Check.date.normalized($0) }
            try take(code, values, "holding", Self.lotKey(code, values))
        case .stock(let code, let line, let reportDate):
            guard StockWeight(line) != nil else {
                throw PriceLine.Problem("has no stock with a weight from 0 to 100")
            }
            let old = stocks[code] ?? ([], nil)
            guard old.reportDate == reportDate || old.lines.isEmpty else {
                throw PriceLine.Problem("is of another report than the lines before")
            }
            stocks[code] = (old.lines + [line], reportDate)
        }
    }

    private mutating func take(
        _ code: String, _ values: [String: String], _ kind: String, _ key: String
    ) throws {
        guard let schema = Schema.named(kind) else { return }
        let id = try id(key, kind)
        var (card, old, given) =
            cards[id]
            ?? (Card(schema: schema, overview: Overview(title: Array(code.utf8)), fields: RecordFields()), nil, [:])
        for (key, value) in values where given[key].map({ $0 != value }) ?? false {
            throw PriceLine.Problem("has another \(key) than a line before: a holding needs a platform")
        }
        let fields = values.filter { $0.key != "name" && $0.key != "group" } + (old == nil ? [("code", code)] : [])
        let complaints = card.set(fields.map { ($0.0, $0.1) }.sorted { $0.0 < $1.0 })
        _ = card.fillDerived()
        if let first = (complaints + card.missing(besides: complaints)).first {
            throw PriceLine.Problem("\(first.key): \(first.what)")
        }
        for name in [values["name"], values["group"]].compactMap(\.self) {
            if let what = Card.complaint(aboutName: name) { throw PriceLine.Problem(what) }
        }
        if let name = values["name"] { card.overview.title = Array(name.utf8) }
        if kind == "holding", old == nil {
            card.overview.title = Array("\(code) \(card.fields.texts["platform"] ?? "")".utf8)
        }
        if let group = values["group"] { card.overview.group = try vault.knownGroup(group) }
        given.merge(values) { first, _ in first }
        cards[id] = (card, old, given)
    }

    /// Puts the stocks that came in into their funds, in place of older ones.
    ///
    /// - Throws: `PriceLine.Problem`, which names a fund: it is not watched, or its weights are more than 100 in all.
    public mutating func finish() throws {
        for (code, report) in stocks.sorted(by: { $0.key < $1.key }) {
            guard let id = ids[code], var entry = cards[id] else {
                throw PriceLine.Problem("has stocks of \(code), which is not watched")
            }
            let values = [("stocks", report.lines.joined(separator: "\n")), ("report_date", report.reportDate ?? "")]
            if let first = entry.card.set(values).first {
                throw PriceLine.Problem("\(code): \(first.key): \(first.what)")
            }
            cards[id] = entry
        }
        stocks = [:]
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
