import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let dashboard = Verb(
        name: "dashboard", summary: "all assets, the four buckets, the position, and what is due, on one screen",
        operands: "", operandCount: 0...0,
        options: [
            .vault, Option(.days, value: "N", help: "the trend of so many days (30)"), .isPrivate, .json,
        ] + Option.use,
        example: ("qvault dashboard --private", "the trend is of snapshots: 'qvault snapshot' takes one a day")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let days = try arguments.text(.days).map { text in
                guard let days = Int64(text), 1...36_600 ~= days else {
                    throw Failure(.usage, "dashboard: --days takes a number of days")
                }
                return days
            }
            let vault = try Session.open(path, arguments)
            let board = try Dashboard(vault, days: days ?? 30, Figures(arguments))
            try StandardOutput.print(arguments.has(.json) ? board.json.line + "\n" : board.text())
            return .done
        }
    }

    static let snapshot = Verb(
        name: "snapshot", summary: "keep today's totals, one set a day, for the trend", operands: "",
        operandCount: 0...0, options: [.vault, .ifUnlocked, .json, .wait] + Option.use,
        example: ("qvault snapshot", "its day is that of the newest net value of a fund that is held, else today")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            guard try !arguments.has(.ifUnlocked) || isUnlocked(path) else { return .done }
            let transaction = try Session.begin(path, arguments)
            let watchlist = try Watchlist(transaction.before)
            let held = watchlist.funds.filter { !$0.lots.isEmpty }.compactMap { watchlist.netValue($0.code)?.day }
            let today = DueItem.today()
            let snapshot = Snapshot(try Household(transaction.before), day: held.max() ?? today)
            let isNew = try snapshot.store(in: transaction)
            if isNew { try Session.commit(transaction) }
            let day = CalendarTime(seconds: snapshot.day * 86_400).dayText
            try Messages.done(
                isNew ? "snapshot of \(day)" : "the snapshot of \(day) is there already", arguments,
                json: [("date", .text(day)), ("new", .bool(isNew))])
            return .done
        }
    }
}

/// The screen of `dashboard`.
private struct Dashboard {
    private let household: Household
    private let position: Position
    private let snapshots: [Snapshot]
    private let due: [DueItem]
    private let today: Int64
    private let days: Int64
    private let figures: Figures

    init(_ vault: Vault, days: Int64, _ figures: Figures) throws {
        household = try Household(vault)
        position = try Position(vault, household)
        let day = DueItem.today()
        snapshots = try Snapshot.all(in: vault).filter { $0.day > day - days }
        due = try DueItem.all(in: vault, within: 30, ProblemReport(), isPresent: true)
        (today, self.days, self.figures) = (day, days, figures)
    }

