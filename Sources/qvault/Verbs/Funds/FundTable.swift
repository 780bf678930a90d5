import Portfolio
import VaultFormat
import VaultIO

/// One fund of the list, with all that its line says.
struct FundRow {
    let fund: Fund
    let estimate: Result<Estimate, EstimateGap>
    let netValue: Estimate.NetValue?
    /// The estimate, else the net value.
    let price: ExactDecimal?
    /// At this price.
    let profit: Profit?
    let accuracy: Accuracy?
    /// The last day on which an estimate was held against the net value.
    private let lastDeviation: ExactDecimal?
    private let clock: TradingClock

    init(_ fund: Fund, _ watchlist: Watchlist) {
        (self.fund, clock) = (fund, watchlist.clock)
        estimate = watchlist.estimate(fund)
        netValue = watchlist.netValue(fund.code)
        price = (try? estimate.get())?.value ?? netValue?.value
        profit = price.flatMap { Profit(fund.lots, price: $0) }
        accuracy = watchlist.accuracy[fund.code].flatMap { Accuracy($0) }
        lastDeviation = watchlist.accuracy[fund.code]?.last?.deviation
    }

    /// The estimate; nil where there is none.
    var value: Estimate? { try? estimate.get() }

    /// Code, name, estimate, change, net value, profit, return, and what the reader must know beside them.
    ///
    /// - Parameter now: seconds since 1970.
    func cells(now: Int64) -> [String] {
        let day = netValue.map { $0.day.text.dropFirst(5) }
        return [
            fund.isPinned ? "*" : "", fund.code, printable(fund.name.utf8), value?.value.rounded(4).description ?? "—",
            value.map { percentText($0.change, signed: true) } ?? "—",
            netValue.map { "\($0.value.rounded(4)) (\(day ?? ""))" } ?? "—",
            profit.map { signedText($0.amount.rounded(2)) } ?? "—",
            profit?.rate.map { percentText($0, signed: true) } ?? "—", notes(now: now),
        ]
    }

    /// What the last deviation says of the next estimate.
    var deviationNotice: Phrase? {
        lastDeviation.map { deviation in
            deviation.magnitude > Accuracy.limit
                ? "the last estimate was off by more than 0.5 %" : "the last estimate was off by 0.5 % at most"
        }
    }

    /// How the estimate was found, and what a reader must know of it.
    func notes(now: Int64) -> String {
        var notes: [Phrase] = []
        switch estimate {
        case .success(let estimate):
            notes.append("\(estimate.method.rawValue)")
            if estimate.method != .given { notes.append("covers \(estimate.coverage.rounded(2)) %") }
            if let report = fund.reportDate, [.top10, .scaled].contains(estimate.method) {
                notes.append("report of \(report)")
            }
            notes += rateNotes(estimate)
            if estimate.oldestDay != estimate.day || estimate.day != clock.session(now, market: fund.market) {
                notes.append("old prices")
            }
            // The prices say what the last day alone did.
            if clock.hasSession(between: estimate.anchor.day, and: estimate.day, market: fund.market) {
                notes.append("net value of days before")
            }
            if !estimate.old.isEmpty { notes.append("not after the net value: \(estimate.old.joined(separator: " "))") }
            if !estimate.missing.isEmpty { notes.append("without \(estimate.missing.joined(separator: " "))") }
            if !estimate.dropped.isEmpty { notes.append("dropped \(estimate.dropped.joined(separator: " "))") }
        case .failure(let gap):
            notes.append(gap.said)
            if !gap.dropped.isEmpty { notes.append("dropped \(gap.dropped.joined(separator: " "))") }
        }
        if let accuracy { notes.append("median error \(percentText(accuracy.median))") }
        if let lastDeviation, lastDeviation.magnitude > Accuracy.limit, let deviationNotice {
            notes.append(deviationNotice)
        }
        return notes.map(\.said).joined(separator: Language.current == .chinese ? "，" : ", ")
    }

    /// The rate of exchange, and the days of both rates where one is of another day than it stands for.
    private func rateNotes(_ estimate: Estimate) -> [Phrase] {
        guard let (now, then) = estimate.rates else { return [] }
        let days = [now.day.text, then.day.text]
        let isOld = now.day < TradingClock.day(estimate.newestQuote) || then.day < estimate.anchor.day
        return ["rate \(now.rate.rounded(4))"] + (isOld ? ["rates of \(days[1]) and \(days[0])"] : [])
    }

