public import Values

/// The holdings of funds at the newest net values. A fund without one has neither value nor profit.
public struct Growth: Sendable {
    /// At the net values.
    public let amount: ExactDecimal
    /// The cost, without the funds that have no net value.
    public let cost: ExactDecimal
    /// The number of holdings.
    public let count: Int

    /// Figures.
    public init(amount: ExactDecimal, cost: ExactDecimal, count: Int) {
        (self.amount, self.cost, self.count) = (amount, cost, count)
    }

    /// amount − cost.
    public var profit: ExactDecimal { amount - cost }
    /// profit / cost, 0 for a cost of 0.
    public var rate: ExactDecimal { profit.divided(by: cost) ?? .zero }

    /// Some holdings of a watchlist.
    public init(_ holdings: [Holding], _ watchlist: Watchlist) {
        var (amount, cost) = (ExactDecimal.zero, ExactDecimal.zero)
        for holding in holdings {
            guard let value = watchlist.value(holding) else { continue }
            amount += value
            cost += watchlist.cost(holding)
        }
        self.init(amount: amount, cost: cost, count: holdings.count)
    }

    /// All holdings of a watchlist.
    public init(_ watchlist: Watchlist) { self.init(watchlist.holdings, watchlist) }

    /// The figures of one platform.
    public struct Platform: Sendable {
        /// Its name; empty where nothing is said.
        public let name: String
        /// What is held there.
        public let growth: Growth
    }

    /// The holdings by platform, the largest first.
    public static func byPlatform(_ watchlist: Watchlist) -> [Platform] {
        Dictionary(grouping: watchlist.holdings, by: \.platformName)
            .map { Platform(name: $0, growth: Growth($1, watchlist)) }
            .sorted { ($1.growth.amount, $0.name) < ($0.growth.amount, $1.name) }
    }

    /// The figures of a day.
    public struct Point: Sendable {
        /// The day.
        public let day: Day
        /// What was held on it.
        public let growth: Growth
    }

    /// A line for each day with a net value of a fund that is held; the other funds count at their last one before it.
    /// A holding counts from the day on which it was bought, and from the first net value of its fund, with the shares and the
    /// cost that it had then.
    ///
    public static func trend(_ watchlist: Watchlist, _ changes: [HoldingChange], in days: ClosedRange<Day>) -> [Point] {
        let codes = Set(watchlist.holdings.map(\.code))
        var values = codes.map { (code: $0, values: watchlist.netValues[$0] ?? [], next: 0) }
        let dates = Set(values.flatMap { $0.values.map(\.day) }.filter(days.contains)).sorted()
        let changes = Dictionary(grouping: changes, by: \.holding)
        var newest: [String: ExactDecimal] = [:]
        return dates.map { day in
            for place in values.indices {
                while values[place].next < values[place].values.count,
                    values[place].values[values[place].next].day <= day
                {
                    newest[values[place].code] = values[place].values[values[place].next].value
                    values[place].next += 1
                }
            }
            var (amount, cost, count) = (ExactDecimal.zero, ExactDecimal.zero, 0)
            for holding in watchlist.holdings where holding.isHeld(on: day) {
                // Without a net value so far there is neither a value nor a profit.
                guard let value = newest[holding.code] else { continue }
                let (shares, price) = holding.state(on: day, changes[holding.id] ?? [])
                amount += shares * value
                cost += shares * price
                count += 1
            }
            return Point(day: day, growth: Growth(amount: amount, cost: cost, count: count))
        }
    }
}

extension Holding {
    /// True from the day on which it was bought; always where nothing is said.
    fileprivate func isHeld(on day: Day) -> Bool { lot.date.map { $0 <= day } ?? true }

    /// Shares and cost of one on a day.
    ///
    /// - Parameter changes: its own, the newest first.
    func state(on day: Day, _ changes: [HoldingChange]) -> (shares: ExactDecimal, cost: ExactDecimal) {
        let isOver = changes.allSatisfy { $0.day <= day }
        guard !isOver, let first = changes.last else { return (lot.shares, lot.cost) }
        // What was noted last of this day or one before; before all of them, what the first one found.
        guard let last = changes.first(where: { $0.day <= day }) else { return (first.oldShares, first.oldCost) }
        return (last.newShares, last.newCost)
    }
}
