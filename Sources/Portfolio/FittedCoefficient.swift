public import Values

/// The coefficient with which a fund's estimates would have been nearest to its net values (Spec/product/portfolio.md, 6.1).
public struct FittedCoefficient: Sendable {
    /// Σ actual·raw / Σ raw², to 4 places; above 0.
    public let value: ExactDecimal
    /// The days that it follows from.
    public let days: Int
    /// The mean distance of the estimates of these days as they were, and as they would have been with this coefficient.
    public let meanBefore: ExactDecimal, meanAfter: ExactDecimal

    /// Days that count at most, and at least.
    public static let (mostDays, fewestDays) = (20, 5)

    /// - Parameters:
    ///   - days: the days of one fund on which an estimate was held against a net value, sorted.
    ///   - netValues: the net values of the fund, sorted.
    /// - Returns: nil with fewer than five days, and where no coefficient above 0 answers.
    public init?(_ days: [Accuracy.Sample], netValues: [Estimate.NetValue]) {
        let moves = days.suffix(Self.mostDays).compactMap { day -> (raw: ExactDecimal, actual: ExactDecimal)? in
            guard let before = netValues.last(where: { $0.day < day.day })?.value,
                let guessed = Estimate.deviation(day.estimate, before)?.divided(by: day.coefficient),
                let actual = Estimate.deviation(day.netValue, before)
            else { return nil }
            return (guessed, actual)
        }
        guard moves.count >= Self.fewestDays else { return nil }
        let (products, squares) = (moves.sum { $0.actual * $0.raw }, moves.sum { $0.raw * $0.raw })
        guard let value = products.divided(by: squares)?.rounded(4), value.sign > 0 else { return nil }
        (self.value, self.days) = (value, moves.count)
        meanBefore = days.suffix(Self.mostDays).mean(\.deviation.magnitude)
        meanAfter = moves.mean { ($0.raw * value - $0.actual).magnitude }
    }
}
