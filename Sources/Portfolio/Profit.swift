public import Values

/// What shares cost, and what they are worth (Spec/product/portfolio.md, 5). Sums of what is not rounded.
public struct Profit: Sendable {
    /// The cost of the holdings, and their value.
    public let cost: ExactDecimal, value: ExactDecimal

    /// No shares.
    public static let zero = Profit(cost: .zero, value: .zero)

    private init(cost: ExactDecimal, value: ExactDecimal) { (self.cost, self.value) = (cost, value) }

    /// Shares at a price; nil where there are none.
    public init?(_ lots: [Fund.Lot], price: ExactDecimal) {
        guard !lots.isEmpty else { return nil }
        self.init(cost: lots.sum { $0.shares * $0.cost }, value: lots.sum { $0.shares * price })
    }

    /// value − cost.
    public var amount: ExactDecimal { value - cost }

    /// amount / cost, to 12 places; nil for a cost of 0.
    public var rate: ExactDecimal? { amount.divided(by: cost) }

    /// Both together.
    public static func + (one: Profit, other: Profit) -> Profit {
        Profit(cost: one.cost + other.cost, value: one.value + other.value)
    }
}
