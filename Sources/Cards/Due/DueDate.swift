public import VaultFormat
public import VaultStore

/// A day on which something of a card ends: its validity, an inspection, an insurance.
public struct DueDate: Sendable {
    /// The class of a date by its distance.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// Past, or within 7 days.
        case urgent
        /// Within 30 days.
        case soon
        /// Later.
        case later

        /// The class of a day so many days from today.
        public init(days: Int64) { self = days <= 7 ? .urgent : days <= 30 ? .soon : .later }

        /// What is nearer is less.
        public static func < (one: Level, other: Level) -> Bool { one.place < other.place }

        private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The thing that ends.
    public enum Subject: Sendable {
        /// A field of a card.
        case field(Card.Line)
        /// The time for which a copy was given away, to whom.
        case share(recipient: String?, card: String?)
    }

    /// The card, or the record of the copy.
    public let entry: Entry
    /// The thing that ends.
    public let subject: Subject
    /// The day; of a month its last one.
    public let day: Day
    /// From today to that day; negative once it is past.
    public let days: Int64
    /// The time at which it ends, where that is known.
    public let time: Timestamp?

    /// The class of this date.
    public var level: Level { Level(days: days) }

    /// The field's key; `share` of a copy.
    public var key: String {
        switch subject {
        case .field(let line): line.key
        case .share: "share"
        }
    }
}

extension Vault {
    /// The dates within so many days from a day, and those in the past, the earliest first; without those that a person put
    /// off or is done with.
    ///
    /// - Parameters:
    ///   - now: the time; an app that was free for a while is not listed once that is over. Left out, today's beginning in UTC.
    ///   - records: cards and copies, where they are at hand.
    ///   - damaged: told which records cannot be read; the rest is listed if it returns.
    /// - Throws: as `card`, unless `damaged` says otherwise.
    public func dueDates(
        today: Day, now: Timestamp? = nil, within limit: Int64, among records: [Entry]? = nil,
        damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [DueDate] {
        let answers = try dueAnswers()
        func add(
            _ entry: Entry, _ subject: DueDate.Subject, _ day: Day?, _ dates: inout [DueDate],
            time: Timestamp? = nil
        ) {
            guard let day, today.distance(to: day) <= limit else { return }
            dates.append(
                DueDate(entry: entry, subject: subject, day: day, days: today.distance(to: day), time: time))
        }
        let records = try records ?? cardsAndShares()
        let titles = try cardTitles(of: records.filter(\.isShare))
        let dates = try map(
            records.filter { $0.isShare || $0.hasDueDates }, limit: Self.cardByteCount, damaged: damaged
        ) { entry, content, dates in
            guard entry.isCard else {
                let texts = try RecordFields(parsing: Array(copying: content)).texts
                let card = entry.parent.flatMap { titles[$0] }
                return add(
                    entry, .share(recipient: texts["recipient"], card: card), texts["until"].flatMap { Day($0) }, &dates
                )
            }
            guard entry.endsByKind || Card.mayEnd(content) else { return }
            let card = try Card(entry, Array(copying: content))
            for line in card.lines { add(entry, .field(line), card.dueDate(line), &dates) }
            if let end = card.endOfFreeTime(at: now ?? Timestamp(second: today.second), created: entry.created),
                let line = card.lines.first(where: { $0.key == "free_until" })
            {
                add(entry, .field(line), LocalTime.day(of: end), &dates, time: end)
            }
        }
        return dates.filter { date in !answers.contains { $0.hides(date, today: today) } }.sorted {
            ($0.days, $0.entry.id) < ($1.days, $1.entry.id)
        }
    }
}

extension DueAnswer {
    fileprivate func hides(_ date: DueDate, today: Day) -> Bool {
        hides(subject: hexText(date.entry.id.bytes), key: date.key, date: date.day.text, today: today)
    }
}

extension Field {
    /// True of the day to which a document is good.
    package var endsDocument: Bool { Card.dueKeys[key] == false }
}

extension Entry {
    /// True for assets and policies, whose fields have other words than those that are looked for.
    fileprivate var endsByKind: Bool { Schema.of(kind)?.fields.contains { Card.dueKeys[$0.key] == true } ?? false }

    /// False for cards that can have no field that ends: they need not be read.
    fileprivate var hasDueDates: Bool {
        guard let schema = Schema.of(kind) else { return false }
        return schema.takesOwnFields || schema.fields.contains { Card.dueKeys[$0.key] != nil }
    }
}

extension Card {
    /// The fields of kinds that end; true of those of assets and policies, which ask for nothing once that is over.
    fileprivate static let dueKeys = [
        "valid_until": false, "inspection_until": false, "insurance_until": false, "expiry": false, "maturity": true,
        "next_payment": true, "end": true,
    ]

    /// Own fields with one of these in their names end.
    private static let dueWords = ["due", "expires", "expiry", "until", "到期", "有效期", "截止"]
    private static let dueWordBytes = dueWords.map { Array($0.utf8) }

    /// False for a card whose content has none of these words, in small or capital letters: most need not be parsed.
    fileprivate static func mayEnd(_ content: Span<UInt8>) -> Bool {
        var first: UInt8 = 0
        for place in content.indices {
            defer { first = content[place] | 0x20 }
            // The first two bytes of the words: du, ex, un, and of the Chinese ones.
            switch (first, content[place] | 0x20) {
            case (0x64, 0x75), (0x65, 0x78), (0x75, 0x6E), (0xE5, 0xA8), (0xE6, 0xBC), (0xE6, 0xA8): break
            default: continue
            }
            let index = place - 1
            for word in dueWordBytes where word.count <= content.count - index {
                let isEqual = word.indices.allSatisfy { offset in
                    let byte = content[index + offset]
                    return (0x41...0x5A ~= byte ? byte | 0x20 : byte) == word[offset]
                }
                if isEqual { return true }
            }
        }
        return false
    }

    /// The day on which a field ends; nil of fields that do not end. An own field ends if its name says so and its value
    /// is a day.
    func dueDate(_ line: Line) -> Day? {
        if line.label == nil {
            let name = line.key.lowercased()
            // Other programs give a time to the second.
            let value = Timestamp(line.value).map { String($0.text.prefix(10)) } ?? Check.date.normalized(line.value)
            return Self.dueWords.contains { name.contains($0) } ? Check.storedDay(value) : nil
        }
        guard let endsWithStatus = Self.dueKeys[line.key] else { return nil }
        if endsWithStatus, fields.texts["status"] ?? "active" != "active" { return nil }
        // No premium is paid for a cover that has ended by then.
        if line.key == "next_payment", let end = fields.texts["end"], end < line.value { return nil }
        return line.key == "expiry" ? Self.lastDay(ofMonth: line.value) : Check.storedDay(line.value)
    }

    /// The time at which the free period of an app ends, where that is to come.
    fileprivate func endOfFreeTime(at now: Timestamp, created: Timestamp) -> Timestamp? {
        guard schema.kind == Schema.app.kind else { return nil }
        let app = App(fields.texts, created: created)
        return app.isFree(at: now) ? app.freeUntil : nil
    }

    /// The last day of `MM/YY`: a bank card is good to the end of its month.
    static func lastDay(ofMonth value: String) -> Day? {
        guard Check.expiry.complaint(about: value) == nil else { return nil }
        let month = "20\(value.suffix(2))-\(value.prefix(2))"
        return (28...31).reversed().lazy.compactMap { Day("\(month)-\($0)") }.first
    }
}
