import Values
import VaultFormat

/// The test of a value by one of a condition's values.
struct QueryTest: Sendable {
    /// A text that has to have words in it, or to be equal.
    enum Text: Sendable {
        case words(CardQuery)
        case equal([UInt8])
    }

    var text: Text?
    /// The same as a closed word of a field stores it, such as `liquid` for 流动资金.
    var word: String?
    var number: Bounds<ExactDecimal>?
    var day: Bounds<Day>?
    var time: Bounds<Timestamp>?

    /// True if it can hold for no value.
    var isEmpty: Bool { text == nil && number == nil && day == nil && time == nil }

    /// True if a text is what is asked for.
    func holds(text value: Span<UInt8>) -> Bool {
        switch text {
        case .words(let words): words.isFound(in: value)
        case .equal(let wanted): Folding.fold(Array(copying: value)) == wanted
        case nil: false
        }
    }

    /// True if the value of a field is what is asked for.
    ///
    /// - Parameter check: the rule for the field; nil of one of one's own.
    func holds(_ value: Span<UInt8>, _ check: Check?) -> Bool {
        guard let check else {
            let value = String(utf8: value)
            if let number, let typed = ExactDecimal(typed: value), number.contains(typed) { return true }
            if let day, let typed = Check.storedDay(Check.date.normalized(value)), day.contains(typed) { return true }
            return holds(text: Array(value.utf8).span)
        }
        switch check.classes {
        case .number: return number.map { ExactDecimal(String(utf8: value)).map($0.contains) ?? false } ?? false
        case .day: return day.map { check.dayMeant(by: String(utf8: value)).map($0.contains) ?? false } ?? false
        default:
            guard case .word = check else { return holds(text: value) }
            let stored = String(utf8: value)
            return stored == word || holds(text: value)
                || AssetWords.chinese.contains { $0.value == stored && holds(text: Array($0.key.utf8).span) }
        }
    }
}

extension CardQuery {
    /// True if every word is found in a text.
    func isFound(in text: Span<UInt8>) -> Bool {
        var best: [Found?] = Array(repeating: nil, count: count)
        look(text, .kind, &best)
        return best.allSatisfy { $0 != nil }
    }
}

extension Check {
    /// The day that a value of such a field stands for: of a month its last, of what is for ever the last of all.
    func dayMeant(by value: String) -> Day? {
        switch self {
        case .expiry: Card.lastDay(ofMonth: value)
        case .dateOrForever where ["长期", "forever"].contains(value): .last
        default: Self.storedDay(value)
        }
    }
}

// MARK: Values as people type them

extension QueryTest {
    /// The test for one value of a condition.
    ///
    /// - Returns: an empty one where the value is none of what the field has.
    init(
        _ value: QueryCondition.Value, _ comparison: QueryCondition.Comparison, _ field: QueryField, _ clock: QueryClock
    ) {
        let isText = [.has, .equal, .unequal].contains(comparison)
        if field.classes.contains(.text), isText, case .text(let text) = value {
            let folded = Folding.fold(text.text.utf8)
            self.text =
                comparison == .has
                ? .words(CardQuery(words: [(folded, text.isQuoted)]))
                : .equal(folded)
            word = AssetWords.chinese[text.text] ?? text.text.lowercased()
        }
        if field.classes.contains(.number) { number = Self.bounds(value, comparison, QueryNumber.amount) }
        if field.classes.contains(.size) { number = Self.bounds(value, comparison, QueryNumber.size) }
        if field.classes.contains(.day) { day = Self.days(value, comparison, clock) }
        if field.classes.contains(.time) { time = Self.times(value, comparison, clock) }
    }

    private static func bounds(
        _ value: QueryCondition.Value, _ comparison: QueryCondition.Comparison, _ read: (String) -> ExactDecimal?
    ) -> Bounds<ExactDecimal>? {
        switch value {
        case .text(let text): read(text.text).map { Bounds(comparison, $0, $0) }
        case .range(let lower, let upper): range(lower, upper, read) { Bounds($0, $1) }
        }
    }

    /// Bounds of what can be read at the ends that there are; nil where an end cannot be read.
    private static func range<End, Value>(
        _ lower: QueryText?, _ upper: QueryText?, _ read: (String) -> End?, _ bounds: (End?, End?) -> Bounds<Value>
    ) -> Bounds<Value>? {
        let ends = (lower.map { read($0.text) }, upper.map { read($0.text) })
        if case .some(nil) = ends.0 { return nil }
        if case .some(nil) = ends.1 { return nil }
        return bounds(ends.0 ?? nil, ends.1 ?? nil)
    }

