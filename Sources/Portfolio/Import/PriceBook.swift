public import VaultFormat
import Cards
public import VaultStore

/// Prices that came in and are to be stored: one save takes all of them, with the estimates that follow
/// (Spec/product/portfolio.md, 7).
public struct PriceBook {
    /// Points that were not there, and points that took the place of another value.
    public private(set) var (added, changed) = (0, 0)
    /// Values that moved farther than their market allows: the stored ones stay.
    public private(set) var dropped: [DroppedValue] = []
    /// Net values that take the place of one that another source gave: code, day, and who said what.
    public private(set) var contradicted: [Phrase] = []
    /// Quotes that are older than the stored ones: those stay.
    public private(set) var older = 0

    /// Reminders that fired with these prices.
    public private(set) var fired: [FiredReminder] = []

    /// Net values and estimates that are to be taken in the order of their days: a table may have the newest first.
    private var pending: [PriceLine] = []
    private let vault: Vault
    /// The newest days of net values that were not there, by code.
    private var newNetValues: [String: Day] = [:]
    private var series: [String: Series] = [:]
    private var dirty: Set<String> = []

    /// Seconds between two estimates of a fund; those that are nearer are left out.
    private let spacing: Int64

    /// Nothing yet, over what a vault holds.
    public init(_ vault: Vault, spacing: Int64 = 0) { (self.vault, self.spacing) = (vault, spacing) }

    /// The estimates that another book has, over another state of the vault.
    ///
    /// - Throws: as `Vault.series`.
    public mutating func takeEstimates(from other: PriceBook) throws {
        for (name, series) in other.series where name.hasPrefix(PortfolioSeries.estimatePrefix) {
            for (code, points) in series.points {
                for point in points { try set(name, code, point.second, point.values) }
            }
        }
    }

    private mutating func setEstimate(_ code: String, _ time: Int64, _ values: [String]) throws {
        let name = PortfolioSeries.estimates(time: time)
        if spacing > 0, let last = try stored(name).last(code, before: UInt64(time)),
            UInt64(time) - last.time < UInt64(spacing)
        {
            return
        }
        try set(name, code, time, values)
    }

    /// A series as it is now.
    private mutating func stored(_ name: String) throws -> Series {
        if let series = series[name] { return series }
        let read = try vault.series(named: name)
        series[name] = read
        return read
    }

    /// True if there is nothing to store.
    public var isEmpty: Bool { dirty.isEmpty && pending.isEmpty }

    private mutating func set(_ name: String, _ key: String, _ time: Int64, _ values: [String]) throws {
        _ = try stored(name)
        switch series[name]?.set(key, Series.Point(time: UInt64(time), values: values)) ?? .none {
        case .none: return
        case .replaced: changed += 1
        case .added:
            added += 1
            if name.hasPrefix(PortfolioSeries.netValuePrefix) {
                let day = Day(clamping: time)
                newNetValues[key] = max(newNetValues[key] ?? day, day)
            }
        }
        dirty.insert(name)
        guard added + changed <= Self.valueCount else {
            throw FormatError(.invalid, "more than 1,000,000 values at once: import them in parts")
        }
    }

    /// Values of one import at most: all are in memory.
    private static let valueCount = 1_000_000

    /// Takes a line. Net values and estimates count once `takeEstimates` is called.
    ///
    /// - Throws: as `Vault.series`.
    public mutating func take(_ line: PriceLine) throws {
        switch line.value {
        case .netValue, .estimate: pending.append(line)
        case .quote, .rate: try takeNow(line)
        }
    }

    /// Takes what waits: net values by day, then estimates by time.
    private mutating func takePending() throws {
        let lines = pending.enumerated().sorted { one, other in
            let (first, second) = (one.element.place, other.element.place)
            return (first.0, first.1, one.offset) < (second.0, second.1, other.offset)
        }
        pending = []
        for line in lines { try takeNow(line.element) }
    }

