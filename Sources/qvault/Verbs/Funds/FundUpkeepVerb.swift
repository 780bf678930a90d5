import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let fundMove = Verb.changing(
        name: "fund move", summary: "put a fund at another place of the list", operands: "CODE PLACE",
        example: "qvault fund move 161725 1", note: "1 is the first; pinned funds stay before the others"
    ) { transaction, arguments in
        let fund = try FundArguments.fund(arguments.operands[0], in: Watchlist(transaction.before))
        try transaction.moveFund(fund, to: arguments.words[1])
        return try Session.commit(transaction, arguments, saying: "moved fund \(fund.code)")
    }

    static let fundCalendar = Verb.at(
        name: "fund calendar", summary: "take in the days on which nothing is traded, or list them",
        operands: "[FILE|-]", options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault fund calendar holidays.txt", note: "a line YYYY-MM-DD for each; weekends are known"
    ) { path, arguments in
        guard let operand = arguments.operands.first else {
            let days = try FundSettings.list(FundSettings.holidays, in: Session.open(path, arguments))
            return try StandardOutput.list(days, arguments, json: { ["date": $0] }, text: \.self)
        }
        let isPiped = operand == Array("-".utf8)
        let days = try days(LineSource(operand), printable(operand))
        let transaction = try Session.begin(path, arguments, readsInput: isPiped)
        guard let count = try transaction.addHolidays(days) else { return Messages.done("nothing to change") }
        return try Session.commit(transaction, arguments, saying: "days without trade: \(count)")
    }

    private static func days(_ lines: LineSource, _ name: String) throws -> [String] {
        var days: [String] = []
        while let line = try lines.next() {
            let words = String(decoding: line.bytes, as: UTF8.self).split { $0.isWhitespace || $0 == "," }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            let day = Check.date.normalized(String(first))
            guard Check.date.complaint(about: day) == nil else {
                throw Failure(.invalid, "\(name):\(line.number): is no day, like 2026-10-01", hint: "nothing was saved")
            }
            days.append(day)
        }
        return days
    }

    static let fundFit = Verb.at(
        name: "fund fit", summary: "set a fund's coefficient to what its last 20 days say", operands: "CODE",
        options: [.vault, .dryRun, .wait, .savesAsJSON] + Option.use,
        example: "qvault fund fit 110011 -n",
        note: "-n only says what it would be; it takes five days with estimate and net value"
    ) { path, arguments in
        let transaction = try Session.begin(path, arguments)
        let watchlist = try Watchlist(transaction.before)
        let fund = try FundArguments.fund(arguments.operands[0], in: watchlist, changes: true)
        let fitted = try watchlist.fittedCoefficient(fund)
        let isOther = try transaction.change(fund.id, [("coefficient", fitted.value.description)])
        let (before, after) = (percentText(fitted.meanBefore), percentText(fitted.meanAfter))
        Messages.say("coefficient \(fitted.value) from \(fitted.days) days: mean error \(before), with it \(after)")
        return isOther ? try Session.commit(transaction, arguments, saying: "changed fund \(fund.code)") : .done
    }

    static let fundClean = Verb.at(
        name: "fund clean", summary: "take away old estimates and the searches that were kept",
        options: [
            .vault, Option(.all, help: "all estimates and prices of securities too; net values and rates stay"),
            .dryRun, .wait, .savesAsJSON,
        ] + Option.use,
        example: "qvault fund clean && qvault compact",
        note: "estimates stay 30 days, net values for ever; each update does this too, compact gives the room back"
    ) { path, arguments in
        let transaction = try Session.begin(path, arguments)
        let vault = transaction.before
        let old =
            try arguments.has(.all)
            ? PriceBook.shortLived(vault) : PriceBook.oldEstimates(vault, now: Int64(Machine.store.now().seconds))
        let searches = try FundSettings.list(FundSettings.searches, in: vault)
        for entry in old { try transaction.trash(entry) }
        if !searches.isEmpty { try transaction.forgetSearches() }
        guard !transaction.isEmpty else { return Messages.done("nothing to remove") }
        guard !arguments.has(.dryRun) else { return try Session.plan(transaction) }
        try Session.commit(transaction)
        Messages.say("series of estimates and prices taken away: \(old.count), searches: \(searches.count)")
        return .done
    }
}
