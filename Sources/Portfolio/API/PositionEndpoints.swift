import VaultFormat

extension Endpoint {
    private static let strategies = APIType.word(PositionPlan.Strategy.allCases.map(\.rawValue))
    private static let budget = APIObject(
        "Budget",
        [
            APIField("total_budget", .money), APIField("total_value", .money), APIField("total_cost", .money),
            APIField("available_cash", .money, "max(total_budget − total_value, 0)"),
            APIField("position_ratio", .percent, "total_value / total_budget · 100; 0 without a budget"),
            APIField("target_position_min", .percent), APIField("target_position_max", .percent),
            APIField("active_strategy", strategies), APIField("is_below_min", .flag), APIField("is_above_max", .flag),
        ])
    private static let budgetRequest = APIObject(
        "BudgetRequest",
        [
            APIField("total_budget", .money, isOptional: true),
            APIField("target_position_min", .percent, isOptional: true),
            APIField("target_position_max", .percent, isOptional: true),
            APIField("reason", .note, isOptional: true, "for the log, where the budget changes"),
        ])
    private static let budgetChange = APIObject(
        "BudgetChange",
        [
            APIField("id", .integer, "microseconds since 1970"), APIField("old_budget", .money),
            APIField("new_budget", .money), APIField("reason", .note, isOptional: true), APIField("created_at", .time),
        ])
    private static let strategy = APIObject(
        "Strategy",
        [
            APIField("name", strategies), APIField("display_name", .text), APIField("description", .text),
            APIField("config_schema", .any, "the parameters with what they are where nothing is set"),
        ])
    private static let config = APIObject(
        "StrategyConfig", [APIField("strategy_name", strategies), APIField("config", .any)])
    private static let configRequest = APIObject("StrategyConfigRequest", [APIField("config_json", .any)])
    private static let suggestion = APIObject(
        "Suggestion",
        [
            APIField("fund_code", .text, isOptional: true, "null: of a class, or of all"),
            APIField("fund_name", .text, "the class, or 长钱 for all"),
            APIField("action", .word(["buy", "sell", "hold"])),
            APIField("amount", .money), APIField("reason", .text, "shares in percent, without an amount"),
        ])
    private static let suggestions = APIObject(
        "Suggestions",
        [
            APIField("strategy_name", strategies), APIField("summary", .text),
            APIField("suggestions", .list(.object(suggestion))), APIField("extra", .any, "the figures behind it"),
        ])

    static let position: [Endpoint] = {
        let unknown = (404, "no strategy has this name")
        return [
            Endpoint(
                .get, "/api/position/budget", "The budget for funds and how much of it is invested",
                response: .object(budget)
            ) { try Position($0.vault, Household($0.vault)).json },
            Endpoint(
                .put, "/api/position/budget", "Changes what is given; another budget makes a line in the log",
                request: .object(budgetRequest), response: .object(budget),
                errors: [(422, "a number is negative, or the lowest share is above the highest")]
            ) { try changeBudget($0) },
            Endpoint(
                .get, "/api/position/budget/changelog", "The changes of the budget, the newest first",
                response: .list(.object(budgetChange))
            ) { .list(try BudgetChange.all(in: $0.vault).map(\.json)) },
            Endpoint(
                .get, "/api/position/strategies", "The strategies that there are", response: .list(.object(strategy))
            ) { call in .list(PositionPlan.Strategy.allCases.map { $0.json(call.surroundings.language) }) },
            Endpoint(
                .put, "/api/position/active-strategy", "Chooses a strategy",
                request: .object(APIObject("ActiveStrategy", [APIField("strategy_name", strategies)])),
                response: .object(APIObject("ActiveStrategy", [APIField("strategy_name", strategies)])),
                errors: [(422, "no strategy has this name")]
            ) { call in
                let name =
                    try call.values(APIObject("", [APIField("strategy_name", strategies)])).known["strategy_name"] ?? ""
                guard let strategy = PositionPlan.Strategy(rawValue: name) else {
                    throw APIProblem(422, "no strategy has this name")
                }
                var plan = try PositionPlan(call.vault)
                plan.strategy = strategy
                _ = try plan.store(in: call.change(), reason: "", at: call.surroundings.now)
                return .object([("strategy_name", .text(plan.strategy.rawValue))])
            },
            Endpoint(
                .get, "/api/position/strategy-config/{name}", "The parameters of a strategy", response: .object(config),
                errors: [unknown]
            ) { call in config(try named(call), try PositionPlan(call.vault)) },
            Endpoint(
                .put, "/api/position/strategy-config/{name}", "Changes the parameters that are given",
                request: .object(configRequest), response: .object(config),
                errors: [unknown, (422, "a parameter is wrong")]
            ) { try changeConfig($0) },
            Endpoint(
                .get, "/api/position/suggestion", "What the active strategy says: arithmetic, and no advice",
                response: .object(suggestions)
            ) { call in
                let watchlist = try Watchlist(call.vault)
                let position = try Position(call.vault, Household(call.vault, watchlist))
                return position.suggestions(watchlist, call.surroundings)
            },
        ]
    }()

