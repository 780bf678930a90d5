public import VaultFormat
public import Cards

/// Shares of a fund that are held on a platform: a card of kind `holding`, or what the card of a fund says itself.
public struct Holding: Sendable {
    /// The id of its card.
    public let id: RecordID
    /// The code of the fund.
    public let code: String
    /// Shares, cost, platform and day.
    public let lot: Fund.Lot
    /// When its card came into the vault, and when it changed last.
    public let created: Timestamp, updated: Timestamp
    /// True if the card of the fund itself has the shares.
    public let isOfFund: Bool

    /// The holding that a card describes; nil of a card without shares.
    public init?(_ card: Card, id: RecordID, created: Timestamp, updated: Timestamp) {
        let texts = card.fields.texts
        guard ["fund", "holding"].contains(card.schema.name), let code = texts["code"] else { return nil }
        (self.id, self.code, self.created, self.updated) = (id, code, created, updated)
        isOfFund = card.schema.name == "fund"
        let (platform, day): (String, Day?) = isOfFund ? ("", nil) : (texts["platform"] ?? "", card.fields.day("date"))
        if !isOfFund, let position = texts["trades"].flatMap({ TradedPosition(Trade.list($0)) }) {
            lot = Fund.Lot(
                shares: position.shares, cost: position.averageCostOfShare ?? .zero, platform: platform, date: day,
                position: position)
            return
        }
        guard let shares = card.fields.number("shares"), let cost = card.fields.number("cost") else { return nil }
        lot = Fund.Lot(shares: shares, cost: cost, platform: platform, date: day)
    }

    /// What was paid, in the currency of the fund: shares · cost of one.
    public var cost: ExactDecimal { lot.shares * lot.cost }

    /// The platform by the name that most people use: `alipay` and 蚂蚁财富 are 支付宝.
    public var platformName: String { Self.platformName(lot.platform) }

    /// The same of any platform.
    public static func platformName(_ text: String) -> String { FundColumns.platform(text) }

    /// Its place in a list: code, platform, day, id.
    var place: (String, String, String, RecordID) { (code, lot.platform, lot.date?.text ?? "", id) }

    /// The id of the card of a holding with this key (`FundCards.lotKey`), the same in every copy of a vault.
    static func recordID(_ key: String) throws -> RecordID { try RecordID(of: "holding", named: key.utf8) }

    /// The id of the card of a new holding.
    ///
    /// - Throws: `CryptoError`.
    public static func recordID(_ card: Card) throws -> RecordID { try recordID(FundCards.key(card)) }
}
