import VaultFormat
import VaultRecords

extension PortfolioAPI {
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
            ) { _ in .list(PositionPlan.Strategy.allCases.map(\.json)) },
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
                return position.suggestions(watchlist, today: call.today)
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
    fileprivate var json: JSON {
        let words =
            switch self {
            case .simple: ("简单仓位策略", "仓位低于下限时买入到下限，高于上限时卖出到上限")
            case .assetRebalance: ("资产再平衡策略", "月末几天内，把超出范围的类别调回目标；仓位不足时先补仓")
            }
        return .object([
            ("name", .text(rawValue)), ("display_name", .text(words.0)), ("description", .text(words.1)),
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

    fileprivate func suggestions(_ watchlist: Watchlist, today: Day) -> JSON {
        let (summary, items, extra) =
            plan.strategy == .simple ? simpleSuggestion : rebalanceSuggestions(watchlist.classAmounts, today)
        return .object([
            ("strategy_name", .text(plan.strategy.rawValue)), ("summary", .text(summary)),
            ("suggestions", .list(items)),
            ("extra", .object([("position_ratio", .percent(ratio))] + extra)),
        ])
    }

    private func item(_ name: String, _ advice: PositionAdvice, _ reason: String) -> JSON {
        let (action, amount) =
            switch advice {
            case .buy(let amount): ("buy", amount)
            case .sell(let amount): ("sell", amount)
            case .hold, .setBudget: ("hold", ExactDecimal.zero)
            }
        return .object([
            ("fund_code", .null), ("fund_name", .text(name)), ("action", .text(action)), ("amount", .money(amount)),
            ("reason", .text(reason)),
        ])
    }

    private var simpleSuggestion: (String, [JSON], [(String, JSON)]) {
        let bounds = "\(ratio.rounded(2))%，目标 \(plan.least.shortest)–\(plan.most.shortest)%"
        switch simple {
        case .setBudget: return ("请先设置总预算", [], [])
        case .buy: return ("仓位低于下限，建议买入", [item("长钱", simple, "仓位 \(bounds)")], [])
        case .sell: return ("仓位高于上限，建议卖出", [item("长钱", simple, "仓位 \(bounds)")], [])
        case .hold: return ("仓位在目标范围内", [item("长钱", .hold, "仓位 \(bounds)")], [])
        }
    }

    private func rebalanceSuggestions(
        _ amounts: [String: ExactDecimal], _ today: Day
    ) -> (String, [JSON], [(String, JSON)]) {
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
            return item(
                state.kind.chineseName, state.advice,
                "占 \(state.percent.rounded(2))%，目标 \(state.kind.target.shortest)% (\(bounds))")
        }
        let extra = [("in_window", JSON.bool(plan.rebalancing.isInWindow(today))), ("classes", classes)]
        let least = plan.rebalancing.leastPosition.shortest
        switch result.state {
        case .noBudget: return ("请先设置总预算", [], extra)
        case .fillFirst(let gap):
            return ("仓位不足 \(least)%，先补仓", [item("长钱", .buy(gap), "仓位 \(ratio.rounded(2))%，低于 \(least)%")], extra)
        case .waiting: return ("不在执行窗口 (每月最后 \(plan.rebalancing.windowDays) 天)，暂不调整", items, extra)
        case .open:
            let isQuiet = result.classes.allSatisfy { $0.advice == .hold }
            return (isQuiet ? "各类别都在范围内" : "有类别超出范围，建议调回目标", items, extra)
        }
    }
}