    private static func named(_ call: APICall) throws -> PositionPlan.Strategy {
        let name = call.parameters["name"] ?? ""
        guard let strategy = PositionPlan.Strategy(rawValue: name) else { throw APIProblem(404, "no strategy \(name)") }
        return strategy
    }

    private static func config(_ strategy: PositionPlan.Strategy, _ plan: PositionPlan) -> JSON {
        .object([
            ("strategy_name", .text(strategy.rawValue)),
            ("config", strategy == .simple ? .object([]) : plan.rebalancing.json),
        ])
    }

    private static func changeConfig(_ call: APICall) throws -> JSON {
        let strategy = try named(call)
        guard let given = call.body["config_json"] else { throw APIProblem(422, "config_json is missing") }
        var plan = try PositionPlan(call.vault)
        if strategy == .simple {
            guard given.members?.isEmpty ?? false else { throw APIProblem(422, "simple has no parameters") }
        } else if let what = plan.rebalancing.take(given) {
            throw APIProblem(422, "config_json: \(what.description)")
        }
        _ = try plan.store(in: call.change(), reason: "", at: call.surroundings.now)
        return config(strategy, plan)
    }

    private static func changeBudget(_ call: APICall) throws -> JSON {
        let known = try call.values(budgetRequest).checked().known
        var plan = try PositionPlan(call.vault)
        func number(_ name: String) -> ExactDecimal? { known[name].flatMap { ExactDecimal($0) } }
        plan.budget = number("total_budget") ?? plan.budget
        plan.least = number("target_position_min") ?? plan.least
        plan.most = number("target_position_max") ?? plan.most
        if let what = plan.complaint { throw APIProblem(422, what.description) }
        let household = try Household(call.vault)
        _ = try plan.store(in: call.change(), reason: known["reason"] ?? "", at: call.surroundings.now)
        return Position(plan, value: household.growth.amount, cost: household.growth.cost).json
    }
}

extension PositionPlan.Strategy {
    fileprivate func json(_ language: Language) -> JSON {
        let (name, description) =
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
        return .object([
            ("name", .text(rawValue)), ("display_name", .text(name.text(in: language))),
            ("description", .text(description.text(in: language))),
            ("config_schema", self == .simple ? .object([]) : Rebalancing().json),
        ])
    }
}

extension BudgetChange {
    fileprivate var json: JSON {
        .object([
            ("id", .integer(Int64(time.microseconds))), ("old_budget", .money(old)), ("new_budget", .money(new)),
            ("reason", .optional(reason.isEmpty ? nil : reason)), ("created_at", .text(time.text)),
        ])
    }
}

extension Position {
    fileprivate var json: JSON {
        .object([
            ("total_budget", .money(plan.budget)), ("total_value", .money(value)), ("total_cost", .money(cost)),
            ("available_cash", .money(availableCash)), ("position_ratio", .percent(ratio)),
            ("target_position_min", .percent(plan.least)), ("target_position_max", .percent(plan.most)),
            ("active_strategy", .text(plan.strategy.rawValue)), ("is_below_min", .bool(isBelow)),
            ("is_above_max", .bool(isAbove)),
        ])
    }

    fileprivate func suggestions(_ watchlist: Watchlist, _ surroundings: APISurroundings) -> JSON {
        let (summary, items, extra) =
            plan.strategy == .simple
            ? simpleSuggestion : rebalanceSuggestions(watchlist.classAmounts, surroundings.today)
        let language = surroundings.language
        return .object([
            ("strategy_name", .text(plan.strategy.rawValue)), ("summary", .text(summary.text(in: language))),
            ("suggestions", .list(items.map { $0.json(language) })),
            ("extra", .object([("position_ratio", .percent(ratio))] + extra)),
        ])
    }

