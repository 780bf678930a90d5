import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let position = Verb.reading(
        name: "position", summary: "how much of the budget for funds is invested, and what that suggests",
        operands: "", operandCount: 0...0, options: [.isPrivate, .json],
        example: ("qvault position", "'position set' sets the budget and its bounds; this is arithmetic, and no advice")
    ) { vault, arguments in
        let position = try Position(vault, Household(vault))
        let figures = Figures(arguments)
        guard !arguments.has(.json) else {
            try StandardOutput.print(position.json(Watchlist(vault), figures).line + "\n")
            return .done
        }
        let (least, most) = (position.plan.least.shortest, position.plan.most.shortest)
        let line: Phrase =
            "\(position.ratio.rounded(2))% of \(figures.amount(position.plan.budget)) is invested, wanted \(least) to \(most)%"
        var lines = [line.said]
        switch position.plan.strategy {
        case .simple: lines.append(position.simple.said(figures).said)
        case .assetRebalance: lines += try position.rebalanceLines(Watchlist(vault), figures)
        }
        try StandardOutput.print(lines.joined(separator: "\n") + "\n")
        return .done
    }

    static let positionSet = Verb.changing(
        name: "position set", summary: "set the budget for funds, and the bounds of its share in percent",
        operands: "[BUDGET] [min=N] [max=N]", operandCount: 1...3,
        options: [Option(.reason, value: "TEXT", help: "why, for 'position log'")],
        example: ("qvault position set 20000 min=50 max=80", "'position log' lists the budgets before")
    ) { transaction, arguments in
        var plan = try PositionPlan(transaction.before)
        let parts: [String: WritableKeyPath<PositionPlan, ExactDecimal>] = [
            "budget": \.budget, "min": \.least, "max": \.most,
        ]
        let names = ["预算": "budget", "下限": "min", "上限": "max"]
        let words = arguments.operands.map { $0.contains(0x3D) ? $0 : Array("budget=".utf8) + $0 }
        let values = try CardArguments.fields(words).map { (names[$0.key] ?? $0.key, $0.value) }
        try Figures.refuseTwice(values.map(\.0))
        for (key, value) in values {
            guard let part = parts[key] else { throw Failure(.usage, "position set: BUDGET, min=N or max=N") }
            try Figures.refuseSign(value)
            let check: Check = key == "budget" ? .amount : .percent
            let text = check.normalized(value)
            if let what = check.complaint(about: text) { throw Failure(.invalid, "\(key): \(what)") }
            plan[keyPath: part] = ExactDecimal(text) ?? .zero
        }
        if let what = plan.complaint { throw Failure(.invalid, "position set: \(what)") }
        let reason = try CardArguments.name(arguments.text(.reason), "--reason") ?? ""
        try Verb.store(plan, reason, transaction, arguments)
        return .done
    }

    private static func store(
        _ plan: PositionPlan, _ reason: String, _ transaction: VaultTransaction, _ arguments: Arguments
    ) throws {
        guard try plan.store(in: transaction, reason: reason, at: Machine.store.now()) else {
            return Messages.done("no change: it is so already", arguments)
        }
        try Session.commit(transaction)
        Messages.done("the position is set", arguments)
    }

    static let positionStrategy = Verb.at(
        name: "position strategy", summary: "choose the strategy of the position, and set its parameters",
        operands: "[simple|asset_rebalance] [KEY=VALUE…]", operandCount: 0...Int.max,
        options: [.vault, .json, .wait] + Option.use,
        example: (
            "qvault position strategy asset_rebalance equity=60,55,65 bond=20,18,22 days=5 from=80",
            "a class takes target, least and most share; days at the end of a month; from which share of the budget on"
        )
    ) { path, arguments in
        let isChange = !arguments.operands.isEmpty
        let transaction = isChange ? try Session.begin(path, arguments) : nil
        var plan = try PositionPlan(transaction?.before ?? Session.open(path, arguments))
        var words = arguments.operands[...]
        if let first = words.first, !first.contains(0x3D) {
            let name = String(decoding: first, as: UTF8.self)
            guard let strategy = PositionPlan.Strategy(rawValue: name) else {
                throw Failure(
                    .notFound, "no strategy '\(printable(first))'", hint: "there are simple and asset_rebalance")
            }
            plan.strategy = strategy
            words.removeFirst()
        }
        try plan.take(CardArguments.fields(words))
        if let transaction { try store(plan, "", transaction, arguments) }
        guard arguments.has(.json) || !isChange else { return .done }
        try StandardOutput.print(plan.strategyText(isJSON: arguments.has(.json)))
        return .done
    }

    static let positionLog = Verb.at(
        name: "position log", summary: "the budgets for funds, the newest first", operands: "", operandCount: 0...0,
        options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: ("qvault position log", "'position set --reason TEXT' says why")
    ) { path, arguments in
        let figures = Figures(arguments)
        for change in try BudgetChange.all(in: Session.openAsOf(path, arguments)) {
            let json = JSON.object([
                ("time", .text(change.time.text)), ("old", figures.json(change.old)),
                ("new", figures.json(change.new)), ("reason", .text(figures.words(change.reason))),
            ])
            let day = timeText(change.time, local: true).prefix(10)
            let line =
                "\(day)  \(padded(figures.amount(change.new), 14, left: true))  \(printable(figures.words(change.reason).utf8))"
            try StandardOutput.print((arguments.has(.json) ? json.line : line.trimmingEnd()) + "\n")
        }
        return .done
    }
}

