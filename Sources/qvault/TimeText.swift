import Glibc

/// A time of nanoseconds since 1970: RFC 3339 in UTC, or for people in local time.
func timeText(nanoseconds: Int64, local: Bool = false) -> String {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return remainder < 0
        ? timeText(seconds: quotient - 1, fraction: remainder + 1_000_000_000, local: local)
        : timeText(seconds: quotient, fraction: remainder, local: local)
}

/// The same of microseconds.
func timeText(microseconds: UInt64, local: Bool = false) -> String {
    timeText(
        seconds: Int64(microseconds / 1_000_000), fraction: Int64(microseconds % 1_000_000) * 1000, local: local)
}

private func timeText(seconds: Int64, fraction: Int64, local: Bool) -> String {
    var text: [UInt8] = []
    if local {
        var clock = LocalClock()
        clock.write(seconds: seconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
    let time = CalendarTime(seconds: seconds)
    time.writeDay(to: &text)
    text.append(UInt8(ascii: "T"))
    time.writeMinute(to: &text)
    text.append(UInt8(ascii: ":"))
    text.append(time.second, digits: 2)
    if fraction != 0 {
        text.append(UInt8(ascii: "."))
        text.append(fraction, digits: 9)
        while text.last == UInt8(ascii: "0") { text.removeLast() }
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
}

/// Local times by the minute, for many: the system is asked for the offset of each quarter of an hour once, since
/// offsets change at no other time.
struct LocalClock {
    private var quarter = Int64.min
    private var offset: Int64 = 0

    /// Writes `2026-01-31 18:30`.
    mutating func write(seconds: Int64, to text: inout [UInt8]) {
        let (whole, rest) = seconds.quotientAndRemainder(dividingBy: 900)
        let wanted = rest < 0 ? whole - 1 : whole
        if wanted != quarter {
            var (time, parts) = unsafe (time_t(seconds), tm())
            offset = unsafe localtime_r(&time, &parts) == nil ? 0 : Int64(unsafe parts.tm_gmtoff)
            quarter = wanted
        }
        let time = CalendarTime(seconds: seconds + offset)
        time.writeDay(to: &text)
        text.append(UInt8(ascii: " "))
        time.writeMinute(to: &text)
    }
}

/// Seconds since 1970 as the Gregorian calendar names them.
private struct CalendarTime {
    let year, month, day, hour, minute, second: Int64

    init(seconds: Int64) {
        let shifted = seconds.addingReportingOverflow(719_468 * 86_400).partialValue  // since 0000-03-01
        var (days, rest) = shifted.quotientAndRemainder(dividingBy: 86_400)
        if rest < 0 { (days, rest) = (days - 1, rest + 86_400) }
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

    func writeDay(to text: inout [UInt8]) {
        if 0...9999 ~= year { text.append(year, digits: 4) } else { text += "\(year)".utf8 }
        text.append(UInt8(ascii: "-"))
        text.append(month, digits: 2)
        text.append(UInt8(ascii: "-"))
        text.append(day, digits: 2)
    }

    func writeMinute(to text: inout [UInt8]) {
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
