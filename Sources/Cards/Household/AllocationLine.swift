public import Values
import VaultFormat

/// A part of what a fund consists of, by its report: a line `DIMENSION SOURCE DAY PERCENT CATEGORY`.
public struct AllocationLine: FieldLine, Equatable {
    /// What a fund is divided by.
    public enum Dimension: String, CaseIterable, Sendable {
        /// Stocks, bonds, cash.
        case assetClass = "asset_class"
        /// Countries and regions.
        case geography
        /// Industries.
        case sector
    }

    /// What it is divided by.
    public let dimension: Dimension
    /// True if a program read it from a report; false if a person typed it.
    public let isAutomatic: Bool
    /// The day of the report, `YYYY-MM-DD`; nil where nothing is said.
    public let day: String?
    /// Percent of the fund's value, 0 to 100.
    public let percentage: ExactDecimal
    /// Its name; not empty.
    public let category: String

    /// A line.
    public init(
        _ dimension: Dimension, _ category: String, percentage: ExactDecimal, day: String?, isAutomatic: Bool = false
    ) {
        (self.dimension, self.category, self.percentage) = (dimension, category, percentage)
        (self.day, self.isAutomatic) = (day, isAutomatic)
    }

    /// Reads a line; nil where it is none. Source and day may be left out.
    public init?(_ line: some StringProtocol) {
        var words = String(line).split(whereSeparator: \.isWhitespace).map(String.init)[...]
        guard let dimension = words.popFirst().flatMap({ Dimension(rawValue: $0) }) else { return nil }
        let isAutomatic = words.first == "auto"
        if isAutomatic || words.first == "manual" { words.removeFirst() }
        var day: String?
        if let word = words.first, word == "-" || Day(stored: word) != nil {
            day = word == "-" ? nil : word
            words.removeFirst()
        }
        guard let percentage = words.popFirst().flatMap({ ExactDecimal(printed: $0) }), percentage.sign >= 0,
            percentage <= .hundred, !words.isEmpty
        else { return nil }
        self.init(dimension, words.joined(separator: " "), percentage: percentage, day: day, isAutomatic: isAutomatic)
    }

    /// The line in the one form that is stored.
    public var line: String {
        "\(dimension.rawValue) \(isAutomatic ? "auto" : "manual") \(day ?? "-") \(percentage.shortest) \(category)"
    }

    /// As many as a fund has stocks.
    public static let lineCount = StockWeight.lineCount
    /// The forms of a line.
    public static let wrongLine: Phrase =
        "has a line that is no 'DIMENSION [DAY] PERCENT CATEGORY' of asset_class, geography or sector"

    /// Categories that stand in a report twice, and reports of more than 100 percent.
    public static func complaint(aboutAll parts: [AllocationLine]) -> Phrase? {
        let reports = Dictionary(grouping: parts) { "\($0.dimension.rawValue) \($0.day ?? "-")" }
        for report in reports.values {
            let sum = report.reduce(ExactDecimal.zero) { $0 + $1.percentage }
            if sum > .hundred { return "has weights of \(sum) % in all" }
            let names = report.map(\.category)
            if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
                return "has \(twice) twice"
            }
        }
        return nil
    }
}
