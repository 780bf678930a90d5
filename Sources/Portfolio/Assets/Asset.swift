public import VaultFormat
public import Cards

/// Something that a family owns or owes, as its card says (Spec/product/assets.md, 1).
public struct Asset: Sendable {
    /// The card's id.
    public let id: RecordID
    /// The card's title.
    public let name: String
    /// Its category.
    public let category: AssetCategory
    /// Not negative, also of a debt.
    public let amount: ExactDecimal
    /// ISO 4217; CNY where the card has none.
    public let currency: String
    /// What kind of asset it is, in the person's words; nil where nothing is said.
    public let subcategory: String?
    /// Nil of what is in no bucket.
    public let bucket: AssetBucket?
    /// Where it is kept; empty where nothing is said.
    public let platform: String
    /// Percent a year.
    public let annualRate: ExactDecimal?
    /// The day on which it ends; nil where nothing is said.
    public let maturity: Day?

    /// True if it is owed.
    public var isDebt: Bool { category == .debt }

    /// A line of `asset list`.
    package static let line = Shape<Asset>(
        "",
        [
            .id("id", \.id), .text("name", \.name), .word("category", \.category), .money("amount", \.amount),
            .text("currency", \.currency), .word("bucket", \.bucket), .day("maturity", \.maturity),
            .text("subcategory", \.subcategory), .text("platform", \.platform),
            .text("annual_rate", \.annualRate?.description),
        ])

    /// The asset that a card of kind `asset` describes; nil where the card lacks category or amount.
    public init?(_ card: Card, id: RecordID) {
        let fields = card.fields
        guard card.schema.name == "asset", let category: AssetCategory = fields.word("category"),
            let amount = fields.number("amount")
        else { return nil }
        (self.id, name, self.category, self.amount) = (id, card.title, category, amount)
        (currency, platform) = (fields.texts["currency"] ?? "CNY", fields.texts["platform"] ?? "")
        subcategory = fields.texts["subcategory"]
        (bucket, annualRate, maturity) = (fields.word("bucket"), fields.number("annual_rate"), fields.day("maturity"))
    }
}
