/// A rule for which backups stay: the newest ones, and the newest of each of the last days, weeks, months and years that have
/// one.
public struct Retention: Equatable, Sendable {
    /// A number of periods of one kind.
    private struct Class: Equatable {
        let count: Int
        /// `n` for backups by themselves, `d`, `w`, `m` or `y`.
        let unit: Character

        /// Names the period of a day; nil for backups by themselves.
        func period(_ day: Day) -> String? {
            switch unit {
            case "d": day.text
            // Weeks begin on Monday; 1970-01-01 was a Thursday.
            case "w": "\((day.number + 3) / 7)"
            case "m": day.month
            case "y": String(day.text.prefix(4))
            default: nil
            }
        }
    }

    private let classes: [Class]

    /// A number of the newest.
    public init(newest count: Int) { classes = [Class(count: count, unit: "n")] }

    /// Reads `30` or `7d,4w,12m,2y`, also mixed; nil of anything else.
    public init?(_ text: String) {
        var classes: [Class] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let unit = part.last.flatMap { "dwmy".contains($0) ? $0 : nil }
            let digits = unit == nil ? part[...] : part.dropLast()
            guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let count = Int(digits), 1...100_000 ~= count else {
                return nil
            }
            classes.append(Class(count: count, unit: unit ?? "n"))
        }
        self.classes = classes
    }

    /// The places of the backups that stay.
    ///
    /// - Parameter days: the days of the backups, from the oldest to the newest.
    public func kept(_ days: [Day]) -> Set<Int> {
        var kept: Set<Int> = []
        for one in classes {
            var (left, last) = (one.count, String?.none)
            for (place, day) in days.enumerated().reversed() where left > 0 {
                let period = one.period(day)
                if period != nil, period == last { continue }
                kept.insert(place)
                (left, last) = (left - 1, period)
            }
        }
        return kept
    }
}
