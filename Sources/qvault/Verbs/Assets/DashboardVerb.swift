import Portfolio
import VaultFormat
import VaultStore

extension Verb {
    static let dashboard = Verb.at(
        name: "dashboard", summary: "all assets, the four buckets, the position, and what is due, on one screen",
        options: [.vault, Option(.days, value: "N", help: "the trend of so many days (30)"), .isPrivate, .json]
            + Option.use,
        example: "qvault dashboard --private", note: "the trend is of snapshots: 'qvault snapshot' takes one a day"
    ) { path, arguments in
        let days = try arguments.days(or: Dashboard.daysComplaint)
        let vault = try Session.open(path, arguments)
        let board = try Dashboard(vault, days: days ?? 30, Figures(arguments), Paint(arguments))
        board.nameWhatDoesNotCount()
        Messages.note(FundTable.risk)
        // The names in it are printable; what is left are colours.
        return try StandardOutput.print(raw: arguments.has(.json) ? board.json + "\n" : board.text())
    }
}

/// The screen of `dashboard`.
struct Dashboard {
    private let household: Household
    private let buckets: Household.Buckets
    private let suggestion: Position.Suggestion
    private let snapshots: [Snapshot]
    private let due: [Due]
    private let today: Day
    private let days: Int64
    private let figures: Figures
    private let paint: Paint

    /// Names the copies that a merge left.
    func nameWhatDoesNotCount() { household.nameWhatDoesNotCount() }

    static let daysComplaint: Phrase = "--days takes a number of days from 1 to 36600"

    init(_ vault: Vault, days: Int64, _ figures: Figures, _ paint: Paint) throws {
        self.paint = paint
        let watchlist = try Watchlist(vault)
        household = try Household(vault, watchlist)
        let day = Machine.today
        buckets = household.buckets(today: day)
        suggestion = try Position.suggestion(vault, household, watchlist, today: day)
        snapshots = try Snapshot.all(in: vault).filter { $0.day.distance(to: day) < days }
        due = try Due.today(in: vault, within: 30)
        (today, self.days, self.figures) = (day, days, figures)
    }

    func text() -> String {
        let insurance = buckets.insurance
        var lines = [headline, ""] + bucketLines
        let premium = figures.amount(insurance.annualPremium)
        let renewal = insurance.nearestRenewal.map { Phrase(", next payment in \($0) days").said } ?? ""
        lines += line(
            "insurance", "\(insurance.activeCount) active, \(insurance.persons) persons, \(premium) a year\(renewal)")
        lines += line("position", "\(positionText)")
        let (assets, debts) = (figures.amount(household.totalAssets), figures.amount(household.totalDebts))
        let net = figures.amount(household.net)
        lines += line("family", "assets \(assets), debts \(debts), net \(net), debt ratio \(household.debtRatioText)")
        if !due.isEmpty { lines += line("due", "\(due.counts): qvault due") }
        if let (count, amount) = household.withoutBucket {
            let what: Phrase =
                "in no bucket: \(count) assets of \(figures.amount(amount)); 'qvault asset edit NAME bucket=liquid' puts one there"
            lines += wrapped(what.said, Figures.terminalColumns, indent: 0)
        }
        lines += figures.withoutRate(household).flatMap { wrapped($0, Figures.terminalColumns, indent: 0) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let nameWidth = 10

    /// A line with a name before it, broken at blanks where the terminal is narrow.
    private func line(_ name: Phrase, _ what: Phrase) -> [String] {
        let text = padded(name.said, Self.nameWidth) + "  " + what.said
        return wrapped(text, Figures.terminalColumns, indent: Self.nameWidth + 2)
    }

    /// A line for each bucket that is an asset: amount, share, a bar, and what it earns.
    private var bucketLines: [String] {
        let (liquid, stable, growth) = (buckets.liquid, buckets.stable, buckets.growth)
        let maturity = stable.nearestMaturity.map { Phrase(", matures in \($0) days").said } ?? ""
        func yearly(_ bucket: Household.Bucket) -> Phrase { "about \(figures.amount(bucket.estimatedReturn)) a year" }
        let profit = figures.amount(growth.profit, isSigned: true)
        let profits: Phrase = "profit \(profit) (\(percentText(growth.rate, signed: true)))"
        let plain = [yearly(liquid).said, yearly(stable).said + maturity, profits.said]
        let earned = plain.prefix(2) + [paint.byItsSign(plain[2], profit, isFigure: !figures.isHidden)]
        let amounts = buckets.assets.map { figures.amount($0.amount) }
        let width = amounts.map(columns).max() ?? 0
        let widest = plain.map(columns).max() ?? 0
        let left = Self.nameWidth + 2 + width + 11
        let isNarrow = Figures.terminalColumns < left + 10 + widest
        let room =
            isNarrow ? max(8, Figures.terminalColumns - left) : min(40, Figures.terminalColumns - left - 2 - widest)
        return zip(buckets.assets, amounts).enumerated().flatMap { place, row -> [String] in
            let share = row.0.amount.divided(by: buckets.total) ?? .zero
            let percent = padded(percentText(share), 7, left: true)
            let head = padded(row.0.name.said, Self.nameWidth) + "  " + padded(row.1, width, left: true)
            let bar = padded(Figures.bar(share, width: room), isNarrow ? 0 : room)
            let indent = String(repeating: " ", count: Self.nameWidth + 2)
            let first = "\(head)  \(percent)  \(bar)"
            return isNarrow
                ? [first.trimmingEnd(), indent + earned[place]] : ["\(first)  \(earned[place])".trimmingEnd()]
        }
    }

    /// The share of the budget, where it stands between its bounds, and what that suggests.
    private var positionText: String {
        let (plan, ratio) = (suggestion.position.plan, suggestion.position.ratio)
        let advice = suggestion.said(figures).said
        guard plan.budget.sign > 0 else { return advice }
        let gauge = Figures.gauge(ratio, plan.least, plan.most, width: 20)
        return "\(ratio.rounded(2))%  \(gauge)  \(plan.wanted.said)  \(advice)"
    }

    /// The total, how it moved since the first snapshot of the time, and its shape.
    private var headline: String {
        var words = ["\(Phrase("buckets in all").said) \(figures.amount(buckets.total))"]
        if let first = snapshots.first, snapshots.count > 1 || first.day < today {
            let moved = buckets.total - first.total
            let rate = moved.divided(by: first.total).map { " (\(percentText($0, signed: true)))" } ?? ""
            words.append(Phrase("\(days) days \(figures.amount(moved, isSigned: true))\(rate)").said)
        }
        // The shape has no amounts.
        words.append(Chart.sparkline(snapshots.suffix(30).map(\.total)))
        return words.filter { !$0.isEmpty }.joined(separator: "   ")
    }

    var json: String { Household.Buckets.line.texts(buckets, isHidden: figures.isHidden).line }
}
