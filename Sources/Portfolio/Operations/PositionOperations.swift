public import Values
import VaultFormat
import Cards
public import VaultStore

extension VaultTransaction {
    /// Changes the plan of the position; another budget makes a line of its log.
    ///
    /// - Parameter reason: the person's words for the log; may be empty.
    /// - Returns: the plan as it is now, and false where nothing differs.
    /// - Throws: what the body throws; all that storing throws.
    public func changePosition(
        reason: String = "", at time: Timestamp, _ body: (inout PositionPlan) throws -> Void
    ) throws -> (plan: PositionPlan, isNew: Bool) {
        var plan = try PositionPlan(before)
        try body(&plan)
        return (plan, try plan.store(in: self, reason: reason, at: time))
    }
}

extension PositionPlan {
    private static let names = ["预算": "budget", "下限": "min", "上限": "max"]

    /// Takes `budget`, `min` and `max`.
    ///
    /// - Throws: `Refusal`.
    public mutating func take(bounds values: GivenValues) throws {
        let values = values.map { (key: Self.names[$0.key] ?? $0.key, value: $0.value) }
        try Refusal.check(eachOnce: values.map(\.key))
        for (key, value) in values {
            guard let part = Self.numbers.first(where: { $0.key == key })?.value else {
                throw Refusal("position set: BUDGET, min=N or max=N", .misused)
            }
            try Refusal.check(unsigned: value)
            let check: Check = key == "budget" ? .amount : .percent
            self[keyPath: part] = ExactDecimal(try check.stored(value, of: key)) ?? .zero
        }
        if let complaint { throw Refusal("position set: \(complaint)") }
    }

    /// Takes the name of a strategy.
    ///
    /// - Throws: `Refusal`.
    public mutating func take(strategy name: String) throws {
        guard let strategy = Strategy(rawValue: name) else {
            throw Refusal(
                "no strategy '\(printable(name.utf8))'", .notFound, hint: "there are simple and asset_rebalance")
        }
        self.strategy = strategy
    }
}

extension Rebalancing {
    /// Takes parameters like `equity=60,55,65`, `days=5` and `from=80`.
    ///
    /// - Throws: `Refusal`.
    public mutating func take(_ values: GivenValues) throws {
        func refusal(_ key: String) -> Refusal {
            Refusal("takes numbers in percent; the targets are 100 in all, each within its bounds", key: key)
        }
        var changed = self
        try Refusal.check(eachOnce: values.map(\.key))
        for (key, value) in values {
            let words = value.split(separator: ",").map { Check.percent.normalized(String($0)) }
            let numbers = words.compactMap { Check.percent.complaint(about: $0) == nil ? ExactDecimal($0) : nil }
            guard numbers.count == words.count, let first = numbers.first else { throw refusal(key) }
            switch key {
            case "days":
                guard let days = Int(words[0]), Self.windowDays.contains(days) else {
                    throw Refusal("takes 1 to 31", key: key)
                }
                changed.windowDays = days
            case "from": changed.leastPosition = first
            default:
                guard let place = classes.firstIndex(where: { $0.kind.rawValue == key }) else {
                    throw Refusal(
                        "the strategy has no parameter '\(printable(key.utf8))'",
                        hint: "equity, bond, gold, days and from")
                }
                guard numbers.count == AssetClass.parts.count else { throw refusal(key) }
                for (part, number) in zip(AssetClass.parts, numbers) {
                    changed.classes[place][keyPath: part.value] = number
                }
                guard changed.classes[place].isInOrder else { throw refusal(key) }
            }
        }
        guard changed.targetSum == .hundred else { throw refusal("target") }
        self = changed
    }
}
