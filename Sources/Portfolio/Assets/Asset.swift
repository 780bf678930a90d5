public import VaultFormat
public import VaultRecords

/// Something that a family owns or owes, as its card says (Spec/product/assets.md, 1).
public struct Asset: Sendable {
    /// The card's id.
    public let id: RecordID
    /// The card's title.
    public let name: String
    /// `liquid`, `fixed`, `investment`, `receivable`, or `debt`.
    public let category: String
    /// Not negative, also of a debt.
    public let amount: ExactDecimal
    /// ISO 4217; CNY where the card has none.
    public let currency: String
    /// `liquid` or `stable`; nil of what is in neither.
    public let bucket: String?
    /// Percent a year.
    public let annualRate: ExactDecimal?
    /// `YYYY-MM-DD`.
    public let maturity: String?

    /// True if it is owed.
    public var isDebt: Bool { category == "debt" }

    /// The asset that a card of kind `asset` describes; nil where the card lacks category or amount.
    public init?(_ card: Card, id: RecordID) {
        let texts = card.fields.texts
        guard card.schema.name == "asset", let category = texts["category"],
            let amount = texts["amount"].flatMap({ ExactDecimal($0) })
        else { return nil }
        (self.id, name, self.category, self.amount) = (id, card.title, category, amount)
        (currency, bucket) = (texts["currency"] ?? "CNY", texts["bucket"])
        (annualRate, maturity) = (texts["annual_rate"].flatMap { ExactDecimal($0) }, texts["maturity"])
    }
}

/// An insurance policy, as its card says.
public struct Policy: Sendable {
    /// The card's id.
    public let id: RecordID
    /// The card's title.
    public let name: String
    /// Who is insured.
    public let person: String
    /// A year.
    public let premium: ExactDecimal
    /// ISO 4217; CNY where the card has none.
    public let currency: String
    /// `YYYY-MM-DD`.
    public let nextPayment: String?
    /// True unless it lapsed or expired.
    public let isActive: Bool

    /// The policy that a card of kind `policy` describes; nil where the card lacks the premium.
    public init?(_ card: Card, id: RecordID) {
        let texts = card.fields.texts
        guard card.schema.name == "policy", let premium = texts["annual_premium"].flatMap({ ExactDecimal($0) }) else {
            return nil
        }
        (self.id, name, person, self.premium) = (id, card.title, texts["insured_person"] ?? "", premium)
        (currency, nextPayment) = (texts["currency"] ?? "CNY", texts["next_payment"])
        isActive = texts["status"] ?? "active" == "active"
    }

    /// The same day a year later; of 29 February the 28th. Nil for a text that is no day.
    public static func renewed(_ day: String) -> String? {
        let parts = day.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, day.dayNumber != nil else { return nil }
        let next = "\(parts[0] + 1)\(day.dropFirst(4))"
        return next.dayNumber == nil ? "\(parts[0] + 1)-02-28" : next
    }
}
