import Testing
import Values
import VaultFormat
import Cards
import VaultStore

import Portfolio

/// What is stored of prices, and what follows from them (Spec/product/portfolio.md, 7 and 9).
struct PriceBookTests {
    /// 2026-11-24 10:00 in Shanghai.
    private static let ten: Int64 = 1_795_485_600
    private static func time(_ second: Int64) -> String { Timestamp(second: second).text }

    private static func quote(
        _ price: String, _ close: String = "100", at second: Int64 = ten, _ code: String = "600519"
    ) -> String {
        #"{"code":"\#(code)","price":\#(price),"previous_close":\#(close),"time":"\#(time(second))"}"#
    }

    private static func house(_ fields: [String: String] = [:]) throws -> MadeVault {
        let made = try MadeVault()
        try made.card(
            "fund", "F", ["code": "110011", "stocks": "600519 50", "coefficient": "2"].merging(fields) { $1 })
        return made
    }

    private func counts(_ book: PriceBook) -> [Int] { [book.added, book.changed, book.older, book.dropped.count] }

    @Test func whatIsThereIsNotStoredAgain() throws {
        let made = try MadeVault()
        let line = "P 2026-11-20 110011 2.5 CNY"
        #expect(try counts(made.prices(line, line)) == [1, 0, 0, 0])
        let again = try made.prices(line)
        #expect(counts(again) == [0, 0, 0, 0] && again.isEmpty)
        #expect(try counts(made.prices("P 2026-11-20 110011 2.6 CNY", "P 2026-11-21 110011 2.7 CNY")) == [1, 1, 0, 0])
        let watchlist = try Watchlist(made.vault)
        #expect(
            watchlist.netValues["110011"]?.map { "\($0.day.text) \($0.value)" } == ["2026-11-20 2.6", "2026-11-21 2.7"])
        #expect(watchlist.sources["110011"] == "test")
    }

    @Test func theLatestQuoteStays() throws {
        let made = try MadeVault()
        #expect(try counts(made.prices(Self.quote("101"))) == [1, 0, 0, 0])
        #expect(try counts(made.prices(Self.quote("101"))) == [0, 0, 0, 0])
        #expect(try counts(made.prices(Self.quote("102"))) == [0, 1, 0, 0], "another price of one time")
        #expect(try counts(made.prices(Self.quote("103", at: Self.ten - 1))) == [0, 0, 1, 0])
        #expect(try counts(made.prices(Self.quote("102", at: Self.ten + 1))) == [0, 1, 0, 0])
        #expect(try counts(made.prices(Self.quote("110.51", at: Self.ten + 2))) == [0, 0, 0, 1])
        #expect(try counts(made.prices(Self.quote("110.5", at: Self.ten + 2))) == [0, 1, 0, 0])
        let quote = try #require(try Watchlist(made.vault).prices.quotes["600519"])
        #expect(quote.price.description == "110.5" && quote.time == Self.ten + 2)
    }

    @Test func estimatesFollow() throws {
        let made = try Self.house()
        let book = try made.prices("P 2026-11-23 110011 2 CNY", Self.quote("101"))
        #expect(counts(book) == [3, 0, 0, 0])
        let stored = try #require(try Watchlist(made.vault).estimates["110011"]?.first)
        // 2 · (1 + 50 % · 1 % · 2)
        #expect(
            stored.value.description == "2.0200" && stored.method == "top10" && stored.coefficient == ExactDecimal(2))
        #expect(stored.time == Self.ten)
        // The net value of the day comes: the estimate is held against it.
        #expect(try counts(made.prices("P 2026-11-24 110011 2.03 CNY")) == [2, 0, 0, 0])
        let sample = try #require(try Watchlist(made.vault).accuracy["110011"]?.first)
        #expect(
            sample.estimate.description == "2.0200" && sample.netValue == ExactDecimal("2.03")
                && sample.coefficient == ExactDecimal(2))
        #expect(sample.day.text == "2026-11-24" && sample.method == "top10")
    }

    @Test func estimatesKeepTheirDistance() throws {
        let made = try Self.house()
        #expect(try counts(made.prices("P 2026-11-23 110011 2 CNY", Self.quote("101"), spacing: 60)) == [3, 0, 0, 0])
        #expect(try counts(made.prices(Self.quote("102", at: Self.ten + 59), spacing: 60)) == [0, 1, 0, 0])
        #expect(try counts(made.prices(Self.quote("103", at: Self.ten + 60), spacing: 60)) == [1, 1, 0, 0])
        #expect(try Watchlist(made.vault).estimates["110011"]?.map(\.time) == [Self.ten, Self.ten + 60])
        #expect(
            try counts(made.prices(Self.quote("104", at: Self.ten + 61))) == [1, 1, 0, 0], "no distance is asked for")
    }

    /// What a source said at a second stays.
    @Test func givenEstimatesStay() throws {
        let made = try Self.house()
        let given = #"{"code":"110011","estimate":2.2,"time":"\#(Self.time(Self.ten))"}"#
        #expect(try counts(made.prices("P 2026-11-23 110011 2 CNY", given, Self.quote("101"))) == [3, 0, 0, 0])
        #expect(try Watchlist(made.vault).estimates["110011"]?.map(\.method) == ["given"])
        let other = try Self.house(["method": "given"])
        try other.prices("P 2026-11-23 110011 2 CNY", given)
        let watchlist = try Watchlist(other.vault)
        let estimate = try watchlist.estimate(#require(watchlist.funds.first)).get()
        #expect(
            estimate.value.description == "2.2000" && estimate.change == ExactDecimal("0.1")
                && estimate.method == .given)
        try other.prices("P 2026-11-24 110011 2 CNY")
        let after = try Watchlist(other.vault)
        let gap = #expect(throws: EstimateGap.self) { try after.estimate(#require(after.funds.first)).get() }
        #expect(gap?.reason == .published)
    }

    /// What is farther from the net value before than a fund can move is dropped, and named; what stays is taken in the end.
    @Test func valuesThatNoFundHasAreDropped() throws {
        let made = try Self.house()
        let book = try made.prices(
            "P 2026-11-19 110011 2 CNY", "P 2026-11-20 110011 9 CNY", "P 2026-11-20 110011 2.21 CNY",
            "P 2026-11-23 110011 0.0001 CNY",
            #"{"code":"110011","estimate":3.2,"time":"\#(Self.time(Self.ten))"}"#)
        #expect(book.dropped.map { "\($0.kind.rawValue) \($0.value)" } == ["nav 9", "nav 0.0001", "estimate 3.2"])
        let watchlist = try Watchlist(made.vault)
        #expect(watchlist.netValue("110011")?.value.description == "2.21")
        let figures = FundFigures(try #require(watchlist.funds.first), watchlist)
        #expect(
            figures.droppedValues.map { "\($0.kind.rawValue) \($0.value) \($0.day.text)" } == [
                "nav 0.0001 2026-11-23", "estimate 3.2 2026-11-24",
            ])
        // A payout: one session is too short for it, and the next value agrees with it.
        #expect(try made.prices("P 2026-11-23 110011 1.8 CNY").dropped.count == 1)
        #expect(try made.prices("P 2026-11-24 110011 1.8 CNY").dropped.isEmpty)
        #expect(try made.prices("P 2026-11-24 110011 1.8 CNY").isEmpty)
    }

    /// A table may have the newest day first; what is stored already is no error.
    @Test func theOrderOfLinesDoesNotCount() throws {
        for isTurned in [false, true] {
            let made = try Self.house()
            let lines = ["P 2026-11-24 110011 5 CNY", "P 2026-11-23 110011 1 CNY", "P 2026-11-20 110011 1 CNY"]
            let (one, two, three) = isTurned ? (lines[2], lines[1], lines[0]) : (lines[0], lines[1], lines[2])
            #expect(try made.prices(one, two, three).dropped.map { "\($0.value)" } == ["5"])
            #expect(try made.prices(two, three).isEmpty)
        }
        let made = try Self.house()
        try made.prices("P 2026-11-24 110011 5 CNY")
        #expect(try made.prices("P 2026-11-23 110011 1 CNY", "P 2026-11-24 110011 5 CNY").dropped.isEmpty)
    }

    /// A wrong first value does not keep true ones away for long, and a source cannot fill the vault with nonsense.
    @Test func twoValuesOutvoteOne() throws {
        let made = try Self.house()
        try made.prices("P 2026-11-19 110011 0.0001 CNY")
        #expect(try made.prices("P 2026-11-20 110011 1 CNY").dropped.count == 1)
        #expect(try made.prices("P 2026-11-23 110011 1.8 CNY").dropped.count == 1)
        #expect(try made.prices("P 2026-11-24 110011 1.05 CNY").dropped.isEmpty)
        #expect(try Watchlist(made.vault).netValue("110011")?.value.description == "1.05")
        for second in 0..<40 {
            let time = Self.time(Self.ten + Int64(second))
            try made.prices(#"{"code":"110011","estimate":90,"time":"\#(time)"}"#)
        }
        let kept = try Watchlist(made.vault).dropped["110011"] ?? []
        #expect(kept.count { $0.kind == .estimate } == 20 && kept.count { $0.kind == .netValue } == 2)
        let later = try made.prices("P 2027-02-01 110011 1 CNY", at: 1_801_500_000)
        #expect(later.dropped.isEmpty)
        #expect(try Watchlist(made.vault).dropped.isEmpty)
    }

    /// A price of a fund is reminded of once, and again when it was back inside.
    @Test func pricesAreRemindedOf() throws {
        let made = try Self.house(["reminders": "above 2.03; below 1.9"])
        #expect(try made.prices("P 2026-11-23 110011 2 CNY", Self.quote("101")).fired.isEmpty)
        #expect(try made.prices(Self.quote("102", at: Self.ten + 60)).fired.map(\.key) == ["above 2.03"])
        #expect(try made.prices(Self.quote("103", at: Self.ten + 120)).fired.isEmpty)
        #expect(try made.prices(Self.quote("100", at: Self.ten + 180)).fired.isEmpty)
        #expect(try made.prices(Self.quote("102", at: Self.ten + 240)).fired.map(\.value) == ["2.0400"])
        #expect(try made.prices(Self.quote("94", at: Self.ten + 300)).fired.map(\.key) == ["below 1.9"])
    }

    @Test func sourcesThatDifferAreNamed() throws {
        let made = try Self.house()
        try made.prices("P 2026-11-23 110011 2 CNY")
        let other = #"{"code":"110011","nav":2.01,"nav_date":"2026-11-23","source":"other"}"#
        #expect(try made.prices(other).contradicted.map { "\($0)" }.first?.contains("2 (") == true)
        #expect(try made.prices(other).contradicted.isEmpty)
        #expect(try Watchlist(made.vault).netValue("110011")?.value.description == "2.01")
    }

    @Test func oldEstimatesGo() throws {
        let made = try Self.house()
        try made.prices("P 2026-11-20 110011 2 CNY", "P 2026-11-23 110011 2 CNY", Self.quote("101"))
        let hour = try #require(FileTime("2026-12-24T10:59:59+08:00")).seconds
        #expect(try PriceBook.oldEstimates(made.vault, now: hour).isEmpty)
        #expect(try PriceBook.oldEstimates(made.vault, now: hour + 1).count == 1)
        try made.prices("P 2026-12-24 110011 2 CNY", at: hour + 1)
        #expect(try Watchlist(made.vault).estimates.isEmpty)
    }

    // MARK: Reminders

    private func fired(_ made: MadeVault, _ lines: String...) throws -> [String] {
        var book = PriceBook(try made.vault)
        for line in lines {
            for price in try PriceLine.lines(Array(line.utf8), source: "test") { try book.take(price) }
        }
        try book.takeEstimates()
        let full = book
        try made.save { try full.store(in: $0, now: Self.ten) }
        return book.fired.map { "\($0.key) \($0.value) \($0.change) \($0.time - Self.ten)" }
    }

    @Test func thresholdsFireOnceForACrossing() throws {
        let made = try Self.house(["reminders": "rise 1\nfall 1.5\noff rise 0.1"])
        #expect(try fired(made, "P 2026-11-23 110011 2 CNY", Self.quote("100.99")).isEmpty)
        #expect(
            try fired(made, Self.quote("101", at: Self.ten + 60)) == ["rise 1 2.0200 0.010000 60"], "at the threshold")
        #expect(try fired(made, Self.quote("101.5", at: Self.ten + 120)).isEmpty)
        #expect(try fired(made, Self.quote("100.5", at: Self.ten + 180)).isEmpty, "back inside: armed again")
        #expect(try fired(made, Self.quote("102", at: Self.ten + 240)) == ["rise 1 2.0400 0.020000 240"])
        #expect(try fired(made, Self.quote("98.51", at: Self.ten + 300)).isEmpty)
        #expect(try fired(made, Self.quote("98.5", at: Self.ten + 360)) == ["fall 1.5 1.9700 -0.015000 360"])
        // On the next day it is armed anew.
        let next = Self.ten + 86_400
        #expect(try fired(made, Self.quote("99.5", "98.5", at: next)) == ["rise 1 2.0203 0.010152 86400"])
        let all = try made.vault.firedReminders(since: MadeVault.today)
        #expect(all.map(\.key) == ["rise 1", "rise 1", "fall 1.5", "rise 1"] && all.allSatisfy { $0.code == "110011" })
        #expect(
            all.prefix(3).map(\.figures.description) == [
                "risen by 1 %: 2.0200 +1.00%", "risen by 1 %: 2.0400 +2.00%", "fallen by 1.5 %: 1.9700 -1.50%",
            ])
        #expect(try made.vault.firedReminders(since: MadeVault.today.advanced(by: 1)).map(\.time) == [next])
        #expect(try made.vault.firedReminders(since: MadeVault.today.advanced(by: 2)).isEmpty)
    }

    @Test func netValuesFireOnce() throws {
        let made = try Self.house(["reminders": "nav"])
        #expect(try fired(made, "P 2026-11-23 110011 2 CNY") == ["nav 2  -93600"])
        #expect(try fired(made, "P 2026-11-23 110011 2.1 CNY").isEmpty, "another value of one day is no new one")
        #expect(try fired(made, "P 2026-11-20 110011 1.9 CNY").isEmpty, "an older one is no news")
        #expect(try fired(made, Self.quote("101")).isEmpty)
        let news = try fired(made, "P 2026-11-24 110011 2.1 CNY")
        // 2.1 · 1.01 / 2.1 − 1
        #expect(news == ["nav 2.1 0.010000000000 -7200"])
        let without = try Self.house()
        #expect(try fired(without, "P 2026-11-23 110011 2 CNY").isEmpty)
    }
}
