public import VaultFormat
public import VaultStore

/// A day on which something of a card ends: its validity, an inspection, an insurance.
public struct DueDate: Sendable {
    /// The class of a date by its distance.
    public enum Level: String, CaseIterable, Sendable {
        /// Past, or within 7 days.
        case urgent
        /// Within 30 days.
        case soon
        /// Later.
        case later
    }

    /// The card.
    public let entry: Entry
    /// The field.
    public let line: Card.Line
    /// `YYYY-MM-DD`; of a month its last day.
    public let date: String
    /// From today to that day; negative once it is past.
    public let days: Int64

    /// The class of this date.
    public var level: Level { days <= 7 ? .urgent : days <= 30 ? .soon : .later }
}

extension Vault {
    /// The dates within so many days from a day, and those in the past: the earliest first.
    ///
    /// - Parameters:
    ///   - today: days since 1970.
    ///   - damaged: told which cards cannot be read; the rest is listed if it returns.
    /// - Throws: as `card`, unless `damaged` says otherwise.
    public func dueDates(
        today: Int64, within limit: Int64, damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [DueDate] {
        try map(try cardEntries(), limit: Self.cardByteCount, damaged: damaged) { entry, content, dates in
            let card = try Card(entry, Array(copying: content))
            for line in card.lines {
                guard let date = card.dueDate(line), let days = date.dayNumber.map({ $0 - today }), days <= limit else {
                    continue
                }
                dates.append(DueDate(entry: entry, line: line, date: date, days: days))
            }
        }.sorted { ($0.days, $0.entry.id) < ($1.days, $1.entry.id) }
    }
}

extension Card {
    /// The day on which a field ends; nil of fields that do not end. An own field ends if its name says so and its value
    /// is a day.
    func dueDate(_ line: Line) -> String? {
        if line.label == nil {
            let words = ["due", "expires", "expiry", "until", "到期", "有效期", "截止"]
            let name = line.key.lowercased()
            let value = Check.date.normalized(line.value)
            return words.contains { name.contains($0) } && Check.date.complaint(about: value) == nil ? value : nil
        }
        switch line.key {
        case "valid_until", "inspection_until", "insurance_until":
            return Check.date.complaint(about: line.value) == nil ? line.value : nil
        case "expiry": return Self.lastDay(ofMonth: line.value)
        default: return nil
        }
    }

    /// The last day of `MM/YY`: a bank card is good to the end of its month.
    private static func lastDay(ofMonth value: String) -> String? {
        guard Check.expiry.complaint(about: value) == nil else { return nil }
        let month = "20\(value.suffix(2))-\(value.prefix(2))"
        return (28...31).reversed().lazy.map { "\(month)-\($0)" }.first { $0.dayNumber != nil }
    }
}

extension String {
    /// Days since 1970 of `YYYY-MM-DD`; nil where the calendar has no such day.
    package var dayNumber: Int64? {
        let parts = split(separator: "-").compactMap { Int64($0) }
        return parts.count == 3 ? CalendarTime.days(parts[0], parts[1], parts[2]) : nil
    }
}
