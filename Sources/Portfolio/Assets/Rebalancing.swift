public import Values
import VaultFormat

/// The parameters of the strategy `asset_rebalance` (Spec/product/assets.md, 4).
public struct Rebalancing: Equatable, Sendable {
    /// A class of assets: the share it should have, and the bounds of it, percent.
    public struct AssetClass: Equatable, Sendable {
        /// The classes that there are.
        public enum Kind: String, CaseIterable, Sendable {
            case equity, bond, gold

            /// The class of a fund by the type that its card names: 债 is a bond, 黄金 and 贵金属 are gold, all else is equity.
            public init(ofFundType type: String) {
                self = type.contains("债") ? .bond : type.contains("黄金") || type.contains("贵金属") ? .gold : .equity
            }
        }

        /// The class.
        public let kind: Kind
        /// The share that it should have.
        public var target: ExactDecimal
        /// The bounds between which nothing is done.
        public var least: ExactDecimal, most: ExactDecimal

        /// The numbers by their names, as words of a person give them one after the other.
        static var parts: KeyValuePairs<String, WritableKeyPath<AssetClass, ExactDecimal>> {
            ["target": \.target, "min": \.least, "max": \.most]
        }

        /// True if the target is within the bounds.
        var isInOrder: Bool { least <= target && target <= most }

        /// What to do with a class, once it is out of its bounds: back to its target.
        ///
        /// - Parameters:
        ///   - amount: what is in the class.
        ///   - total: what is in all classes.
        /// - Returns: the share in percent, to 12 places, and what to do.
        public func state(_ amount: ExactDecimal, of total: ExactDecimal) -> (ExactDecimal, PositionAdvice) {
            guard let percent = (amount * .hundred).divided(by: total) else { return (.zero, .hold) }
            let wanted = total * (target.divided(by: .hundred) ?? .zero)
            if percent < least { return (percent, .buy(wanted - amount)) }
            return (percent, percent > most ? .sell(amount - wanted) : .hold)
        }

        fileprivate func taking(_ json: JSON) -> Self? {
            guard let members = json.members else { return nil }
            var kind = self
            for (name, value) in members {
                guard let percent = value.percent, let part = Self.parts.first(where: { $0.key == name })?.value else {
                    return nil
                }
                kind[keyPath: part] = percent
            }
            return kind.isInOrder ? kind : nil
        }
    }

    /// The classes.
    public var classes = [(AssetClass.Kind.equity, 70, 65, 75), (.bond, 10, 8, 12), (.gold, 20, 16, 24)].map {
        AssetClass(kind: $0.0, target: ExactDecimal($0.1), least: ExactDecimal($0.2), most: ExactDecimal($0.3))
    }
    /// The last days of a month on which something is done, 1 to 31.
    public var windowDays = 5
    /// The values that it may have.
    static let windowDays = 1...31
    /// The share of the budget from which on anything is done, percent.
    public var leastPosition = ExactDecimal(80)

    /// 70 (65 to 75), 10 (8 to 12), 20 (16 to 24) percent; the last 5 days of a month; from 80 % of the budget.
    public init() {}

    /// True on the last days of a month.
    public func isInWindow(_ today: Day) -> Bool { today.advanced(by: Int64(windowDays)).month != today.month }

    private static let (windowName, positionName) = ("execution_window_days", "min_position_for_rebalance")

    /// The parameters as JSON: a member for each class, and two numbers.
    package var json: JSON {
        .object(
            classes.map { kind in
                let members = AssetClass.parts.map { name, part in (name, JSON.decimal(kind[keyPath: part])) }
                return (kind.kind.rawValue, JSON.object(members))
            } + [(Self.windowName, .integer(Int64(windowDays))), (Self.positionName, .decimal(leastPosition))])
    }

    /// One line of JSON.
    public var line: String { json.line }

    /// Reads a line of JSON; nil where it is none, or has an error.
    public init?(_ line: String) {
        guard let json = try? JSON(parsing: Array(line.utf8)), take(json) == nil else { return nil }
    }

    /// Takes the members of an object; those that it does not have stay.
    ///
    /// - Returns: what is wrong; nil where nothing is, and only then anything changed.
    package mutating func take(_ json: JSON) -> Phrase? {
        guard let members = json.members else { return "is no object" }
        var changed = self
        for (name, value) in members {
            if name == Self.windowName {
                guard let days = value.number.map(Int.init), Self.windowDays.contains(days) else {
                    return "\(name) is no number of days from 1 to 31"
                }
                changed.windowDays = days
            } else if name == Self.positionName {
                guard let percent = value.percent else { return "\(name) is no percentage from 0 to 100" }
                changed.leastPosition = percent
            } else if let place = classes.firstIndex(where: { $0.kind.rawValue == name }) {
                guard let kind = changed.classes[place].taking(value) else {
                    return "\(name) takes target, min and max: percentages, each not below the one before it"
                }
                changed.classes[place] = kind
            } else {
                return "\(name) is no parameter of this strategy"
            }
        }
        let sum = changed.targetSum
        guard sum == .hundred else { return "the targets are \(sum.description) % in all, and not 100" }
        self = changed
        return nil
    }

    /// The sum of the targets, which has to be 100.
    var targetSum: ExactDecimal { classes.sum(\.target) }
}

extension JSON {
    fileprivate var percent: ExactDecimal? { decimal.flatMap { $0.sign >= 0 && $0 <= .hundred ? $0 : nil } }
}
