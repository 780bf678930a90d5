import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let position = Verb.reading(
        name: "position", summary: "how much of the budget for funds is invested, and what that suggests",
        options: [.isPrivate, .json],
        example: "qvault position",
        note: "'position set' sets the budget and its bounds; this is arithmetic, and no advice"
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        let household = try Household(vault, watchlist)
        let suggestion = try Position.suggestion(vault, household, watchlist, today: Machine.today)
        let figures = Figures(arguments)
        Messages.note(FundTable.risk)
        return try StandardOutput.print(Position.Suggestion.line, [suggestion], arguments) { suggestion in
            let classes = suggestion.classes.map { state in
                let cells = state.cells(figures).map(\.said)
                return "  \(padded(cells[0], 8))  \(padded(cells[1], 8, left: true))  \(cells[2])  \(cells[3])"
            }
            return ([suggestion.position.said(figures).said, suggestion.said(figures).said] + classes)
                .joined(separator: "\n")
        }
    }

    static let positionSet = Verb.changing(
        name: "position set", summary: "set the budget for funds, and the bounds of its share in percent",
        operands: "[BUDGET] [min=N] [max=N]", operandCount: 1...3,
        options: [Option(.reason, value: "TEXT", help: "why, for 'position log'")],
        example: "qvault position set 20000 min=50 max=80", note: "'position log' lists the budgets before"
    ) { transaction, arguments in
        let words = arguments.operands.map { $0.contains(0x3D) ? $0 : Array("budget=".utf8) + $0 }
        return try change(transaction, arguments) { try $0.take(bounds: CardArguments.fields(words)) }
    }

    @discardableResult
    private static func change(
        _ transaction: VaultTransaction, _ arguments: Arguments, _ body: (inout PositionPlan) throws -> Void
    ) throws -> ExitCode {
        let reason = try arguments.name(.reason) ?? ""
        guard try transaction.changePosition(reason: reason, at: Machine.store.now(), body).isNew else {
            return Messages.done("no change: it is so already")
        }
        return try Session.commit(transaction, arguments, saying: "the position is set")
    }

    static let positionStrategy = Verb.at(
        name: "position strategy", summary: "choose the strategy of the position, and set its parameters",
        operands: "[simple|asset_rebalance] [KEY=VALUE…]", options: [.vault, .json, .wait] + Option.use,
        example: "qvault position strategy asset_rebalance equity=60,55,65 bond=20,18,22 days=5 from=80",
        note:
            "a class takes target, least and most share; days at the end of a month; from which share of the budget on"
    ) { path, arguments in
        guard !arguments.operands.isEmpty else {
            return try print(PositionPlan(Session.open(path, arguments)), arguments)
        }
        let transaction = try Session.begin(path, arguments)
        var plan = try PositionPlan(transaction.before)
        try change(transaction, arguments) { changed in
            let name = arguments.operands.first.flatMap { $0.contains(0x3D) ? nil : $0 }
            if let name { try changed.take(strategy: String(decoding: name, as: UTF8.self)) }
            try changed.rebalancing.take(CardArguments.fields(arguments.operands.dropFirst(name == nil ? 0 : 1)))
            plan = changed
        }
        return try arguments.has(.json) ? print(plan, arguments) : .done
    }

    private static func print(_ plan: PositionPlan, _ arguments: Arguments) throws -> ExitCode {
        try StandardOutput.print((arguments.has(.json) ? plan.strategyJSON.line : plan.parameters) + "\n")
    }

    static let positionLog = Verb.at(
        name: "position log", summary: "the budgets for funds, the newest first",
        options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: "qvault position log", note: "'position set --reason TEXT' says why"
    ) { path, arguments in
        let changes = try BudgetChange.all(in: Session.openAsOf(path, arguments))
        return try StandardOutput.print(BudgetChange.line, changes, arguments) { change in
            let cells = BudgetChange.line.cells(change, isHidden: arguments.has(.private))
            let day = timeText(change.time, local: true).prefix(10)
            return "\(day)  \(padded(cells[2].said, 14, left: true))  \(cells[3].said)"
        }
    }
}