    func text() -> String {
        let (liquid, stable) = (household.bucket("liquid", today: today), household.bucket("stable", today: today))
        let (growth, buckets) = (household.growth, household.buckets(today: today))
        func share(_ amount: ExactDecimal) -> ExactDecimal { amount.divided(by: buckets.total) ?? .zero }
        func row(_ name: Phrase, _ amount: ExactDecimal, _ rest: Phrase) -> String {
            let percent = padded(percentText(share(amount)), 7, left: true)
            let bar = padded(Figures.bar(share(amount), width: 20), 20)
            let head = "\(padded(name.said, 10))  \(padded(figures.amount(amount), 14, left: true)) \(percent)"
            return "\(head)  \(bar)  \(rest.said)".trimmingEnd()
        }
        let insurance = household.insurance(today: today)
        var lines = [headline(buckets), ""]
        lines.append(row("liquid", liquid.amount, "about \(figures.amount(liquid.estimatedReturn)) a year"))
        let maturity = stable.nearestMaturity.map {
            Phrase("about \(figures.amount(stable.estimatedReturn)) a year, next maturity in \($0) days")
        }
        lines.append(row("stable", stable.amount, maturity ?? "about \(figures.amount(stable.estimatedReturn)) a year"))
        lines.append(
            row(
                "growth", growth.amount,
                "profit \(figures.amount(growth.profit, isSigned: true)) (\(percentText(growth.rate, signed: true)))"))
        let premium = figures.amount(insurance.annualPremium)
        let policies: Phrase = "\(insurance.activeCount) active, \(insurance.persons) persons, \(premium) a year"
        lines.append("\(padded(Phrase("insurance").said, 10))  \(policies.said)")
        let bounds: Phrase =
            "\(position.ratio.rounded(2))% (wanted \(position.bounds.least) to \(position.bounds.most)%)"
        lines.append("\(padded(Phrase("position").said, 10))  \(bounds.said)  \(position.simple.said(figures).said)")
        let ratio = household.debtRatio.map { percentText($0) } ?? "—"
        let family: Phrase =
            "assets \(figures.amount(household.totalAssets)), debts \(figures.amount(household.totalDebts)), net \(figures.amount(household.net)), debt ratio \(ratio)"
        lines.append("\(padded(Phrase("family").said, 10))  \(family.said)")
        if !due.isEmpty { lines.append("\(padded(Phrase("due").said, 10))  \(DueItem.counts(due).said): qvault due") }
        if !household.missingRates.isEmpty {
            let missing: Phrase =
                "not counted, without a rate: \(household.missingRates.sorted().joined(separator: " "))"
            lines.append(missing.said)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The total, how it moved since the first snapshot of the time, and its shape.
    private func headline(_ buckets: Household.Buckets) -> String {
        var words = ["\(Phrase("in all").said) \(figures.amount(buckets.total))"]
        if let first = snapshots.first, snapshots.count > 1 || first.day < today {
            let moved = buckets.total - first.total
            let rate = moved.divided(by: first.total).map { " (\(percentText($0, signed: true)))" } ?? ""
            let since: Phrase = "\(days) days \(figures.amount(moved, isSigned: true))\(rate)"
            words.append(since.said)
        }
        // The shape has no amounts.
        words.append(Chart.sparkline(snapshots.suffix(30).map(\.total)))
        return words.filter { !$0.isEmpty }.joined(separator: "   ")
    }

    var json: JSON {
        let (liquid, stable) = (household.bucket("liquid", today: today), household.bucket("stable", today: today))
        let (growth, buckets) = (household.growth, household.buckets(today: today))
        let insurance = household.insurance(today: today)
        func bucket(_ bucket: Household.Bucket) -> JSON {
            .object([
                ("amount", figures.json(bucket.amount)), ("estimated_return", figures.json(bucket.estimatedReturn)),
                ("count", .unsigned(UInt64(bucket.count))),
                ("nearest_maturity_days", bucket.nearestMaturity.map { .integer($0) } ?? .null),
            ])
        }
        return .object([
            ("total_assets", figures.json(buckets.total)), ("total_return", figures.json(buckets.totalReturn)),
            ("total_return_percent", .text((buckets.rate * .hundred).rounded(2).description)),
            ("liquid", bucket(liquid)), ("stable", bucket(stable)),
            (
                "growth",
                .object([
                    ("total_amount", figures.json(growth.amount)), ("total_cost", figures.json(growth.cost)),
                    ("total_pnl", figures.json(growth.profit)),
                    ("pnl_percent", .text((growth.rate * .hundred).rounded(2).description)),
                    ("count", .unsigned(UInt64(growth.count))),
                ])
            ),
            (
                "insurance",
                .object([
                    ("active_count", .unsigned(UInt64(insurance.activeCount))),
                    ("total_count", .unsigned(UInt64(insurance.count))),
                    ("annual_premium", figures.json(insurance.annualPremium)),
                    ("covered_persons", .unsigned(UInt64(insurance.persons))),
                    ("nearest_renewal_days", insurance.nearestRenewal.map { .integer($0) } ?? .null),
                ])
            ),
            ("without_rate", .list(household.missingRates.sorted().map { .text($0) })),
        ])
    }
}
