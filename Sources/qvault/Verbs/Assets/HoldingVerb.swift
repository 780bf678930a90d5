import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let holdingAdd = Verb.at(
        name: "holding add", summary: "note shares of a fund that you hold on a platform", operands: "CODE KEY=VALUE…",
        options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault holding add 110011 platform=支付宝 shares=1000 cost=2.31 date=2026-01-05",
        note: "cost is that of one share; 'card kinds holding' lists the fields"
    ) { path, arguments in
        let (codes, values) = try FundArguments.split(arguments.operands)
        guard codes.count == 1 else { throw Failure(.usage, "holding add: one CODE, and KEY=VALUE") }
        let transaction = try Session.begin(path, arguments)
        let watchlist = try Watchlist(transaction.before)
        let code = Check.fundCode.normalized(String(decoding: codes[0], as: UTF8.self))
        var card = try Card(of: "holding")
        try card.take([("code", code)] + values)
        do { _ = try transaction.addHolding(card, today: Machine.today) } catch let refusal as Refusal {
            throw Failure(
                refusal,
                hint: watchlist.funds.contains { $0.code == code }
                    ? "'qvault holding list' lists what is held" : "'qvault fund add \(code)' watches it")
        }
        return try Session.commit(
            transaction, arguments, saying: "added a holding of \(printable(watchlist.name(code).utf8))")
    }

    static let holdingList = Verb.reading(
        name: "holding list", summary: "what is held of funds, at the newest net values", options: [.isPrivate, .json],
        example: "qvault holding list --private", note: "profit is the value minus what was paid"
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        if let copies = Phrase.mergeCopies(watchlist.mergeCopies) { Messages.say(copies) }
        let hint: Phrase = "nothing is held: 'qvault holding add CODE shares=N cost=N' notes the first"
        return try StandardOutput.print(
            ValuedHolding.line, watchlist.valuedHoldings, arguments,
            table: watchlist.holdings.isEmpty
                ? hint.said + "\n"
                : ValuedHolding.table(watchlist, isHidden: arguments.has(.private)).text(rightFrom: 3))
    }

    static let holdingUpdate = Verb.changing(
        name: "holding update", summary: "shares and cost are others now; the change goes into the log",
        operands: "CODE[@PLATFORM] [shares=N] [cost=N] [date=DAY]", operandCount: 2...4,
        example: "qvault holding update 110011@支付宝 shares=1500 cost=2.35",
        note: "date is the day from which it holds: today"
    ) { transaction, arguments in
        let holding = try HoldingArguments.holding(arguments.operands[0], in: Watchlist(transaction.before))
        let values = try CardArguments.fields(arguments.operands.dropFirst())
        let (shares, cost, day) = try holding.change(values, today: Machine.today)
        guard let entry = try transaction.entry(holding.id) else { return .done }
        let card = try transaction.before.card(entry)
        let changed: Card
        do {
            changed = try transaction.updateHolding(
                holding, card, shares: shares, cost: cost, from: day, today: Machine.today, now: Machine.store.now())
        } catch let refusal as Refusal where holding.lot.position != nil {
            throw Failure(refusal, hint: "'qvault card edit NAME trades=…' takes another line")
        }
        guard changed != card else { return Messages.done("no change: it is so already") }
        return try Session.commit(
            transaction, arguments,
            saying: "noted in the log: \(shares.shortest.description) @ \(cost.shortest.description)")
    }

    static let holdingLog = Verb.reading(
        name: "holding log", summary: "how shares and costs changed, the newest first", operands: "[CODE[@PLATFORM]]",
        options: [.isPrivate, .json],
        example: "qvault holding log 110011", note: "'holding update' makes the lines"
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        let only = try arguments.operands.first.map { try HoldingArguments.holding($0, in: watchlist).id }
        let known = Dictionary(watchlist.holdings.map { ($0.id, $0) }) { first, _ in first }
        let changes = try HoldingChange.all(in: vault, of: only).map { (change: $0, holding: known[$0.holding]) }
        return try StandardOutput.print(HoldingChange.line, changes, arguments) { item in
            let cells = HoldingChange.line.cells(item, isHidden: arguments.has(.private)).map(\.cell)
            let code = item.holding?.code ?? Phrase("removed").said
            return "\(cells[0])  \(code)  \(cells[2])  \(cells[3]) → \(cells[4])  @ \(cells[5]) → \(cells[6])"
        }
    }

    static let holdingRemove = Verb.changing(
        name: "holding rm", summary: "hold it no longer; its card goes into the trash", operands: "CODE[@PLATFORM]…",
        example: "qvault holding rm 110011@支付宝", note: "the log stays; 'qvault undelete' brings the holding back"
    ) { transaction, arguments in
        let watchlist = try Watchlist(transaction.before)
        for word in arguments.operands { try transaction.removeHolding(HoldingArguments.holding(word, in: watchlist)) }
        try Session.commit(transaction)
        return .done
    }
}

/// Holdings as a command line names them.
enum HoldingArguments {
    /// The holding that a word names.
    static func holding(_ word: [UInt8], in watchlist: Watchlist) throws -> Holding {
        let text = String(decoding: word, as: UTF8.self)
        let found = watchlist.holdings(named: text)
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            let places = found.map { "\($0.code)@\($0.lot.platform)" }
            throw Ambiguity(word, places.map { (Array($0.utf8), printable($0.utf8)) })
        }
        throw Failure(
            .notFound, "nothing is held of '\(printable(word))'", hint: "'qvault holding list' lists what is held")
    }
}
