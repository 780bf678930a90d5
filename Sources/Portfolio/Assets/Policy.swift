public import VaultFormat
public import Cards

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
    /// The next day on which a premium is due.
    public let nextPayment: Day?
    /// Nil where nothing is said.
    public let type: PolicyType?
    /// Active where nothing is said.
    public let status: PolicyStatus
    /// The last day of the cover; nil for life.
    public let end: Day?

    /// True on a day unless it lapsed, expired, or has ended before.
    public func isActive(on day: Day) -> Bool { status == .active && end.map { $0 >= day } ?? true }

    /// The next payment, unless the cover has ended by then.
    public var dueDay: Day? { nextPayment.flatMap { day in end.map { $0 < day } ?? false ? nil : day } }

    /// A line of `policy list`.
    package static let line = Shape<(policy: Policy, isActive: Bool)>(
        "",
        [
            .id("id", \.policy.id), .text("name", \.policy.name), .text("insured_person", \.policy.person),
            .money("annual_premium", \.policy.premium), .text("currency", \.policy.currency),
            .flag("active", \.isActive), .day("next_payment", \.policy.nextPayment), .day("end", \.policy.end),
        ])

    /// The policy that a card of kind `policy` describes; nil where the card lacks the premium.
    public init?(_ card: Card, id: RecordID) {
        let (fields, texts) = (card.fields, card.fields.texts)
        guard card.schema.name == "policy", let premium = fields.number("annual_premium") else { return nil }
        (self.id, name, person, self.premium) = (id, card.title, texts["insured_person"] ?? "", premium)
        (currency, type) = (texts["currency"] ?? "CNY", fields.word("type"))
        (nextPayment, end) = (fields.day("next_payment"), fields.day("end"))
        status = texts["status"].map { PolicyStatus(rawValue: $0) ?? .expired } ?? .active
    }

    /// The same day a year later; of 29 February the 28th. Nil behind the year 9998.
    public static func renewed(_ day: Day) -> Day? {
        let year = Int(day.text.prefix(4)).map { $0 + 1 }
        return year.flatMap { Day("\($0)\(day.text.dropFirst(4))") ?? Day("\($0)-02-28") }
    }
}
