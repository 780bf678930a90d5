public import Values
import VaultFormat
import Cards

/// A holding with what it is worth at the newest net value of its fund, in yuan.
public struct ValuedHolding: Sendable {
    /// The holding.
    public let holding: Holding
    /// The name of the fund; its code where it is not watched.
    public let name: String
    /// The newest net value of the fund; nil without one.
    public let netValue: Estimate.NetValue?
    /// shares · net value; nil without a net value or a rate.
    public let value: ExactDecimal?
    /// value − cost.
    public let profit: ExactDecimal?
    /// profit / cost, to 12 places; nil for a cost of 0.
    public let rate: ExactDecimal?

    init(_ holding: Holding, _ watchlist: Watchlist) {
        let cost = watchlist.cost(holding)
        (self.holding, name, netValue) = (holding, watchlist.name(holding.code), watchlist.netValue(holding.code))
        value = watchlist.value(holding)
        profit = value.map { $0 - cost }
        rate = profit?.divided(by: cost)
    }

    /// A line of `holding list`, and of the report.
    package static let line = Shape<Self>(
        "",
        [
            .id("id", \.holding.id), .text("code", \.holding.code).headed("code"),
            .text("name", \.name).headed("fund"), .text("platform", \.holding.platformName).headed("platform"),
            .number("shares", \.holding.lot.shares).headed("shares"),
            .number("cost", \.holding.lot.cost).headed("cost of one"), .day("date", \.holding.lot.date),
            .money("value", \.value).headed("market value"),
            .money("profit", \.profit).headed("profit or loss", isSigned: true),
            .part("return", \.rate).headed("return", isSigned: true),
        ])

    /// A table of holdings, with their sums.
    ///
    /// - Parameter names: the columns; of all of them, all that have a label.
    package static func table(_ watchlist: Watchlist, _ names: [String]? = nil, isHidden: Bool) -> Table {
        var table = line.table(watchlist.valuedHoldings, names, isHidden: isHidden)
        let (growth, figures) = (Growth(watchlist), Figures(isHidden: isHidden))
        let sums: [Phrase] = [
            "\(figures.amount(growth.amount))", "\(figures.amount(growth.profit, isSigned: true))",
            "\(percentText(growth.rate, signed: true))",
        ]
        table.sums = ["sum"] + Array(repeating: "", count: table.head.count - sums.count - 1) + sums
        return table
    }
}

extension Watchlist {
    /// All that is held, with what it is worth.
    public var valuedHoldings: [ValuedHolding] { holdings.map { ValuedHolding($0, self) } }
}
