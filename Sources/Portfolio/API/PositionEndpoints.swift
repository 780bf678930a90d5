import VaultFormat
import Cards

extension Endpoint {
    private static let strategies = APIType.words(PositionPlan.Strategy.self)
    private static let budget = Shape<Position>(
        "Budget",
        [
            .money("total_budget", \.plan.budget), .money("total_value", \.value), .money("total_cost", \.cost),
            .money("available_cash", \.availableCash, "max(total_budget − total_value, 0)"),
            .percent("position_ratio", \.ratio, "total_value / total_budget · 100; 0 without a budget"),
            .percent("target_position_min", \.plan.least), .percent("target_position_max", \.plan.most),
            .word("active_strategy", \.plan.strategy), .flag("is_below_min", \.isBelow),
            .flag("is_above_max", \.isAbove),
        ])
    private static let budgetRequest = APIObject(
        "BudgetRequest",
        [
            APIField("total_budget", .money, isOptional: true),
            APIField("target_position_min", .percent, isOptional: true),
            APIField("target_position_max", .percent, isOptional: true),
            APIField("reason", .note, isOptional: true, "for the log, where the budget changes"),
        ])
    private static let budgetChange = Shape<BudgetChange>(
        "BudgetChange",
        [
            .count("id", \.time.microseconds, "microseconds since 1970"), .money("old_budget", \.old),
            .money("new_budget", \.new), .note("reason") { $0.reason.isEmpty ? nil : $0.reason }.orNull,
            .time("created_at", \.time),
        ])
    private static let strategy = Shape<(strategy: PositionPlan.Strategy, language: Language)>(
        "Strategy",
        [
            .word("name", \.strategy), .text("display_name") { $0.strategy.words.label.text(in: $0.language) },
            .text("description") { $0.strategy.words.summary.text(in: $0.language) },
            ShapeField("config_schema", .any, "the parameters with what they are where nothing is set") {
                $0.strategy.parameters(Rebalancing())
            },
        ])
    private static let active = Shape<PositionPlan>("ActiveStrategy", [.word("strategy_name", \.strategy)])
    private static let config = Shape<(strategy: PositionPlan.Strategy, plan: PositionPlan)>(
        "StrategyConfig",
        [
            .word("strategy_name", \.strategy),
            ShapeField("config", .any) { $0.strategy.parameters($0.plan.rebalancing) },
        ])
    private static let configRequest = APIObject("StrategyConfigRequest", [APIField("config_json", .any)])
    private static let item = Shape<(item: Position.Suggestion.Item, language: Language)>(
        "Suggestion",
        [
            .text("fund_code", { _ in nil }, "null: of a class, or of all").orNull,
            .text("fund_name", { $0.item.name.text(in: $0.language) }, "the class, or 长钱 for all"),
            .word("action", \.item.advice.action), .money("amount") { $0.item.advice.amount ?? .zero },
            .text("reason", { $0.item.reason.text(in: $0.language) }, "shares in percent, without an amount"),
        ])
    private static let suggestions = Shape<(suggestion: Position.Suggestion, language: Language)>(
        "Suggestions",
        [
            .word("strategy_name", \.suggestion.position.plan.strategy),
            .text("summary") { $0.suggestion.summary.text(in: $0.language) },
            .list("suggestions", item) { answer in answer.suggestion.items.map { ($0, answer.language) } },
            ShapeField("extra", .any, "the figures behind it") { $0.suggestion.figures },
        ])

