// Portfolio: what a person watches and owns: funds, what they hold, prices, and what follows from them. Values in, values
// out; clock, prices and rates are passed in (Spec/product/portfolio.md).

public import VaultFormat
public import Cards

/// A fund that is watched, as its card says (Spec/product/portfolio.md, 1).
public struct Fund: Sendable {
    /// Six digits.
    public let code: String
    /// The card's title.
    public let name: String
    /// The group of its card.
    public let group: String?
    /// True if lists show it first.
    public let isPinned: Bool
    /// The card's id.
    public let id: RecordID
    /// When the card came into the vault.
    public let created: Timestamp
    /// The way in which it is valued.
    public let method: ValuationMethod
    /// The factor of what its stocks or its benchmark moved by; 1 where the card has none.
    public let coefficient: ExactDecimal
    /// The code of the index that it follows.
    public let benchmark: String?
    /// Percent of its value in stocks.
    public let stockPosition: ExactDecimal?
    /// What it holds, by its last report.
    public let stocks: [StockWeight]
    /// The day of that report, `YYYY-MM-DD`.
    public let reportDate: String?
    /// The currency of its net values and costs (ISO 4217).
    public let currency: String
    /// The currency of what a QDII fund holds; nil of other funds.
    public let foreignCurrency: String?
    /// The market that its prices come from.
    public let market: Market
    /// Its class, as its company names it, and that company; nil where nothing is said.
    public let type: String?, company: String?
    /// What it consists of, by its reports.
    public let allocation: [AllocationLine]
    /// The cost of a share as the card has it, also where it has no number of shares.
    public let costOfShare: ExactDecimal?
    /// Words of the person.
    public let notes: String?
    /// What the person wants to be told.
    public let reminders: [Reminder]
    /// What the person holds of it: the card's own shares, and the cards of kind `holding`.
    public package(set) var lots: [Lot]

    /// Shares that were bought at a price.
    public struct Lot: Sendable {
        /// The number of shares, and the price of one.
        public let shares: ExactDecimal, cost: ExactDecimal
        /// Where they are held; empty where nothing is said.
        public let platform: String
        /// The day on which they were bought; nil where nothing is said.
        public let date: Day?
        /// What the trades of the holding come to, where it lists them; then `cost` is its running average.
        public let position: TradedPosition?

        /// Shares at a price.
        public init(
            shares: ExactDecimal, cost: ExactDecimal, platform: String, date: Day? = nil,
            position: TradedPosition? = nil
        ) {
            (self.shares, self.cost, self.platform) = (shares, cost, platform)
            (self.date, self.position) = (date, position)
        }
    }

    /// The fund that a card of kind `fund` describes; nil where the card has no code.
    public init?(_ card: Card, id: RecordID, created: Timestamp) {
        let (fields, texts) = (card.fields, card.fields.texts)
        guard card.schema.name == "fund", let code = texts["code"] else { return nil }
        self.code = code
        (name, group, isPinned) = (card.title, card.overview.group, card.overview.isPinned)
        (self.id, self.created) = (id, created)
        (method, market) = (fields.word("method") ?? .top10, fields.word("market") ?? .cn)
        (coefficient, stockPosition) = (fields.number("coefficient") ?? .one, fields.number("stock_position"))
        (benchmark, reportDate, type, company) = (
            texts["benchmark"], texts["report_date"], texts["type"], texts["company"]
        )
        (currency, foreignCurrency) = (texts["currency"] ?? "CNY", texts["qdii"])
        (stocks, allocation) = (fields.lines("stocks"), fields.lines("allocation"))
        (reminders, lots) = (fields.lines("reminders"), [])
        (costOfShare, notes) = (fields.number("cost"), texts["notes"])
        if let shares = fields.number("shares"), let cost = fields.number("cost") {
            lots.append(Lot(shares: shares, cost: cost, platform: ""))
        }
    }

    /// The id of the card of a fund that is added by its code, the same in every copy of a vault.
    public static func recordID(_ code: String) throws -> RecordID { try RecordID(of: "fund", named: code.utf8) }

    /// The market of one of its securities: of a code of six digits China, of five Hong Kong, of another one the fund's own.
    public func market(of code: String) -> Market {
        guard code.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return market }
        return code.utf8.count == 6 ? .cn : code.utf8.count == 5 ? .hk : market
    }

    /// True if it is estimated by what it holds.
    public var isValuedByReport: Bool { [.top10, .scaled].contains(method) }

    /// The day from which on its report is too old to be built on: two quarters after it. Nil of a fund that is not estimated by
    /// what it holds, and of one whose report has no day.
    public var endOfReport: Day? {
        guard isValuedByReport, !stocks.isEmpty else { return nil }
        return reportDate.flatMap { Day($0) }?.advanced(by: 184)
    }

    /// True from the day on which its report is too old to be built on.
    public func isReportOld(on day: Day) -> Bool { endOfReport.map { $0 <= day } ?? false }

    /// The codes of which it needs a price.
    public var quoteCodes: [String] {
        switch method {
        case .top10, .scaled: stocks.map(\.code)
        case .index: benchmark.map { [$0] } ?? []
        case .given: []
        }
    }
}
