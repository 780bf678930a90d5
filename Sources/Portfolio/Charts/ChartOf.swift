package import Values
import VaultFormat

extension Chart {
    /// The net values of the last days before the newest; nil where there is none.
    package init?(netValuesOf fund: Fund, _ watchlist: Watchlist, days: Int64, say: (Phrase) -> String) {
        let all = watchlist.netValues[fund.code] ?? []
        guard let last = all.last else { return nil }
        let span: Phrase = "net values of \(days) days"
        self.init(
            title: "\(fund.code) \(printable(fund.name.utf8))  \(say(span))",
            points: all.filter { $0.day.distance(to: last.day) < days }.map { ($0.day.number, $0.value) },
            timeText: { Day(clamping: $0).text })
    }

    /// The estimates of the last day that has any, over the hours of trade, or of the last days up to it; nil where there is
    /// none.
    package init?(estimatesOf fund: Fund, _ watchlist: Watchlist, days: Int64 = 1, say: (Phrase) -> String) {
        let all = watchlist.estimates[fund.code] ?? []
        guard let last = all.last else { return nil }
        let day = watchlist.day(last, fund)
        let estimates = all.filter { watchlist.day($0, fund).distance(to: day) < days }
        let points = estimates.map { (time: $0.time, value: $0.value) }
        let values = ((points.first ?? (0, last.value)).value.description, last.value.description)
        let what: Phrase =
            days == 1
            ? "estimates of \(day.text): first \(values.0), last \(values.1)"
            : "estimates of \(days) days: first \(values.0), last \(values.1)"
        self.init(
            title: "\(fund.code) \(printable(fund.name.utf8))  \(say(what))", points: points,
            timeText: { (days == 1 ? "" : TradingClock.day($0).text + " ") + TradingClock.clock($0) },
            axis: days == 1 ? TradingClock.hours(of: day, market: fund.market) : nil)
    }

    /// A figure of snapshots.
    package init(_ title: String, of snapshots: [Snapshot], _ figure: (Snapshot) -> ExactDecimal?, hidesValues: Bool) {
        self.init(
            title: title,
            points: snapshots.compactMap { snapshot in figure(snapshot).map { (snapshot.day.number, $0) } },
            timeText: { Day(clamping: $0).text }, isMoney: true, hidesValues: hidesValues)
    }
}
