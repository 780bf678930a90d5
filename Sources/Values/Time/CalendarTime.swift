extension Timestamp {
    /// Whole seconds since 1970.
    package var seconds: Int64 { Int64(microseconds / 1_000_000) }

    /// RFC 3339 in UTC, with as many digits of a second as it takes.
    public var text: String {
        CalendarTime(seconds: seconds).text(nanoseconds: Int64(microseconds % 1_000_000) * 1000)
    }
}

extension Timestamp {
    /// A time of RFC 3339, as `FileTime` reads it; nil before 1970.
    public init?(_ text: String) {
        guard let time = FileTime(text), time.nanoseconds >= 0 else { return nil }
        self.init(microseconds: UInt64(time.nanoseconds / 1000))
    }
}

extension FileTime {
    /// RFC 3339 in UTC, with as many digits of a second as it takes.
    public var text: String {
        // The whole seconds of the earliest time overflow as nanoseconds; the time itself does not.
        CalendarTime(seconds: seconds).text(nanoseconds: nanoseconds &- seconds &* 1_000_000_000)
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension CalendarTime {
    fileprivate func text(nanoseconds fraction: Int64) -> String {
        var text: [UInt8] = []
        writeDay(to: &text)
        text.append(UInt8(ascii: "T"))
        writeMinute(to: &text)
        text.append(UInt8(ascii: ":"))
        text.append(second, digits: 2)
        if fraction != 0 {
            text.append(UInt8(ascii: "."))
            text.append(fraction, digits: 9)
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}

extension FileTime {
    /// A time like `2026-01-31T18:30:00.5Z` or `…+08:00`; a space may stand for the `T`.
    ///
    /// Nil for anything else, for a day that the calendar does not have, and outside the years 1678 to 2261.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            rest.removeFirst(count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func take(_ allowed: String) -> UInt8? {
            guard let next = rest.first, allowed.utf8.contains(next) else { return nil }
            return rest.removeFirst()
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take("Tt ") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), 1678...2261 ~= year, hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if take(".") != nil {
            let digits = rest.prefix { 0x30...0x39 ~= $0 }
            guard !digits.isEmpty else { return nil }
            rest.removeFirst(digits.count)
            fraction = (0..<9).reduce(0) { sum, place in
                sum * 10 + (place < digits.count ? Int64(digits[digits.startIndex + place] - 0x30) : 0)
            }
        }
        var offset: Int64 = 0
        switch take("Zz+-") {
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            let isEast = Array(text.utf8)[rest.startIndex - 1] == UInt8(ascii: "+")
            guard let hours = number(2), take(":") != nil, let minutes = number(2), hours < 24, minutes < 60 else {
                return nil
            }
            offset = (hours * 3600 + minutes * 60) * (isEast ? 1 : -1)
        case nil: return nil
        default: break
        }
        guard rest.isEmpty, let days = CalendarTime.days(year, month, day) else { return nil }
        let seconds = days * CalendarTime.secondsOfDay + hour * 3600 + minute * 60 + second - offset
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLarge else { return nil }
        self.init(nanoseconds: product + fraction)
    }
}

/// Seconds since 1970 as the Gregorian calendar names them.
package struct CalendarTime {
    package static let secondsOfDay: Int64 = 86_400

    package let year, month, day, hour, minute, second: Int64

    package init(seconds: Int64) {
        let shifted = seconds.addingReportingOverflow(719_468 * Self.secondsOfDay).partialValue  // since 0000-03-01
        var (days, rest) = shifted.quotientAndRemainder(dividingBy: Self.secondsOfDay)
        if rest < 0 { (days, rest) = (days - 1, rest + Self.secondsOfDay) }
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        // Years that begin in March have their leap day at the end, and 400 of them 146,097 days.
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970 of a day; nil where the calendar does not have it.
    static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
        guard 1...12 ~= month, 1...31 ~= day else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let marchMonth = month > 2 ? month - 3 : month + 9
        let yearOfEra = shiftedYear % 400
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * marchMonth + 2) / 5 + day - 1
        let days = shiftedYear / 400 * 146_097 + dayOfEra - 719_468
        // A day too many is the first of the next month.
        let time = CalendarTime(seconds: days * Self.secondsOfDay)
        return (time.year, time.month, time.day) == (year, month, day) ? days : nil
    }

    /// `YYYY-MM-DD`.
    package var dayText: String {
        var text: [UInt8] = []
        writeDay(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    package func writeDay(to text: inout [UInt8]) {
        if 0...9999 ~= year { text.append(year, digits: 4) } else { text += "\(year)".utf8 }
        text.append(UInt8(ascii: "-"))
        text.append(month, digits: 2)
        text.append(UInt8(ascii: "-"))
        text.append(day, digits: 2)
    }

    package func writeMinute(to text: inout [UInt8]) {
        text.append(hour, digits: 2)
        text.append(UInt8(ascii: ":"))
        text.append(minute, digits: 2)
    }
}

extension [UInt8] {
    /// A number that is not negative, with zeros in front of it.
    fileprivate mutating func append(_ number: Int64, digits: Int) {
        if digits > 1 { append(number / 10, digits: digits - 1) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
