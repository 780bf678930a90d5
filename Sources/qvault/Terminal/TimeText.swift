import Glibc
import VaultRecords

/// A time of nanoseconds since 1970: RFC 3339 in UTC, or for people in local time.
func timeText(nanoseconds: Int64, local: Bool = false) -> String {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return local ? localText(remainder < 0 ? quotient - 1 : quotient) : Timestamp.text(nanoseconds: nanoseconds)
}

/// The same of microseconds.
func timeText(microseconds: UInt64, local: Bool = false) -> String {
    local ? localText(Int64(microseconds / 1_000_000)) : Timestamp.text(microseconds: microseconds)
}

private func localText(_ seconds: Int64) -> String {
    var text: [UInt8] = []
    var clock = LocalClock()
    clock.write(seconds: seconds, to: &text)
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
