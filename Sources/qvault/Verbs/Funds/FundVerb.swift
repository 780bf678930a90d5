import Glibc
import Portfolio
import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let fund = Verb.at(
        name: "fund", summary: "the funds that are watched: estimates, net values, profit",
        options: [
            .vault, .moment, Option(.sort, value: "KEY", help: "change, estimate or added; -change turns it round"),
            .onlyFundGroup, .json,
        ] + Option.use,
        example: "qvault fund --sort -change", note: "an estimate is not the net value, and no advice"
    ) { path, arguments in
        let order = try arguments.value(.sort, or: "fund: --sort takes change, estimate or added") { FundOrder($0) }
        let vault = try Session.openAsOf(path, arguments)
        let group = arguments.text(.group)
        let watchlist = try Watchlist(vault)
        let funds = watchlist.funds.filter { group == nil || $0.group == group }
        if let group, funds.isEmpty {
            throw Failure(.notFound, "no fund is in the group '\(group)'", hint: "'qvault group' lists the groups")
        }
        let unordered = funds.map { FundFigures($0, watchlist) }
        let rows = order?.sorted(unordered) ?? unordered
        guard !rows.isEmpty, !arguments.has(.json) else {
            return try StandardOutput.print(
                FundFigures.line, rows, arguments,
                table: Phrase("no funds are watched: 'qvault fund add CODE' adds one").said + "\n")
        }
        return try StandardOutput.print(raw: FundTable(rows, watchlist, title: group, paint: Paint(arguments)).text())
    }

    static let fundAdd = Verb.at(
        name: "fund add", summary: "watch funds, by their codes", operands: "CODE… [KEY=VALUE…]",
        options: [.vault, .group, Option(.pin, help: "list them first"), .wait, .savesAsJSON] + Option.use,
        example: "qvault fund add 110011 name=易方达优质精选 shares=1000 cost=2.31",
        note: "'card kinds fund' lists the fields; name is the title"
    ) { path, arguments in
        let (codes, values) = try FundArguments.split(arguments.operands)
        let name = values.last { $0.key == "name" }?.value
        guard name == nil || codes.count == 1 else { throw Failure(.usage, "fund add: one name is for one fund") }
        let group = try arguments.name(.group)
        let transaction = try Session.begin(path, arguments)
        let known = Set(try Watchlist(transaction.before).funds.map(\.code))
        let directory = try FundDirectory(transaction.before)
        var (added, refused, seen) = ([String](), 0, known)
        for word in codes {
            let code = Check.fundCode.normalized(String(decoding: word, as: UTF8.self))
            if let what = Check.fundCode.complaint(about: code) {
                Messages.say("'\(printable(word))' \(what)")
                refused += 1
                continue
            }
            guard seen.insert(code).inserted else {
                Messages.say("\(code) is watched already")
                continue
            }
            var card = try Card(of: "fund")
            try card.take([("code", code)] + values.filter { !FundArguments.heads.contains($0.key) })
            let item = directory[code]
            if let item {
                card.fillEmpty(["type": item.type, "company": item.company])
            } else if !directory.items.isEmpty {
                Messages.say("\(code) is in no list of 'fund directory': is the code right?")
            }
            let title = try CardArguments.name(name, "name") ?? item?.name ?? code
            card.overview.title = Array(title.utf8)
            card.overview.group = try group.map { try CardArguments.group($0, in: transaction.before) }
            card.overview.isPinned = arguments.has(.pin)
            try FundArguments.label(&card.overview, values, in: transaction.before)
            try transaction.put(card, as: Fund.recordID(code))
            added.append(code)
        }
        if !added.isEmpty {
            try Session.commit(transaction)
            Messages.done("funds added: \(added.joined(separator: " "))")
        }
        guard refused > 0 else { return .done }
        Messages.say("some funds were not added: \(refused); check the codes and add them again")
        return .invalid
    }

    static let fundEdit = Verb.at(
        name: "fund edit", summary: "change a fund: its fields, name, group, and pin=yes or no",
        operands: "CODE KEY=VALUE…", options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault fund edit 110011 report_date=2026-09-30 stocks='600519 9.50 贵州茅台; 000858 8.20 五粮液'",
        note: "the weights of its last report, in percent; an empty value takes a field away"
    ) { path, arguments in
        let (codes, values) = try FundArguments.split(arguments.operands)
        guard codes.count == 1, !values.isEmpty else {
            throw Failure(
                .usage, "fund edit: one CODE, and KEY=VALUE", hint: "'qvault card kinds fund' lists the fields")
        }
        let transaction = try Session.begin(path, arguments)
        let fund = try FundArguments.fund(codes[0], in: Watchlist(transaction.before), changes: true)
        guard let entry = try transaction.entry(fund.id) else { return .done }
        let old = try transaction.before.card(entry)
        let title = try CardArguments.name(values.last { $0.key == "name" }?.value, "name")
        var card = try old.changed(values.filter { !FundArguments.heads.contains($0.key) }, title: title)
        try FundArguments.label(&card.overview, values, in: transaction.before)
        guard card != old else { return Messages.done("no change: the card already has these values") }
        guard card.fields.texts["code"] == fund.code else {
            throw Failure(.invalid, "the code of a fund stays", hint: "remove it, and add the other one")
        }
        try transaction.put(card, as: entry.id)
        return try Session.commit(transaction, arguments, saying: "changed fund \(fund.code)")
    }

    static let fundRemove = Verb.changing(
        name: "fund rm", summary: "watch funds no longer; their cards go into the trash", operands: "[CODE…]",
        options: [Option(.all, help: "all funds; net values and settings stay"), .yes],
        example: "qvault fund rm 161725", note: "net values stay; 'qvault undelete' brings the fund back"
    ) { transaction, arguments in
        let watchlist = try Watchlist(transaction.before)
        let named = try arguments.operands.map { try FundArguments.fund($0, in: watchlist, changes: true) }
        guard arguments.has(.all) != !named.isEmpty else {
            throw Failure(.usage, "fund rm: give a CODE, or --all", hint: "qvault fund rm CODE…")
        }
        let funds = arguments.has(.all) ? watchlist.funds : named
        if arguments.has(.all), !arguments.has(.yes), Terminal.isPresent {
            guard try Terminal.confirm("watch none of these funds any longer: \(funds.count)?", standard: false) else {
                throw Failure(.refused, "nothing was removed")
            }
        }
        var seen: Set<RecordID> = []
        for fund in funds where seen.insert(fund.id).inserted {
            if let entry = try transaction.entry(fund.id) { try transaction.trash(entry) }
        }
        return try Session.commit(transaction, arguments, saying: "funds moved to the trash: \(seen.count)")
    }

    static let fundAccuracy = Verb.reading(
        name: "fund accuracy", summary: "how near estimates came to the published net values", operands: "[CODE]",
        options: [.json],
        example: "qvault fund accuracy 110011",
        note: "of one fund by day too; for each fund and method: days, median, mean, worst, within 0.5 %"
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        let one = try arguments.operands.first.map { try FundArguments.fund($0, in: watchlist) }
        if let one {
            let days = (watchlist.accuracy[one.code] ?? []).map { (code: one.code, sample: $0) }
            try StandardOutput.print(Accuracy.day, days, arguments) { code, day in
                let far = day.deviation.magnitude > Accuracy.limit ? " !" : ""
                let figures = "\(day.estimate.rounded(4))  \(day.netValue.rounded(4))"
                return
                    "\(day.day.text)  \(padded(day.method, 7))  \(figures)  \(percentText(day.deviation, signed: true))\(far)"
            }
            if arguments.has(.json) { return .done }
        }
        let funds = one.map { [$0] } ?? watchlist.funds
        let all = funds.flatMap(watchlist.accuracyByMethod)
        try StandardOutput.print(Accuracy.line, all, arguments) { code, method, accuracy in
            "\(code)  \(padded(method, 7))  \(accuracy.said.said)"
        }
        if all.isEmpty { Messages.say("no day has both an estimate and a net value yet") }
        Messages.note(FundTable.disclaimer)
        return .done
    }
}