    private mutating func takeNow(_ line: PriceLine) throws {
        switch line.value {
        case .netValue(let value, let day): try take(value, on: day, line)
        case .rate(let rate, let time):
            try set(PortfolioSeries.rates(time: time), line.code, time, [rate.description, line.source])
        case .estimate(let value, let time):
            let day = TradingClock().session(time)
            if try isTooFar(value, on: day, line.code) {
                return try drop(DroppedValue(.estimate, line.code, value, time: time, source: line.source))
            }
            let values = [value.description, ValuationMethod.given.rawValue, line.source]
            try setEstimate(line.code, time, values)
        case .quote(let quote): try take(quote, line.code)
        }
    }

    private mutating func take(_ value: ExactDecimal, on day: Day, _ line: PriceLine) throws {
        let name = PortfolioSeries.netValues(day: day)
        let there = try stored(name).last(line.code, at: UInt64(clamping: day.number))
        // A stored value stays, whatever was learnt of the days before.
        guard there?.number(0) != value || there?.text(1) != line.source else { return }
        if try isTooFar(value, on: day, line.code) {
            return try drop(DroppedValue(.netValue, line.code, value, time: day.second, source: line.source))
        }
        if let there, let old = there.number(0), old != value, let source = there.text(1), source != line.source {
            contradicted.append("\(line.code) \(day.text): \(old) (\(source)), \(value) (\(line.source))")
        }
        try set(name, line.code, day.number, [value.description, line.source])
    }

    /// True if a net value or an estimate is farther from the net value before than a fund can move. Without one of the two
    /// months before nothing is known.
    private mutating func isTooFar(_ value: ExactDecimal, on day: Day, _ code: String) throws -> Bool {
        for days: Int64 in [0, -28, -56] {
            let name = PortfolioSeries.netValues(day: day.advanced(by: days))
            let before = try stored(name).last(code, before: UInt64(clamping: day.number))
            guard let before, let old = before.number(0), let change = Estimate.deviation(value, old) else { continue }
            guard change.magnitude > DroppedValue.limit(sessions: Self.sessions(before.day, day)) else { return false }
            return try !agreesWithDropped(value, on: day, after: before.day, code)
        }
        return false
    }

    /// Notes a value that is not stored. A series has few of each kind of a code: a source that repeats itself cannot fill it.
    private mutating func drop(_ value: DroppedValue) throws {
        dropped.append(value)
        let name = PortfolioSeries.dropped(day: value.day)
        let known = try stored(name)[value.code]
        let count = known.count { DroppedValue(value.code, $0)?.kind == value.kind }
        guard count < DroppedValue.countPerMonth, !known.contains(value.point) else { return }
        series[name]?.set(value.code, value.point)
        dirty.insert(name)
    }

    /// True if a net value of a day between was dropped that this one agrees with: two outvote the one before.
    private mutating func agreesWithDropped(
        _ value: ExactDecimal, on day: Day, after before: Day, _ code: String
    ) throws -> Bool {
        let names = Set([before, day].map(PortfolioSeries.dropped))
        return try names.contains { name in
            try stored(name)[code].compactMap { DroppedValue(code, $0) }.contains { other in
                guard other.kind == .netValue, before < other.day, other.day < day,
                    let change = Estimate.deviation(value, other.value)
                else { return false }
                return change.magnitude <= DroppedValue.limit(sessions: Self.sessions(other.day, day))
            }
        }
    }

    /// Weekdays behind a day up to another one; 1 at least.
    private static func sessions(_ one: Day, _ other: Day) -> Int64 {
        let days = one.advanced(by: 1)..<other.advanced(by: 1)
        return Int64(max(1, days.count { TradingClock().isTradingDay($0) }))
    }

    private mutating func take(_ quote: Quote, _ code: String) throws {
        guard !quote.isOutlier(code) else {
            return try drop(DroppedValue(.price, code, quote.price, time: quote.time, source: quote.source))
        }
        let name = PortfolioSeries.quotes
        let last = try stored(name)[code].last
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
        try takePending()
        var watchlist = try watchlist(with: funds)
        // Estimates first: then they are held against the net values.
        for _ in 1...2 {
            let before = added + changed
            try takeEstimates(of: watchlist)
            guard added + changed > before else { break }
            watchlist = try self.watchlist(with: funds)
        }
        try takeReminders(watchlist)
    }

