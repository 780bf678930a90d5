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
        if let ago = TimeSpan.milliseconds(text) { return Timestamp(second: Int64(now - min(now, ago / 1000))) }
        let days: [String: Int64] = ["today": 0, "yesterday": 1]
        if let ago = days[text] { return time(Machine.today.advanced(by: -ago).text, isStart: isStart) }
        let isLocal = [10, 16, 19].contains(text.utf8.count) && !text.hasSuffix("Z")
        if isLocal, let clock = exact(text + "Z", isStart) { return here(clock) }
        return exact(text, isStart)
    }

    /// With `Z` or an offset from UTC, by the one reader of such times.
    private static func exact(_ text: String, _ isStart: Bool) -> Timestamp? {
        let tail = text.hasSuffix("Z") ? "Z" : String(text.suffix(6))
        let body = String(text.dropLast(tail.count))
        let rest = [10: isStart ? "T00:00:00" : "T23:59:59", 16: isStart ? ":00" : ":59", 19: ""]
        guard let seconds = rest[body.utf8.count], let time = Timestamp(body + seconds + tail) else { return nil }
        return isStart ? time : Timestamp(microseconds: time.microseconds + 999_999)
    }

    /// The time at which the clock of this place shows what a clock in UTC shows at another one.
    private static func here(_ clock: Timestamp) -> Timestamp? {
        var (seconds, parts) = unsafe (time_t(clock.seconds), tm())
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return nil }
        unsafe (parts.tm_isdst) = -1
        let time = unsafe mktime(&parts)
        return time < 0 ? nil : Timestamp(microseconds: UInt64(time) * 1_000_000 + clock.microseconds % 1_000_000)
    }
}
