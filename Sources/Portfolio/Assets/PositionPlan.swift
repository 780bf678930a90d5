public import VaultFormat
import Cards
public import VaultStore

/// What a person wants to invest in funds: settings `position.*` of a vault (Spec/product/assets.md, 4).
public struct PositionPlan: Equatable, Sendable {
    /// What may be invested; 0 where nothing is set.
    public var budget: ExactDecimal = .zero
    /// The lowest and the highest share of the budget in percent; 0 and 100 where nothing is set.
    public var least: ExactDecimal = .zero, most: ExactDecimal = .hundred
    /// The strategy that is in force.
    public var strategy: Strategy = .simple
    /// The parameters of the strategy `asset_rebalance`.
    public var rebalancing = Rebalancing()

    /// A way to say what to buy and what to sell.
    public enum Strategy: String, CaseIterable, Sendable {
        /// Between two bounds of the budget.
        case simple
        /// Classes of assets go back to their targets at the end of a month.
        case assetRebalance = "asset_rebalance"
    }

    /// Nothing set.
    public init() {}

    /// The numbers by their names, in settings and in words of a person.
    static var numbers: KeyValuePairs<String, WritableKeyPath<PositionPlan, ExactDecimal>> {
        ["budget": \.budget, "min": \.least, "max": \.most]
    }

    private static let (strategyName, rebalancingName) = ("position.strategy", "position.asset_rebalance")

    /// The plan of a vault.
    ///
    /// - Throws: as `Vault.setting`.
    public init(_ vault: Vault) throws {
        for (name, part) in Self.numbers {
            if case .number(let value)? = try vault.setting("position.\(name)")?.value { self[keyPath: part] = value }
        }
        if case .text(let name)? = try vault.setting(Self.strategyName)?.value {
            strategy = Strategy(rawValue: name) ?? .simple
        }
        if case .text(let line)? = try vault.setting(Self.rebalancingName)?.value {
            rebalancing = Rebalancing(line) ?? Rebalancing()
        }
    }

    /// The error in it; nil if there is none.
    public var complaint: Phrase? {
        if budget.sign < 0 || least.sign < 0 || most.sign < 0 { return "a budget or a bound is negative" }
        return least > most ? "the lowest share is above the highest" : nil
    }

    /// Stores what differs from the plan before, and a line of the log for another budget.
    ///
    /// - Parameters:
    ///   - reason: the person's words for the log; may be empty.
    ///   - time: now.
    /// - Returns: false where nothing differs.
    /// - Throws: all that storing throws.
    package func store(in transaction: VaultTransaction, reason: String, at time: Timestamp) throws -> Bool {
        let old = try PositionPlan(transaction.before)
        guard self != old else { return false }
        for (name, part) in Self.numbers where self[keyPath: part] != old[keyPath: part] {
            try transaction.put(Setting(.number(self[keyPath: part])), as: "position.\(name)")
        }
        if strategy != old.strategy { try transaction.put(Setting(.text(strategy.rawValue)), as: Self.strategyName) }
        if rebalancing != old.rebalancing {
            try transaction.put(Setting(.text(rebalancing.line)), as: Self.rebalancingName)
        }
        if budget != old.budget {
            try BudgetChange(time: time, old: old.budget, new: budget, reason: reason).store(in: transaction)
        }
        return true
    }
}

/// A change of the budget: a point of the series `position.log.YYYY`.
public struct BudgetChange: Equatable, Sendable {
    /// When it was noted.
    public let time: Timestamp
    /// The budget before and after.
    public let old: ExactDecimal, new: ExactDecimal
    /// The person's words; may be empty.
    public let reason: String

    private static let (prefix, key) = ("position.log.", "budget")

    /// A line of `position log`.
    package static let line = Shape<Self>(
        "", [.time("time", \.time), .money("old", \.old), .money("new", \.new), .note("reason", \.reason)])

    /// The changes of a vault, the newest first.
    ///
    /// - Throws: as `Vault.series`.
    public static func all(in vault: Vault) throws -> [BudgetChange] {
        let entries = try vault.seriesEntries { $0.title.hasPrefix(prefix) }
        let points = try entries.flatMap { try vault.series($0)[key] }
        let changes = points.compactMap { point -> BudgetChange? in
            guard let old = point.number(0), let new = point.number(1), let reason = point.text(2) else { return nil }
            return BudgetChange(time: Timestamp(microseconds: point.time), old: old, new: new, reason: reason)
        }
        return changes.sorted { $0.time > $1.time }
    }

    fileprivate func store(in transaction: VaultTransaction) throws {
        let values = [old.description, new.description, reason]
        let point = Series.Point(time: time.microseconds, values: values)
        try transaction.put(point, of: Self.key, in: Self.prefix + time.text.prefix(4))
    }
}