    /// An action for a class, or for all of it, and the reason.
    private struct Suggestion {
        let name: LocalizedLabel
        let advice: PositionAdvice
        let reason: LocalizedLabel

        func json(_ language: Language) -> JSON {
            let (action, amount) =
                switch advice {
                case .buy(let amount): ("buy", amount)
                case .sell(let amount): ("sell", amount)
                case .hold, .setBudget: ("hold", ExactDecimal.zero)
                }
            return .object([
                ("fund_code", .null), ("fund_name", .text(name.text(in: language))), ("action", .text(action)),
                ("amount", .money(amount)), ("reason", .text(reason.text(in: language))),
            ])
        }
    }

    /// A summary, what to do, and figures beside it.
    private typealias Answer = (summary: LocalizedLabel, items: [Suggestion], extra: [(String, JSON)])

    private static let (all, setBudget) = (
        LocalizedLabel("growth", "长钱"), LocalizedLabel("set a budget first", "请先设置总预算")
    )

    private var simpleSuggestion: Answer {
        let (share, bounds) = (ratio.rounded(2), "\(plan.least.shortest)–\(plan.most.shortest)%")
        let reason = LocalizedLabel("position \(share)%, wanted \(bounds)", "仓位 \(share)%，目标 \(bounds)")
        let summary =
            switch simple {
            case .setBudget: Self.setBudget
            case .buy: LocalizedLabel("position below its bounds: buy", "仓位低于下限，建议买入")
            case .sell: LocalizedLabel("position above its bounds: sell", "仓位高于上限，建议卖出")
            case .hold: LocalizedLabel("position within its bounds", "仓位在目标范围内")
            }
        if case .setBudget = simple { return (summary, [], []) }
        return (summary, [Suggestion(name: Self.all, advice: simple, reason: reason)], [])
    }

    private func rebalanceSuggestions(
        _ amounts: [String: ExactDecimal], _ today: Day
    ) -> Answer {
        let result = rebalance(amounts, today: today)
        let classes = JSON.object(
            result.classes.map { state in
                (
                    state.kind.name,
                    .object([
                        ("amount", .money(state.amount)), ("percent", .percent(state.percent)),
                        ("target", .percent(state.kind.target)), ("min", .percent(state.kind.least)),
                        ("max", .percent(state.kind.most)),
                    ])
                )
            })
        let items = result.classes.map { state in
            let bounds = "\(state.kind.least.shortest)–\(state.kind.most.shortest)%"
            let (share, target) = (state.percent.rounded(2), state.kind.target.shortest)
            return Suggestion(
                name: state.kind.label, advice: state.advice,
                reason: LocalizedLabel(
                    "\(share)%, target \(target)% (\(bounds))", "占 \(share)%，目标 \(target)% (\(bounds))"))
        }
        let extra = [("in_window", JSON.bool(plan.rebalancing.isInWindow(today))), ("classes", classes)]
        let least = plan.rebalancing.leastPosition.shortest
        switch result.state {
        case .noBudget: return (Self.setBudget, [], extra)
        case .fillFirst(let gap):
            let share = ratio.rounded(2)
            let reason = LocalizedLabel("position \(share)%, below \(least)%", "仓位 \(share)%，低于 \(least)%")
            return (
                LocalizedLabel("position below \(least)%: buy first", "仓位不足 \(least)%，先补仓"),
                [Suggestion(name: Self.all, advice: .buy(gap), reason: reason)], extra
            )
        case .waiting:
            let days = plan.rebalancing.windowDays
            return (
                LocalizedLabel("not in the last \(days) days of the month: wait", "不在执行窗口 (每月最后 \(days) 天)，暂不调整"),
                items, extra
            )
        case .open:
            let isQuiet = result.classes.allSatisfy { $0.advice == .hold }
            let summary =
                isQuiet
                ? LocalizedLabel("all classes within their bounds", "各类别都在范围内")
                : LocalizedLabel("classes out of their bounds: back to their targets", "有类别超出范围，建议调回目标")
            return (summary, items, extra)
        }
    }
}
