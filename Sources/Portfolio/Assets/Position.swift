public import Values
public import VaultStore

/// How much of a budget for funds is invested, and what a strategy says of it (Spec/product/assets.md, 4).
public struct Position: Sendable {
    /// Budget, bounds and strategy.
    public let plan: PositionPlan
    /// What is invested.
    public let value: ExactDecimal
    /// What was paid for it.
    public let cost: ExactDecimal

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

    /// The strategy `simple`: buy up to the lower bound, sell down to the upper one.
    public var simple: PositionAdvice {
        guard plan.budget.sign > 0 else { return .setBudget }
        let (least, most) = (share(plan.least), share(plan.most))
        if value < least { return .buy(least - value) }
        return value > most ? .sell(value - most) : .hold
    }

    /// A part of the budget.
    private func share(_ percent: ExactDecimal) -> ExactDecimal {
        plan.budget * (percent.divided(by: .hundred) ?? .zero)
    }

    /// What the strategy `asset_rebalance` says.
    public struct Rebalance: Sendable {
        /// Why nothing is done to the classes, or that something may be.
        public enum State: Equatable, Sendable {
            /// There is no budget.
            case noBudget
            /// Less is invested than the strategy asks for: buy for this much first.
            case fillFirst(ExactDecimal)
            /// It is not the end of the month.
            case waiting
            /// It is.
            case open
        }

        /// What holds today.
        public let state: State
        /// Each class: what is in it, its share in percent, and what to do.
        public let classes:
            [(kind: Rebalancing.AssetClass, amount: ExactDecimal, percent: ExactDecimal, advice: PositionAdvice)]
    }

    /// What the strategy `asset_rebalance` says.
    ///
    /// - Parameters:
    ///   - amounts: what is in each class, by its name.
    ///   - today: days since 1970.
    public func rebalance(_ amounts: [String: ExactDecimal], today: Day) -> Rebalance {
        let total = amounts.values.reduce(.zero, +)
        let plan = plan.rebalancing
        let state: Rebalance.State =
            if self.plan.budget.sign <= 0 {
                .noBudget
            } else if ratio < plan.leastPosition {
                .fillFirst(share(plan.leastPosition) - value)
            } else {
                plan.isInWindow(today) ? .open : .waiting
            }
        let classes = plan.classes.map { kind in
            let amount = amounts[kind.name] ?? .zero
            let (percent, advice) = kind.state(amount, of: total)
            return (kind: kind, amount: amount, percent: percent, advice: state == .open ? advice : .hold)
        }
        return Rebalance(state: state, classes: classes)
    }
}

extension Watchlist {
    /// What is held of each class of the strategy `asset_rebalance`, at the newest net values.
    public var classAmounts: [String: ExactDecimal] {
        let types = Dictionary(funds.map { ($0.code, $0.type ?? "") }) { first, _ in first }
        let values = holdings.map { holding in
            let type = types[holding.code] ?? ""
            // A type that nobody filled in may stand in the name.
            return (
                Rebalancing.className(ofFundType: type.isEmpty ? name(holding.code) : type), value(holding) ?? .zero
            )
        }
        return Dictionary(values, uniquingKeysWith: +)
    }
}

extension Position {
    /// The position of a household, by the settings of its vault.
    ///
    /// - Throws: as `Vault.setting`.
    public init(_ vault: Vault, _ household: Household) throws {
        self.init(try PositionPlan(vault), value: household.growth.amount, cost: household.growth.cost)
    }
}
