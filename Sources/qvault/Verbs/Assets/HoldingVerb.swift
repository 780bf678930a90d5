import Portfolio
import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let holdingAdd = Verb.at(
        name: "holding add", summary: "note shares of a fund that you hold on a platform", operands: "CODE KEY=VALUE…",
        operandCount: 2...Int.max, options: [.vault, .wait] + Option.use,
        example: (
            "qvault holding add 110011 platform=支付宝 shares=1000 cost=2.31 date=2026-01-05",
            "cost is that of one share; 'card kinds holding' lists the fields"
        )
    ) { path, arguments in
        let (codes, values) = try FundArguments.split(arguments.operands)
        guard codes.count == 1 else { throw Failure(.usage, "holding add: one CODE, and KEY=VALUE") }
        let transaction = try Session.begin(path, arguments)
        let watchlist = try Watchlist(transaction.before)
        let code = Check.fundCode.normalized(String(decoding: codes[0], as: UTF8.self))
        var card = Card(
            schema: try CardArguments.schema(Array("holding".utf8)), overview: Overview(title: []),
            fields: RecordFields())
        try card.take([("code", code)] + values)
        do { _ = try transaction.addHolding(card, today: Machine.today) } catch let refusal as Refusal {
            throw Failure(
                refusal,
                hint: watchlist.funds.contains { $0.code == code }
                    ? "'qvault holding list' lists what is held" : "'qvault fund add \(code)' watches it")
        }
        try Session.commit(transaction)
        Messages.done("added a holding of \(printable(watchlist.name(code).utf8))", arguments)
        return .done
    }

    static let holdingList = Verb.reading(
        name: "holding list", summary: "what is held of funds, at the newest net values", operands: "",
        operandCount: 0...0, options: [.isPrivate, .json],
        example: ("qvault holding list --private", "profit is the value minus what was paid")
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        let table = HoldingTable(watchlist, Figures(arguments))
        if !watchlist.mergeCopies.isEmpty { Messages.say(.mergeCopies(watchlist.mergeCopies)) }
        try StandardOutput.print(arguments.has(.json) ? table.json : table.text)
        return .done
    }

    static let holdingUpdate = Verb.changing(
        name: "holding update", summary: "shares and cost are others now; the change goes into the log",
        operands: "CODE[@PLATFORM] [shares=N] [cost=N] [date=DAY]", operandCount: 2...4,
        example: (
            "qvault holding update 110011@支付宝 shares=1500 cost=2.35", "date is the day from which it holds: today"
        )
    ) { transaction, arguments in
        let holding = try HoldingArguments.holding(arguments.operands[0], in: Watchlist(transaction.before))
        let (shares, cost, day) = try HoldingArguments.change(arguments.operands.dropFirst(), holding)
        guard let entry = try transaction.entry(holding.id) else { return .done }
        let card = try transaction.before.card(entry)
        let changed: Card
        do {
            changed = try transaction.updateHolding(
                holding, card, shares: shares, cost: cost, from: day, today: Machine.today, now: Machine.store.now())
        } catch let refusal as Refusal where holding.lot.position != nil {
            throw Failure(refusal, hint: "'qvault card edit NAME trades=…' takes another line")
        }
        guard changed != card else {
            Messages.done("no change: it is so already", arguments)
            return .done
        }
        try Session.commit(transaction)
        Messages.done("noted in the log: \(shares.shortest.description) @ \(cost.shortest.description)", arguments)
        return .done
    }

    static let holdingLog = Verb.reading(
        name: "holding log", summary: "how shares and costs changed, the newest first", operands: "[CODE[@PLATFORM]]",
        operandCount: 0...1, options: [.isPrivate, .json],
        example: ("qvault holding log 110011", "'holding update' makes the lines")
    ) { vault, arguments in
        let (watchlist, figures) = (try Watchlist(vault), Figures(arguments))
        let only = try arguments.operands.first.map { try HoldingArguments.holding($0, in: watchlist).id }
        let known = Dictionary(watchlist.holdings.map { ($0.id, $0) }) { first, _ in first }
        for change in try HoldingChange.all(in: vault, of: only) {
            let holding = known[change.holding]
            let place = [holding?.code ?? Phrase("removed").said, holding?.platformName ?? ""]
            let json = JSON.object([
                ("date", .text(change.day.text)), ("code", holding.map { .text($0.code) } ?? .null),
                ("platform", .text(place[1])), ("old_shares", figures.exact(change.oldShares)),
                ("new_shares", figures.exact(change.newShares)), ("old_cost", figures.exact(change.oldCost)),
                ("new_cost", figures.exact(change.newCost)),
            ])
            let shares = "\(figures.number(change.oldShares)) → \(figures.number(change.newShares))"
            let cost = "\(figures.number(change.oldCost)) → \(figures.number(change.newCost))"
            let line = "\(change.day.text)  \(place[0])  \(printable(place[1].utf8))  \(shares)  @ \(cost)"
            try StandardOutput.print((arguments.has(.json) ? json.line : line) + "\n")
        }
        return .done
    }

    static let holdingRemove = Verb.changing(
        name: "holding rm", summary: "hold it no longer; its card goes into the trash", operands: "CODE[@PLATFORM]…",
        operandCount: 1...Int.max,
        example: ("qvault holding rm 110011@支付宝", "the log stays; 'qvault undelete' brings the holding back")
    ) { transaction, arguments in
        let watchlist = try Watchlist(transaction.before)
        for word in arguments.operands {
            try transaction.removeHolding(HoldingArguments.holding(word, in: watchlist))
        }
        try Session.commit(transaction)
        return .done
    }
}

