public import Values
import VaultFormat
import Cards
import VaultIO
public import VaultStore

/// All that a vault knows of funds: what is watched and owned, and the values over time.
public struct Watchlist: Sendable {
    /// The funds, pinned ones first, then in the person's own order, then as they were added.
    public private(set) var funds: [Fund] = []
    /// All that is held, by code, platform and day.
    public private(set) var holdings: [Holding] = []
    /// The net values by code, sorted by day.
    public private(set) var netValues: [String: [Estimate.NetValue]] = [:]
    /// Who said the newest of them, by code.
    public private(set) var sources: [String: String] = [:]
    /// The days on which shares are traded.
    public let clock: TradingClock
    /// Prices and rates.
    public private(set) var prices = Estimate.Prices()
    /// The estimates of the last 30 days by code, sorted by time in seconds.
    public private(set) var estimates: [String: [StoredEstimate]] = [:]
    /// The days on which an estimate can be held against a net value, by code.
    public private(set) var accuracy: [String: [Accuracy.Sample]] = [:]
    /// Values that were dropped, by code, sorted by time.
    public private(set) var dropped: [String: [DroppedValue]] = [:]
    /// Titles of cards that do not count: copies of a fund or a holding, since two vaults were merged.
    public let mergeCopies: [String]
    /// Times of one series that have more than one value, since two vaults were merged.
    public private(set) var conflicts: [(series: String, key: String, time: UInt64)] = []

    /// Reads a vault.
    ///
    /// - Throws: as `Vault.card` and `Vault.series`.
    public init(_ vault: Vault) throws { try self.init(vault, besides: [:]) }

    /// The same with other series and cards in the place of the vault's, by name and by id.
    init(_ vault: Vault, besides changed: [String: Series], cards: [RecordID: Card] = [:]) throws {
        clock = try FundSettings.clock(vault)
        let stored = try FundCards(vault)
        mergeCopies = stored.copies
        var all = stored.items.map { (cards[$0.entry.id] ?? $0.card, $0.entry.id, $0.entry.created, $0.entry.updated) }
        let known = Set(all.map(\.1))
        all += cards.filter { !known.contains($0.key) }.map { ($0.value, $0.key, .zero, .zero) }
        funds = try Parallel.flatMapPieces(of: all) { $0.compactMap { Fund($0.0, id: $0.1, created: $0.2) } }
        holdings = all.compactMap { Holding($0, id: $1, created: $2, updated: $3) }
        holdings.sort { $0.place < $1.place }
        let order = Dictionary(try FundSettings.list(FundSettings.order, in: vault).enumerated().map { ($1, $0) }) {
            first, _ in first
        }
        funds.sort(by: { ($0.isPinned ? 0 : 1, order[$0.code] ?? .max, $0.created, $0.code) }) { $0 < $1 }
        let places = Dictionary(funds.enumerated().map { ($0.element.code, $0.offset) }) { first, _ in first }
        for holding in holdings where !holding.isOfFund {
            if let place = places[holding.code] { funds[place].lots.append(holding.lot) }
        }
        for entry in try vault.seriesEntries() {
            let name = entry.title
            guard name.hasPrefix(PortfolioSeries.prefix), changed[name] == nil else { continue }
            take(try vault.series(entry), name)
        }
        for (name, series) in changed { take(series, name) }
        for code in netValues.keys { netValues[code]?.sort { $0.day < $1.day } }
        for code in estimates.keys { estimates[code]?.sort { $0.time < $1.time } }
        for code in prices.rates.keys { prices.rates[code]?.sort { $0.day < $1.day } }
        for code in accuracy.keys { accuracy[code]?.sort { $0.day < $1.day } }
        for code in dropped.keys { dropped[code]?.sort { $0.time < $1.time } }
    }

