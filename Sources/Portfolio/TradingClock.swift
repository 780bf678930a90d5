import VaultRecords

/// The hours of the exchanges of Shanghai and Shenzhen: 9:30 to 11:30 and 13:00 to 15:00, Monday to Friday, at UTC+8 all
/// year. Holidays are days that the person names.
public struct TradingClock: Sendable {
    /// Days since 1970 on which nothing is traded besides weekends.
    public let holidays: Set<Int64>

    /// A clock.
    public init(holidays: Set<Int64> = []) { self.holidays = holidays }

    private static let offset: Int64 = 8 * 3600

    /// The day in Shanghai, in days since 1970.
    public static func day(_ seconds: Int64) -> Int64 {
        let shifted = seconds + offset
        return shifted >= 0 ? shifted / 86_400 : (shifted - 86_399) / 86_400
    }

    /// Seconds since midnight in Shanghai.
    public static func secondOfDay(_ seconds: Int64) -> Int64 { seconds + offset - day(seconds) * 86_400 }

    /// `HH:MM:SS` in Shanghai.
    public static func clock(_ seconds: Int64) -> String {
        let second = secondOfDay(seconds)
        return [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// True if shares are traded on a day.
    public func isTradingDay(_ day: Int64) -> Bool {
        // 1970-01-01 was a Thursday.
        let weekday = ((day + 3) % 7 + 7) % 7
        return weekday < 5 && !holidays.contains(day)
    }

    /// True while shares are traded at a market: `cn`, `hk` (9:30 to 12:00 and 13:00 to 16:00 of Hong Kong) or `us` (9:30 to
    /// 16:00 of New York). The holidays are those of `cn` alone.
    public func isOpen(_ seconds: Int64, market: String = "cn") -> Bool {
        guard market == "us" else {
            let (minute, day) = (Self.secondOfDay(seconds) / 60, Self.day(seconds))
            let isHongKong = market == "hk"
            let isDay = isHongKong ? TradingClock().isTradingDay(day) : isTradingDay(day)
            return isDay && (570..<(isHongKong ? 720 : 690) ~= minute || 780..<(isHongKong ? 960 : 900) ~= minute)
        }
        // As if New York were Shanghai: then its days and minutes are at hand.
        let local = seconds + Self.newYork(seconds) - Self.offset
        return TradingClock().isTradingDay(Self.day(local)) && 570..<960 ~= Self.secondOfDay(local) / 60
    }

    /// Seconds that New York is ahead of UTC: -4 hours from the second Sunday of March to the first of November (Energy Policy
    /// Act of 2005), else -5. The hour of the change is of no account: nothing is traded on a Sunday.
    private static func newYork(_ seconds: Int64) -> Int64 {
        let year = CalendarTime(seconds: seconds).dayText.prefix(4)
        guard let march = "\(year)-03-01".dayNumber, let november = "\(year)-11-01".dayNumber else { return -18_000 }
        // 1970-01-04 was a Sunday.
        func sunday(_ first: Int64) -> Int64 { first + (3 - first % 7 + 7) % 7 }
        let day = seconds / 86_400
        return sunday(march) + 7 <= day && day < sunday(november) ? -14_400 : -18_000
    }
}
