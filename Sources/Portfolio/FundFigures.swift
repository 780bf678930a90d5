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
    /// How near its estimates came.
    package let accuracy: Accuracy?
    /// The last day on which an estimate was held against the net value.
    private let lastDeviation: ExactDecimal?
    private let clock: TradingClock

    package init(_ fund: Fund, _ watchlist: Watchlist) {
        (self.fund, clock) = (fund, watchlist.clock)
        result = watchlist.estimate(fund)
        netValue = watchlist.netValue(fund.code)
        price = (try? result.get())?.value ?? netValue?.value
        profit = price.flatMap { Profit(fund.lots, price: $0) }
        accuracy = watchlist.accuracy[fund.code].flatMap { Accuracy($0) }
        lastDeviation = watchlist.accuracy[fund.code]?.last?.deviation
    }

    package var estimate: Estimate? { try? result.get() }

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
            .rounded("return", 12, \.profit?.rate), .rounded("median_error", 12, \.accuracy?.median),
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
            estimate.map { percentText($0.change, signed: true) },
            netValue.map { "\($0.value.rounded(4)) (\($0.day.text.dropFirst(5)))" },
            profit.map { signedText($0.amount.rounded(2)) }, profit?.rate.map { percentText($0, signed: true) },
        ]
        return texts.map { "\($0 ?? "—")" } + [notes(now: now)]
    }

    /// The last deviation, as a remark on the next estimate.
    package var deviationNotice: Phrase? {
        lastDeviation.map { deviation in
            deviation.magnitude > Accuracy.limit
                ? "the last estimate was off by more than 0.5 %" : "the last estimate was off by 0.5 % at most"
        }
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
        if let accuracy { notes.append("median error \(percentText(accuracy.median))") }
        if let lastDeviation, lastDeviation.magnitude > Accuracy.limit, let deviationNotice {
            notes.append(deviationNotice)
        }
        return notes.dropFirst().reduce(notes.first ?? "") { "\($0), \($1)" }
    }

    private func notes(_ estimate: Estimate, now: Int64) -> [Phrase] {
        var notes: [Phrase] = ["\(estimate.method.rawValue)"]
        if estimate.method != .given { notes.append("covers \(estimate.coverage.rounded(2)) %") }
        if let report = fund.reportDate, [.top10, .scaled].contains(estimate.method) {
            notes.append("report of \(report)")
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
