package import Values
import VaultFormat
import Cards

/// Values over time, to be drawn. Places are binary fractions; the figures that are shown are exact.
package struct Chart {
    /// Its title, in the person's language.
    package let title: String
    /// By time, in any unit. Not empty.
    package let points: [(time: Int64, value: ExactDecimal)]
    package let timeText: (Int64) -> String
    /// Times that the chart reaches over at least; nil for those of the points.
    private let axis: ClosedRange<Int64>?
    /// True of amounts: two places, and commas between groups of three digits.
    private let isMoney: Bool
    /// True if the shape alone is shown, and no value.
    package let hidesValues: Bool

    package init(
        title: String, points: [(time: Int64, value: ExactDecimal)], timeText: @escaping (Int64) -> String,
        axis: ClosedRange<Int64>? = nil, isMoney: Bool = false, hidesValues: Bool = false
    ) {
        (self.title, self.points, self.timeText, self.axis) = (title, points, timeText, axis)
        (self.isMoney, self.hidesValues) = (isMoney, hidesValues)
    }

    var lowest: ExactDecimal { points.map(\.value).min() ?? .zero }
    var highest: ExactDecimal { points.map(\.value).max() ?? .zero }
    private var start: Int64 { min(points.first?.time ?? 0, axis?.lowerBound ?? .max) }
    private var end: Int64 { max(points.last?.time ?? 0, axis?.upperBound ?? .min) }
    var first: String { timeText(start) }
    var last: String { timeText(end) }

    /// The places of the points in a field, from its lower left corner.
    package func positions(width: Double, height: Double) -> [(x: Double, y: Double)] {
        let (low, high) = (lowest.approximation, highest.approximation)
        let (start, end) = (start, end)
        return points.map { point in
            let value = point.value.approximation
            let x = end > start ? Double(point.time - start) / Double(end - start) : 0.5
            // A value that does not change is a line in the middle.
            return (x * width, (high > low ? (value - low) / (high - low) : 0.5) * height)
        }
    }

    /// Values between the lowest and the highest, from the top, as labels of so many lines.
    func labels(_ count: Int) -> [String] {
        (0..<count).map { place in
            let share = ExactDecimal(count - 1 - place).divided(by: ExactDecimal(max(1, count - 1))) ?? .zero
            let value = lowest + (highest - lowest) * share
            return hidesValues ? hiddenAmount : isMoney ? value.amountText() : value.rounded(4).description
        }
    }
}
