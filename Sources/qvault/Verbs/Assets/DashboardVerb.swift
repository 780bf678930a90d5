import Portfolio
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let dashboard = Verb.at(
        name: "dashboard", summary: "all assets, the four buckets, the position, and what is due, on one screen",
        operands: "", operandCount: 0...0,
        options: [
            .vault, Option(.days, value: "N", help: "the trend of so many days (30)"), .isPrivate, .json,
        ] + Option.use,
        example: ("qvault dashboard --private", "the trend is of snapshots: 'qvault snapshot' takes one a day")
    ) { path, arguments in
        let days = try arguments.text(.days).map(Dashboard.days)
        let vault = try Session.open(path, arguments)
        let board = try Dashboard(vault, days: days ?? 30, Figures(arguments), Paint(arguments))
        board.nameCopies()
        var out = StandardOutput()
        // The names in it are printable; what is left are colours.
        try out.write(raw: arguments.has(.json) ? board.json.line + "\n" : board.text())
        try out.flush()
        return .done
    }
}

/// The screen of `dashboard`.
struct Dashboard {
    private let household: Household
    private let watchlist: Watchlist
    private let position: Position
    private let snapshots: [Snapshot]
    private let due: [Due]
    private let today: Day
    private let days: Int64
    private let figures: Figures
    private let paint: Paint

    /// Names the copies that a merge left.
    func nameCopies() { household.nameCopies() }

    /// A number of days.
    static func days(_ text: String) throws -> Int64 {
        guard let days = Int64(text), 1...36_600 ~= days else {
            throw Failure(.usage, "--days takes a number of days from 1 to 36600")
        }
        return days
    }

    init(_ vault: Vault, days: Int64, _ figures: Figures, _ paint: Paint) throws {
        self.paint = paint
        watchlist = try Watchlist(vault)
        household = try Household(vault, watchlist)
        position = try Position(vault, household)
        let day = Machine.today
        snapshots = try Snapshot.all(in: vault).filter { $0.day.distance(to: day) < days }
        due = try Due.today(in: vault, within: 30)
        (today, self.days, self.figures) = (day, days, figures)
    }

    func text() -> String {
        let insurance = household.insurance(today: today)
        var lines = [headline(household.buckets(today: today)), ""] + bucketLines
        let premium = figures.amount(insurance.annualPremium)
        let renewal = insurance.nearestRenewal.map { Phrase(", next payment in \($0) days").said } ?? ""
        let policies: Phrase =
            "\(insurance.activeCount) active, \(insurance.persons) persons, \(premium) a year\(renewal)"
        lines += line("insurance", policies.said)
        lines += line("position", positionText)
        let ratio = household.debtRatio.map { percentText($0) } ?? "—"
        let family: Phrase =
            "assets \(figures.amount(household.totalAssets)), debts \(figures.amount(household.totalDebts)), net \(figures.amount(household.net)), debt ratio \(ratio)"
        lines += line("family", family.said)
        if !due.isEmpty { lines += line("due", "\(due.counts.said): qvault due") }
        lines +=
            household.withoutBucket.map { count, amount in
                let what: Phrase =
                    "in no bucket: \(count) assets of \(figures.amount(amount)); 'qvault asset edit NAME bucket=liquid' puts one there"
                return wrapped(what.said, Figures.terminalColumns, indent: 0)
            } ?? []
        lines += figures.withoutRate(household).flatMap { wrapped($0, Figures.terminalColumns, indent: 0) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let nameWidth = 10

    /// A line with a name before it, broken at blanks where the terminal is narrow.
    private func line(_ name: Phrase, _ text: String) -> [String] {
        let text = padded(name.said, Self.nameWidth) + "  " + text
        return wrapped(text, Figures.terminalColumns, indent: Self.nameWidth + 2)
    }

    /// A line for each bucket that is an asset: amount, share, a bar, and what it earns.
    private var bucketLines: [String] {
        let (liquid, stable) = (household.buckets(today: today).liquid, household.buckets(today: today).stable)
        let (growth, total) = (household.growth, household.buckets(today: today).total)
        let maturity = stable.nearestMaturity.map { Phrase(", matures in \($0) days").said } ?? ""
        func yearly(_ bucket: Household.Bucket) -> Phrase { "about \(figures.amount(bucket.estimatedReturn)) a year" }
        let profit = figures.amount(growth.profit, isSigned: true)
        let profits: Phrase = "profit \(profit) (\(percentText(growth.rate, signed: true)))"
        let rows: [(Phrase, ExactDecimal, String)] = [
            ("liquid", liquid.amount, yearly(liquid).said), ("stable", stable.amount, yearly(stable).said + maturity),
            ("growth", growth.amount, paint.byItsSign(profits.said, profit, isFigure: !figures.isHidden)),
        ]
        let amounts = rows.map { figures.amount($0.1) }
        let width = amounts.map(columns).max() ?? 0
        let widest = [yearly(liquid).said, yearly(stable).said + maturity, profits.said].map(columns).max() ?? 0
        let left = Self.nameWidth + 2 + width + 11
        let isNarrow = Figures.terminalColumns < left + 10 + widest
        let room =
            isNarrow ? max(8, Figures.terminalColumns - left) : min(40, Figures.terminalColumns - left - 2 - widest)
        return rows.indices.flatMap { place -> [String] in
            let share = rows[place].1.divided(by: total) ?? .zero
            let percent = padded(percentText(share), 7, left: true)
            let head = padded(rows[place].0.said, Self.nameWidth) + "  " + padded(amounts[place], width, left: true)
            let bar = padded(Figures.bar(share, width: room), isNarrow ? 0 : room)
            let indent = String(repeating: " ", count: Self.nameWidth + 2)
            let first = "\(head)  \(percent)  \(bar)"
            return isNarrow
                ? [first.trimmingEnd(), indent + rows[place].2] : ["\(first)  \(rows[place].2)".trimmingEnd()]
        }
    }

    /// The share of the budget, where it stands between its bounds, and what that suggests.
    private var positionText: String {
        let plan = position.plan
        let advice = position.said(watchlist, figures).said
        guard plan.budget.sign > 0 else { return advice }
        let gauge = Figures.gauge(position.ratio, plan.least, plan.most, width: 20)
        return "\(position.ratio.rounded(2))%  \(gauge)  \(plan.wanted.said)  \(advice)"
    }

    /// The total, how it moved since the first snapshot of the time, and its shape.
    private func headline(_ buckets: Household.Buckets) -> String {
        var words = ["\(Phrase("buckets in all").said) \(figures.amount(buckets.total))"]
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
        let (liquid, stable) = (household.buckets(today: today).liquid, household.buckets(today: today).stable)
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
