public import VaultRecords

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
        /// A rate is missing: now, or on the day of the net value.
        case rate = "no exchange rate"
        /// The prices are not newer than the net value.
        case published = "published"
    }

    /// A net value and its day.
    public typealias NetValue = (day: Int64, value: ExactDecimal)

    /// What prices are at hand.
    public struct Prices: Sendable {
        /// By code.
        public var quotes: [String: Quote]
        /// Rates in yuan for a unit of a currency, by the day in Shanghai since 1970, sorted.
        public var rates: [String: [(day: Int64, rate: ExactDecimal)]]

        /// Prices and rates.
        public init(quotes: [String: Quote] = [:], rates: [String: [(day: Int64, rate: ExactDecimal)]] = [:]) {
            (self.quotes, self.rates) = (quotes, rates)
        }

        /// The newest rate of a currency up to a day.
        func rate(_ currency: String, upTo day: Int64 = .max) -> ExactDecimal? {
            rates[currency]?.last { $0.day <= day }?.rate
        }
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
    /// The oldest of the prices, in seconds since 1970.
    public let oldestQuote: Int64
    /// The newest of them.
    public let newestQuote: Int64
    /// Codes without a price.
    public let missing: [String]
    /// Codes whose price was dropped, since it moved farther than its market allows.
    public let dropped: [String]
    /// The rate now, of a QDII fund.
    public let rate: ExactDecimal?

    /// Values a fund.
    ///
    /// - Returns: the estimate, or why there is none.
    public static func of(_ fund: Fund, netValue: NetValue?, _ prices: Prices) -> Result<Estimate, EstimateGap> {
        guard let netValue, netValue.value.sign > 0 else { return .failure(EstimateGap(.netValue)) }
        guard fund.method != .given, !fund.quoteCodes.isEmpty else { return .failure(EstimateGap(.holdings)) }
        let weights =
            fund.method == .index
            ? fund.quoteCodes.map { ($0, ExactDecimal.hundred) } : fund.stocks.map { ($0.code, $0.weight) }
        var (sum, known) = (ExactDecimal.zero, ExactDecimal.zero)
        var (missing, dropped, times) = ([String](), [String](), [Int64]())
        for (code, weight) in weights {
            guard let quote = prices.quotes[code] else {
                missing.append(code)
                continue
            }
            guard !quote.isOutlier(code) else {
                dropped.append(code)
                continue
            }
            sum += weight * quote.change
            known += weight
            times.append(quote.time)
        }
        guard let newest = times.max(), let oldest = times.min() else {
            return .failure(EstimateGap(.quotes, missing: missing, dropped: dropped))
        }
        guard TradingClock.day(newest) > netValue.day else { return .failure(EstimateGap(.published)) }
        let percent =
            switch fund.method {
            case .scaled: (sum * (fund.stockPosition ?? known)).divided(by: known) ?? .zero
            default: sum * fund.coefficient
            }
        var factor = ExactDecimal.one + percent * hundredth
        var rate: ExactDecimal?
        if let currency = fund.foreignCurrency {
            guard let now = prices.rate(currency), let then = prices.rate(currency, upTo: netValue.day),
                let moved = now.divided(by: then)
            else { return .failure(EstimateGap(.rate)) }
            (factor, rate) = (factor * moved, now)
        }
        return .success(
            Estimate(
                value: (netValue.value * factor).rounded(4), change: (factor - .one).rounded(12), method: fund.method,
                anchor: netValue, coverage: known, oldestQuote: oldest, newestQuote: newest, missing: missing,
                dropped: dropped, rate: rate))
    }

    /// The estimate that a source gave.
    static func given(_ value: ExactDecimal, at time: Int64, netValue: NetValue?) -> Result<Estimate, EstimateGap> {
        guard let netValue, let change = deviation(value, netValue.value) else {
            return .failure(EstimateGap(.netValue))
        }
        guard TradingClock.day(time) > netValue.day else { return .failure(EstimateGap(.published)) }
        return .success(
            Estimate(
                value: value, change: change, method: .given, anchor: netValue, coverage: .hundred, oldestQuote: time,
                newestQuote: time, missing: [], dropped: [], rate: nil))
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
    /// Codes without a price.
    public let missing: [String]
    /// Codes whose price was dropped.
    public let dropped: [String]

    init(_ reason: Estimate.Gap, missing: [String] = [], dropped: [String] = []) {
        (self.reason, self.missing, self.dropped) = (reason, missing, dropped)
    }
}
