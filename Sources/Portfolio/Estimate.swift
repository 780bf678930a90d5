public import Values
public import Cards

/// The estimate of a fund's net value from the prices of the day, and what it is built on (Spec/product/portfolio.md, 4).
public struct Estimate: Sendable {
    /// The reason why there is no estimate.
    public enum Gap: String, Sendable {
        /// No net value is stored.
        case netValue = "no net value"
        /// The card does not say what the fund holds, or what it follows.
        case holdings = "holdings unknown"
        /// None of the prices is there.
        case quotes = "no prices"
        /// There is no rate of the last days: now, or on the day of the net value.
        case rate = "no exchange rate"
        /// The prices are of no later session than the net value.
        case published = "published"
    }

    /// A net value and its day.
    public typealias NetValue = (day: Day, value: ExactDecimal)

    /// Yuan for a unit of a currency, and the day in Shanghai.
    public typealias Rate = (day: Day, rate: ExactDecimal)

    /// What prices are at hand.
    public struct Prices: Sendable {
        /// By code.
        public var quotes: [String: Quote]
        /// Rates in yuan for a unit of a currency, by the day in Shanghai, sorted.
        public var rates: [String: [Rate]]

        /// Prices and rates.
        public init(quotes: [String: Quote] = [:], rates: [String: [Rate]] = [:]) {
            (self.quotes, self.rates) = (quotes, rates)
        }

        /// The newest rate of a currency up to a day; nil where it is more than seven days older.
        func rate(_ currency: String, on day: Day) -> Rate? {
            rates[currency]?.last { $0.day <= day }.flatMap { $0.day.distance(to: day) > Self.rateDays ? nil : $0 }
        }

        /// Days that a rate stands for those after it: the longest holidays.
        private static let rateDays: Int64 = 7
    }

    /// Four places.
    public let value: ExactDecimal
    /// From the net value, rates of exchange included; not rounded beyond 12 places.
    public let change: ExactDecimal
    /// How it was found.
    public let method: ValuationMethod
    /// The net value that it starts from.
    public let anchor: NetValue
    /// Percent of the fund's value whose prices are known.
    public let coverage: ExactDecimal
    /// The session of the newest price, which is the day that is estimated, and of the oldest one.
    public let day: Day, oldestDay: Day
    /// The oldest and the newest of the prices, in seconds since 1970.
    public let oldestQuote: Int64, newestQuote: Int64
    /// Codes without a price; with one that was dropped, since it moved farther than its market allows; with one of no later
    /// session than the net value, which has it already.
    public let missing: [String], dropped: [String], old: [String]
    /// The change of the securities alone, without rates of exchange; 12 places. Nil of `given`.
    let ownChange: ExactDecimal?
    /// The rates now and on the day of the net value, of a QDII fund.
    public let rates: (now: Rate, then: Rate)?

    /// Values a fund.
    ///
    /// - Returns: the estimate, or why there is none.
    public static func of(
        _ fund: Fund, netValue: NetValue?, _ prices: Prices, clock: TradingClock = TradingClock()
    ) -> Result<Estimate, EstimateGap> {
        guard let netValue, netValue.value.sign > 0 else { return .failure(EstimateGap(.netValue)) }
        guard fund.method != .given, !fund.quoteCodes.isEmpty else { return .failure(EstimateGap(.holdings)) }
        let read = WeighedPrices(fund, since: netValue.day, prices, clock)
        guard let newest = read.times.max(), let oldest = read.times.min(), let day = read.days.max(),
            let oldestDay = read.days.min()
        else {
            return .failure(
                EstimateGap(read.old.isEmpty ? .quotes : .published, missing: read.missing, dropped: read.dropped))
        }
        guard read.known.sign > 0 else { return .failure(EstimateGap(.holdings)) }
        let percent =
            switch fund.method {
            case .scaled: (read.sum * (fund.stockPosition ?? read.known)).divided(by: read.known) ?? .zero
            default: read.sum * fund.coefficient
            }
        let own = percent * hundredth
        var factor = ExactDecimal.one + own
        var rates: (now: Rate, then: Rate)?
        if let currency = fund.foreignCurrency {
            let today = [TradingClock.day(newest), prices.rates[currency]?.last?.day].compactMap(\.self).max()
            guard let now = today.flatMap({ prices.rate(currency, on: $0) }),
                let then = prices.rate(currency, on: netValue.day), let moved = now.rate.divided(by: then.rate)
            else { return .failure(EstimateGap(.rate)) }
            (factor, rates) = (factor * moved, (now, then))
        }
        return .success(
            Estimate(
                value: (netValue.value * factor).rounded(4), change: (factor - .one).rounded(12), method: fund.method,
                anchor: netValue, coverage: read.known, day: day, oldestDay: oldestDay, oldestQuote: oldest,
                newestQuote: newest, missing: read.missing, dropped: read.dropped, old: read.old,
                ownChange: own.rounded(12), rates: rates))
    }

    /// The estimate that a source gave at a time of a session.
    static func given(
        _ value: ExactDecimal, at time: Int64, day: Day, netValue: NetValue?
    ) -> Result<Estimate, EstimateGap> {
        guard let netValue, let change = deviation(value, netValue.value) else {
            return .failure(EstimateGap(.netValue))
        }
        guard day > netValue.day else { return .failure(EstimateGap(.published)) }
        return .success(
            Estimate(
                value: value.rounded(4), change: change, method: .given, anchor: netValue, coverage: .hundred, day: day,
                oldestDay: day, oldestQuote: time, newestQuote: time, missing: [], dropped: [], old: [],
                ownChange: nil, rates: nil))
    }

    private static let hundredth = ExactDecimal.one.divided(by: .hundred, places: 2) ?? .zero

    /// estimate / net value − 1, to 12 places: how far an estimate was from what was published.
    public static func deviation(_ estimate: ExactDecimal, _ netValue: ExactDecimal) -> ExactDecimal? {
        estimate.divided(by: netValue).map { $0 - .one }
    }
}

/// Why a fund has no estimate.
public struct EstimateGap: Error, Sendable {
    /// The reason.
    public let reason: Estimate.Gap
    /// Codes without a price, and codes whose price was dropped.
    public let missing: [String], dropped: [String]

    init(_ reason: Estimate.Gap, missing: [String] = [], dropped: [String] = []) {
        (self.reason, self.missing, self.dropped) = (reason, missing, dropped)
    }
}

/// The prices of what a fund holds, by weight.
private struct WeighedPrices {
    /// The sum of weight times change, and of the weights with a price; in percent.
    var (sum, known) = (ExactDecimal.zero, ExactDecimal.zero)
    /// Codes without a price, with one that was dropped, with one that is in the net value already.
    var (missing, dropped, old) = ([String](), [String](), [String]())
    /// The times of the prices, and the sessions.
    var (times, days) = ([Int64](), [Day]())

    init(_ fund: Fund, since published: Day, _ prices: Estimate.Prices, _ clock: TradingClock) {
        let weights =
            fund.method == .index
            ? fund.quoteCodes.map { ($0, ExactDecimal.hundred) } : fund.stocks.map { ($0.code, $0.weight) }
        for (code, weight) in weights {
            guard let quote = prices.quotes[code] else {
                missing.append(code)
                continue
            }
            guard !quote.isOutlier(code) else {
                dropped.append(code)
                continue
            }
            let day = clock.session(quote.time, market: fund.market(of: code))
            guard day > published else {
                old.append(code)
                continue
            }
            sum += weight * quote.change
            known += weight
            times.append(quote.time)
            days.append(day)
        }
    }
}
