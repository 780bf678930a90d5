import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let position = Verb(
        name: "position", summary: "how much of the budget for funds is invested, and what that suggests",
        operands: "", operandCount: 0...0, options: [.vault, .moment, .isPrivate, .json] + Option.use,
        example: ("qvault position", "'position set' sets the budget and its bounds; this is arithmetic, and no advice")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.openAsOf(path, arguments)
            let position = try Position(vault, Household(vault))
            let figures = Figures(arguments)
            let (least, most) = position.bounds
            guard !arguments.has(.json) else {
                let members: [(String, JSON)] = [
                    ("budget", figures.json(position.budget)), ("value", figures.json(position.value)),
                    ("available_cash", figures.json(position.availableCash)),
                    ("ratio", .text(position.ratio.rounded(2).description)), ("min", .text(least.description)),
                    ("max", .text(most.description)), ("action", .text(position.simple.word)),
                    ("amount", position.simple.amount.map(figures.json) ?? .null),
                ]
                try StandardOutput.print(JSON.object(members).line + "\n")
                return .done
            }
            let line: Phrase =
                "\(position.ratio.rounded(2))% of \(figures.amount(position.budget)) is invested, wanted \(least) to \(most)%"
            try StandardOutput.print("\(line.said)\n\(position.simple.said(figures).said)\n")
            return .done
        }
    }

    static let positionSet = Verb(
        name: "position set", summary: "set the budget for funds, and the bounds of its share in percent",
        operands: "[BUDGET] [min=N] [max=N]", operandCount: 1...3, options: [.vault, .wait] + Option.use,
        example: ("qvault position set 20000 min=50 max=80", "what was set before is in 'qvault history'")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let transaction = try Session.begin(path, arguments)
            var values = try Position.settings(transaction.before)
            for word in arguments.operands.map({ String(decoding: $0, as: UTF8.self) }) {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                let key = parts.count == 1 ? "budget" : parts[0]
                guard values[key] != nil else { throw Failure(.usage, "position set: BUDGET, min=N or max=N") }
                let check: Check = key == "budget" ? .amount : .percent
                let text = check.normalized(parts[parts.count - 1])
                if let what = check.complaint(about: text) { throw Failure(.invalid, "\(key): \(what)") }
                values[key] = ExactDecimal(text)
            }
            guard let least = values["min"], let most = values["max"], least <= most else {
                throw Failure(.invalid, "position set: min is above max")
            }
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let (name, setting) = (Position.prefix + key, Setting(.number(value)))
                if try transaction.before.setting(name) != setting { try transaction.put(setting, as: name) }
            }
            try Session.commit(transaction)
            return .done
        }
    }
}

extension Position {
    fileprivate static let prefix = "position."

    /// Budget and bounds: 0, 0 and 100 where nothing is set.
    fileprivate static func settings(_ vault: Vault) throws -> [String: ExactDecimal] {
        var values: [String: ExactDecimal] = ["budget": .zero, "min": .zero, "max": .hundred]
        for key in values.keys {
            if case .number(let value)? = try vault.setting(prefix + key)?.value { values[key] = value }
        }
        return values
    }

    /// The position of a household, by the settings of its vault.
    init(_ vault: Vault, _ household: Household) throws {
        let values = try Self.settings(vault)
        self.init(
            budget: values["budget"] ?? .zero, least: values["min"] ?? .zero, most: values["max"] ?? .hundred,
            value: household.growth.amount)
    }
}

extension Position.Advice {
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