/// Holdings as a command line names them.
enum HoldingArguments {
    /// The holding that a word names.
    ///
    /// - Throws: `Failure` `.notFound`; `Ambiguity`.
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

    /// New shares, a new cost and the day from which they hold.
    ///
    /// - Throws: `Failure` `.usage`, `.invalid`.
    static func change(
        _ words: ArraySlice<[UInt8]>, _ holding: Holding
    ) throws -> (shares: ExactDecimal, cost: ExactDecimal, day: Day) {
        var (shares, cost, day) = (holding.lot.shares, holding.lot.cost, Machine.today)
        let schema = try CardArguments.schema(Array("holding".utf8))
        let values = try CardArguments.fields(words).map { (schema.field(called: $0.key)?.key ?? $0.key, $0.value) }
        try Figures.refuseTwice(values.map(\.0))
        for (key, value) in values {
            switch key {
            case "shares", "cost":
                try Figures.refuseSign(value)
                guard let number = ExactDecimal(Check.amount.normalized(value)) else {
                    throw Failure(.invalid, "\(key): takes a number above 0")
                }
                if key == "shares" { shares = number } else { cost = number }
            case "date":
                let text = Check.date.normalized(value)
                if let what = Check.date.complaint(about: text) { throw Failure(.invalid, "date: \(what)") }
                if let given = Check.storedDay(text) { day = given }
            default:
                throw Failure(.usage, "holding update: shares=N, cost=N or date=DAY")
            }
        }
        return (shares, cost, day)
    }
}

/// The holdings as rows, with their sums.
struct HoldingTable {
    private let watchlist: Watchlist
    private let figures: Figures

    init(_ watchlist: Watchlist, _ figures: Figures) { (self.watchlist, self.figures) = (watchlist, figures) }

    var json: String {
        watchlist.holdings.map { holding in
            let value = watchlist.value(holding)
            let profit = value.map { $0 - watchlist.cost(holding) }
            return JSON.object([
                ("id", .text(hexText(holding.id.bytes))), ("code", .text(holding.code)),
                ("name", .text(watchlist.name(holding.code))), ("platform", .text(holding.platformName)),
                ("shares", figures.exact(holding.lot.shares)), ("cost", figures.exact(holding.lot.cost)),
                ("date", holding.lot.date.map { .text($0) } ?? .null), ("value", value.map(figures.json) ?? .null),
                ("profit", profit.map(figures.json) ?? .null),
                // With 12 places it would tell the cost.
                (
                    "return",
                    profit?.divided(by: watchlist.cost(holding)).map {
                        .text((figures.isHidden ? $0.rounded(4) : $0).description)
                    }
                        ?? .null
                ),
            ]).line + "\n"
        }.joined()
    }

    var text: String {
        guard !watchlist.holdings.isEmpty else {
            return Phrase("nothing is held: 'qvault holding add CODE shares=N cost=N' notes the first").said + "\n"
        }
        let head =
            ["code", "fund", "platform", "shares", "cost of one", "market value", "profit or loss", "return"]
            as [Phrase]
        let rows = watchlist.holdings.map { holding -> [String] in
            let value = watchlist.value(holding)
            let profit = value.map { $0 - watchlist.cost(holding) }
            return [
                holding.code, printable(watchlist.name(holding.code).utf8), printable(holding.platformName.utf8),
                figures.number(holding.lot.shares), figures.number(holding.lot.cost),
                value.map { figures.amount($0) } ?? "—", profit.map { figures.amount($0, isSigned: true) } ?? "—",
                profit?.divided(by: watchlist.cost(holding)).map { percentText($0, signed: true) } ?? "—",
            ]
        }
        let growth = Growth(watchlist)
        let sums = [
            Phrase("sum").said, "", "", "", "", figures.amount(growth.amount),
            figures.amount(growth.profit, isSigned: true), percentText(growth.rate, signed: true),
        ]
        return Figures.table([head.map(\.said)] + rows + [sums], rightFrom: 3)
    }
}
