import VaultFormat

/// RFC 3339 in UTC, or for people in local time.
func timeText(_ time: FileTime, local: Bool = false) -> String { local ? localText(time.seconds) : time.text }

/// The same of a time of the vault's clock.
func timeText(_ time: Timestamp, local: Bool = false) -> String { local ? localText(time.seconds) : time.text }

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
            offset = LocalTime.offset(at: seconds)
            quarter = wanted
        }
        let time = CalendarTime(seconds: seconds + offset)
        time.writeDay(to: &text)
        text.append(UInt8(ascii: " "))
        time.writeMinute(to: &text)
    }
}
