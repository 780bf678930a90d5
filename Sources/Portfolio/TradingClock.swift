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

    /// True while shares are traded.
    public func isOpen(_ seconds: Int64) -> Bool {
        let minute = Self.secondOfDay(seconds) / 60
        return isTradingDay(Self.day(seconds)) && (570..<690 ~= minute || 780..<900 ~= minute)
    }
}
