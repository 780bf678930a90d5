import Portfolio
import VaultFormat
import Cards

extension Verb {
    static let check = Verb.at(
        name: "check", summary: "hold what the family owns against a few limits, which you set",
        operands: "[RULE=LIMIT…]", operandCount: 0...Int.max,
        options: [
            .vault, Option(.exitCode, help: "end with code 1 if anything is outside of its limits"), .json, .wait,
        ] + Option.use,
        example: (
            "qvault check fund=25 liquid=10-20",
            "arithmetic, and no advice; 'qvault verify' looks at the vault file itself"
        )
    ) { path, arguments in
        let key = try VaultSecret(path, arguments)
        if !arguments.operands.isEmpty { try CheckLimits.set(path, key, arguments) }
        let vault = try Session.open(path, key, arguments, isSource: false)
        let watchlist = try Watchlist(vault)
        let check = HouseholdCheck(
            try Household(vault, watchlist), watchlist, try HouseholdCheck.limits(vault), today: Machine.today)
        if check.findings.isEmpty { Messages.say("nothing to look at: there are no assets, holdings and policies") }
        try StandardOutput.print(
            arguments.has(.json)
                ? check.findings.map { $0.json.line + "\n" }.joined()
                : Figures.table(check.findings.map(\.cells), rightFrom: 9))
        return arguments.has(.exitCode) && check.findings.contains(where: \.isOutside) ? .failure : .done
    }
}

/// Limits that a person sets.
private enum CheckLimits {
    static func set(_ path: BytePath, _ key: VaultSecret, _ arguments: Arguments) throws {
        let given = try CardArguments.fields(arguments.operands)
        try Figures.refuseTwice(given.map(\.key))
        let values = try given.map { name, value in
            guard let rule = HouseholdCheck.Rule(rawValue: name) else {
                let names = HouseholdCheck.Rule.allCases.map(\.rawValue)
                throw Failure(
                    .notFound, "no rule is called '\(printable(name.utf8))'",
                    hint: "there are \(names.joined(separator: ", "))")
            }
            guard HouseholdCheck.limits(value, of: rule) != nil else {
                throw Failure(.invalid, "\(name): takes percent like 30 or 10-20; policies takes a number from 0 to 4")
            }
            return (rule, value)
        }
        let transaction = try Session.begin(path, arguments, key: key)
        for (rule, value) in values {
            try transaction.put(Setting(.text(value)), as: HouseholdCheck.settingName(rule))
        }
        try Session.commit(transaction)
    }
}

extension HouseholdCheck.Rule {
    var said: Phrase {
        switch self {
        case .fund: "share of one fund"
        case .sector: "share of one sector"
        case .region: "share of one region"
        case .platform: "funds on one platform"
        case .liquid: "share of liquid"
        case .stable: "share of stable"
        case .growth: "share of growth"
        case .policies: "types of policies"
        }
    }
}

extension HouseholdCheck.Finding {
    private var isPercent: Bool { rule != .policies }

    var cells: [String] {
        let (least, most) = (limits.lowerBound, limits.upperBound)
        let limit: Phrase =
            !isPercent
            ? "wanted \(least.shortest)"
            : least.sign == 0 ? "at most \(most.shortest)%" : "wanted \(least.shortest) to \(most.shortest)%"
        let state: Phrase = isOutside ? (value < least ? "too little" : "too much") : "fine"
        return [
            (isOutside ? "! " : "  ") + rule.said.said, printable(subject.utf8),
            isPercent ? "\(value.rounded(2))%" : value.shortest.description, limit.said, state.said,
        ]
    }

    var json: JSON {
        .object([
            ("rule", .text(rule.rawValue)), ("subject", .text(subject)), ("value", .text(value.rounded(2).description)),
            ("min", .text(limits.lowerBound.description)), ("max", .text(limits.upperBound.description)),
            ("outside", .bool(isOutside)),
        ])
    }
}
