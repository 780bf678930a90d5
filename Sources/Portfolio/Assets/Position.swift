public import VaultRecords

/// How much of a budget for funds is invested, and what a strategy says of it (Spec/product/assets.md, 4).
public struct Position: Sendable {
    /// What may be invested.
    public let budget: ExactDecimal
    /// The lowest and the highest share of the budget, percent.
    public let bounds: (least: ExactDecimal, most: ExactDecimal)
    /// What is invested.
    public let value: ExactDecimal

    /// A position.
    public init(budget: ExactDecimal, least: ExactDecimal, most: ExactDecimal, value: ExactDecimal) {
        (self.budget, bounds, self.value) = (budget, (least, most), value)
    }

    /// value / budget · 100, to 12 places; 0 without a budget.
    public var ratio: ExactDecimal { (value * .hundred).divided(by: budget) ?? .zero }

    /// max(budget − value, 0).
    public var availableCash: ExactDecimal { budget > value ? budget - value : .zero }

    /// What to do.
    public enum Advice: Equatable, Sendable {
        /// There is no budget.
        case setBudget
        /// Buy for this much.
        case buy(ExactDecimal)
        /// Sell for this much.
        case sell(ExactDecimal)
        /// Nothing.
        case hold
    }

    /// The strategy `simple`: buy up to the lower bound, sell down to the upper one.
    public var simple: Advice {
        guard budget.sign > 0 else { return .setBudget }
        let (least, most) = (share(bounds.least), share(bounds.most))
        if value < least { return .buy(least - value) }
        return value > most ? .sell(value - most) : .hold
    }

    /// A part of the budget.
    private func share(_ percent: ExactDecimal) -> ExactDecimal { budget * (percent.divided(by: .hundred) ?? .zero) }

    /// A class of assets of the strategy `asset_rebalance`.
    public struct AssetClass: Sendable {
        /// `equity`, `bond` or `gold`.
        public let name: String
        /// The share it should have, and the bounds of it, percent.
        public let target: ExactDecimal, least: ExactDecimal, most: ExactDecimal

        /// The standard ones: 70 (65 to 75), 10 (8 to 12), 20 (16 to 24).
        public static let standard = [("equity", 70, 65, 75), ("bond", 10, 8, 12), ("gold", 20, 16, 24)].map {
            AssetClass(
                name: $0.0, target: ExactDecimal($0.1), least: ExactDecimal($0.2), most: ExactDecimal($0.3))
        }

        /// The class of a fund by the type that its card names: 债 is a bond, 黄金 and 贵金属 are gold, all else is equity.
        public static func name(ofFundType type: String) -> String {
            if type.contains("债") { return "bond" }
            return type.contains("黄金") || type.contains("贵金属") ? "gold" : "equity"
        }
    }

    /// What the strategy `asset_rebalance` says of a class: back to its target, once it is out of its bounds.
    ///
    /// - Parameters:
    ///   - amount: what is in the class.
    ///   - total: what is in all classes.
    /// - Returns: the share in percent, to 12 places, and what to do.
    public static func rebalance(
        _ kind: AssetClass, amount: ExactDecimal, total: ExactDecimal
    ) -> (percent: ExactDecimal, advice: Advice) {
        guard let percent = (amount * .hundred).divided(by: total) else { return (.zero, .hold) }
        let wanted = total * (kind.target.divided(by: .hundred) ?? .zero)
        if percent < kind.least { return (percent, .buy(wanted - amount)) }
        return (percent, percent > kind.most ? .sell(amount - wanted) : .hold)
    }

    /// The share of stocks in funds, by what each says of itself, weighted by value; nil without value.
    ///
    /// - Parameter funds: value and stock position in percent of each.
    public static func lookThrough(_ funds: [(value: ExactDecimal, stocks: ExactDecimal)]) -> ExactDecimal? {
        let total = funds.reduce(ExactDecimal.zero) { $0 + $1.value }
        return funds.reduce(ExactDecimal.zero) { $0 + $1.value * $1.stocks }.divided(by: total)
    }
}
