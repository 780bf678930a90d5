public import Values
import Cards

/// The rate at which the money that was paid and came in is worth nothing today: the return a year (XIRR, days / 365).
public enum MoneyWeightedReturn {
    /// The rate, to 6 places; nil where it cannot be computed: nothing was paid, nothing came of it, all on one day, or
    /// more than one rate answers.
    ///
    /// The equation has no closed form; it is solved in binary fractions, by halving an interval.
    ///
    /// - Parameter flows: money by day, negative where it was paid; the value of today is one of them.
    public static func rate(_ flows: [(day: Day, amount: ExactDecimal)]) -> ExactDecimal? {
        guard let first = flows.map(\.day).min(), flows.contains(where: { $0.day != first }) else { return nil }
        let values = flows.map { (days: first.distance(to: $0.day), amount: $0.amount.approximation) }
        func presentValue(_ growth: Double) -> Double { values.reduce(0) { $0 + $1.amount / power(growth, $1.days) } }
        let steps = (0...grid).map { lowest + Double($0) * (highest - lowest) / Double(grid) }
        let brackets = zip(steps, steps.dropFirst()).filter { presentValue($0) * presentValue($1) < 0 }
        guard brackets.count == 1, var (low, high) = brackets.first else { return nil }
        let isFalling = presentValue(low) > 0
        for _ in 0..<100 {
            let middle = (low + high) / 2
            if (presentValue(middle) > 0) == isFalling { low = middle } else { high = middle }
        }
        let millionths = ((power(low, 365) - 1) * 1_000_000).rounded()
        return ExactDecimal(Int(millionths)).divided(by: ExactDecimal(1_000_000), places: 6)
    }

    /// The growth of a day: between a thousandth and a million times a year; and the parts in which roots are sought.
    private static let (lowest, highest, grid) = (0.981, 1.0386, 960)

    private static func power(_ base: Double, _ exponent: Int64) -> Double {
        var (result, square, rest) = (1.0, base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            (square, rest) = (square * square, rest >> 1)
        }
        return result
    }
}

extension Fund {
    /// The return a year of what is held, at a price today; nil where a day is not known, or where there is no rate.
    public func moneyWeightedReturn(price: ExactDecimal, today: Day) -> ExactDecimal? {
        Self.flows(lots, price: price, today: today).flatMap { MoneyWeightedReturn.rate($0) }
    }

    /// What was paid and came in, with the value of today; nil where a day is not known.
    public static func flows(_ lots: [Lot], price: ExactDecimal, today: Day) -> [(day: Day, amount: ExactDecimal)]? {
        var flows: [(day: Day, amount: ExactDecimal)] = []
        for lot in lots {
            if let position = lot.position {
                flows += position.flows.compactMap { flow in Day(flow.day).map { ($0, flow.amount) } }
            } else if let day = lot.date {
                flows.append((day, -(lot.shares * lot.cost)))
            } else {
                return nil
            }
            flows.append((today, lot.shares * price))
        }
        return flows.isEmpty ? nil : flows
    }
}
