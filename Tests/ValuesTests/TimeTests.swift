import Testing
import Values

/// Times as text, at the bounds of what is read and written.
struct TimeTextTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00.000000001Z", 1), ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
            ("1970-01-01t00:00:00.5z", 500_000_000), ("1970-01-01 23:59:59Z", 86_399_000_000_000),
            ("1970-01-01T23:59:60Z", 86_400_000_000_000), ("1970-01-01T00:00:61Z", nil), ("1970-01-01T00:60:00Z", nil),
            ("1970-01-01T23:59:00+23:59", 0), ("1970-01-01T00:00:00+24:00", nil),
            ("1970-01-01T00:00:00+00:60", nil), ("1970-01-01T00:00:00-01:30", 5_400_000_000_000),
            ("1970-01-01T00:00:00+0:00", nil), ("1970-01-01T00:00:00 00:00", nil), ("1970-01-01T00:00:00+00-00", nil),
            ("1678-01-01T00:00:00Z", -9_214_560_000_000_000_000), ("1677-12-31T23:59:59Z", nil),
            ("2261-12-31T23:59:59Z", 9_214_646_399_000_000_000), ("2262-01-01T00:00:00Z", nil),
            ("2000-02-29T12:34:56Z", 951_827_696_000_000_000), ("2000-02-30T12:34:56Z", nil),
            ("2000-00-10T12:34:56Z", nil), ("2000-13-10T12:34:56Z", nil), ("2000-01-00T12:34:56Z", nil),
            ("2000-01-32T12:34:56Z", nil), ("200-01-01T12:34:56Z", nil), ("2000/01-01T12:34:56Z", nil),
            ("2000-01/01T12:34:56Z", nil), ("2000-01-01x12:34:56Z", nil), ("2000-01-01T12.34:56Z", nil),
            ("2000-01-01T12:34.56Z", nil), ("2000-01-01T12:34:5Z", nil), ("2000-01-01T12:34:56.Z", nil),
        ] as [(String, Int64?)])
    func timesOfFiles(_ text: String, _ nanoseconds: Int64?) { #expect(FileTime(text)?.nanoseconds == nanoseconds) }

    @Test(
        arguments: [
            (.min, "1677-09-21T00:12:43.145224192Z", -9_223_372_037),
            (.max, "2262-04-11T23:47:16.854775807Z", 9_223_372_036),
            (0, "1970-01-01T00:00:00Z", 0), (-1, "1969-12-31T23:59:59.999999999Z", -1),
            (-1_000_000_000, "1969-12-31T23:59:59Z", -1), (-1_000_000_001, "1969-12-31T23:59:58.999999999Z", -2),
            (999_999_999, "1970-01-01T00:00:00.999999999Z", 0), (1_000_000_000, "1970-01-01T00:00:01Z", 1),
            (120_000_000, "1970-01-01T00:00:00.12Z", 0),
        ] as [(Int64, String, Int64)])
    func areWritten(_ nanoseconds: Int64, _ text: String, _ seconds: Int64) {
        let time = FileTime(nanoseconds: nanoseconds)
        #expect(time.text == text && time.seconds == seconds)
    }

    @Test func timesOfTheClock() {
        #expect(Timestamp("1970-01-01T00:00:00Z") == .zero && Timestamp("1969-12-31T23:59:59.999999999Z") == nil)
        #expect(Timestamp("1970-01-01T00:00:00.0000019Z")?.microseconds == 1)
        #expect(Timestamp(microseconds: 1).text == "1970-01-01T00:00:00.000001Z")
        #expect(Timestamp.max.text == "586524-01-19T08:01:49.551615Z" && Timestamp.max.seconds == 18_446_744_073_709)
        #expect(Timestamp(second: -1) == .zero && Timestamp(second: .max).microseconds == 18_446_744_073_709_000_000)
        #expect(Timestamp(microseconds: 1) > .zero && !(Timestamp.zero < .zero) && FileTime.min < .max)
        #expect(!(FileTime.min < .min))
    }

    @Test func daysBeyondFourDigits() {
        for (seconds, text) in [
            (-62_135_596_801, "0000-12-31"), (-62_167_219_201, "-1-12-31"), (253_402_300_800, "10000-01-01"),
            (253_402_300_799, "9999-12-31"), (-62_167_219_200, "0000-01-01"),
        ] as [(Int64, String)] {
            #expect(CalendarTime(seconds: seconds).dayText == text)
        }
        for seconds: Int64 in [-1, -62_167_219_201] {
            let last = CalendarTime(seconds: seconds)
            #expect((last.hour, last.minute, last.second) == (23, 59, 59))
        }
    }
}

/// The first and last days, and what lies a step beyond them.
struct DayBoundTests {
    @Test(arguments: [
        ("2026-1-31", "2026-01-31"), ("2026-01-9", "2026-01-09"), ("9999-12-31", "9999-12-31"), ("2026-001-1", nil),
        ("2026--1", nil), ("2026-1-", nil), ("2026-1-001", nil), ("202-1-1", nil), ("20260-1-1", nil),
        ("2026-1-1-1", nil),
        ("2026-1-a", nil), ("2026-a-1", nil), ("202a-1-1", nil), ("0001-01-01", "0001-01-01"), ("0000-12-31", nil),
    ])
    func texts(_ text: String, _ day: String?) { #expect(Day(text)?.text == day) }

    @Test func numbers() throws {
        #expect(Day(number: -719_162) == .first && Day(number: 2_932_896) == .last)
        #expect(Day(clamping: -719_163) == .first && Day(clamping: 2_932_897) == .last && Day(clamping: 5).number == 5)
        for (second, number) in [(0, 0), (86_399, 0), (86_400, 1), (-1, -1), (-86_400, -1), (-86_401, -2)]
            as [(Int64, Int64)]
        {
            #expect(Day(second: second).number == number, "\(second)")
        }
        let day = try #require(Day("2026-11-24"))
        #expect(day.weekday == 1 && day.month == "2026-11" && day.second == 1_795_478_400)
        #expect(day.advanced(by: -1).text == "2026-11-23" && day.advanced(by: .max) == .last)
        #expect(day.advanced(by: .min) == .first && Day.first.advanced(by: .min) == .first)
        #expect(day.distance(to: day.advanced(by: -7)) == -7 && Day.lastSecond == 253_402_300_799)
        #expect(
            Day(stored: "2026-1-31") == nil && Day(stored: "2026-01-31") != nil && Day(stored: "2026-01-31 ") == nil)
    }
}