    static let position: [Endpoint] = {
        let unknown = (404, "no strategy has this name")
        return [
            Endpoint(
                .get, "/api/position/budget", "The budget for funds and how much of it is invested", .object(budget)
            ) { try Position($0.vault, Household($0.vault)) },
            Endpoint(
                .put, "/api/position/budget", "Changes what is given; another budget makes a line in the log",
                request: .object(budgetRequest),
                errors: [(422, "a number is negative, or the lowest share is above the highest")],
                .object(budget), of: changeBudget),
            Endpoint(
                .get, "/api/position/budget/changelog", "The changes of the budget, the newest first",
                .list(budgetChange)
            ) { try BudgetChange.all(in: $0.vault) },
            Endpoint(.get, "/api/position/strategies", "The strategies that there are", .list(strategy)) { call in
                PositionPlan.Strategy.allCases.map { ($0, call.surroundings.language) }
            },
            Endpoint(
                .put, "/api/position/active-strategy", "Chooses a strategy", request: .object(active.object),
                errors: [(422, "no strategy has this name")], .object(active)
            ) { call in
                let name = try call.values(active.object).known["strategy_name"]
                guard let strategy = name.flatMap(PositionPlan.Strategy.init) else {
                    throw APIProblem(422, "no strategy has this name")
                }
                return try call.changePlan { $0.strategy = strategy }
            },
            Endpoint(
                .get, "/api/position/strategy-config/{name}", "The parameters of a strategy", errors: [unknown],
                .object(config)
            ) { (try named($0), try PositionPlan($0.vault)) },
            Endpoint(
                .put, "/api/position/strategy-config/{name}", "Changes the parameters that are given",
                request: .object(configRequest), errors: [unknown, (422, "a parameter is wrong")], .object(config),
                of: changeConfig),
            Endpoint(
                .get, "/api/position/suggestion", "What the active strategy says: arithmetic, and no advice",
                .object(suggestions)
            ) { call in
                let watchlist = try Watchlist(call.vault)
                let household = try Household(call.vault, watchlist)
                return (
                    try Position.suggestion(call.vault, household, watchlist, today: call.today),
                    call.surroundings.language
                )
            },
        ]
    }()

    private static func named(_ call: APICall) throws -> PositionPlan.Strategy {
        let name = call.parameters["name"] ?? ""
        guard let strategy = PositionPlan.Strategy(rawValue: name) else { throw APIProblem(404, "no strategy \(name)") }
        return strategy
    }

    private static func changeConfig(_ call: APICall) throws -> (PositionPlan.Strategy, PositionPlan) {
        let strategy = try named(call)
        guard let given = call.body["config_json"] else { throw APIProblem(422, "config_json is missing") }
        let plan = try call.changePlan { plan in
            if strategy == .simple {
                guard given.members?.isEmpty ?? false else { throw APIProblem(422, "simple has no parameters") }
            } else if let what = plan.rebalancing.take(given) {
                throw APIProblem(422, "config_json: \(what.description)")
            }
        }
        return (strategy, plan)
    }

    private static func changeBudget(_ call: APICall) throws -> Position {
        let known = try call.values(budgetRequest).checked().known
        func number(_ name: String) -> ExactDecimal? { known[name].flatMap { ExactDecimal($0) } }
        let plan = try call.changePlan(reason: known["reason"] ?? "") { plan in
            plan.budget = number("total_budget") ?? plan.budget
            plan.least = number("target_position_min") ?? plan.least
            plan.most = number("target_position_max") ?? plan.most
            if let what = plan.complaint { throw Refusal(what) }
        }
        let growth = try Household(call.vault).growth
        return Position(plan, value: growth.amount, cost: growth.cost)
    }
}

extension APICall {
    fileprivate func changePlan(
        reason: String = "", _ body: (inout PositionPlan) throws -> Void
    ) throws -> PositionPlan {
        try change().changePosition(reason: reason, at: surroundings.now, body).plan
    }
}

extension PositionPlan.Strategy {
    /// Its name and what it does, for people.
    fileprivate var words: (label: LocalizedLabel, summary: LocalizedLabel) {
        switch self {
        case .simple:
            (
                LocalizedLabel("simple", "简单仓位策略"),
                LocalizedLabel("buy up to the lower bound, sell down to the upper one", "仓位低于下限时买入到下限，高于上限时卖出到上限")
            )
        case .assetRebalance:
            (
                LocalizedLabel("rebalancing of classes", "资产再平衡策略"),
                LocalizedLabel(
                    "in the last days of a month, back to the targets; below the least position, buy first",
                    "月末几天内，把超出范围的类别调回目标；仓位不足时先补仓")
            )
        }
    }

