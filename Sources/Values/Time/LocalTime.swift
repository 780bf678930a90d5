import Glibc

/// Times as the clock of this place shows them: the zone of the system, or `TZ`.
package enum LocalTime {
    /// The day that a time falls on.
    package static func day(of time: Timestamp) -> Day { Day(second: time.seconds + offset(at: time.seconds)) }

    /// Seconds that the clock is ahead of UTC.
    package static func offset(at second: Int64) -> Int64 {
        var (time, parts) = unsafe (time_t(second), tm())
        return unsafe localtime_r(&time, &parts) == nil ? 0 : Int64(unsafe parts.tm_gmtoff)
    }

    /// A time as a person types it: a day (`2026-01-31`), a minute (`2026-01-31T18:30`, or with a blank) or a second; with `Z` or
    /// `+08:00` behind, or else in the time of this place. Nil of anything else.
    ///
    /// - Parameter isStart: a day or a minute stands for its first second, and not for its last.
    package static func time(_ text: String, isStart: Bool) -> Timestamp? {
        let isLocal = [10, 16, 19].contains(text.utf8.count) && !text.hasSuffix("Z")
        return isLocal ? exact(text + "Z", isStart).flatMap(here) : exact(text, isStart)
    }

    /// With `Z` or an offset from UTC.
    private static func exact(_ text: String, _ isStart: Bool) -> Timestamp? {
        let tail = text.hasSuffix("Z") ? "Z" : String(text.suffix(6))
        let body = String(text.dropLast(tail.count))
        let rest = [10: isStart ? "T00:00:00" : "T23:59:59", 16: isStart ? ":00" : ":59"]
        return Timestamp(body + (rest[body.utf8.count] ?? "") + tail)
    }

    /// The time at which the clock of this place shows what a clock in UTC shows at another one.
    private static func here(_ clock: Timestamp) -> Timestamp? {
        var (seconds, parts) = unsafe (time_t(clock.seconds), tm())
        guard unsafe gmtime_r(&seconds, &parts) != nil else { return nil }
        unsafe (parts.tm_isdst) = -1
        let time = unsafe mktime(&parts)
        return time < 0 ? nil : Timestamp(second: Int64(time))
    }
}
