import Glibc
import VaultFormat
import VaultStore

/// A point in time as a person types it, and how long ago something may be.
enum TimeArgument {
    /// The saves that an option names: a number, or a time.
    static func sequence(_ text: String, in vault: Vault) throws -> UInt64 {
        if let number = UInt64(text), number <= Limits.counter { return number }
        guard let time = time(text) else {
            throw Failure(
                .usage,
                "'\(printable(text.utf8))' is not a save: give its number, a day like 2026-01-31, a time like 2026-01-31T18:30, or 7d"
            )
        }
        return try vault.sequence(at: time)
    }

    /// A point in time: a day (`2026-01-31`, `today`, `yesterday`: its end, here), a time (`2026-01-31T18:30` or with a blank,
    /// with seconds, with `Z` or `+08:00` behind), or a length of time ago (`7d`). Nil for anything else.
    ///
    /// - Parameter isStart: a day stands for its beginning, and a minute too.
    static func time(_ text: String, isStart: Bool = false) -> Timestamp? {
        let now = UInt64(max(0, Glibc.time(nil)))
        if let ago = milliseconds(text) {
            return Timestamp(microseconds: (now > ago / 1000 ? now - ago / 1000 : 0) * 1_000_000)
        }
        if text == "today" || text == "yesterday" {
            return time(dayText(now - (text == "today" ? 0 : UInt64(Day.seconds))), isStart: isStart)
        }
        if text.count == 10 || text.hasSuffix("Z") == false, let local = local(text, isStart) { return local }
        return exact(text, isStart)
    }

    /// The day of a time, here.
    private static func dayText(_ seconds: UInt64) -> String {
        String(timeText(Timestamp(microseconds: seconds * 1_000_000), local: true).prefix(10))
    }

    /// With `Z` or an offset from UTC, by the one reader of such times.
    private static func exact(_ text: String, _ isStart: Bool) -> Timestamp? {
        let tail = text.hasSuffix("Z") ? "Z" : String(text.suffix(6))
        let body = String(text.dropLast(tail.count))
        let rest = [10: isStart ? "T00:00:00" : "T23:59:59", 16: isStart ? ":00" : ":59", 19: ""]
        guard let seconds = rest[body.utf8.count], let time = Timestamp(body + seconds + tail) else { return nil }
        return isStart ? time : Timestamp(microseconds: time.microseconds + 999_999)
    }

    /// A day or a time by the clock of this place.
    private static func local(_ text: String, _ isStart: Bool) -> Timestamp? {
        let body = Array(text.utf8)
        let shape = Array("0000-00-00T00:00:00".utf8)
        guard [10, 16, 19].contains(body.count),
            zip(body, shape).allSatisfy({ byte, wanted in
                wanted == UInt8(ascii: "0")
                    ? (48...57).contains(byte) : byte == wanted || (wanted == 0x54 && byte == 0x20)
            })
        else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            range.upperBound > body.count ? 0 : body[range].reduce(0) { $0 * 10 + Int32($1 - 48) }
        }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(5..<7) - 1, number(8..<10))
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        guard unsafe parts.tm_hour < 24 && parts.tm_min < 60 && parts.tm_sec < 60 else { return nil }
        unsafe (parts.tm_isdst) = -1
        if body.count == 10, !isStart {
            unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (23, 59, 59)
        }
        let (month, day) = unsafe (parts.tm_mon, parts.tm_mday)
        let seconds = unsafe mktime(&parts)
        // The calendar has no such day.
        guard seconds >= 0, unsafe (parts.tm_mon == month && parts.tm_mday == day) else { return nil }
        if isStart { return Timestamp(microseconds: UInt64(seconds) * 1_000_000) }
        // To the end of the second, or of the minute.
        return Timestamp(microseconds: UInt64(seconds + (body.count == 16 ? 59 : 0)) * 1_000_000 + 999_999)
    }

    /// A day in milliseconds.
    static let day = UInt64(Day.seconds) * 1000

    /// A length of time in milliseconds: `90` and `90s` (seconds), `500ms`, `0.5s`, `15m`, `2h`, `1d`, `4w`, `1y`.
    static func milliseconds(_ text: String) -> UInt64? {
        let units: [(String, UInt64)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", day), ("w", 7 * day),
            ("y", 31_557_600_000), ("", 1000),
        ]
        guard let (name, unit) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        let parts = text.dropLast(name.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
        guard isPlain, parts.count <= 2, let whole = UInt64(parts[0]), whole <= 10_000_000 else { return nil }
        let digits = parts.count == 2 ? parts[1].prefix(3) : ""
        let thousandths = (UInt64(digits) ?? 0) * [1, 100, 10, 1][digits.count]
        return whole * unit + thousandths * unit / 1000
    }

    /// The same in whole seconds.
    static func seconds(_ text: String) -> UInt64? { milliseconds(text).map { $0 / 1000 } }

    /// The same in whole days.
    static func days(_ text: String) -> Int64? { seconds(text).map { Int64($0) / Day.seconds } }

    /// A length of time for people: `90s`, `15m`, `12h`, `30d`.
    static func text(_ milliseconds: UInt64) -> String {
        let units: [(UInt64, String)] = [(day, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        guard let unit = units.first(where: { milliseconds >= $0.0 && milliseconds % $0.0 == 0 }) else {
            return "\(milliseconds)ms"
        }
        // A day alone is 24 hours, as the limits of sessions have it.
        return milliseconds == day ? "24h" : "\(milliseconds / unit.0)\(unit.1)"
    }
}
