public import VaultFormat
import Cards
public import VaultStore

/// A change of what is held: a point of the series `holding.log.YYYY` (Spec/product/assets.md, 7).
public struct HoldingChange: Equatable, Sendable {
    /// When it was noted.
    public let time: Timestamp
    /// The id of the holding's card.
    public let holding: RecordID
    /// The day from which the new values hold.
    public let day: Day
    /// Shares before and after.
    public let oldShares: ExactDecimal, newShares: ExactDecimal
    /// The cost of a share before and after.
    public let oldCost: ExactDecimal, newCost: ExactDecimal

    /// A change of a holding.
    public init(_ holding: Holding, shares: ExactDecimal, cost: ExactDecimal, day: Day, at time: Timestamp) {
        (self.time, self.holding, self.day) = (time, holding.id, day)
        (oldShares, newShares) = (holding.lot.shares, shares)
        (oldCost, newCost) = (holding.lot.cost, cost)
    }

    /// A line of `holding log` of a holding that is there; nil once it was removed.
    package static let line = Shape<(change: HoldingChange, holding: Holding?)>(
        "",
        [
            .day("date", \.change.day), .text("code", \.holding?.code),
            .text("platform") { $0.holding?.platformName ?? "" }, .number("old_shares", \.change.oldShares),
            .number("new_shares", \.change.newShares), .number("old_cost", \.change.oldCost),
            .number("new_cost", \.change.newCost),
        ])
    private static let prefix = "holding.log."

    private init?(_ holding: RecordID, _ point: Series.Point) {
        let numbers = point.values.dropFirst().compactMap { ExactDecimal($0) }
        guard numbers.count == 4, let day = Day(point.values[0]) else { return nil }
        (time, self.holding, self.day) = (Timestamp(microseconds: point.time), holding, day)
        (oldShares, newShares, oldCost, newCost) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }

    /// The changes of a holding, or of all; the newest first.
    ///
    /// - Throws: as `Vault.series`.
    public static func all(in vault: Vault, of holding: RecordID? = nil) throws -> [HoldingChange] {
        let lists = try vault.seriesEntries { $0.title.hasPrefix(prefix) }.flatMap { try vault.series($0).points }
        return lists.flatMap { key, points in
            guard let id = RecordID(hex: key), holding == nil || holding == id else { return [HoldingChange]() }
            return points.compactMap { HoldingChange(id, $0) }
        }.sorted { ($1.time, $1.holding) < ($0.time, $0.holding) }
    }

    /// Stores it beside the others.
    ///
    /// - Throws: all that storing throws.
    public func store(in transaction: VaultTransaction) throws {
        let values = [day.text, oldShares.description, newShares.description, oldCost.description, newCost.description]
        let point = Series.Point(time: time.microseconds, values: values)
        try transaction.put(point, of: holding.description, in: Self.prefix + time.text.prefix(4))
    }
}
