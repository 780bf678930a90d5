public import Values
public import Cards

/// The hours of the exchanges of Shanghai and Shenzhen: 9:30 to 11:30 and 13:00 to 15:00, Monday to Friday, at UTC+8 all
/// year. Holidays are days that the person names.
public struct TradingClock: Sendable {
    /// Days on which nothing is traded besides weekends.
    public let holidays: Set<Day>

    /// A clock.
    public init(holidays: Set<Day> = []) { self.holidays = holidays }

    private static let offset: Int64 = 8 * 3600

    /// The day in Shanghai.
    public static func day(_ seconds: Int64) -> Day { Day(second: seconds + offset) }

    /// Seconds since midnight in Shanghai.
    public static func secondOfDay(_ seconds: Int64) -> Int64 { seconds + offset - day(seconds).second }

    /// `HH:MM:SS` in Shanghai.
    public static func clock(_ seconds: Int64) -> String {
        let second = secondOfDay(seconds)
        return [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// True if shares are traded on a day at a market. The holidays are those of `cn` alone.
    public func isTradingDay(_ day: Day, market: Market = .cn) -> Bool {
        day.weekday < 5 && !(market == .cn && holidays.contains(day))
    }

    /// The day of the session that a price belongs to, by the market's own calendar: the day of the time, or
    /// the trading day before where nothing is traded on it, or not yet. Trading begins with the auction at 9:15 (`cn`) or 9:00
    /// (`hk`), and before the session at 4:00 (`us`).
    public func session(_ seconds: Int64, market: Market = .cn) -> Day {
        let local = Self.local(seconds, market)
        let first: Int64 = market == .us ? 240 : market == .hk ? 540 : 555
        var day = Self.day(local)
        if Self.secondOfDay(local) / 60 < first { day = day.advanced(by: -1) }
        while !isTradingDay(day, market: market) { day = day.advanced(by: -1) }
        return day
    }

    /// True if a session of a market lies between two days.
    public func hasSession(between one: Day, and other: Day, market: Market = .cn) -> Bool {
        (one.advanced(by: 1)..<max(one.advanced(by: 1), other)).contains { isTradingDay($0, market: market) }
    }

    /// True while shares are traded at a market: `cn`, `hk` (9:30 to 12:00 and 13:00 to 16:00 of Hong Kong) or `us` (9:30 to
    /// 16:00 of New York). The holidays are those of `cn` alone.
    public func isOpen(_ seconds: Int64, market: Market = .cn) -> Bool {
        let local = Self.local(seconds, market)
        let minute = Self.secondOfDay(local) / 60
        let hours =
            switch market {
            case .us: [570..<960]
            case .hk: [570..<720, 780..<960]
            case .cn: [570..<690, 780..<900]
            }
        return isTradingDay(Self.day(local), market: market) && hours.contains { $0 ~= Int(minute) }
    }

    /// True on a trading day of a market once its hours are over.
    public func isOver(_ seconds: Int64, market: Market = .cn) -> Bool {
        let local = Self.local(seconds, market)
        let close: Int64 = market == .cn ? 900 : 960
        return isTradingDay(Self.day(local), market: market) && Self.secondOfDay(local) / 60 >= close
    }

    /// The times from the beginning to the end of trade on a day of a market's own calendar, lunch within.
    public static func hours(of day: Day, market: Market = .cn) -> ClosedRange<Int64> {
        let midnight = day.second - (market == .us ? newYork(day.second) : offset)
        return midnight + 570 * 60...midnight + (market == .cn ? 900 : 960) * 60
    }

    /// The day of a market's own calendar.
    public func today(_ seconds: Int64, market: Market = .cn) -> Day { Self.day(Self.local(seconds, market)) }

    /// A time as if the market were in Shanghai: then its days and minutes are at hand.
    private static func local(_ seconds: Int64, _ market: Market) -> Int64 {
        market == .us ? seconds + newYork(seconds) - offset : seconds
    }

    /// Seconds that New York is ahead of UTC: -4 hours from the second Sunday of March to the first of November (Energy Policy
    /// Act of 2005), else -5. The hour of the change is of no account: nothing is traded on a Sunday.
    private static func newYork(_ seconds: Int64) -> Int64 {
        let day = Day(second: seconds)
        let year = day.text.prefix(4)
        guard let march = Day("\(year)-03-01"), let november = Day("\(year)-11-01") else { return -18_000 }
        func sunday(_ first: Day) -> Day { first.advanced(by: 6 - first.weekday) }
        return sunday(march).advanced(by: 7) <= day && day < sunday(november) ? -14_400 : -18_000
    }
}
