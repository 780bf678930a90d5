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
                "'\(printable(text.utf8))' is no save: give its number, a day like 2026-01-31, a time like 2026-01-31T18:30 or 7d"
            )
        }
        return try vault.sequence(at: time)
    }

    /// A point in time: `2026-01-31` (the end of that day, here), `2026-01-31T18:30`, with seconds, with
    /// `Z` for UTC; `7d`, `12h`, `4w` ago. Nil for anything else.
    static func time(_ text: String) -> Timestamp? {
        if let seconds = seconds(text) {
            let now = UInt64(max(0, Glibc.time(nil)))
            return Timestamp(microseconds: (now > seconds ? now - seconds : 0) * 1_000_000)
        }
        let isUTC = text.hasSuffix("Z")
        let body = Array((isUTC ? text.dropLast() : Substring(text)).utf8)
        let shape = Array("0000-00-00T00:00:00".utf8)
        guard [10, 16, 19].contains(body.count),
            zip(body, shape).allSatisfy({ $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 })
        else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            range.upperBound > body.count ? 0 : body[range].reduce(0) { $0 * 10 + Int32($1 - 48) }
        }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1900, number(5..<7) - 1, number(8..<10))
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        unsafe (parts.tm_isdst) = -1
        if body.count == 10 { unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (23, 59, 59) }
        let (month, day) = unsafe (parts.tm_mon, parts.tm_mday)
        let seconds = unsafe isUTC ? timegm(&parts) : mktime(&parts)
        // The calendar has no such day.
        guard seconds >= 0, unsafe (parts.tm_mon == month && parts.tm_mday == day) else { return nil }
        // To the end of the second, or of the minute.
        return Timestamp(microseconds: UInt64(seconds + (body.count == 16 ? 59 : 0)) * 1_000_000 + 999_999)
    }

    /// A short length of time in milliseconds: `500ms`, `30s`, `15m`, `2h`.
    static func milliseconds(_ text: String) -> UInt64? {
        let units: [(String, UInt64)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        guard let unit = units.first(where: { text.hasSuffix($0.0) }), let number = UInt64(text.dropLast(unit.0.count)),
            number <= 1_000_000
        else { return nil }
        return number * unit.1
    }

    /// A length of time in seconds: `90d`, `12h`, `4w`, `1y`.
    static func seconds(_ text: String) -> UInt64? {
        let units: [Character: UInt64] = ["h": 3600, "d": 86_400, "w": 604_800, "y": 31_557_600]
        guard let unit = text.last.flatMap({ units[$0] }), let number = UInt64(text.dropLast()), number <= 10_000 else {
            return nil
        }
        return number * unit
    }
}