    /// Days; a length of time is counted from today on, and behind `:` it is all of that time.
    private static func days(
        _ value: QueryCondition.Value, _ comparison: QueryCondition.Comparison, _ clock: QueryClock
    ) -> Bounds<Day>? {
        func period(_ text: String) -> Period? {
            // What is good for ever ends on the last day of all.
            if ["长期", "forever"].contains(Check.dateOrForever.normalized(text)) { return Period(.last) }
            return QueryNumber.days(text).map { Period(clock.today.advanced(by: $0)) }
                ?? Period(text, today: clock.today)
        }
        switch value {
        case .text(let text):
            if comparison == .has, let days = QueryNumber.days(text.text) {
                let other = clock.today.advanced(by: days)
                return Bounds(min(clock.today, other), max(clock.today, other))
            }
            return period(text.text).map { Bounds(comparison, $0.first, $0.last) }
        case .range(let lower, let upper): return range(lower, upper, period) { Bounds($0?.first, $1?.last) }
        }
    }

    /// Times that are past; a length of time is an age.
    private static func times(
        _ value: QueryCondition.Value, _ comparison: QueryCondition.Comparison, _ clock: QueryClock
    ) -> Bounds<Timestamp>? {
        func ago(_ text: String) -> Timestamp? {
            guard let age = QueryNumber.span(text)?.milliseconds else { return nil }
            let (microseconds, isTooLong) = age.multipliedReportingOverflow(by: 1000)
            let now = clock.now.microseconds
            return Timestamp(microseconds: isTooLong ? 0 : now - min(now, microseconds))
        }
        /// The first and the last microsecond of what is named.
        func span(_ text: String) -> (first: Timestamp, last: Timestamp)? {
            if let time = Timestamp(text) { return (time, time) }
            guard let period = Period(text, today: clock.today) else { return nil }
            let end = clock.start(period.last.advanced(by: 1)).microseconds
            return (clock.start(period.first), Timestamp(microseconds: end - min(end, 1)))
        }
        switch value {
        case .text(let text):
            if let time = ago(text.text) {
                let isWithin = [.has, .equal, .unequal].contains(comparison)
                return isWithin ? Bounds(time, nil) : Bounds(comparison.turned, time, time)
            }
            return span(text.text).map { Bounds(comparison, $0.first, $0.last) }
        case .range(let lower, let upper):
            // Of two ages the greater one is the earlier time.
            let youngest = lower.flatMap { ago($0.text) }
            let oldest = upper.flatMap { ago($0.text) }
            if lower.map({ _ in youngest != nil }) ?? true, upper.map({ _ in oldest != nil }) ?? true {
                return Bounds(oldest, youngest)
            }
            return range(lower, upper, span) { Bounds($0?.first, $1?.last) }
        }
    }
}

/// Numbers of a query.
enum QueryNumber {
    /// An amount, a percentage, or any other number.
    static func amount(_ text: String) -> ExactDecimal? { ExactDecimal(typed: text) }

    private static let units: [(name: String, bytes: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("k", 1000), ("m", 1_000_000), ("g", 1_000_000_000), ("b", 1), ("", 1),
    ]

    /// A size in bytes, such as `500`, `1.5MB`, `10MiB`, `2g`.
    static func size(_ text: String) -> ExactDecimal? {
        let word = String(decoding: Folding.fold(text.utf8), as: UTF8.self).trimmed
        guard let unit = units.first(where: { word.hasSuffix($0.name) }),
            let number = ExactDecimal(printed: String(word.dropLast(unit.name.count)))
        else { return nil }
        return number * ExactDecimal(unit.bytes)
    }

    /// What people write for the units of lengths of time.
    private static let spanUnits: [(name: String, unit: String)] = [
        ("小时", "h"), ("个月", "m"), ("天", "d"), ("日", "d"), ("周", "w"), ("年", "y"), ("h", "h"), ("d", "d"), ("w", "w"),
        ("y", "y"),
    ]

    /// A length of time with its unit, an hour or longer: `12h`, `30d`, `-7d`, `2w`, `1y`, `30天`, `3个月`, of 30 days each. `内` may
    /// stand behind it.
    static func span(_ text: String) -> (milliseconds: UInt64, isNegative: Bool)? {
        var word = String(decoding: Folding.fold(text.utf8), as: UTF8.self).trimmed
        let isNegative = word.hasPrefix("-")
        if isNegative { word = String(word.dropFirst()) }
        if word.hasSuffix("内") { word = String(word.dropLast()) }
        guard let (name, unit) = spanUnits.first(where: { word.hasSuffix($0.name) }) else { return nil }
        let number = word.dropLast(name.count)
        // 2026年 is a year, not so many of them.
        if name == "年", number.count == 4 { return nil }
        let span =
            unit == "m"
            ? TimeSpan.milliseconds("\(number)d").map { $0 * 30 } : TimeSpan.milliseconds("\(number)\(unit)")
        return span.map { ($0, isNegative) }
    }

    /// The same in whole days.
    static func days(_ text: String) -> Int64? {
        span(text).map { span in
            let days = Int64(span.milliseconds / TimeSpan.day)
            return span.isNegative ? -days : days
        }
    }
}
