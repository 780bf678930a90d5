import Portfolio
import VaultFormat
import Cards
import VaultIO

extension Verb {
    static let fundShow = Verb.reading(
        name: "fund show",
        summary: "all that is known of a fund: estimate, holdings, what it holds, how good estimates were",
        operands: "CODE", operandCount: 1...1, options: [.json],
        example: ("qvault fund show 110011", "a part of its name will do too")
    ) { vault, arguments in
        let watchlist = try Watchlist(vault)
        let fund = try FundArguments.fund(arguments.operands[0], in: watchlist)
        let details = FundDetails(fund, watchlist)
        try StandardOutput.print(arguments.has(.json) ? details.json.line + "\n" : details.text())
        return .done
    }
}

/// All that is known of a fund, for `fund show`.
private struct FundDetails {
    private let fund: Fund
    private let watchlist: Watchlist
    private let row: FundRow

    init(_ fund: Fund, _ watchlist: Watchlist) {
        (self.fund, self.watchlist, row) = (fund, watchlist, FundRow(fund, watchlist))
    }

    func text() -> String {
        let group = fund.group.map { "  [\(printable($0.utf8))]" } ?? ""
        var lines = ["\(fund.code)  \(printable(fund.name.utf8))\(group)", ""]
        lines += Self.table(heads(now: Machine.store.now().seconds), rightFrom: .max)
        lines += section("holdings", lots, rightFrom: 1)
        let report = fund.reportDate.map { Phrase("what it holds, by its report of \($0)") } ?? "what it holds"
        lines += section(report, stocks, rightFrom: 2)
        return (lines + ["", FundTable.disclaimer.said]).joined(separator: "\n") + "\n"
    }

    /// Labels and what they stand for.
    private func heads(now: Int64) -> [[String]] {
        let today = TradingClock.day(now)
        var heads: [(Phrase, String)] = []
        let estimate = row.value
        let value = estimate.map { "\($0.value.rounded(4))  \(percentText($0.change, signed: true))" } ?? "—"
        heads.append(("estimate", [value, row.notes(now: now)].filter { !$0.isEmpty }.joined(separator: "  ")))
        if let estimate {
            let time = TradingClock.day(estimate.newestQuote).text
            let sources = Set(fund.quoteCodes.compactMap { watchlist.prices.quotes[$0]?.source }).sorted()
            let names = sources.map { printable($0.utf8) }.joined(separator: " ")
            heads.append(("prices", "\(time) \(TradingClock.clock(estimate.newestQuote))  \(names)"))
        }
        if let netValue = row.netValue {
            let day = netValue.day.text
            let source = watchlist.sources[fund.code].map { "  \(printable($0.utf8))" } ?? ""
            heads.append(("net value", "\(netValue.value.rounded(4))  \(day)\(source)"))
        }
        let values = (watchlist.netValues[fund.code] ?? []).suffix(30).map(\.value)
        if values.count > 1, let low = values.min(), let high = values.max() {
            let range = "\(low.rounded(4)) … \(high.rounded(4))"
            heads.append(("last \(values.count) net values", "\(Chart.sparkline(values))  \(range)"))
        }
        if let profit = row.profit {
            let rate = profit.rate.map { percentText($0, signed: true) } ?? "—"
            heads.append(("profit", "\(signedText(profit.amount.rounded(2)))  \(rate)"))
            heads.append(("return a year (XIRR)", yearly(today).map { percentText($0, signed: true) } ?? notComputable))
        }
        if let accuracy = row.accuracy {
            let within = percentText(accuracy.within)
            let said: Phrase =
                "\(accuracy.count) days, median \(percentText(accuracy.median)), worst \(percentText(accuracy.worst)), within 0.5 %: \(within)"
            heads.append(("estimates so far", said.said))
            heads.append(("", row.deviationNotice?.said ?? ""))
        }
        return heads.map { [$0.0.said, $0.1] }
    }

    private func yearly(_ today: Day) -> ExactDecimal? {
        row.price.flatMap { fund.moneyWeightedReturn(price: $0, today: today) }
    }

    private var notComputable: String { Phrase("not computable: a day is not known, or too few").said }

    /// The holdings by the running average, and by the diluted cost where trades tell it.
    private var lots: [[String]] {
        guard let price = row.price, !fund.lots.isEmpty else { return [] }
        let isTraded = fund.lots.contains { $0.position != nil }
        let heads: [Phrase] =
            ["platform", "shares", "average cost", "profit", "return"]
            + (isTraded ? ["diluted cost", "return on it"] : [])
        return [heads.map(\.said)]
            + fund.lots.map { lot in
                let profit = Profit([lot], price: price)
                let diluted = lot.position?.dilutedCostOfShare
                let rate = diluted.flatMap { (price - $0).divided(by: $0) }
                return [
                    lot.platform.isEmpty ? "—" : printable(lot.platform.utf8), lot.shares.rounded(2).description,
                    lot.cost.rounded(4).description, signedText((profit?.amount ?? .zero).rounded(2)),
                    profit?.rate.map { percentText($0, signed: true) } ?? "—",
                ]
                    + (isTraded
                        ? [
                            diluted?.rounded(4).description ?? "—",
                            rate.map { percentText($0, signed: true) } ?? "—",
                        ] : [])
            }
    }

    private var stocks: [[String]] {
        fund.stocks.map { stock in
            let quote = watchlist.prices.quotes[stock.code]
            return [
                stock.code, printable(stock.name.utf8), "\(stock.weight.rounded(2))%", quote?.price.description ?? "—",
                quote.map { percentText($0.change, signed: true) } ?? "—",
            ]
        }
    }

    private func section(_ title: Phrase, _ cells: [[String]], rightFrom column: Int) -> [String] {
        cells.isEmpty ? [] : ["", title.said] + Self.table(cells, rightFrom: column).map { "  " + $0 }
    }

    private static func table(_ cells: [[String]], rightFrom column: Int) -> [String] {
        guard let first = cells.first else { return [] }
        let widths = first.indices.map { place in cells.map { columns($0[place]) }.max() ?? 0 }
        return cells.map { row in
            row.enumerated().map { place, cell in padded(cell, widths[place], left: place >= column) }
                .joined(separator: "  ").trimmingEnd()
        }
    }

    /// The line of the list, with the holdings and the stocks.
    var json: JSON {
        let today = TradingClock.day(Machine.store.now().seconds)
        let lots = fund.lots.map { lot in
            JSON.object([
                ("platform", .text(lot.platform)), ("shares", .text(lot.shares.description)),
                ("cost", .text(lot.cost.description)),
                ("diluted_cost", lot.position?.dilutedCostOfShare.map { .text($0.description) } ?? .null),
            ])
        }
        let stocks = fund.stocks.map { stock in
            let quote = watchlist.prices.quotes[stock.code]
            return JSON.object([
                ("code", .text(stock.code)), ("name", .text(stock.name)), ("weight", .text(stock.weight.description)),
                ("price", quote.map { .text($0.price.description) } ?? .null),
                ("change", quote.map { .text($0.change.description) } ?? .null),
            ])
        }
        let more: [(String, JSON)] = [
            ("yearly_return", yearly(today).map { .text($0.description) } ?? .null), ("holdings", .list(lots)),
            ("stocks", .list(stocks)),
        ]
        return .object((row.json.members ?? []) + more)
    }
}
