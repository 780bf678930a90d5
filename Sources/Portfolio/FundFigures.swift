package import Values
import VaultFormat
import Cards

/// All that a line of the list of funds says of one.
package struct FundFigures: Sendable {
    package let fund: Fund
    private let result: Result<Estimate, EstimateGap>
    package let netValue: Estimate.NetValue?
    /// The estimate, else the net value.
    package let price: ExactDecimal?
    /// At this price.
    package let profit: Profit?
    /// What the net value moved by since the one of the trading day before; nil where that is not known.
    package let netValueChange: ExactDecimal?
    /// How near its estimates came.
    package let accuracy: Accuracy?
    /// The last day on which an estimate was held against the net value.
    private let lastSample: Accuracy.Sample?
    /// How far the estimate is from what a source says of the same session; nil where none does.
    package let spread: ExactDecimal?
    /// What was dropped since the newest net value.
    package let droppedValues: [DroppedValue]
    private let clock: TradingClock

    package init(_ fund: Fund, _ watchlist: Watchlist) {
        (self.fund, clock) = (fund, watchlist.clock)
        result = watchlist.estimate(fund)
        netValue = watchlist.netValue(fund.code)
        price = (try? result.get())?.value ?? netValue?.value
        profit = price.flatMap { Profit(fund.lots, price: $0) }
        accuracy = watchlist.accuracy[fund.code].flatMap { Accuracy($0) }
        lastSample = watchlist.accuracy[fund.code]?.last
        netValueChange = watchlist.netValueChange(fund)
        droppedValues = watchlist.dropped(fund)
        spread = (try? result.get()).flatMap { watchlist.spread(of: $0, fund) }
    }

    package var estimate: Estimate? { try? result.get() }

    /// The return: of what is held, else of one share at its cost.
    package var rate: ExactDecimal? {
        if let profit { return profit.rate }
        return price.flatMap { price in fund.costOfShare.flatMap { price.divided(by: $0) } }.map { $0 - .one }
    }

    /// The change that a list shows: of the estimate, or of the net value of its day once that is known.
    package var change: ExactDecimal? { estimate?.change ?? (gap == .published ? netValueChange : nil) }

    /// How far the estimate was from the net value that is the newest; nil where there was none.
    package var lastError: ExactDecimal? {
        lastSample.flatMap { $0.day == netValue?.day ? $0.deviation : nil }
    }

    private var gap: Estimate.Gap? { if case .failure(let gap) = result { gap.reason } else { nil } }

    /// A line of `fund --json`.
    package static let line = Shape<Self>(
        "",
        [
            .text("code", \.fund.code), .text("name", \.fund.name), .text("group", \.fund.group),
            .flag("pinned", \.fund.isPinned), .rounded("estimate", 4, \.estimate?.value),
            .rounded("change", 12, \.estimate?.change), .word("method", \.fund.method),
            .text("no_estimate", \.gap?.rawValue), .rounded("coverage", 4, \.estimate?.coverage),
            .time("quotes_from") { $0.estimate.map { Timestamp(second: $0.oldestQuote) } },
            .time("quotes_to") { $0.estimate.map { Timestamp(second: $0.newestQuote) } },
            .texts("missing") { $0.estimate?.missing ?? [] }, .texts("dropped") { $0.estimate?.dropped ?? [] },
            .texts("old") { $0.estimate?.old ?? [] }, .rounded("rate", 8, \.estimate?.rates?.now.rate),
            .day("rate_date", \.estimate?.rates?.now.day), .day("nav_rate_date", \.estimate?.rates?.then.day),
            .rounded("nav", 4, \.netValue?.value), .day("nav_date", \.netValue?.day),
            .text("report_date", \.fund.reportDate), .rounded("cost", 2, \.profit?.cost),
            .rounded("value", 2, \.profit?.value), .rounded("profit", 2, \.profit?.amount),
            .rounded("return", 12, \.rate), .rounded("median_error", 12, \.accuracy?.median),
            .rounded("nav_change", 12, \.netValueChange), .rounded("nav_error", 12, \.lastError),
            .rounded("spread", 12, \.spread), .texts("dropped_values") { $0.droppedValues.map(\.line) },
        ])

    package static let heads: [Phrase] = [
        "", "code", "name", "estimate", "day's change", "net value", "profit", "return", "",
    ]

    /// Pin, code, name, estimate, change, net value, profit, return, and what the reader must know beside them.
    ///
    /// - Parameter now: seconds since 1970.
    package func cells(now: Int64) -> [Phrase] {
        let texts: [String?] = [
            fund.isPinned ? "*" : "", fund.code, fund.name, estimate?.value.rounded(4).description,
            change.map { percentText($0, signed: true) },
            netValue.map { "\($0.value.rounded(4)) (\($0.day.text.dropFirst(5)))" },
            profit.map { signedText($0.amount.rounded(2)) }, rate.map { percentText($0, signed: true) },
        ]
        return texts.map { "\($0 ?? "—")" } + [notes(now: now)]
    }

    /// A remark on the estimate, by what sources say of the same session.
    package var spreadNotice: Phrase? {
        spread.map { spread in
            spread.magnitude > Accuracy.limit
                ? "estimates differ by more than 0.5 %: for reference only"
                : "estimates differ by 0.5 % at most: for reference only"
        }
    }

    /// The usual name for the day of the net value in the evening; nil of one that is older than the session before.
    package func netValueLabel(now: Int64) -> Phrase? {
        guard let day = netValue?.day else { return nil }
        let today = clock.today(now, market: fund.market)
        if day == today { return "net value of today" }
        guard day < today, !clock.hasSession(between: day, and: today, market: fund.market) else { return nil }
        return clock.isOver(now, market: fund.market)
            ? "the net value of today is not there yet" : "net value of the day before"
    }

    /// How the estimate was found, and what a reader must know of it.
    package func notes(now: Int64) -> Phrase {
        var notes: [Phrase] = []
        let dropped: [String]
        switch result {
        case .success(let estimate):
            notes += self.notes(estimate, now: now)
            dropped = estimate.dropped
        case .failure(let gap):
            notes.append(gap.reason.said)
            dropped = gap.dropped
        }
        if !dropped.isEmpty { notes.append("dropped \(dropped.joined(separator: " "))") }
        for value in droppedValues.suffix(2) { notes.append("dropped: \(value.said)") }
        if let accuracy { notes.append("median error \(percentText(accuracy.median))") }
        if let lastError { notes.append("the estimate was off by \(percentText(lastError, signed: true))") }
        if let spread, spread.magnitude > Accuracy.limit, let spreadNotice { notes.append(spreadNotice) }
        return notes.dropFirst().reduce(notes.first ?? "") { "\($0), \($1)" }
    }

    private func notes(_ estimate: Estimate, now: Int64) -> [Phrase] {
        var notes: [Phrase] = ["\(estimate.method.rawValue)"]
        if estimate.method != .given { notes.append("covers \(estimate.coverage.rounded(2)) %") }
        if let report = fund.reportDate, fund.isValuedByReport {
            let isOld = fund.isReportOld(on: TradingClock.day(now))
            notes.append(isOld ? "old report of \(report)" : "report of \(report)")
        }
        if let (now, then) = estimate.rates {
            notes.append("rate \(now.rate.rounded(4))")
            // A rate may be of another day than it stands for.
            let isOld = now.day < TradingClock.day(estimate.newestQuote) || then.day < estimate.anchor.day
            if isOld { notes.append("rates of \(then.day.text) and \(now.day.text)") }
        }
        if estimate.oldestDay != estimate.day || estimate.day != clock.session(now, market: fund.market) {
            notes.append("old prices")
        }
        // The prices say what the last day alone did.
        if clock.hasSession(between: estimate.anchor.day, and: estimate.day, market: fund.market) {
            notes.append("net value of days before")
        }
        if !estimate.old.isEmpty { notes.append("not after the net value: \(estimate.old.joined(separator: " "))") }
        if !estimate.missing.isEmpty { notes.append("without \(estimate.missing.joined(separator: " "))") }
        return notes
    }
}

