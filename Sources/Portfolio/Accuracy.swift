public import Values

/// How near a fund's estimates came to what was published (Spec/product/portfolio.md, 6).
public struct Accuracy: Sendable {
    /// The last estimate before the close, and the net value that was published for that day.
    public struct Sample: Sendable {
        /// The day.
        public let day: Day
        /// The estimate, and the published value.
        public let estimate: ExactDecimal, netValue: ExactDecimal
        /// The method of the estimate.
        public let method: String

        /// The coefficient that was in the estimate.
        public let coefficient: ExactDecimal

        /// A sample.
        public init(
            day: Day, estimate: ExactDecimal, netValue: ExactDecimal, method: String, coefficient: ExactDecimal = .one
        ) {
            (self.day, self.estimate, self.netValue, self.method) = (day, estimate, netValue, method)
            self.coefficient = coefficient
        }

        /// estimate / net value − 1.
        public var deviation: ExactDecimal { Estimate.deviation(estimate, netValue) ?? .zero }
    }

    /// Days that count.
    public let count: Int
    /// The middle of the distances; of an even number of days, the mean of the two in the middle.
    public let median: ExactDecimal
    /// The mean of the distances, and the largest one.
    public let mean: ExactDecimal, worst: ExactDecimal
    /// The share of days at most 0.5 % away, 0 to 1.
    public let within: ExactDecimal

    /// Beyond it an estimate was far off.
    public static let limit = ExactDecimal("0.005") ?? .zero

    /// A line of `fund accuracy`: of a fund and a method.
    package static let line = Shape<(code: String, method: String, accuracy: Accuracy)>(
        "",
        [
            .text("code", \.code), .text("method", \.method), .count("days", \.accuracy.count),
            .rounded("median", 12, \.accuracy.median), .rounded("mean", 12, \.accuracy.mean),
            .rounded("worst", 12, \.accuracy.worst), .rounded("within", 12, \.accuracy.within),
        ])

    /// A day of `fund accuracy CODE`.
    package static let day = Shape<(code: String, sample: Sample)>(
        "",
        [
            .text("code", \.code), .day("date", \.sample.day), .text("method", \.sample.method),
            .rounded("estimate", 4, \.sample.estimate), .rounded("nav", 4, \.sample.netValue),
            .rounded("deviation", 12, \.sample.deviation),
        ])

    /// The figures in words.
    package var said: Phrase {
        "\(count) days, median \(percentText(median)), mean \(percentText(mean)), worst \(percentText(worst)), within 0.5 %: \(percentText(within))"
    }

    /// - Returns: nil without days.
    public init?(_ days: [Sample]) {
        let distances = days.map(\.deviation.magnitude).sorted()
        guard let last = distances.last else { return nil }
        let number = ExactDecimal(distances.count)
        (count, worst) = (distances.count, last)
        let middle = distances.count / 2
        median =
            distances.count % 2 == 1
            ? distances[middle] : (distances[middle - 1] + distances[middle]).divided(by: ExactDecimal(2)) ?? last
        mean = distances.mean { $0 }
        within = ExactDecimal(distances.count { $0 <= Self.limit }).divided(by: number) ?? .zero
    }
}
