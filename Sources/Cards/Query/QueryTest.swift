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
    var number: Bounds<ExactDecimal>?
    var day: Bounds<Day>?
    var time: Bounds<Timestamp>?
    /// Bytes.
    var size: Bounds<ExactDecimal>?
    /// The same as `time`, of a time to come.
    var deadline: Bounds<Timestamp>?

    /// True if it can hold for no value.
    var isEmpty: Bool { text == nil && number == nil && day == nil && time == nil && size == nil && deadline == nil }

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
        case .size: return size.map { ExactDecimal(String(utf8: value)).map($0.contains) ?? false } ?? false
        case .time: return time.map { Timestamp(String(utf8: value)).map($0.contains) ?? false } ?? false
        case .deadline: return deadline.map { Timestamp(String(utf8: value)).map($0.contains) ?? false } ?? false
        case .day: return day.map { check.dayMeant(by: String(utf8: value)).map($0.contains) ?? false } ?? false
        default:
            guard case .word = check, let word = check.closedWord(String(utf8: value)) else {
                return holds(text: value)
            }
            return word.names.contains { holds(text: Array($0.utf8).span) }
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
        case .dateOrForever where Self.endless.contains(value): .last
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
        }
        if field.classes.contains(.number) { number = Self.bounds(value, comparison, QueryNumber.amount) }
        if field.classes.contains(.size) { size = Self.bounds(value, comparison, QueryNumber.size) }
        if field.classes.contains(.day) { day = Self.days(value, comparison, clock) }
        if field.classes.contains(.time) { time = Self.times(value, comparison, clock) }
        if field.classes.contains(.deadline) { deadline = Self.deadlines(value, comparison, clock) }
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
            // A validity without end ends on the last day of all.
            if Check.endless.contains(Check.dateOrForever.normalized(text)) { return Period(.last) }
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
        func span(_ text: String) -> (first: Timestamp, last: Timestamp)? { ends(text, clock) }
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
                guard let oldest, let youngest else { return Bounds(oldest, youngest) }
                return Bounds(min(oldest, youngest), max(oldest, youngest))
            }
            return range(lower, upper, span) { Bounds($0?.first, $1?.last) }
        }
    }

    /// The first and the last microsecond of a time or a period that is named.
    private static func ends(_ text: String, _ clock: QueryClock) -> (first: Timestamp, last: Timestamp)? {
        if let time = Timestamp(text) { return (time, time) }
        guard let period = Period(text, today: clock.today) else { return nil }
        let end = clock.start(period.last.advanced(by: 1)).microseconds
        return (clock.start(period.first), Timestamp(microseconds: end - min(end, 1)))
    }

    /// Times to come; a length of time is counted from now on, and behind `:` it is all of that time.
    private static func deadlines(
        _ value: QueryCondition.Value, _ comparison: QueryCondition.Comparison, _ clock: QueryClock
    ) -> Bounds<Timestamp>? {
        func ahead(_ text: String) -> Timestamp? {
            guard let length = QueryNumber.span(text) else { return nil }
            let (microseconds, isTooLong) = length.milliseconds.multipliedReportingOverflow(by: 1000)
            let now = clock.now.microseconds
            guard !isTooLong else { return length.isNegative ? .zero : .max }
            return Timestamp(
                microseconds: length.isNegative
                    ? now - min(now, microseconds) : now.addingReportingOverflow(microseconds).partialValue)
        }
        func span(_ text: String) -> (first: Timestamp, last: Timestamp)? {
            ahead(text).map { ($0, $0) } ?? ends(text, clock)
        }
        switch value {
        case .text(let text):
            if comparison == .has, let end = ahead(text.text) {
                return Bounds(min(clock.now, end), max(clock.now, end))
            }
            return span(text.text).map { Bounds(comparison, $0.first, $0.last) }
        case .range(let lower, let upper): return range(lower, upper, span) { Bounds($0?.first, $1?.last) }
        }
    }
}

/// Numbers of a query.
enum QueryNumber {
    /// An amount, a percentage, or any other number.
    static func amount(_ text: String) -> ExactDecimal? { ExactDecimal(typed: text) }

    /// A size in bytes.
    static func size(_ text: String) -> ExactDecimal? {
        ByteSize.bytes(folded(text)).map { ExactDecimal(Int(clamping: $0)) }
    }

    /// The units that a length of time has in a query: without one it would be a number.
    private static let units = ["h", "d", "w", "y", "小时", "天", "日", "周", "个月", "年"]

    /// A length of time of hours or longer, perhaps with `-` before it and `内` behind.
    static func span(_ text: String) -> (milliseconds: UInt64, isNegative: Bool)? {
        var word = folded(text)
        let isNegative = word.hasPrefix("-")
        if isNegative { word = String(word.dropFirst()) }
        if word.hasSuffix("内") { word = String(word.dropLast()) }
        // 2026年 is a year, not so many of them.
        guard units.contains(where: word.hasSuffix), !(word.hasSuffix("年") && word.count == 5) else { return nil }
        return TimeSpan.milliseconds(word).map { ($0, isNegative) }
    }

    private static func folded(_ text: String) -> String {
        String(decoding: Folding.fold(text.utf8), as: UTF8.self).trimmed
    }

    /// The same in whole days.
    static func days(_ text: String) -> Int64? {
        span(text).map { span in
            let days = Int64(span.milliseconds / TimeSpan.day)
            return span.isNegative ? -days : days
        }
    }
}
