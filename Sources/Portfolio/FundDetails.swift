package import Values
import VaultFormat
import Cards

/// All that is known of a fund: what its line says, what is held of it, and what it holds.
package struct FundDetails: Sendable {
    package let figures: FundFigures
    private let watchlist: Watchlist
    /// The return a year of what is held; nil where it cannot be computed.
    private let yearly: ExactDecimal?

    package init(_ fund: Fund, _ watchlist: Watchlist, today: Day) {
        (figures, self.watchlist) = (FundFigures(fund, watchlist), watchlist)
        yearly = figures.price.flatMap { fund.moneyWeightedReturn(price: $0, today: today) }
    }

    private static let lot = Shape<Fund.Lot>(
        "",
        [
            .text("platform", \.platform), .text("shares", \.shares.description), .text("cost", \.cost.description),
            .text("diluted_cost", \.position?.dilutedCostOfShare?.description),
        ])
    private static let stock = Shape<(stock: StockWeight, quote: Quote?)>(
        "",
        [
            .text("code", \.stock.code), .text("name", \.stock.name), .text("weight", \.stock.weight.description),
            .text("price", \.quote?.price.description), .text("change", \.quote?.change.description),
        ])
    /// The line of the list, with the holdings and the stocks.
    package static let line = Shape<Self>(
        "",
        FundFigures.line.fields.map { $0.of(\.figures) } + [
            .text("yearly_return", \.yearly?.description), .list("holdings", lot, \.figures.fund.lots),
            .list("stocks", stock, \.quotedStocks), .text("type", \.figures.fund.type),
            .text("company", \.figures.fund.company), .text("benchmark", \.figures.fund.benchmark),
            .text("coefficient", \.figures.fund.coefficient.description),
            .text("stock_position", \.figures.fund.stockPosition?.description),
            .text("cost_of_share", \.figures.fund.costOfShare?.description),
            .texts("reminders") { $0.figures.fund.reminders.map(\.line) },
            .texts("allocation") { $0.figures.fund.allocation.map(\.line) }, .text("notes", \.figures.fund.notes),
            .rounded("type_mean", 12, \.typeMean?.change),
        ])

    private var typeMean: (change: ExactDecimal, count: Int)? {
        figures.fund.type.flatMap { watchlist.meanChange(ofType: $0) }
    }

    /// What the card says of the fund itself, and of what the person wants.
    private var fields: [[Phrase]] {
        let fund = figures.fund
        let texts: [(Phrase, String?)] = [
            ("type", fund.type), ("company", fund.company), ("benchmark", fund.benchmark),
            ("coefficient", fund.coefficient == .one ? nil : fund.coefficient.description),
            ("share of stocks", fund.stockPosition.map { "\($0)%" }),
            ("cost of a share", fund.costOfShare?.description),
            ("reminders", fund.reminders.isEmpty ? nil : fund.reminders.map(\.line).joined(separator: "; ")),
            ("notes", fund.notes?.split(whereSeparator: \.isNewline).joined(separator: "; ")),
        ]
        return texts.compactMap { name, text in text.map { [name, "\($0)"] } }
    }

    /// What the fund consists of, by its reports.
    package var allocation: [[Phrase]] {
        figures.fund.allocation.map { part in
            ["\(part.dimension.rawValue)", "\(part.category)", "\(part.percentage.rounded(2))%", "\(part.day ?? "—")"]
        }
    }

    private var quotedStocks: [(StockWeight, Quote?)] {
        figures.fund.stocks.map { ($0, watchlist.prices.quotes[$0.code]) }
    }

    /// Labels and what they stand for.
    package func heads(now: Int64) -> [[Phrase]] {
        let fund = figures.fund
        var heads: [[Phrase]] = []
        let notes = figures.notes(now: now)
        let estimate = figures.estimate
        let value = estimate.map { "\($0.value.rounded(4))  \(percentText($0.change, signed: true))" } ?? "—"
        heads.append(["estimate", "\(value)  \(notes)"])
        if let newest = estimate?.newestQuote {
            let sources = Set(fund.quoteCodes.compactMap { watchlist.prices.quotes[$0]?.source }).sorted()
            let time = "\(TradingClock.day(newest).text) \(TradingClock.clock(newest))"
            heads.append(["prices", "\(time)  \(sources.joined(separator: " "))"])
        }
        if let netValue = figures.netValue {
            let source = watchlist.sources[fund.code].map { "  \($0)" } ?? ""
            let change = figures.netValueChange.map { "  \(percentText($0, signed: true))" } ?? ""
            let text = "\(netValue.value.rounded(4))\(change)  \(netValue.day.text)\(source)"
            heads.append(["net value", figures.netValueLabel(now: now).map { "\(text)  \($0)" } ?? "\(text)"])
        }
        // A large one stands among the notes already.
        if let spread = figures.spread, spread.magnitude <= Accuracy.limit, let notice = figures.spreadNotice {
            heads.append(["", notice])
        }
        if let mean = typeMean {
            heads.append(["mean of its type", "\(percentText(mean.change, signed: true)), \(mean.count) funds"])
        }
        let values = (watchlist.netValues[fund.code] ?? []).suffix(30).map(\.value)
        if values.count > 1, let low = values.min(), let high = values.max() {
            let range = "\(low.rounded(4)) … \(high.rounded(4))"
            heads.append(["last \(values.count) net values", "\(Chart.sparkline(values))  \(range)"])
        }
        if let profit = figures.profit {
            let rate = profit.rate.map { percentText($0, signed: true) } ?? "—"
            heads.append(["profit", "\(signedText(profit.amount.rounded(2)))  \(rate)"])
            let yearly = yearly.map { Phrase("\(percentText($0, signed: true))") }
            heads.append(["return a year (XIRR)", yearly ?? "not computable: a day is not known, or too few"])
        } else if let rate = figures.rate {
            heads.append(["return", "\(percentText(rate, signed: true)), by the cost of a share"])
        }
        if let accuracy = figures.accuracy {
            let within = percentText(accuracy.within)
            heads.append([
                "estimates so far",
                "\(accuracy.count) days, median \(percentText(accuracy.median)), worst \(percentText(accuracy.worst)), within 0.5 %: \(within)",
            ])
        }
        return heads + fields
    }

    /// The holdings by the running average, and by the diluted cost where trades tell it; with their heads.
    package var holdings: [[Phrase]] {
        let lots = figures.fund.lots
        guard let price = figures.price, !lots.isEmpty else { return [] }
        let isTraded = lots.contains { $0.position != nil }
        let heads: [Phrase] = [
            "platform", "shares", "average cost", "profit", "return", "diluted cost", "return on it",
        ]
        let rows = lots.map { lot -> [Phrase] in
            let profit = Profit([lot], price: price)
            let diluted = lot.position?.dilutedCostOfShare
            let rates = [profit?.rate, diluted.flatMap { (price - $0).divided(by: $0) }]
                .map { $0.map { percentText($0, signed: true) } ?? "—" }
            return [
                lot.platform.isEmpty ? "—" : "\(lot.platform)", "\(lot.shares.rounded(2))", "\(lot.cost.rounded(4))",
                "\(signedText((profit?.amount ?? .zero).rounded(2)))", "\(rates[0])",
                "\(diluted?.rounded(4).description ?? "—")", "\(rates[1])",
            ]
        }
        return ([heads] + rows).map { Array($0.prefix(isTraded ? 7 : 5)) }
    }

    /// The securities of the fund, with the prices that are known.
    package var stocks: [[Phrase]] {
        quotedStocks.map { stock, quote in
            [
                "\(stock.code)", "\(stock.name)", "\(stock.weight.rounded(2))%",
                "\(quote?.price.description ?? "—")", "\(quote.map { percentText($0.change, signed: true) } ?? "—")",
            ]
        }
    }
}
