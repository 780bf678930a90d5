import VaultFormat
import VaultRecords
public import VaultStore

/// Prices that came in and are to be stored: one save takes all of them, with the estimates that follow
/// (Spec/product/portfolio.md, 7).
public struct PriceBook {
    /// Points that were not there.
    public private(set) var added = 0
    /// Points that took the place of another value.
    public private(set) var changed = 0
    /// Prices that moved farther than their market allows, by code: the stored ones stay.
    public private(set) var dropped: [String] = []
    /// Quotes that are older than the stored ones: those stay.
    public private(set) var older = 0

    private let vault: Vault
    private var series: [String: Series] = [:]
    private var dirty: Set<String> = []

    /// Nothing yet, over what a vault holds.
    public init(_ vault: Vault) { self.vault = vault }

    /// True if there is nothing to store.
    public var isEmpty: Bool { dirty.isEmpty }

    private mutating func set(_ name: String, _ key: String, _ time: Int64, _ values: [String]) throws {
        if series[name] == nil {
            series[name] = try vault.entry(Series.id(name)).map { try vault.series($0) } ?? Series()
        }
        let isThere = series[name]?[key].contains { $0.time == UInt64(time) } ?? false
        guard series[name]?.set(key, Series.Point(time: UInt64(time), values: values)) ?? false else { return }
        dirty.insert(name)
        if isThere { changed += 1 } else { added += 1 }
        guard added + changed <= Self.valueCount else {
            throw FormatError(.invalid, "more than 1,000,000 values at once: import them in parts")
        }
    }

    /// Values of one import at most: all are in memory.
    private static let valueCount = 1_000_000

    /// Takes a line.
    ///
    /// - Throws: as `Vault.series`.
    public mutating func take(_ line: PriceLine) throws {
        switch line.value {
        case .netValue(let value, let day):
            try set(PortfolioSeries.netValues(day: day), line.code, day, [value.description, line.source])
        case .rate(let rate, let time):
            try set(PortfolioSeries.rates(time: time), line.code, time, [rate.description, line.source])
        case .estimate(let value, let time):
            let values = [value.rounded(4).description, ValuationMethod.given.rawValue, line.source]
            try set(PortfolioSeries.estimates(time: time), line.code, time, values)
        case .quote(let quote): try take(quote, line.code)
        }
    }

    private mutating func take(_ quote: Quote, _ code: String) throws {
        guard !quote.isOutlier(code) else { return dropped.append(code) }
        let name = PortfolioSeries.quotes
        if series[name] == nil {
            series[name] = try vault.entry(Series.id(name)).map { try vault.series($0) } ?? Series()
        }
        let last = series[name]?[code].last
        if let last, last.time > UInt64(quote.time) { return older += 1 }
        let values = [quote.price.description, quote.previousClose.description, quote.source]
        guard last?.time != UInt64(quote.time) || last?.values != values else { return }
        series[name]?.removePoints(of: code)
        series[name]?.set(code, Series.Point(time: UInt64(quote.time), values: values))
        dirty.insert(name)
        if last == nil { added += 1 } else { changed += 1 }
    }

    /// Adds the estimates that follow from what a vault holds and from these prices, and what estimates were worth on days
    /// whose net value is known.
    ///
    public mutating func takeEstimates(with funds: FundBook? = nil) throws {
        // Estimates first: then they are held against the net values.
        for _ in 1...2 { try takeEstimates(of: watchlist(with: funds)) }
    }

    /// - Parameter watchlist: the vault's, with these prices in it.
    private mutating func takeEstimates(of watchlist: Watchlist) throws {
        for fund in watchlist.funds {
            if fund.method != .given, case .success(let estimate) = watchlist.estimate(fund) {
                let values = [estimate.value.description, estimate.method.rawValue, "qvault"]
                let time = estimate.newestQuote
                try set(PortfolioSeries.estimates(time: time), fund.code, time, values)
            }
            for (day, netValue) in (watchlist.netValues[fund.code] ?? []).suffix(30) {
                guard let last = watchlist.estimates[fund.code]?.last(where: { TradingClock.day($0.time) == day })
                else {
                    continue
                }
                let values = [last.value.description, netValue.description, last.method]
                try set(PortfolioSeries.deviations(day: day), fund.code, day, values)
            }
        }
    }

    /// What the vault would hold with these prices, and with the cards that came with them.
    public func watchlist(with funds: FundBook? = nil) throws -> Watchlist {
        try Watchlist(vault, besides: series, cards: funds?.cardsByID ?? [:])
    }

    /// Days that estimates are kept.
    public static let estimateDays: Int64 = 30

    /// Stores all, and puts estimates of more than 30 days ago into the trash.
    ///
    /// - Throws: all that storing throws.
    public func store(in transaction: VaultTransaction, now: Int64) throws {
        for name in dirty.sorted() { if let series = series[name] { try transaction.put(series, as: name) } }
        let oldest = PortfolioSeries.estimates(time: now - Self.estimateDays * 86_400)
        for entry in try transaction.before.seriesEntries() {
            let name = String(decoding: entry.overview.title, as: UTF8.self)
            if name.hasPrefix(PortfolioSeries.estimatePrefix), name < oldest, !dirty.contains(name) {
                try transaction.trash(entry)
            }
        }
    }
}
