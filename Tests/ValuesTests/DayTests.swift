import Testing

import Values

struct DayTests {
    @Test(arguments: [
        ("2026-11-25", 20_782), ("1970-01-01", 0), ("1969-12-31", -1), ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896), ("2024-2-29", 19_782), ("2000-02-29", 11_016),
    ])
    func daysOfTheCalendar(_ text: String, _ number: Int64) throws {
        let day = try #require(Day(text))
        #expect(day.number == number && Day(number: number) == day && Day(day.text) == day)
        #expect((Day(stored: text) == nil) == (text.count != 10))
    }

    @Test(arguments: [
        "", "2026-11-31", "2025-02-29", "1900-02-29", "0000-01-01", "10000-01-01", "2026-13-01", "2026-00-01",
        "2026-1-0", "2026/11/25", "+026-11-25", "2026-11-25 ", "2026-11", "２026-11-25", "-001-01-01",
    ])
    func textsThatAreNoDay(_ text: String) { #expect(Day(text) == nil) }

    @Test func whatIsOutsideOfTheCalendarIsItsFirstOrLastDay() {
        #expect(Day(number: 2_932_897) == nil && Day(number: -719_163) == nil && Day(number: .max) == nil)
        #expect(Day(clamping: .max) == .last && Day(clamping: .min) == .first)
        #expect(Day(second: .max) == .last && Day(second: .min) == .first)
        #expect(Day.last.advanced(by: 1) == .last && Day.first.advanced(by: .min) == .first)
        #expect(Day.last.advanced(by: .max) == .last && Day.first.text == "0001-01-01")
    }

    /// Each day of 800 years follows the one before, by number, text and day of the week.
    @Test func daysFollowEachOther() throws {
        var before = try #require(Day("1599-12-31"))
        #expect(before.weekday == 4)
        for _ in 0..<292_194 {
            let day = before.advanced(by: 1)
            #expect(day.weekday == (before.weekday + 1) % 7 && day.text > before.text)
            #expect(before.distance(to: day) == 1 && Day(second: day.second) == day)
            #expect(Day(second: day.second - 1) == before)
            before = day
        }
        #expect(before.text == "2399-12-31")
    }

    @Test func secondsOfAMoment() {
        #expect(Timestamp(second: -1) == .zero && Timestamp(second: 1).microseconds == 1_000_000)
        #expect(Timestamp(second: .max).microseconds <= UInt64.max)
        #expect(Timestamp(second: 1_795_500_000).text == "2026-11-24T06:00:00Z")
    }
}

struct TextValueTests {
    @Test(arguments: [
        ("a%20b", "a b"), ("%E5%BC%A0", "张"), ("100%", "100%"), ("%4", "%4"), ("%+1", "%+1"), ("%zz", "%zz"),
        ("%2520", "%20"), ("", ""), ("a+b", "a+b"), ("%FF", "\u{FFFD}"), ("%4é", "%4é"),
    ])
    func percentSigns(_ text: String, _ decoded: String) { #expect(text.percentDecoded == decoded) }
}
