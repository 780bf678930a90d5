public import Values
import VaultFormat
import Cards
public import VaultStore

/// The figures of a household on one day (Spec/product/assets.md, 5).
public struct Snapshot: Equatable, Sendable {
    /// The day on which it was made.
    public let day: Day
    /// The day of the newest net value in it; nil without one, and of a snapshot of an earlier version.
    public let valueDay: Day?
    /// The buckets, the premiums of a year, and the sum of the buckets.
    public let liquid: ExactDecimal, stable: ExactDecimal, growth: ExactDecimal, premium: ExactDecimal
    /// The sum of the buckets.
    public let total: ExactDecimal
    /// All assets, all debts, and the difference.
    public let assets: ExactDecimal, debts: ExactDecimal, net: ExactDecimal

    /// The categories that are assets, in their order; nil of a snapshot of an earlier version. What is held of funds is part of
    /// the investments.
    public let categories: [ExactDecimal]?

    /// The categories that a snapshot has besides debts.
    private static let kept = AssetCategory.allCases.filter { $0 != .debt }

    private static func category(_ category: AssetCategory) -> @Sendable (Snapshot) -> ExactDecimal? {
        { $0.categories.flatMap { values in kept.firstIndex(of: category).map { values[$0] } } }
    }

    /// A line of `snapshot list`; all amounts can be drawn.
    package static let line = Shape<Self>(
        "",
        [
            .day("date", \.day).headed("day"), .money("assets", \.assets).headed("all assets"),
            .money("debts", \.debts).headed("all debts"), .money("growth", \.growth).headed("growth"),
            .money("liquid", \.liquid).headed("liquid"), .money("net", \.net).headed("net worth"),
            .money("premium", \.premium).headed("premiums"), .money("stable", \.stable).headed("stable"),
            .money("total", \.total).headed("sum of the buckets"),
            .day("nav_date", \.valueDay).orNull.headed("net values of"),
            .money("liquid_funds", category(.liquid)).orNull.headed(AssetCategory.liquid.label),
            .money("fixed_assets", category(.fixed)).orNull.headed(AssetCategory.fixed.label),
            .money("investments", category(.investment)).orNull.headed(AssetCategory.investment.label),
            .money("receivables", category(.receivable)).orNull.headed(AssetCategory.receivable.label),
        ])

    /// The names of the figures of a report's charts: the whole first, then its parts.
    package static let charted = [
        "net", "assets", "debts", "liquid_funds", "fixed_assets", "investments", "receivables",
    ]

    /// The figures of a household, rounded to 2 places.
    ///
    /// - Parameter valueDay: the day of the newest net value in it.
    public init(_ household: Household, day: Day, valueDay: Day? = nil) {
        func cents(_ value: ExactDecimal) -> ExactDecimal { value.rounded(2) }
        (self.day, self.valueDay) = (day, valueDay)
        categories = Self.kept.map { cents(household.total($0)) }
        let buckets = household.buckets(today: day)
        (liquid, stable) = (cents(buckets.liquid.amount), cents(buckets.stable.amount))
        (growth, total) = (cents(buckets.growth.amount), cents(buckets.total))
        premium = cents(buckets.insurance.annualPremium)
        (assets, debts) = (cents(household.totalAssets), cents(household.totalDebts))
        net = cents(household.net)
    }

    /// The figures of a vault today.
    ///
    /// - Throws: as `Household`.
    public init(_ vault: Vault, today: Day) throws {
        let watchlist = try Watchlist(vault)
        self.init(try Household(vault, watchlist), day: today, valueDay: watchlist.newestHeldDay)
    }

    private var values: [String] {
        [liquid, stable, growth, premium, total, assets, debts, net].map(\.description)
            + (categories ?? []).map(\.description) + (valueDay.map { [$0.text] } ?? [])
    }

    private init?(_ point: Series.Point) {
        let numbers = point.values.compactMap { ExactDecimal($0) }
        guard numbers.count > 7 else { return nil }
        let (first, end) = (8, 8 + Self.kept.count)
        (day, valueDay) = (point.day, point.text(end).flatMap { Day($0) })
        categories = numbers.count >= end ? Array(numbers[first..<end]) : nil
        (liquid, stable, growth, premium) = (numbers[0], numbers[1], numbers[2], numbers[3])
        (total, assets, debts, net) = (numbers[4], numbers[5], numbers[6], numbers[7])
    }

    private static let (prefix, key) = ("asset.snapshot.", "CNY")

    private static func name(_ day: Day) -> String { prefix + day.month }

    /// The snapshots of a vault, by day; of two of one day, which a merge may bring, the later in order.
    ///
    /// - Throws: as `Vault.series`.
    public static func all(in vault: Vault) throws -> [Snapshot] {
        let entries = try vault.seriesEntries { $0.title.hasPrefix(prefix) }
        // A series of a month stands behind one of its year, which earlier versions wrote.
        let points = try entries.sorted { $0.overview.title.lexicographicallyPrecedes($1.overview.title) }
            .flatMap { try vault.series($0)[key] }
        let byDay = Dictionary(points.compactMap { Snapshot($0) }.map { ($0.day, $0) }) { $1 }
        return byDay.values.sorted { $0.day < $1.day }
    }

    /// The snapshot that a month is held against: the newest one that is 25 days older at least, else the first one before.
    package static func aMonthBefore(_ day: Day, among snapshots: [Snapshot]) -> Snapshot? {
        let before = snapshots.filter { $0.day < day }
        return before.last { $0.day.distance(to: day) >= 25 } ?? before.first
    }

    /// Stores it in place of one of the same day; false where it is there already.
    ///
    /// - Throws: all that storing throws.
    public func store(in transaction: VaultTransaction) throws -> Bool {
        try transaction.put(Series.Point(day: day, values: values), of: Self.key, in: Self.name(day))
    }

    /// Takes the snapshot of a day away; false where there is none.
    ///
    /// - Throws: all that storing throws.
    public static func remove(_ day: Day, in transaction: VaultTransaction) throws -> Bool {
        let month = name(day)
        var isRemoved = false
        for name in [month, String(month.dropLast(3))] {
            guard let entry = try transaction.entry(Series.id(name)) else { continue }
            var series = try transaction.before.series(entry)
            guard series.removePoints(of: key, at: UInt64(clamping: day.number)) else { continue }
            try transaction.put(series, as: name)
            isRemoved = true
        }
        return isRemoved
    }
}
