package import Values
import VaultFormat

extension Chart {
    /// The chart as lines of braille signs, each of which has two by four dots.
    package func lines(width: Int, height: Int) -> [String] {
        let labels = labels(height)
        let edge = labels.map(\.count).max() ?? 0
        let columns = max(10, width - edge - 2)
        var field = DotField(columns: columns, rows: height)
        let places = positions(width: Double(columns * 2 - 1), height: Double(height * 4 - 1))
        for (one, other) in zip(places, places.dropFirst() + places.suffix(1)) { field.draw(from: one, to: other) }
        // Every third line has its value beside it.
        let rows = field.rows.enumerated().map { row, signs in
            let isLabelled = row % 3 == 0 || row == height - 1
            let label = isLabelled ? labels[row] : ""
            return String(repeating: " ", count: edge - label.count) + label + " ┤" + signs
        }
        let room = max(1, columns - first.count - last.count)
        return rows + [String(repeating: " ", count: edge + 2) + first + String(repeating: " ", count: room) + last]
    }

    /// The newest values as one line of bars, the lowest as the smallest.
    package static func sparkline(_ values: some Collection<ExactDecimal>) -> String {
        guard let low = values.min(), let high = values.max(), values.count > 1 else { return "" }
        let bars = Array("▁▂▃▄▅▆▇█")
        return String(
            values.map { value in
                guard let share = ((value - low) * ExactDecimal(7)).divided(by: high - low) else { return bars[3] }
                return bars[share.whole(in: 0...7)]
            })
    }
}

/// Dots of a chart, from the lower left.
private struct DotField {
    private let columns: Int
    private var cells: [[UInt32]]

    init(columns: Int, rows: Int) {
        self.columns = columns
        cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
    }

    /// The bits of a sign, by row and column (Unicode, 0x2800).
    private static let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    mutating func draw(from one: (x: Double, y: Double), to other: (x: Double, y: Double)) {
        let steps = max(1, Int(max(abs(other.x - one.x), abs(other.y - one.y)).rounded(.up)))
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            set(Int((one.x + (other.x - one.x) * share).rounded()), Int((one.y + (other.y - one.y) * share).rounded()))
        }
    }

    private mutating func set(_ x: Int, _ y: Int) {
        let row = cells.count * 4 - 1 - y
        cells[row / 4][x / 2] |= Self.bits[row % 4][x % 2]
    }

    var rows: [String] {
        cells.map { row in
            String(String.UnicodeScalarView(row.compactMap { $0 == 0 ? " " : Unicode.Scalar(0x2800 + $0) }))
        }
    }
}
