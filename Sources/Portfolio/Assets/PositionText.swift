package import Values
import VaultFormat
import Cards

// The position in words, and as the command gives it.

extension PositionPlan {
    /// The bounds of the position.
    package var wanted: Phrase { "wanted \(least.shortest) to \(most.shortest)%" }

    /// The parameters of the strategy, as `position strategy` takes them.
    package var parameters: String {
        guard strategy == .assetRebalance else { return strategy.rawValue }
        let classes = rebalancing.classes.map {
            "\($0.kind)=\($0.target.shortest),\($0.least.shortest),\($0.most.shortest)"
        }
        let rest = ["days=\(rebalancing.windowDays)", "from=\(rebalancing.leastPosition.shortest)"]
        return strategy.rawValue + "  " + (classes + rest).joined(separator: " ")
    }

    /// The strategy that is in force and the parameters of `asset_rebalance`.
    package var strategyJSON: JSON {
        .object([("strategy", .text(strategy.rawValue)), ("asset_rebalance", rebalancing.json)])
    }
}

extension Position {
    /// How much of the budget is invested.
    package func said(_ figures: Figures) -> Phrase {
        let (least, most) = (plan.least.shortest, plan.most.shortest)
        return "\(ratio.rounded(2))% of \(figures.amount(plan.budget)) is invested, wanted \(least) to \(most)%"
    }
}

extension Position.Suggestion {
    /// The position as `position --json` gives it.
    package static let line = Shape<Self>(
        "",
        [
            .money("budget", \.position.plan.budget), .money("value", \.position.value),
            .money("available_cash", \.position.availableCash), .percent("ratio", \.position.ratio),
            .text("min", \.position.plan.least.description), .text("max", \.position.plan.most.description),
            .word("strategy", \.position.plan.strategy),
            .text("action") { $0.state == .noBudget ? "set_budget" : $0.advice.action.rawValue },
            .money("amount", \.advice.amount),
        ])

    /// The advice for the whole position, in words.
    package func said(_ figures: Figures) -> Phrase {
        let rules = position.plan.rebalancing
        let amount = advice.amount.map { figures.amount($0) } ?? ""
        return switch state {
        case .noBudget: "no budget is set: 'qvault position set BUDGET'"
        case .below: "buy for \(amount) to reach the lower bound"
        case .above: "sell for \(amount) to reach the upper bound"
        case .within: "within the bounds"
        case .fillFirst: "less than \(rules.leastPosition.shortest)% is invested: first buy for \(amount)"
        case .waiting: "classes are rebalanced on the last \(rules.windowDays) days of a month"
        case .open: "the end of the month: classes out of their bounds go back to their targets"
        }
    }
}

extension Position.Suggestion.ClassState {
    /// Name, share, bounds, and what to do.
    package func cells(_ figures: Figures) -> [Phrase] {
        let amount = advice.amount.map { figures.amount($0) } ?? ""
        let action: Phrase =
            switch advice.action {
            case .buy: "buy for \(amount)"
            case .sell: "sell for \(amount)"
            case .hold: "hold"
            }
        let bounds: Phrase = "wanted \(rule.target.shortest)% (\(rule.least.shortest) to \(rule.most.shortest)%)"
        return [rule.kind.said, "\(percent.rounded(2))%", bounds, action]
    }
}

extension Rebalancing.AssetClass.Kind {
    fileprivate var said: Phrase {
        switch self {
        case .equity: "equity"
        case .bond: "bonds"
        case .gold: "gold"
        }
    }
}
