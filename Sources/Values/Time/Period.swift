/// Days in a row, as people name them: a day, a month, a year.
public struct Period: Equatable, Sendable {
    /// Its first day.
    public let first: Day
    /// Its last day.
    public let last: Day

    /// A single day.
    public init(_ day: Day) { (first, last) = (day, day) }

    private init?(_ first: Day?, _ last: Day?) {
        guard let first, let last else { return nil }
        (self.first, self.last) = (first, last)
    }

    /// The month of a year; nil where there is none.
    private init?(year: Int, month: Int) {
        let last = month == 12 ? Self.day(year, 12, 31) : Self.day(year, month + 1, 1)?.advanced(by: -1)
        self.init(Self.day(year, month, 1), last)
    }

    /// All of a year; nil where there is none.
    private init?(year: Int) {
        self.init(Self.day(year, 1, 1), Self.day(year, 12, 31))
    }

    /// - Parameters:
    ///   - text: `2026`, `2026-01`, `2026-01-31`, `2026/1/31`, `2026.1.31`, `20260131`, `2026年1月31日`; `today`, `yesterday`, `tomorrow`, `this-week`,
    ///     `last-month` and their like, in Chinese too.
    ///   - today: the day on which that is said. Weeks begin on Mondays.
    /// - Returns: nil of anything else.
    public init?(_ text: String, today: Day) {
        let word = text.trimmed.lowercased()
        if let named = Self.named(word, today) {
            self = named
            return
        }
        let isWritten = word.unicodeScalars.allSatisfy { "0"..."9" ~= $0 || "年月日号./-".unicodeScalars.contains($0) }
        var groups = word.split { !("0"..."9" ~= $0) }
        // 20260131
        if let all = groups.first, groups.count == 1, all.count == 8 {
            groups = [all.prefix(4), all.dropFirst(4).prefix(2), all.suffix(2)]
        }
        let numbers = groups.compactMap { Int($0) }
        guard isWritten, let first = groups.first, word.hasPrefix(first), first.count == 4,
            numbers.count == groups.count,
            groups.dropFirst().allSatisfy({ $0.count <= 2 })
        else { return nil }
        switch numbers.count {
        case 1: self.init(year: numbers[0])
        case 2: self.init(year: numbers[0], month: numbers[1])
        case 3:
            guard let day = Self.day(numbers[0], numbers[1], numbers[2]) else { return nil }
            self.init(day)
        default: return nil
        }
    }

    private static func named(_ word: String, _ today: Day) -> Period? {
        switch word {
        case "today", "今天", "今日": return Period(today)
        case "yesterday", "昨天", "昨日": return Period(today.advanced(by: -1))
        case "tomorrow", "明天", "明日": return Period(today.advanced(by: 1))
        case "this-week", "本周", "这周": return week(today)
        case "last-week", "上周": return week(today.advanced(by: -7))
        case "next-week", "下周": return week(today.advanced(by: 7))
        case "this-month", "本月", "这个月": return month(today)
        case "last-month", "上月", "上个月": return month(month(today)?.first.advanced(by: -1))
        case "next-month", "下月", "下个月": return month(month(today)?.last.advanced(by: 1))
        case "this-year", "今年": return year(today, 0)
        case "last-year", "去年": return year(today, -1)
        case "next-year", "明年": return year(today, 1)
        default: return nil
        }
    }

    private static func week(_ day: Day) -> Period? {
        let monday = day.advanced(by: -day.weekday)
        return Period(monday, monday.advanced(by: 6))
    }

    private static func month(_ day: Day?) -> Period? {
        let parts = day.map { $0.month.split(separator: "-").compactMap { Int($0) } } ?? []
        return parts.count == 2 ? Period(year: parts[0], month: parts[1]) : nil
    }

    private static func year(_ day: Day, _ years: Int) -> Period? {
        Int(day.text.prefix(4)).flatMap { Period(year: $0 + years) }
    }

    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Day? { Day("\(digits(year))-\(month)-\(day)") }

    private static func digits(_ year: Int) -> String {
        let text = "\(year)"
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }
}
