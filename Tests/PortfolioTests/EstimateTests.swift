import Testing
import VaultFormat
import Cards

import Portfolio

/// The worked examples of Spec/product/portfolio.md, and what has no estimate.
struct EstimateTests {
    static func number(_ text: String) -> ExactDecimal { ExactDecimal(text) ?? .zero }

    static func quote(_ price: String, _ close: String, at time: Int64 = noon) -> Quote {
        Quote(price: number(price), previousClose: number(close), time: time, source: "test")
    }

    /// 2026-11-24 12:00 in Shanghai.
    static let noon: Int64 = 20_781 * 86_400 + 4 * 3600
    static let yesterday: Day = 20_780

    static let stocks = "600519 9.50 贵州茅台\n000858 8.20 五粮液\n00700 7.80 腾讯控股"
    static let quotes = [
        "600519": quote("1482.30", "1468.00"), "000858": quote("121.55", "123.10"), "00700": quote("618.50", "611.00"),
    ]

    private func estimate(
        _ fields: [String: String], nav: String = "2.5060", _ prices: Estimate.Prices = .init(quotes: quotes)
    ) throws -> Estimate {
        try Estimate.of(Fund.made(fields), netValue: (Self.yesterday, Self.number(nav)), prices).get()
    }

    @Test(
        arguments: [
            (["method": "top10"], "2.5081", "0.09"), (["coefficient": "1.80"], "2.5098", "0.15"),
            (["method": "scaled", "stock_position": "91.35"], "2.5136", "0.30"),
        ] as [([String: String], String, String)])
    func followTheStocks(_ fields: [String: String], _ value: String, _ change: String) throws {
        let result = try estimate(fields.merging(["stocks": Self.stocks]) { one, _ in one })
        #expect(result.value.description == value)
        #expect((result.change * .hundred).rounded(2).description == change)
        #expect(result.coverage == Self.number("25.5") && result.missing.isEmpty)
    }

    @Test func followABenchmarkAndACurrency() throws {
        let prices = Estimate.Prices(
            quotes: ["NDX": Self.quote("1006.2", "1000")],
            rates: [
                "USD": [
                    (Self.yesterday, Self.number("7.1058")), (Self.yesterday.advanced(by: 1), Self.number("7.0921")),
                ]
            ])
        let fields = ["method": "index", "benchmark": "NDX", "qdii": "USD"]
        let result = try estimate(fields, nav: "1.8240", prices)
        #expect(result.value.description == "1.8318" && result.rates?.now.rate.description == "7.0921")
        #expect((result.change * .hundred).rounded(2).description == "0.43")
        for rates in [[], [(Self.yesterday.advanced(by: 1), Self.number("7.0921"))]] {
            let gap = Estimate.of(
                try Fund.made(fields), netValue: (Self.yesterday, .one),
                .init(quotes: prices.quotes, rates: ["USD": rates]))
            #expect(throws: EstimateGap.self) { try gap.get() }
        }
    }

    @Test(
        arguments: [
            ("600000", "16.60", "15.00", true), ("300750", "16.60", "15.00", false),
            ("688981", "16.60", "15.00", false),
            ("688981", "18.20", "15.00", true), ("920002", "19.00", "15.00", false), ("00700", "30.00", "15.00", false),
            ("AAPL", "7.00", "15.00", false), ("600000", "13.50", "15.00", false), ("600000", "13.30", "15.00", true),
        ])
    func dropWhatCannotBe(_ code: String, _ price: String, _ close: String, _ isOutlier: Bool) throws {
        #expect(Self.quote(price, close).isOutlier(code) == isOutlier)
    }

    @Test func ratesAreOfTheLastSevenDays() throws {
        let fields = ["stocks": "NVDA 50", "qdii": "USD", "market": "us"]
        func gap(_ now: Int64, _ then: Int64) throws -> Estimate.Gap? {
            let rates = [
                (Self.yesterday.advanced(by: -then), Self.number("7.1")),
                (Self.yesterday.advanced(by: 1 - now), Self.number("7.2")),
            ]
            let prices = Estimate.Prices(
                quotes: ["NVDA": Self.quote("101", "100", at: Self.noon + 12 * 3600)], rates: ["USD": rates])
            let result = Estimate.of(try Fund.made(fields), netValue: (Self.yesterday, .one), prices)
            if case .failure(let gap) = result { return gap.reason }
            return nil
        }
        #expect(try gap(0, 7) == nil && gap(0, 8) == .rate && gap(-365, 0) == nil)
        // A rate of this day alone, eight days before the prices.
        let old = Estimate.Prices(
            quotes: ["NVDA": Self.quote("101", "100", at: Self.noon + 12 * 3600)],
            rates: ["USD": [(Self.yesterday.advanced(by: -7), Self.number("7.1"))]])
        let result = Estimate.of(try Fund.made(fields), netValue: (Self.yesterday, .one), old)
        let error = #expect(throws: EstimateGap.self) { try result.get() }
        #expect(error?.reason == .rate)
    }

