import Portfolio
import VaultFormat
import Cards

extension Verb {
    static let check = Verb.at(
        name: "check", summary: "hold what the family owns against a few limits, which you set",
        operands: "[RULE=LIMIT…]",
        options: [
            .vault, Option(.exitCode, help: "end with code 1 if anything is outside of its limits"), .json, .wait,
        ] + Option.use,
        example: "qvault check fund=25 liquid=10-20",
        note: "arithmetic, and no advice; 'qvault verify' looks at the vault file itself"
    ) { path, arguments in
        let key = try VaultSecret(path, arguments)
        if !arguments.operands.isEmpty {
            let transaction = try Session.begin(path, arguments, key: key)
            try transaction.setLimits(CardArguments.fields(arguments.operands))
            try Session.commit(transaction)
        }
        let vault = try Session.open(path, key, arguments)
        let watchlist = try Watchlist(vault)
        let check = try HouseholdCheck(vault, Household(vault, watchlist), watchlist, today: Machine.today)
        if check.findings.isEmpty { Messages.say("nothing to look at: there are no assets, holdings and policies") }
        try StandardOutput.print(
            HouseholdCheck.Finding.line, check.findings, arguments,
            table: inColumns(check.findings.map { $0.cells.map(\.cell) }).map { $0 + "\n" }.joined())
        return arguments.has(.exitCode) && check.findings.contains(where: \.isOutside) ? .inPart : .done
    }
}