    private mutating func take(_ series: Series, _ name: String) {
        conflicts += series.conflicts.map { (name, $0.key, $0.time) }
        for (key, points) in series.points {
            if name == PortfolioSeries.quotes {
                prices.quotes[key] = points.last.flatMap(Self.quote)
            } else if name.hasPrefix(PortfolioSeries.netValuePrefix) {
                takeNetValues(points, key)
            } else if name.hasPrefix(PortfolioSeries.ratePrefix) {
                prices.rates[key, default: []] += points.compactMap { point in
                    point.number(0).map { (TradingClock.day(point.second), $0) }
                }
            } else if name.hasPrefix(PortfolioSeries.estimatePrefix) {
                estimates[key, default: []] += points.compactMap { StoredEstimate($0) }
            } else if name.hasPrefix(PortfolioSeries.deviationPrefix) {
                accuracy[key, default: []] += points.compactMap(Accuracy.Sample.init)
            } else if name.hasPrefix(PortfolioSeries.droppedPrefix) {
                dropped[key, default: []] += points.compactMap { DroppedValue(key, $0) }
            }
        }
    }

    private mutating func takeNetValues(_ points: [Series.Point], _ code: String) {
        let values = points.compactMap { point in point.number(0).map { (point.day, $0) } }
        if let newest = values.last?.0, netValues[code]?.map(\.day).max().map({ $0 < newest }) ?? true {
            sources[code] = points.last?.text(1)
        }
        netValues[code, default: []] += values
    }

    private static func quote(_ point: Series.Point) -> Quote? {
        guard let price = point.number(0), let close = point.number(1), close.sign > 0, let source = point.text(2)
        else { return nil }
        return Quote(price: price, previousClose: close, time: point.second, source: source)
    }

    /// The holdings of funds that are not watched.
    public var strayHoldings: [Holding] {
        let watched = Set(funds.map(\.code))
        return holdings.filter { !watched.contains($0.code) }
    }

    /// True while shares of one of its funds are traded.
    public func isOpen(_ seconds: Int64) -> Bool {
        Set(funds.map(\.market)).union(funds.isEmpty ? [.cn] : []).contains { clock.isOpen(seconds, market: $0) }
    }

    /// The newest net value of a fund.
    public func netValue(_ code: String) -> Estimate.NetValue? { netValues[code]?.last }

    /// What the newest net value of a fund moved by since the one of the trading day before; nil where that is not known.
    package func netValueChange(_ fund: Fund) -> ExactDecimal? {
        guard let days = netValues[fund.code]?.suffix(2), days.count == 2, let before = days.first,
            let last = days.last,
            !clock.hasSession(between: before.day, and: last.day, market: fund.market)
        else { return nil }
        return Estimate.deviation(last.value, before.value)
    }

    /// How far an estimate that was counted here is from the last one that a source gave of the same session; nil where none did.
    package func spread(of estimate: Estimate, _ fund: Fund) -> ExactDecimal? {
        guard estimate.method != .given else { return nil }
        let given = estimates[fund.code]?.last { other in
            other.method == ValuationMethod.given.rawValue && day(other, fund) == estimate.day
        }
        return given.flatMap { Estimate.deviation(estimate.value, $0.value) }
    }

    /// The mean change of the estimates of all watched funds of a type, and their number; nil where there is no other.
    package func meanChange(ofType type: String) -> (change: ExactDecimal, count: Int)? {
        let changes = funds.filter { $0.type == type }.compactMap { try? estimate($0).get().change }
        return changes.count > 1 ? (changes.mean { $0 }, changes.count) : nil
    }

    /// What was dropped of a fund and of what it holds since its newest net value.
    package func dropped(_ fund: Fund) -> [DroppedValue] {
        let last = netValue(fund.code)?.day
        return ([fund.code] + fund.quoteCodes).flatMap { code in
            (dropped[code] ?? []).filter { value in
                (code == fund.code) == (value.kind != .price) && last.map { $0 < value.day } ?? true
            }
        }
    }