    @Test func pricesOfTheNetValuesDayAreNamed() throws {
        var quotes = Self.quotes
        quotes["000858"] = Self.quote("121.55", "123.10", at: Self.noon - 86_400)
        let result = try estimate(["stocks": Self.stocks], .init(quotes: quotes))
        #expect(result.old == ["000858"] && result.coverage == Self.number("17.3"))
        let alone = try estimate(["stocks": "600519 9.50\n00700 7.80"])
        #expect(result.value == alone.value && result.oldestDay == result.day)
    }

    @Test func securitiesOfZeroWeightGiveNoEstimate() throws {
        for method in ["top10", "scaled"] {
            let error = #expect(throws: EstimateGap.self) { try estimate(["stocks": "600519 0", "method": method]) }
            #expect(error?.reason == .holdings)
        }
    }

    @Test func nameWhatIsMissingAndDropped() throws {
        var quotes = Self.quotes
        quotes["000858"] = nil
        quotes["600519"] = Self.quote("1700", "1468")
        let result = try estimate(["stocks": Self.stocks], .init(quotes: quotes))
        #expect(result.missing == ["000858"] && result.dropped == ["600519"] && result.coverage == Self.number("7.8"))
    }

    @Test(
        arguments: [
            (["stocks": "600519 10"], [:], 20_780, "2", Estimate.Gap.quotes), ([:], quotes, 20_780, "2", .holdings),
            (["stocks": stocks], quotes, 20_781, "2", .published), (["stocks": stocks], quotes, 20_780, "0", .netValue),
            (["method": "index"], quotes, 20_780, "2", .holdings),
        ] as [([String: String], [String: Quote], Day, String, Estimate.Gap)])
    func sayWhyThereIsNone(
        _ fields: [String: String], _ quotes: [String: Quote], _ day: Day, _ nav: String, _ gap: Estimate.Gap
    ) throws {
        let result = Estimate.of(
            try Fund.made(fields), netValue: (day, Self.number(nav)), .init(quotes: quotes))
        let error = #expect(throws: EstimateGap.self) { try result.get() }
        #expect(error?.reason == gap)
    }

    @Test(
        arguments: [
            ("2.5107", "2.5240", "-0.53", true), ("2.5081", "2.5030", "0.20", false),
            ("1.0050", "1.0000", "0.50", false),
        ])
    func areHeldAgainstTheNetValue(_ estimate: String, _ nav: String, _ percent: String, _ isFar: Bool) throws {
        let day = Accuracy.Sample(
            day: 1, estimate: Self.number(estimate), netValue: Self.number(nav), method: "top10")
        #expect((day.deviation * .hundred).rounded(2).description == percent)
        #expect((day.deviation.magnitude > Accuracy.limit) == isFar)
        let accuracy = try #require(Accuracy([day]))
        #expect(accuracy.within == (isFar ? .zero : .one) && accuracy.worst == day.deviation.magnitude)
    }

    @Test func accuracyOfManyDays() throws {
        let days = ["1.001", "0.996", "1.008", "1.002"].map {
            Accuracy.Sample(day: 1, estimate: Self.number($0), netValue: .one, method: "top10")
        }
        let accuracy = try #require(Accuracy(days))
        #expect(accuracy.median == Self.number("0.003") && accuracy.mean == Self.number("0.00375"))
        #expect(accuracy.worst == Self.number("0.008") && accuracy.within == Self.number("0.75"))
        #expect(Accuracy([]) == nil)
    }

    @Test func profitOfTwoPlatforms() throws {
        let lots = [
            Fund.Lot(shares: Self.number("1000.00"), cost: Self.number("2.3100"), platform: "A"),
            Fund.Lot(shares: Self.number("520.55"), cost: Self.number("2.6050"), platform: "B"),
        ]
        let profit = try #require(Profit(lots, price: Self.number("2.5081")))
        #expect(profit.cost.rounded(2).description == "3666.03" && profit.value.rounded(2).description == "3813.69")
        #expect(profit.amount.rounded(2).description == "147.66")
        #expect(profit.rate.map { ($0 * .hundred).rounded(2).description } == "4.03")
        #expect(Profit([], price: .one) == nil)
        let free = try #require(Profit([Fund.Lot(shares: .one, cost: .zero, platform: "")], price: .one))
        #expect(free.rate == nil)
    }

