/// A day of the Gregorian calendar, from the year 1 to 9999. All texts, numbers and clocks that name a day become one here.
public struct Day: Hashable, Strideable, Sendable {
    /// Days since 1970-01-01, which is 0.
    public let number: Int64

    /// The years that a day may be in.
    private static let years: ClosedRange<Int64> = 1...9999
    /// The numbers of their first and last days.
    private static let numbers: ClosedRange<Int64> = -719_162...2_932_896
    /// Seconds of a day.
    package static let seconds = CalendarTime.secondsOfDay

    /// The first and the last day of the calendar: 0001-01-01 and 9999-12-31.
    public static let (first, last) = (Day(clamping: .min), Day(clamping: .max))

    /// The day of this number; nil outside the years 1 to 9999.
    public init?(number: Int64) {
        guard Self.numbers.contains(number) else { return nil }
        self.number = number
    }

    /// The day of this number; the first or the last day outside the years 1 to 9999.
    public init(clamping number: Int64) {
        self.number = min(max(number, Self.numbers.lowerBound), Self.numbers.upperBound)
    }

    /// The day of a second since 1970 in UTC; the first or the last day outside the years 1 to 9999.
    public init(second: Int64) {
        self.init(clamping: second / Self.seconds - (second % Self.seconds < 0 ? 1 : 0))
    }

    /// A day as `2026-01-31` or `2026-1-31`; nil of anything else, and where the calendar has no such day.
    public init?(_ text: some StringProtocol) {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, 1...2 ~= parts[1].count, 1...2 ~= parts[2].count else {
            return nil
        }
        var numbers: [Int64] = []
        for part in parts {
            guard part.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            numbers.append(part.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
        }
        guard Self.years.contains(numbers[0]), let number = CalendarTime.days(numbers[0], numbers[1], numbers[2]) else {
            return nil
        }
        self.number = number
    }

    /// A day as it is stored, `2026-01-31`; nil of anything else.
    public init?(stored text: some StringProtocol) {
        guard text.utf8.count == 10 else { return nil }
        self.init(text)
    }

    /// So many days later; the first or the last day where the calendar has none.
    public func advanced(by days: Int64) -> Day {
        let (sum, isBeyond) = number.addingReportingOverflow(days)
        return Day(clamping: isBeyond ? (days < 0 ? .min : .max) : sum)
    }

    /// Days from this one to another; negative where that is earlier.
    public func distance(to other: Day) -> Int64 { other.number - number }

    /// Seconds since 1970 at its beginning in UTC.
    public var second: Int64 { number * Self.seconds }

    /// 0 for a Monday, 6 for a Sunday.
    public var weekday: Int64 {
        // Day 0 was a Thursday.
        ((number + 3) % 7 + 7) % 7
    }

    /// The last second of the calendar, since 1970.
    package static let lastSecond = Day.last.second + seconds - 1

    /// `YYYY-MM-DD`.
    public var text: String { CalendarTime(seconds: second).dayText }

    /// `YYYY-MM`.
    public var month: String { String(text.prefix(7)) }
}
