public import Values
public import Cards

/// What is held through funds: the categories of each fund's newest report, weighted by what the fund is worth
/// (Spec/product/assets.md, 8).
public struct LookThrough: Sendable {
    /// A fund's part of a category.
    public struct Part: Sendable {
        /// The code and the name of the fund.
        public let code: String, name: String
        /// Percent of all that is held, to 12 places.
        public let percentage: ExactDecimal
    }

    /// A category.
    public struct Item: Sendable {
        /// Its name.
        public let category: String
        /// Percent of all that is held: the sum of its parts.
        public let percentage: ExactDecimal
        /// The funds that it comes from, the largest first.
        public let funds: [Part]
    }

    /// The categories, the largest first.
    public let items: [Item]
    /// Funds with a report, and all of them.
    public let coveredFunds: Int, totalFunds: Int
    /// What the funds with a report are worth, and all of them.
    public let coveredValue: ExactDecimal, totalValue: ExactDecimal
    /// Codes of the funds without a report.
    public let missing: [String]

    /// coveredValue / totalValue · 100, to 12 places; 0 without value.
    public var coveredPercent: ExactDecimal { (coveredValue * .hundred).divided(by: totalValue) ?? .zero }

    /// A fund that is held.
    public struct Held: Sendable {
        /// Its code and its name.
        public let code: String, name: String
        /// What it is worth.
        public let value: ExactDecimal
        /// What it consists of, by its newest report of one dimension; empty where it has none.
        public let report: [AllocationLine]

        /// A fund that is held.
        public init(code: String, name: String, value: ExactDecimal, report: [AllocationLine]) {
            (self.code, self.name, self.value, self.report) = (code, name, value, report)
        }
    }

    /// percentage of a category = Σ over funds: its share in the fund's report · value of the fund / value of all funds.
    public init(_ funds: [Held]) {
        let total = funds.sum(\.value)
        let covered = funds.filter { !$0.report.isEmpty }
        var parts: [String: [Part]] = [:]
        for fund in covered {
            for line in fund.report {
                guard let percentage = (line.percentage * fund.value).divided(by: total) else { continue }
                let part = Part(code: fund.code, name: fund.name, percentage: percentage)
                parts[line.category, default: []].append(part)
            }
        }
        items = parts.map { category, parts in
            Item(
                category: category, percentage: parts.sum(\.percentage),
                funds: parts.sorted { ($1.percentage, $0.code) < ($0.percentage, $1.code) })
        }.sorted { ($1.percentage, $0.category) < ($0.percentage, $1.category) }
        (coveredFunds, totalFunds, totalValue) = (covered.count, funds.count, total)
        coveredValue = covered.sum(\.value)
        missing = funds.filter(\.report.isEmpty).map(\.code)
    }

    /// The funds that a watchlist holds, by the newest report of each.
    public init(_ watchlist: Watchlist, _ dimension: AllocationLine.Dimension) {
        let funds = watchlist.fundsByCode
        self.init(
            watchlist.valuesByFund.sorted { $0.key < $1.key }.map { code, value in
                let fund = funds[code]
                return Held(code: code, name: fund?.name ?? code, value: value, report: fund?.report(dimension) ?? [])
            })
    }
}

extension Fund {
    /// The lines of its newest report of a dimension. Of classes, where there is none, the share of stocks.
    public func report(_ dimension: AllocationLine.Dimension) -> [AllocationLine] {
        let lines = allocation.filter { $0.dimension == dimension }
        let newest = lines.compactMap(\.day).max()
        guard lines.isEmpty, dimension == .assetClass, let stockPosition else {
            return lines.filter { $0.day == newest }
        }
        return [AllocationLine(dimension, "股票", percentage: stockPosition, day: reportDate, isAutomatic: true)]
    }
}