    @Test(
        arguments: [
            (9, 29, false), (9, 30, true), (11, 29, true), (11, 30, false), (12, 59, false), (13, 0, true),
            (14, 59, true), (15, 0, false),
        ])
    func sessions(_ hour: Int64, _ minute: Int64, _ isOpen: Bool) {
        let time = (20_781 * 86_400 + hour * 3600 + minute * 60) - 8 * 3600
        #expect(TradingClock().isOpen(time) == isOpen)
        #expect(!TradingClock(holidays: [20_781]).isOpen(time))
        // 2026-11-28 is a Saturday.
        #expect(!TradingClock().isOpen(time + 4 * 86_400))
    }

    /// A vault may come with any time in a series: sums with it stay in range.
    @Test func timesAtTheLimit() {
        let point = Series.Point(time: .max, values: [])
        #expect(TradingClock.day(point.second) == Day.last && point.day == Day.last)
        #expect(TradingClock().session(point.second, market: .us) <= Day.last)
        #expect(TradingClock.secondOfDay(point.second) >= 0)
    }

    @Test func daysOfShanghai() {
        #expect(TradingClock.day(Self.noon) == 20_781 && TradingClock.clock(Self.noon) == "12:00:00")
        #expect(TradingClock.clock(Self.noon - 6590) == "10:10:10" && TradingClock.clock(Self.noon + 549) == "12:09:09")
        #expect(TradingClock.day(-8 * 3600) == 0 && TradingClock.day(-8 * 3600 - 1) == -1)
    }
}

/// The hours of other markets.
struct MarketHourTests {
    /// Seconds of a time in UTC.
    private func seconds(_ text: String) throws -> Int64 { try #require(FileTime(text)).seconds }

    @Test(
        arguments: [
            (Market.hk, "2026-11-24T03:45:00Z", true), (.hk, "2026-11-24T04:00:00Z", false),
            (.hk, "2026-11-24T07:59:00Z", true), (.hk, "2026-11-24T08:00:00Z", false),
            (.cn, "2026-11-24T03:45:00Z", false),
            // In winter 14:30 to 21:00 in UTC, in summer an hour earlier.
            (.us, "2026-11-24T14:29:00Z", false), (.us, "2026-11-24T14:30:00Z", true),
            (.us, "2026-11-24T20:59:00Z", true), (.us, "2026-11-24T21:00:00Z", false),
            (.us, "2026-07-01T13:30:00Z", true), (.us, "2026-07-01T20:00:00Z", false),
            // The changes of 2026: 8 March and 1 November.
            (.us, "2026-03-06T13:45:00Z", false), (.us, "2026-03-09T13:45:00Z", true),
            (.us, "2026-10-30T13:45:00Z", true), (.us, "2026-11-02T13:45:00Z", false),
            // Friday's last hour is Saturday in Shanghai.
            (.us, "2026-11-27T20:30:00Z", true), (.us, "2026-11-28T15:00:00Z", false),
        ]) func sessionsOfAMarket(market: Market, time: String, isOpen: Bool) throws
    {
        #expect(TradingClock().isOpen(try seconds(time), market: market) == isOpen)
    }

    @Test(
        arguments: [
            (Market.cn, "2026-11-24T14:00:00+08:00", "2026-11-24"), (.cn, "2026-11-24T09:14:59+08:00", "2026-11-23"),
            (.cn, "2026-11-24T09:15:00+08:00", "2026-11-24"), (.hk, "2026-11-24T09:00:00+08:00", "2026-11-24"),
            (.cn, "2026-11-22T12:00:00+08:00", "2026-11-20"), (.cn, "2026-11-23T09:00:00+08:00", "2026-11-20"),
            // A holiday of Shanghai is none of Hong Kong.
            (.cn, "2026-11-19T12:00:00+08:00", "2026-11-18"), (.hk, "2026-11-19T12:00:00+08:00", "2026-11-19"),
            // The close of Friday in New York is Saturday in Shanghai.
            (.us, "2026-11-28T05:00:00+08:00", "2026-11-27"), (.us, "2026-11-28T20:00:00+08:00", "2026-11-27"),
            (.us, "2026-11-24T16:59:00+08:00", "2026-11-23"), (.us, "2026-11-24T17:00:00+08:00", "2026-11-24"),
        ]) func aPriceBelongsToASession(market: Market, time: String, day: String) throws
    {
        let clock = TradingClock(holidays: [try #require(Day("2026-11-19"))])
        #expect(clock.session(try seconds(time), market: market) == Day(day))
    }

    @Test func sessionsBetweenDays() {
        // 20,780 is a Monday.
        let clock = TradingClock(holidays: [20_782])
        #expect(!clock.hasSession(between: 20_777, and: 20_780) && clock.hasSession(between: 20_776, and: 20_780))
        #expect(!clock.hasSession(between: 20_781, and: 20_783) && !clock.hasSession(between: 20_783, and: 20_783))
        #expect(clock.hasSession(between: 20_781, and: 20_783, market: .us))
    }
}