/// Funds as a command line names them.
enum FundArguments {
    /// Codes, and words like `shares=1000`.
    static func split(_ words: [[UInt8]]) throws -> (codes: [[UInt8]], values: [(key: String, value: String)]) {
        let (codes, values) = (words.filter { !$0.contains(0x3D) }, words.filter { $0.contains(0x3D) })
        guard !codes.isEmpty else { throw Failure(.usage, "which fund? give its CODE") }
        return (codes, try CardArguments.fields(values).map { (key($0.key), $0.value) })
    }

    /// Words for what is no field of a fund's card.
    static let heads = ["name", "group", "pin"]

    /// Takes the group and the pin.
    static func label(_ overview: inout Overview, _ values: [(key: String, value: String)], in vault: Vault) throws {
        for (key, value) in values where key == "group" {
            let name = value.isEmpty ? nil : try CardArguments.name(value, key)
            overview.group = try name.map { try CardArguments.group($0, in: vault) }
        }
        for (key, value) in values where key == "pin" {
            guard ["yes", "no"].contains(value) else { throw Failure(.invalid, "pin takes yes or no") }
            overview.isPinned = value == "yes"
        }
    }

    /// The key of a word as people and tables write it.
    private static func key(_ name: String) -> String { name == "置顶" ? "pin" : FundColumns.key(name) ?? name }

    /// The fund with a code, or the only one whose name has the word in it, or is spelled by it in pinyin. Who changes something
    /// gives the code or the whole name, or picks one at the terminal.
    static func fund(_ word: [UInt8], in watchlist: Watchlist, changes: Bool = false) throws -> Fund {
        let text = String(decoding: word, as: UTF8.self)
        let code = Check.fundCode.normalized(text)
        if let fund = watchlist.funds.first(where: { $0.code == code }) { return fund }
        let query = CardQuery(text)
        let named = watchlist.funds.filter { query?.match(name: $0.name).map { $0 < .typo } ?? false }
        let isWhole = named.count == 1 && (named[0].name == text || !changes)
        guard named.isEmpty || isWhole else {
            let shown = named.map { (Array($0.code.utf8), "\($0.code)  \(printable($0.name.utf8))") }
            throw Ambiguity(word, shown, isExact: false)
        }
        if let fund = named.first {
            if !fund.name.contains(text) {
                Messages.say("'\(printable(word))' is taken for '\(printable(fund.name.utf8))'")
            }
            return fund
        }
        throw Failure(
            .notFound, "no fund '\(printable(word))' is watched",
            hint: .meant(code, among: watchlist.funds.map(\.code), within: 2, else: "'qvault fund' lists the funds"))
    }
}

extension Option {
    static let onlyFundGroup = Option(.group, value: "NAME", help: "only funds in this group")
}
