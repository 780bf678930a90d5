public import Values
import VaultFormat
import Cards
public import VaultStore

/// A reminder that fired: a threshold was crossed, or a net value was published.
public struct FiredReminder: Sendable {
    /// The code of the fund, and the reminder, as `rise 1` or `nav`.
    public let code: String, key: String
    /// Seconds since 1970; of a net value, midnight of its day in UTC.
    public let time: Int64
    /// The estimate or the net value.
    public let value: String
    /// Its change from the net value before, or the last estimate's distance from this net value; may be empty.
    public let change: String

    /// The day in Shanghai.
    public var day: Day { TradingClock.day(time) }

    /// `risen by 1 %: 2.5081 +1.24%`, or `net value 2.5030, the estimate was off by +0.20%`.
    package var figures: Phrase {
        let change = ExactDecimal(change).map { percentText($0, signed: true) } ?? ""
        let words = key.split(separator: " ").map(String.init)
        guard words.count > 1 else {
            return change.isEmpty ? "net value \(value)" : "net value \(value), the estimate was off by \(change)"
        }
        return switch Reminder.Kind(rawValue: words[0]) {
        case .above: "above \(words[1]): \(value) \(change)"
        case .below: "below \(words[1]): \(value) \(change)"
        case .rise: "risen by \(words[1]) %: \(value) \(change)"
        default: "fallen by \(words[1]) %: \(value) \(change)"
        }
    }

    /// The same for a message.
    package var said: Phrase { "reminder: \(code) \(figures)" }

    /// The reminders of a watchlist that fire now: once for each crossing. One that fired is armed again on the next day,
    /// and once a stored estimate was back inside.
    ///
    /// - Parameters:
    ///   - fired: the last time of each, by code and key.
    ///   - newNetValues: the days of net values that have just come, by code.
    static func now(_ watchlist: Watchlist, fired: [String: Int64], newNetValues: [String: Day]) -> [FiredReminder] {
        watchlist.funds.flatMap { fund in
            fund.reminders.filter(\.isOn).compactMap { reminder in
                let last = fired["\(fund.code) \(reminder.key)"]
                return reminder.kind == .nav
                    ? ofNetValue(fund, watchlist, newNetValues[fund.code], last)
                    : ofEstimate(fund, watchlist, reminder, last)
            }
        }
    }

    private static func ofNetValue(
        _ fund: Fund, _ watchlist: Watchlist, _ day: Day?, _ last: Int64?
    ) -> FiredReminder? {
        guard let day, let netValue = watchlist.netValue(fund.code), netValue.day == day,
            last.map({ $0 < day.second }) ?? true
        else { return nil }
        let deviation = watchlist.accuracy[fund.code]?.last { $0.day == day }?.deviation.description
        return FiredReminder(
            code: fund.code, key: Reminder.Kind.nav.rawValue, time: day.second, value: netValue.value.description,
            change: deviation ?? "")
    }

    private static func ofEstimate(
        _ fund: Fund, _ watchlist: Watchlist, _ reminder: Reminder, _ last: Int64?
    ) -> FiredReminder? {
        guard case .success(let estimate) = watchlist.estimate(fund), let threshold = reminder.threshold else {
            return nil
        }
        let limit = threshold.divided(by: .hundred) ?? threshold
        func isBeyond(_ value: ExactDecimal, _ change: ExactDecimal) -> Bool {
            switch reminder.kind {
            case .rise: change >= limit
            case .fall: change <= -limit
            case .above: value >= threshold
            case .below: value <= threshold
            case .nav: false
            }
        }
        guard isBeyond(estimate.value, estimate.change) else { return nil }
        if let last, watchlist.clock.session(last, market: fund.market) == estimate.day {
            let between = (watchlist.estimates[fund.code] ?? []).filter {
                last < $0.time && $0.time < estimate.newestQuote
            }
            let wasInside = between.contains { point in
                !isBeyond(point.value, Estimate.deviation(point.value, estimate.anchor.value) ?? .zero)
            }
            guard wasInside else { return nil }
        }
        return FiredReminder(
            code: fund.code, key: reminder.key, time: estimate.newestQuote, value: estimate.value.description,
            change: estimate.change.rounded(6).description)
    }
}

extension Vault {
    /// The reminders that fired on a day of Shanghai or later, the earliest first.
    ///
    /// - Throws: as `series`.
    public func firedReminders(since day: Day) throws -> [FiredReminder] {
        let first = PortfolioSeries.reminders(day: day)
        let entries = try seriesEntries { $0.title.hasPrefix(PortfolioSeries.reminderPrefix) && $0.title >= first }
        return try entries.flatMap { entry in
            try series(entry).points.flatMap { key, points in
                points.compactMap { FiredReminder(key, $0) }.filter { TradingClock.day($0.time) >= day }
            }
        }.sorted { ($0.time, $0.code, $0.key) < ($1.time, $1.code, $1.key) }
    }
}

extension FiredReminder {
    /// A point of the series of reminders: the key is the fund's code and the reminder's.
    init?(_ name: String, _ point: Series.Point) {
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let value = point.text(0), let change = point.text(1) else { return nil }
        (code, key, time, self.value, self.change) = (parts[0], parts[1], point.second, value, change)
    }
}
