import Testing
import Values

/// Days, months and years as people name them, and amounts as they type them.
struct PeriodTests {
    private static let today = Day("2026-11-26")!  // a Thursday

    @Test(arguments: [
        ("2026", "2026-01-01", "2026-12-31"), ("2026-02", "2026-02-01", "2026-02-28"),
        ("2028-2", "2028-02-01", "2028-02-29"), ("2026-12", "2026-12-01", "2026-12-31"),
        ("2026-1-31", "2026-01-31", "2026-01-31"), ("2026/1/31", "2026-01-31", "2026-01-31"),
        ("2026年1月31日", "2026-01-31", "2026-01-31"), ("2026年1月", "2026-01-01", "2026-01-31"),
        ("20260131", "2026-01-31", "2026-01-31"),
        ("9999", "9999-01-01", "9999-12-31"), ("9999-12", "9999-12-01", "9999-12-31"),
        ("0001-01", "0001-01-01", "0001-01-31"), ("today", "2026-11-26", "2026-11-26"),
        ("昨天", "2026-11-25", "2026-11-25"), ("Tomorrow", "2026-11-27", "2026-11-27"),
        ("this-week", "2026-11-23", "2026-11-29"), ("上周", "2026-11-16", "2026-11-22"),
        ("next-week", "2026-11-30", "2026-12-06"), ("本月", "2026-11-01", "2026-11-30"),
        ("last-month", "2026-10-01", "2026-10-31"), ("下个月", "2026-12-01", "2026-12-31"),
        ("今年", "2026-01-01", "2026-12-31"), ("last-year", "2025-01-01", "2025-12-31"),
        ("明年", "2027-01-01", "2027-12-31"),
    ])
    func areNamed(_ text: String, _ first: String, _ last: String) throws {
        let period = try #require(Period(text, today: Self.today))
        #expect(period.first.text == first && period.last.text == last)
    }

    @Test(arguments: [
        "", "26", "2026-13", "2026-02-30", "2026-01-01-01", "2026-001", "0000", "10000", "todayy",
        "2026 01", "１月",
        "2026x",
    ])
    func areNone(_ text: String) { #expect(Period(text, today: Self.today) == nil) }

    @Test func endWithTheCalendar() throws {
        #expect(try #require(Period("tomorrow", today: .last)).first == .last)
        #expect(Period("next-year", today: .last) == nil && Period("last-year", today: .first) == nil)
        #expect(try #require(Period("this-week", today: .first)).first == .first)
    }

    @Test(arguments: [
        ("50000", "50000"), ("50,000.00", "50000.00"), ("¥1,200", "1200"), ("￥ 1200.5元", "1200.5"), ("1.2万", "12000"),
        ("320万元", "3200000"), ("3亿", "300000000"), ("-1.5w", "-15000"), ("5千", "5000"), ("2百万", "2000000"),
        ("2.5%", "2.5"),
        ("１２．５", "12.5"), ("100份", "100"), ("12块", "12"), ("+¥3", "3"), ("8k", "8000"),
    ])
    func amounts(_ text: String, _ number: String) { #expect(ExactDecimal(typed: text)?.description == number) }

    @Test(arguments: ["", "万", "¥", "$100", "€5", "1.2万万", "1,20", "12元3", "abc", "--1", "1e3", "元"])
    func noAmounts(_ text: String) { #expect(ExactDecimal(typed: text) == nil) }
}
