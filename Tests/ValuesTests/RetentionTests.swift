import Testing
import Values

/// Which copies stay.
struct RetentionTests {
    /// The days that stay of a copy a day, up to a day.
    private func kept(_ text: String, _ count: Int, before last: String = "2026-11-27") throws -> [String] {
        let end = try #require(Day(last))
        let days = (0..<count).reversed().map { end.advanced(by: -Int64($0)) }
        return try #require(Retention(text)).kept(days).sorted().map { days[$0].text }
    }

    @Test func classes() throws {
        #expect(try kept("3", 10) == ["2026-11-25", "2026-11-26", "2026-11-27"])
        #expect(try kept("2d", 10) == ["2026-11-26", "2026-11-27"])
        // Each week's newest; the 27th is a Friday, weeks end on Sundays.
        #expect(try kept("3w", 40) == ["2026-11-15", "2026-11-22", "2026-11-27"])
        #expect(try kept("3m", 400) == ["2026-09-30", "2026-10-31", "2026-11-27"])
        #expect(try kept("2y", 800) == ["2025-12-31", "2026-11-27"])
        #expect(
            try kept("2d,2w,2m", 400) == ["2026-10-31", "2026-11-22", "2026-11-26", "2026-11-27"])
    }

    /// Of several a day the newest counts; days without any are no reason to drop others.
    @Test func gapsAndCrowds() throws {
        let days = try ["2026-01-05", "2026-01-05", "2026-03-01", "2026-03-02", "2026-03-02"].map {
            try #require(Day($0))
        }
        #expect(try #require(Retention("2d")).kept(days) == [2, 4])
        #expect(try #require(Retention("3d")).kept(days) == [1, 2, 4])
        #expect(try #require(Retention("1w,2m")).kept(days) == [1, 4])
        #expect(try #require(Retention("9")).kept(days).count == 5)
        #expect(Retention(newest: 1).kept(days) == [4] && Retention(newest: 5).kept([]).isEmpty)
    }

    /// The newest stays, whatever is asked for.
    @Test func theNewestStays() throws {
        for text in ["1", "1d", "1w", "1m", "1y", "5y"] { #expect(try kept(text, 30).last == "2026-11-27") }
    }

    /// A day that a wrong clock gave takes one place, and none of the others go for it.
    @Test func aWrongClock() throws {
        let days = try ["2026-11-24", "2026-11-25", "2099-01-01", "2026-11-26", "2026-11-27"].map {
            try #require(Day($0))
        }
        #expect(try #require(Retention("4d")).kept(days) == [1, 2, 3, 4])
        #expect(try #require(Retention("1w,2")).kept(days) == [3, 4])
    }

    @Test func whatIsNone() {
        for text in ["", "0", "0d", "d", "7d,", ",7d", "-1", "7x", "7 d", "100001", "7d;4w", "１d"] {
            #expect(Retention(text) == nil, "\(text)")
        }
    }
}