    /// The estimate of a fund, or why there is none.
    public func estimate(_ fund: Fund) -> Result<Estimate, EstimateGap> {
        guard fund.method == .given else {
            return Estimate.of(fund, netValue: netValue(fund.code), prices, clock: clock)
        }
        guard let last = estimates[fund.code]?.last(where: { $0.method == ValuationMethod.given.rawValue }) else {
            return .failure(EstimateGap(.quotes))
        }
        return Estimate.given(last.value, at: last.time, day: day(last, fund), netValue: netValue(fund.code))
    }

    /// How near a fund's estimates came, by their method.
    package func accuracyByMethod(_ fund: Fund) -> [(code: String, method: String, accuracy: Accuracy)] {
        Dictionary(grouping: accuracy[fund.code] ?? [], by: \.method).sorted { $0.key < $1.key }
            .compactMap { method, days in Accuracy(days).map { (fund.code, method, $0) } }
    }

    /// The session that a stored estimate is of.
    public func day(_ estimate: StoredEstimate, _ fund: Fund) -> Day {
        estimate.day ?? clock.session(estimate.time, market: fund.market)
    }

    /// What the last estimates of days were worth whose net values are known, and those of the trading days before. An estimate
    /// is counted anew from the net value before: that may have been published only after the estimate.
    ///
    /// - Parameter count: the net values at most, from the newest.
    func accuracyDays(_ fund: Fund, last count: Int) -> [Accuracy.Sample] {
        let netValues = netValues[fund.code] ?? []
        return zip(netValues, netValues.dropFirst()).suffix(count).compactMap { before, netValue in
            guard !clock.hasSession(between: before.day, and: netValue.day, market: fund.market),
                let last = estimates[fund.code]?.last(where: { day($0, fund) == netValue.day }),
                let value = last.value(from: before, on: netValue.day, fund, prices)
            else { return nil }
            return Accuracy.Sample(
                day: netValue.day, estimate: value, netValue: netValue.value, method: last.method,
                coefficient: last.coefficient)
        }
    }
}

/// An estimate as it was stored: a point of its values, its method, its source, and where it was counted here its
/// coefficient, its session and the change of the securities (Spec/product/portfolio.md, 3).
public struct StoredEstimate: Sendable {
    /// Seconds since 1970.
    public let time: Int64
    /// The estimate.
    public let value: ExactDecimal
    /// Its method.
    public let method: String
    /// The coefficient that was in it.
    public let coefficient: ExactDecimal
    let day: Day?
    /// The change of the securities, without rates of exchange.
    private let ownChange: ExactDecimal?

    init?(_ point: Series.Point) {
        guard let value = point.number(0), let method = point.text(1) else { return nil }
        (time, self.value, self.method) = (point.second, value, method)
        (coefficient, day) = (point.number(3) ?? .one, point.text(4).flatMap { Day($0) })
        ownChange = point.number(5)
    }

    /// The values of a point.
    static func values(_ estimate: Estimate, _ fund: Fund) -> [String] {
        [
            estimate.value.description, estimate.method.rawValue, "qvault", fund.coefficient.description,
            estimate.day.text, (estimate.ownChange ?? .zero).description,
        ]
    }

    /// The estimate of a day from another net value, with the rates of the two days; nil where one is missing.
    fileprivate func value(
        from before: Estimate.NetValue, on day: Day, _ fund: Fund, _ prices: Estimate.Prices
    ) -> ExactDecimal? {
        guard method != ValuationMethod.given.rawValue else { return value.rounded(4) }
        guard let ownChange else { return nil }
        var factor = ExactDecimal.one + ownChange
        if let currency = fund.foreignCurrency {
            guard let now = prices.rate(currency, on: day), let then = prices.rate(currency, on: before.day),
                let moved = now.rate.divided(by: then.rate)
            else { return nil }
            factor = factor * moved
        }
        return (before.value * factor).rounded(4)
    }
}

extension Accuracy.Sample {
    fileprivate init?(_ point: Series.Point) {
        guard let estimate = point.number(0), let netValue = point.number(1), netValue.sign > 0,
            let method = point.text(2)
        else { return nil }
        self.init(
            day: point.day, estimate: estimate, netValue: netValue, method: method,
            coefficient: point.number(3) ?? .one)
    }
}