    /// The fund as a line of JSON; figures are texts, and null where there is none.
    var json: JSON {
        func text(_ value: ExactDecimal?, _ places: Int) -> JSON {
            value.map { .text($0.rounded(places).description) } ?? .null
        }
        func time(_ seconds: Int64?) -> JSON {
            seconds.map { .text(Timestamp(second: $0).text) } ?? .null
        }
        func day(_ day: Day?) -> JSON { day.map { .text($0.text) } ?? .null }
        let gap: Estimate.Gap? = if case .failure(let gap) = estimate { gap.reason } else { nil }
        return .object([
            ("code", .text(fund.code)), ("name", .text(fund.name)), ("group", fund.group.map { .text($0) } ?? .null),
            ("pinned", .bool(fund.isPinned)), ("estimate", text(value?.value, 4)), ("change", text(value?.change, 12)),
            ("method", .text(fund.method.rawValue)), ("no_estimate", gap.map { .text($0.rawValue) } ?? .null),
            ("coverage", text(value?.coverage, 4)), ("quotes_from", time(value?.oldestQuote)),
            ("quotes_to", time(value?.newestQuote)), ("missing", .list((value?.missing ?? []).map { .text($0) })),
            ("dropped", .list((value?.dropped ?? []).map { .text($0) })),
            ("old", .list((value?.old ?? []).map { .text($0) })), ("rate", text(value?.rates?.now.rate, 8)),
            ("rate_date", day(value?.rates?.now.day)), ("nav_rate_date", day(value?.rates?.then.day)),
            ("nav", text(netValue?.value, 4)),
            ("nav_date", day(netValue?.day)),
            ("report_date", fund.reportDate.map { .text($0) } ?? .null), ("cost", text(profit?.cost, 2)),
            ("value", text(profit?.value, 2)), ("profit", text(profit?.amount, 2)), ("return", text(profit?.rate, 12)),
            ("median_error", text(accuracy?.median, 12)),
        ])
    }
}

extension EstimateGap {
    /// The reason in words.
    var said: Phrase {
        switch reason {
        case .netValue: "no net value yet"
        case .holdings: "what it holds is not known"
        case .quotes: "no prices"
        case .rate: "no exchange rate of the last seven days"
        case .published: "the net value of the day is known"
        }
    }
}

extension Watchlist {
    /// What to do with the copies that a merge left; nil where there are none.
    var mergeCopyNotice: Phrase? { mergeCopies.isEmpty ? nil : .mergeCopies(mergeCopies) }
}

extension Phrase {
    static func mergeCopies(_ titles: [String]) -> Phrase {
        let names = titles.map { "'\(printable($0.utf8))'" }.joined(separator: ", ")
        return "copies that a merge left do not count: \(names); 'qvault resolve' makes one card of two"
    }
}

/// The list of funds as a table.
struct FundTable {
    private let rows: [FundRow]
    private let watchlist: Watchlist
    private let title: String?
    private let paint: Paint

    init(_ rows: [FundRow], _ watchlist: Watchlist, title: String?, paint: Paint) {
        (self.rows, self.watchlist, self.title, self.paint) = (rows, watchlist, title, paint)
    }