extension PositionPlan {
    /// Takes words like `equity=60,55,65`, `days=5` and `from=80`.
    fileprivate mutating func take(_ values: [(key: String, value: String)]) throws {
        func failure(_ key: String) -> Failure {
            Failure(.invalid, "\(key): takes numbers in percent; the targets are 100 in all, each within its bounds")
        }
        var changed = rebalancing
        try Figures.refuseTwice(values.map(\.key))
        for (key, value) in values {
            let numbers = value.split(separator: ",").map { Check.percent.normalized(String($0)) }
            guard numbers.allSatisfy({ Check.percent.complaint(about: $0) == nil }), let first = numbers.first else {
                throw failure(key)
            }
            let parts = numbers.compactMap { ExactDecimal($0) }
            switch key {
            case "days":
                guard let days = Int(first), 1...31 ~= days else { throw Failure(.invalid, "days: takes 1 to 31") }
                changed.windowDays = days
            case "from": changed.leastPosition = parts[0]
            default:
                guard let place = changed.classes.firstIndex(where: { $0.name == key }) else {
                    throw Failure(
                        .invalid, "the strategy has no parameter '\(printable(key.utf8))'",
                        hint: "equity, bond, gold, days and from")
                }
                guard parts.count == 3, parts[1] <= parts[0], parts[0] <= parts[2] else { throw failure(key) }
                changed.classes[place].target = parts[0]
                (changed.classes[place].least, changed.classes[place].most) = (parts[1], parts[2])
            }
        }
        guard changed.classes.reduce(ExactDecimal.zero, { $0 + $1.target }) == .hundred else { throw failure("target") }
        rebalancing = changed
    }

    /// The strategy that is in force and the parameters.
    fileprivate func strategyText(isJSON: Bool) -> String {
        guard !isJSON else {
            return JSON.object([("strategy", .text(strategy.rawValue)), ("asset_rebalance", rebalancing.json)]).line
                + "\n"
        }
        let classes = rebalancing.classes.map {
            "\($0.name)=\($0.target.shortest),\($0.least.shortest),\($0.most.shortest)"
        }
        let rest = ["days=\(rebalancing.windowDays)", "from=\(rebalancing.leastPosition.shortest)"]
        return strategy.rawValue + (strategy == .simple ? "" : "  " + (classes + rest).joined(separator: " ")) + "\n"
    }
}

extension Position {
    fileprivate func json(_ watchlist: Watchlist, _ figures: Figures) -> JSON {
        let advice = advice(watchlist)
        return .object([
            ("budget", figures.json(plan.budget)), ("value", figures.json(value)),
            ("available_cash", figures.json(availableCash)), ("ratio", .text(ratio.rounded(2).description)),
            ("min", .text(plan.least.description)), ("max", .text(plan.most.description)),
            ("strategy", .text(plan.strategy.rawValue)), ("action", .text(advice.word)),
            ("amount", advice.amount.map(figures.json) ?? .null),
        ])
    }

    /// What the active strategy says of the whole; of classes there is more.
    private func advice(_ watchlist: Watchlist) -> PositionAdvice {
        guard plan.strategy == .assetRebalance else { return simple }
        switch rebalance(watchlist.classAmounts, today: Machine.today).state {
        case .noBudget: return .setBudget
        case .fillFirst(let gap): return .buy(gap)
        case .waiting, .open: return .hold
        }
    }

    /// What the active strategy says, in a line.
    func said(_ watchlist: Watchlist, _ figures: Figures) -> Phrase {
        guard plan.strategy == .assetRebalance else { return simple.said(figures) }
        return said(rebalance(watchlist.classAmounts, today: Machine.today), figures)
    }

    private func said(_ result: Rebalance, _ figures: Figures) -> Phrase {
        switch result.state {
        case .noBudget: "no budget is set: 'qvault position set BUDGET'"
        case .fillFirst(let gap):
            "less than \(plan.rebalancing.leastPosition.shortest)% is invested: first buy for \(figures.amount(gap))"
        case .waiting: "classes are rebalanced on the last \(plan.rebalancing.windowDays) days of a month"
        case .open: "the end of the month: classes out of their bounds go back to their targets"
        }
    }

    /// What the strategy `asset_rebalance` says, a line for each class.
    fileprivate func rebalanceLines(_ watchlist: Watchlist, _ figures: Figures) -> [String] {
        let result = rebalance(watchlist.classAmounts, today: Machine.today)
        let head = said(result, figures)
        return [head.said]
            + result.classes.map { state in
                let share = padded("\(state.percent.rounded(2))%", 8, left: true)
                let bounds: Phrase =
                    "wanted \(state.kind.target.shortest)% (\(state.kind.least.shortest) to \(state.kind.most.shortest)%)"
                let action: Phrase =
                    switch state.advice {
                    case .buy(let amount): "buy for \(figures.amount(amount))"
                    case .sell(let amount): "sell for \(figures.amount(amount))"
                    case .hold, .setBudget: "hold"
                    }
                return "  \(padded(state.kind.label.said, 8))  \(share)  \(bounds.said)  \(action.said)"
            }
    }
}

extension Rebalancing.AssetClass {
    fileprivate var label: Phrase { name == "equity" ? "equity" : name == "bond" ? "bonds" : "gold" }
}

extension PositionAdvice {
    var word: String {
        switch self {
        case .setBudget: "set_budget"
        case .buy: "buy"
        case .sell: "sell"
        case .hold: "hold"
        }
    }

    var amount: ExactDecimal? {
        switch self {
        case .buy(let amount), .sell(let amount): amount
        case .setBudget, .hold: nil
        }
    }

    func said(_ figures: Figures) -> Phrase {
        switch self {
        case .setBudget: "no budget is set: 'qvault position set BUDGET'"
        case .buy(let amount): "buy for \(figures.amount(amount)) to reach the lower bound"
        case .sell(let amount): "sell for \(figures.amount(amount)) to reach the upper bound"
        case .hold: "within the bounds"
        }
    }
}
