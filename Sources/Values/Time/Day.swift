/// A day of the Gregorian calendar, from the year 1 to 9999. All texts that name a day become one here.
public struct Day: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01, which is 0.
    public let number: Int64

    /// The years that a day may be in.
    private static let years: ClosedRange<Int64> = 1...9999
    /// The numbers of their first and last days.
    private static let numbers: ClosedRange<Int64> = -719_162...2_932_896

    /// The day of this number; nil outside the years 1 to 9999.
    public init?(number: Int64) {
        guard Self.numbers.contains(number) else { return nil }
        self.number = number
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

    /// Earlier is less.
    public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

    /// `YYYY-MM-DD`.
    public var text: String { CalendarTime(seconds: number * 86_400).dayText }
}

extension String {
    /// Days since 1970 of a day, as `Day` reads it.
    package var dayNumber: Int64? { Day(self)?.number }
}