    /// - Parameter width: the columns that a line may take.
    func text(width: Int = .max) -> String {
        let now = Machine.store.now().seconds
        let heads: [Phrase] = ["", "code", "name", "estimate", "day's change", "net value", "profit", "return", ""]
        var cells = [heads.map(\.said)] + rows.map { $0.cells(now: now) }
        let groups = Set(rows.compactMap(\.fund.group)).sorted()
        if groups.count > 1 {
            for group in groups {
                cells += Self.total(of: rows.filter { $0.fund.group == group }, "\(printable(group.utf8)): ")
            }
        }
        cells += Self.total(of: rows, "")
        let plain = { (line: String) in width == .max ? line : clipped(line, width) }
        let lines = [plain(header(now))] + lines(cells, width) + footer().map(plain)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The sum of what is owned, over funds with shares and a price; none where there are none.
    private static func total(of rows: [FundRow], _ name: String) -> [[String]] {
        // Amounts of several currencies are not added up.
        let profits = rows.filter { $0.fund.currency == "CNY" }.compactMap(\.profit)
        guard !profits.isEmpty else { return [] }
        let (total, left) = (profits.reduce(.zero, +), rows.count - profits.count)
        let counted: Phrase = "total of \(profits.count)"
        let rest: Phrase = "\(left) without shares or price left out"
        return [
            [
                "", "", name + counted.said, "", "", "", signedText(total.amount.rounded(2)),
                total.rate.map { percentText($0, signed: true) } ?? "—", left > 0 ? rest.said : "",
            ]
        ]
    }

    private func header(_ now: Int64) -> String {
        let name = title.map { printable($0.utf8) } ?? Phrase("all funds").said
        let newest = rows.compactMap { $0.value?.newestQuote }.max()
        let sources = Set(rows.filter { $0.value != nil }.flatMap(\.fund.quoteCodes))
            .compactMap { watchlist.prices.quotes[$0]?.source }
        let count: Phrase = "\(name): \(rows.count)"
        guard let newest else { return count.said }
        let names = Set(sources).sorted().map { printable($0.utf8) }.joined(separator: " ")
        let age: Phrase =
            "prices of \(TradingClock.day(newest).text) \(TradingClock.clock(newest)), UTC+8"
        let source: Phrase = "source \(names)"
        return ([count.said, age.said] + (names.isEmpty ? [] : [source.said])).joined(separator: "   ")
    }

    /// Columns of equal width; numbers to the right, and those with a sign in colour.
    private func lines(_ cells: [[String]], _ width: Int) -> [String] {
        let widths = cells[0].indices.map { place in cells.map { columns($0[place]) }.max() ?? 0 }
        return cells.map { row in
            var (line, left) = ("", width)
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            for (place, cell) in row.enumerated() where place <= last && left > 0 {
                let isNumber = 3...7 ~= place
                let text =
                    (place > 0 ? "  " : "")
                    + padded(cell, place == last && !isNumber ? 0 : widths[place], left: isNumber)
                let shown = columns(text) > left ? clipped(text, left) : text
                left -= columns(shown)
                line += paint.byItsSign(shown, cell, isFigure: [4, 6, 7].contains(place))
            }
            return line
        }
    }

    private func footer() -> [String] {
        var lines: [Phrase] = []
        if !watchlist.conflicts.isEmpty {
            lines.append(
                "two values at one time, since a merge: \(watchlist.conflicts.count); the next price replaces them")
        }
        if let copies = watchlist.mergeCopyNotice { lines.append(copies) }
        if !watchlist.strayHoldings.isEmpty {
            let codes = Set(watchlist.strayHoldings.map(\.code)).sorted().joined(separator: " ")
            lines.append("holdings of funds that are not watched: \(codes)")
        }
        return (lines + [Self.disclaimer]).map(\.said)
    }

    static let disclaimer: Phrase =
        "an estimate is not the net value: what the fund company publishes after the close counts; no advice"

    /// The order of the list.
    struct Sort {
        private let key: String?
        private let isReversed: Bool

        init(_ text: String?) throws {
            isReversed = text?.hasPrefix("-") ?? false
            key = text.map { String($0.drop { $0 == "-" }) }
            guard key.map({ ["change", "estimate", "added"].contains($0) }) ?? true else {
                throw Failure(.usage, "fund: --sort takes change, estimate or added")
            }
        }

        /// Rows without the figure come last.
        func sorted(_ rows: [FundRow]) -> [FundRow] {
            let figure: (FundRow) -> ExactDecimal? =
                switch key {
                case "change": { $0.value?.change }
                case "estimate": { $0.value?.value }
                case "added": { ExactDecimal(Int($0.fund.created.seconds)) }
                default: { _ in nil }
                }
            guard key != nil else { return rows }
            return rows.enumerated().sorted { one, other in
                guard let a = figure(one.element), let b = figure(other.element), a != b else {
                    let (has, hasOther) = (figure(one.element) != nil, figure(other.element) != nil)
                    return has == hasOther ? one.offset < other.offset : has
                }
                return isReversed ? b < a : a < b
            }.map(\.element)
        }
    }
}

/// A part of one as percent with two places.
func percentText(_ value: ExactDecimal, signed isSigned: Bool = false) -> String {
    let percent = (value * .hundred).rounded(2)
    return (isSigned ? signedText(percent) : percent.description) + "%"
}

/// With its sign; none for zero.
func signedText(_ value: ExactDecimal) -> String {
    value.sign > 0 ? "+\(value)" : value.sign == 0 ? value.magnitude.description : value.description
}