    private mutating func takeReminders(_ watchlist: Watchlist) throws {
        guard watchlist.funds.contains(where: { !$0.reminders.isEmpty }) else { return }
        let netValueDays = watchlist.funds.compactMap { newNetValues[$0.code] }
        let estimateDays = watchlist.funds.compactMap { watchlist.estimates[$0.code]?.last?.time }
        let days =
            netValueDays + (watchlist.prices.quotes.values.map(\.time) + estimateDays).map(TradingClock.day)
        guard let today = days.max() else { return }
        var last: [String: Int64] = [:]
        for reminder in try vault.firedReminders(since: today.advanced(by: -31)) {
            last["\(reminder.code) \(reminder.key)"] = reminder.time
        }
        fired = FiredReminder.now(watchlist, fired: last, newNetValues: newNetValues)
        for reminder in fired {
            let name = PortfolioSeries.reminders(day: TradingClock.day(reminder.time))
            let values = [reminder.value, reminder.change]
            try set(name, "\(reminder.code) \(reminder.key)", reminder.time, values)
        }
    }

    /// - Parameter watchlist: the vault's, with these prices in it.
    private mutating func takeEstimates(of watchlist: Watchlist) throws {
        for fund in watchlist.funds {
            if fund.method != .given, case .success(let estimate) = watchlist.estimate(fund) {
                // What a source said at this second stays: a time has one value.
                let name = PortfolioSeries.estimates(time: estimate.newestQuote)
                let isGiven = try stored(name)[fund.code].contains {
                    $0.time == UInt64(estimate.newestQuote)
                        && $0.values.dropFirst().first == ValuationMethod.given.rawValue
                }
                if !isGiven { try setEstimate(fund.code, estimate.newestQuote, StoredEstimate.values(estimate, fund)) }
            }
            for day in watchlist.accuracyDays(fund, last: 30) {
                let factor = day.coefficient == .one ? [] : [day.coefficient.description]
                let values = [day.estimate.description, day.netValue.description, day.method] + factor
                try set(PortfolioSeries.deviations(day: day.day), fund.code, day.day.number, values)
            }
        }
    }

    /// What the vault would hold with these prices, and with the cards that came with them.
    public func watchlist(with funds: FundBook? = nil) throws -> Watchlist {
        var whole = self
        try whole.takePending()
        return try Watchlist(vault, besides: whole.series, cards: funds?.cardsByID ?? [:])
    }

    /// Days that estimates are kept.
    public static let estimateDays: Int64 = 30

    /// Stores all, and puts estimates of more than 30 days ago into the trash.
    ///
    /// - Throws: all that storing throws.
    public func store(in transaction: VaultTransaction, now: Int64) throws {
        var whole = self
        try whole.takePending()
        for name in whole.dirty.sorted() {
            if let series = whole.series[name] { try transaction.put(series, as: name) }
        }
        for entry in try Self.oldEstimates(transaction.before, now: now) {
            if !whole.dirty.contains(entry.title) { try transaction.trash(entry) }
        }
    }

    /// The series of prices of securities, of estimates, and of what was dropped: all but net values, rates and deviations.
    ///
    /// - Throws: as `Vault.seriesEntries`.
    public static func shortLived(_ vault: Vault) throws -> [Entry] {
        let prefixes = [PortfolioSeries.quotes, PortfolioSeries.estimatePrefix, PortfolioSeries.droppedPrefix]
        return try vault.seriesEntries { entry in prefixes.contains { entry.title.hasPrefix($0) } }
    }

    /// The series of estimates of more than 30 days ago, and of what was dropped in a month before that.
    ///
    /// - Throws: as `Vault.seriesEntries`.
    public static func oldEstimates(_ vault: Vault, now: Int64) throws -> [Entry] {
        let first = now - estimateDays * Day.seconds
        let (oldest, month) = (
            PortfolioSeries.estimates(time: first), PortfolioSeries.dropped(day: TradingClock.day(first))
        )
        return try vault.seriesEntries { entry in
            entry.title.hasPrefix(PortfolioSeries.estimatePrefix) && entry.title < oldest
                || entry.title.hasPrefix(PortfolioSeries.droppedPrefix) && entry.title < month
        }
    }
}
