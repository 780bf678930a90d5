import VaultFormat

/// The names of the series of a portfolio, the units of their times and the values of their points
/// (Spec/product/portfolio.md, 3).
package enum PortfolioSeries {
    /// By fund: net value, source. Times are days; a series for each month.
    static func netValues(day: Day) -> String { netValuePrefix + day.month }
    /// By security: price, previous close, source; the latest alone. Times are seconds.
    static let quotes = "fund.quote"
    /// By currency: yuan, source. Times are seconds; a series for each year.
    static func rates(time: Int64) -> String { ratePrefix + TradingClock.day(time).text.prefix(4) }
    /// By fund: estimate, method, source. Times are seconds; a series for each hour in Shanghai.
    static func estimates(time: Int64) -> String {
        let hour = TradingClock.secondOfDay(time) / 3600
        return estimatePrefix + "\(TradingClock.day(time).text)T\(hour < 10 ? "0" : "")\(hour)"
    }
    /// By fund: estimate, net value, method. Times are days; a series for each month.
    static func deviations(day: Day) -> String { deviationPrefix + day.month }

    /// By fund and reminder: value, change. Times are seconds; a series for each month.
    static func reminders(day: Day) -> String { reminderPrefix + day.month }

    /// By fund or security: kind, value, source of what was dropped. Times are seconds; a series for each month.
    static func dropped(day: Day) -> String { droppedPrefix + day.month }

    static let prefix = "fund."
    static let droppedPrefix = "fund.dropped."
    static let reminderPrefix = "fund.reminder."
    static let (netValuePrefix, ratePrefix) = ("fund.nav.", "fund.rate.")
    static let (estimatePrefix, deviationPrefix) = ("fund.estimate.", "fund.deviation.")
}
