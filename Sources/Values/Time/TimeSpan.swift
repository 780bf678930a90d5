/// Lengths of time as people write them: `90` and `90s` (seconds), `500ms`, `0.5s`, `15m`, `2h`, `1d`, `4w`, `1y`; `30天`, `2周`,
/// `3个月` of 30 days each, and their like.
package enum TimeSpan {
    /// A day in milliseconds.
    package static let day = UInt64(Day.seconds) * 1000

    /// 365.25 days.
    private static let year: UInt64 = 31_557_600_000

    private static let units: [(name: String, milliseconds: UInt64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", day), ("w", 7 * day), ("y", year),
        ("秒", 1000), ("分钟", 60_000), ("小时", 3_600_000), ("天", day), ("日", day), ("周", 7 * day), ("个月", 30 * day),
        ("年", year), ("", 1000),
    ]

    /// A length of time in milliseconds; nil of what is none.
    package static func milliseconds(_ text: String) -> UInt64? {
        guard let (name, unit) = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        let parts = text.dropLast(name.count).split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
        guard isPlain, parts.count <= 2, let whole = UInt64(parts[0]), whole <= 10_000_000 else { return nil }
        let digits = parts.count == 2 ? parts[1].prefix(3) : ""
        let thousandths = (UInt64(digits) ?? 0) * [1, 100, 10, 1][digits.count]
        return whole * unit + thousandths * unit / 1000
    }

    /// The same in whole seconds.
    package static func seconds(_ text: String) -> UInt64? { milliseconds(text).map { $0 / 1000 } }

    /// The same in whole days.
    package static func days(_ text: String) -> Int64? { seconds(text).map { Int64($0) / Day.seconds } }

    /// A length of time for people: `90s`, `15m`, `12h`, `30d`.
    package static func text(_ milliseconds: UInt64) -> String {
        let units: [(UInt64, String)] = [(day, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        guard let unit = units.first(where: { milliseconds >= $0.0 && milliseconds % $0.0 == 0 }) else {
            return "\(milliseconds)ms"
        }
        // A day alone is 24 hours, as the limits of sessions have it.
        return milliseconds == day ? "24h" : "\(milliseconds / unit.0)\(unit.1)"
    }
}
