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
        let time = LocalTime.time(text, isStart: isStart)
        return isStart ? time : time.map { Timestamp(microseconds: UInt64($0.seconds) * 1_000_000 + 999_999) }
    }
}
