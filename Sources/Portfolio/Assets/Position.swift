public import Values
public import VaultStore

/// How much of a budget for funds is invested, and what a strategy says of it (Spec/product/assets.md, 4).
public struct Position: Sendable {
    /// Budget, bounds and strategy.
    public let plan: PositionPlan
    /// The value of the investment, and its cost.
    public let value: ExactDecimal, cost: ExactDecimal

    /// A position.
    public init(_ plan: PositionPlan, value: ExactDecimal, cost: ExactDecimal = .zero) {
        (self.plan, self.value, self.cost) = (plan, value, cost)
    }

    /// value / budget · 100, to 12 places; 0 without a budget.
    public var ratio: ExactDecimal { (value * .hundred).divided(by: plan.budget) ?? .zero }

    /// max(budget − value, 0).
    public var availableCash: ExactDecimal { plan.budget > value ? plan.budget - value : .zero }

    /// True with a budget, where less is invested than it should be.
    public var isBelow: Bool { plan.budget.sign > 0 && ratio < plan.least }
    /// True with a budget, where more is invested than it should be.
    public var isAbove: Bool { plan.budget.sign > 0 && ratio > plan.most }

    /// A part of the budget.
    private func share(_ percent: ExactDecimal) -> ExactDecimal {
        plan.budget * (percent.divided(by: .hundred) ?? .zero)
    }

    /// The advice of a strategy for a position on a day.
    public struct Suggestion: Sendable {
        /// The state of the investment on that day.
        public enum State: Sendable {
            /// There is no budget.
            case noBudget
            /// Less is invested than the strategy `simple` asks for, more, or neither.
            case below, above, within
            /// Less is invested than the strategy `asset_rebalance` asks for before it looks at classes.
            case fillFirst
            /// It is not the end of the month, or it is.
            case waiting, open
        }

        /// A class of assets: its value, its share in percent, and the advice.
        public struct ClassState: Sendable {
            /// Its target and its bounds.
            public let rule: Rebalancing.AssetClass
            /// Its value, and its share in percent, to 12 places.
            public let amount: ExactDecimal, percent: ExactDecimal
            /// The advice for the class.
            public let advice: PositionAdvice
        }

        /// The position that it is of.
        public let position: Position
        /// The state of the investment on that day.
        public let state: State
        /// The advice for the whole position.
        public let advice: PositionAdvice
        /// Each class; none of the strategy `simple`.
        public let classes: [ClassState]
        /// True on the last days of a month, of the strategy `asset_rebalance`.
        public let isInWindow: Bool
    }

    /// The advice of the active strategy.
    ///
    /// - Parameters:
    ///   - amounts: what is in each class.
    ///   - today: days since 1970.
    public func suggestion(_ amounts: [Rebalancing.AssetClass.Kind: ExactDecimal], today: Day) -> Suggestion {
        plan.strategy == .simple ? simple : rebalance(amounts, today: today)
    }

    /// The strategy `simple`: buy up to the lower bound, sell down to the upper one.
    private var simple: Suggestion {
        let (least, most) = (share(plan.least), share(plan.most))
        let (state, advice): (Suggestion.State, PositionAdvice) =
            if plan.budget.sign <= 0 {
                (.noBudget, .hold)
            } else if value < least {
                (.below, .buy(least - value))
            } else {
                value > most ? (.above, .sell(value - most)) : (.within, .hold)
            }
        return Suggestion(position: self, state: state, advice: advice, classes: [], isInWindow: false)
    }

    /// The advice of the strategy `asset_rebalance`.
    public func rebalance(_ amounts: [Rebalancing.AssetClass.Kind: ExactDecimal], today: Day) -> Suggestion {
        let total = amounts.values.reduce(.zero, +)
        let rules = plan.rebalancing
        let isInWindow = rules.isInWindow(today)
        let (state, advice): (Suggestion.State, PositionAdvice) =
            if plan.budget.sign <= 0 {
                (.noBudget, .hold)
            } else if ratio < rules.leastPosition {
                (.fillFirst, .buy(share(rules.leastPosition) - value))
            } else {
                (isInWindow ? .open : .waiting, .hold)
            }
        let classes = rules.classes.map { rule in
            let amount = amounts[rule.kind] ?? .zero
            let (percent, advice) = rule.state(amount, of: total)
            return Suggestion.ClassState(
                rule: rule, amount: amount, percent: percent, advice: state == .open ? advice : .hold)
        }
        return Suggestion(position: self, state: state, advice: advice, classes: classes, isInWindow: isInWindow)
    }

    /// The position of a household, by the settings of its vault.
    ///
    /// - Throws: as `Vault.setting`.
    public init(_ vault: Vault, _ household: Household) throws {
        self.init(try PositionPlan(vault), value: household.growth.amount, cost: household.growth.cost)
    }

    /// The advice of the active strategy for a household, from the funds that it holds.
    ///
    /// - Throws: as `Vault.setting`.
    public static func suggestion(
        _ vault: Vault, _ household: Household, _ watchlist: Watchlist, today: Day
    ) throws -> Suggestion {
        try Position(vault, household).suggestion(watchlist.classAmounts, today: today)
    }
}

extension Watchlist {
    /// What is held of each class of the strategy `asset_rebalance`, at the newest net values.
    public var classAmounts: [Rebalancing.AssetClass.Kind: ExactDecimal] {
        let funds = fundsByCode
        let values = holdings.map { holding in
            let (fund, type) = (funds[holding.code], funds[holding.code]?.type ?? "")
            // A type that nobody filled in may stand in the name.
            let kind = Rebalancing.AssetClass.Kind(ofFundType: type.isEmpty ? fund?.name ?? holding.code : type)
            return (kind, value(holding) ?? .zero)
        }
        return Dictionary(values, uniquingKeysWith: +)
    }
}