    fileprivate func parameters(_ rebalancing: Rebalancing) -> JSON { self == .simple ? .object([]) : rebalancing.json }
}

extension Position.Suggestion {
    /// An action for a class, or for all of it, and the reason.
    fileprivate typealias Item = (name: LocalizedLabel, advice: PositionAdvice, reason: LocalizedLabel)

    fileprivate var summary: LocalizedLabel {
        let rules = position.plan.rebalancing
        let (least, days) = (rules.leastPosition.shortest, rules.windowDays)
        return switch state {
        case .noBudget: LocalizedLabel("set a budget first", "请先设置总预算")
        case .below: LocalizedLabel("position below its bounds: buy", "仓位低于下限，建议买入")
        case .above: LocalizedLabel("position above its bounds: sell", "仓位高于上限，建议卖出")
        case .within: LocalizedLabel("position within its bounds", "仓位在目标范围内")
        case .fillFirst: LocalizedLabel("position below \(least)%: buy first", "仓位不足 \(least)%，先补仓")
        case .waiting: LocalizedLabel("not in the last \(days) days of the month: wait", "不在执行窗口 (每月最后 \(days) 天)，暂不调整")
        case .open where classes.allSatisfy { $0.advice == .hold }:
            LocalizedLabel("all classes within their bounds", "各类别都在范围内")
        case .open: LocalizedLabel("classes out of their bounds: back to their targets", "有类别超出范围，建议调回目标")
        }
    }

    fileprivate var items: [Item] {
        let (plan, share) = (position.plan, position.ratio.rounded(2))
        let reason: LocalizedLabel
        switch state {
        case .noBudget: return []
        case .waiting, .open: return classes.map(\.item)
        case .below, .above, .within:
            let bounds = "\(plan.least.shortest)–\(plan.most.shortest)%"
            reason = LocalizedLabel("position \(share)%, wanted \(bounds)", "仓位 \(share)%，目标 \(bounds)")
        case .fillFirst:
            let least = plan.rebalancing.leastPosition.shortest
            reason = LocalizedLabel("position \(share)%, below \(least)%", "仓位 \(share)%，低于 \(least)%")
        }
        return [(LocalizedLabel("growth", "长钱"), advice, reason)]
    }

    /// The figures behind it, which differ from strategy to strategy.
    fileprivate var figures: JSON {
        let ratio = ("position_ratio", JSON.money(position.ratio))
        guard position.plan.strategy == .assetRebalance else { return .object([ratio]) }
        return .object([
            ratio, ("in_window", .bool(isInWindow)),
            ("classes", .object(classes.map { ($0.rule.kind.rawValue, ClassState.shape.json($0)) })),
        ])
    }
}

extension Rebalancing.AssetClass.Kind {
    fileprivate var label: LocalizedLabel {
        switch self {
        case .equity: LocalizedLabel("equity", "权益")
        case .bond: LocalizedLabel("bond", "债券")
        case .gold: LocalizedLabel("gold", "黄金")
        }
    }
}

extension Position.Suggestion.ClassState {
    fileprivate static let shape = Shape<Self>(
        "",
        [
            .money("amount", \.amount), .percent("percent", \.percent), .percent("target", \.rule.target),
            .percent("min", \.rule.least), .percent("max", \.rule.most),
        ])

    fileprivate var item: Position.Suggestion.Item {
        let (share, target) = (percent.rounded(2), rule.target.shortest)
        let bounds = "\(rule.least.shortest)–\(rule.most.shortest)%"
        let reason = LocalizedLabel("\(share)%, target \(target)% (\(bounds))", "占 \(share)%，目标 \(target)% (\(bounds))")
        return (rule.kind.label, advice, reason)
    }
}
