public import VaultFormat
public import VaultRecords

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
    /// `critical_illness`, `medical`, `accident` or `life`; nil where nothing is said.
    public let type: String?
    /// `active`, `lapsed` or `expired`.
    public let status: String
    /// The last day of the cover, `YYYY-MM-DD`; nil for life.
    public let end: String?

    /// True unless it lapsed or expired.
    public var isActive: Bool { status == "active" }

    /// The policy that a card of kind `policy` describes; nil where the card lacks the premium.
    public init?(_ card: Card, id: RecordID) {
        let texts = card.fields.texts
        guard card.schema.name == "policy", let premium = texts["annual_premium"].flatMap({ ExactDecimal($0) }) else {
            return nil
        }
        (self.id, name, person, self.premium) = (id, card.title, texts["insured_person"] ?? "", premium)
        (currency, nextPayment) = (texts["currency"] ?? "CNY", texts["next_payment"])
        (type, status, end) = (texts["type"], texts["status"] ?? "active", texts["end"])
    }

    /// The same day a year later; of 29 February the 28th. Nil for a text that is no day.
    public static func renewed(_ day: String) -> String? {
        let parts = day.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, day.dayNumber != nil else { return nil }
        let next = "\(parts[0] + 1)\(day.dropFirst(4))"
        return next.dayNumber == nil ? "\(parts[0] + 1)-02-28" : next
    }
}