extension Estimate.Gap {
    /// The reason in words.
    fileprivate var said: Phrase {
        switch self {
        case .netValue: "no net value yet"
        case .holdings: "what it holds is not known"
        case .quotes: "no prices"
        case .rate: "no exchange rate of the last seven days"
        case .published: "the net value of the day is known"
        }
    }
}

package struct FundOrder: Sendable {
    /// The figure that it goes by.
    package enum Figure: String, CaseIterable, Sendable { case change, estimate, added }

    private let figure: Figure
    private let isReversed: Bool

    /// Reads `change`, or `-change`; nil of what is no figure.
    package init?(_ text: String) {
        guard let figure = Figure(rawValue: String(text.drop { $0 == "-" })) else { return nil }
        (self.figure, isReversed) = (figure, text.hasPrefix("-"))
    }

    private func value(_ row: FundFigures) -> ExactDecimal? {
        switch figure {
        case .change: row.estimate?.change
        case .estimate: row.estimate?.value
        case .added: ExactDecimal(Int(row.fund.created.seconds))
        }
    }

    /// Rows without the figure come last.
    package func sorted(_ rows: [FundFigures]) -> [FundFigures] {
        rows.enumerated().sorted { one, other in
            guard let a = value(one.element), let b = value(other.element), a != b else {
                let (has, hasOther) = (value(one.element) != nil, value(other.element) != nil)
                return has == hasOther ? one.offset < other.offset : has
            }
            return isReversed ? b < a : a < b
        }.map(\.element)
    }
}
