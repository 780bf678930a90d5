import VaultFormat

extension Arguments {
    /// A length of time in milliseconds.
    func milliseconds(_ name: OptionName, in range: ClosedRange<UInt64>) throws -> UInt64? {
        let (least, most) = (TimeSpan.text(range.lowerBound), TimeSpan.text(range.upperBound))
        return try value(name, or: "\(name.word) takes a time from \(least) to \(most), like 30s, 15m, 2h or 7d") {
            text in TimeSpan.milliseconds(text).flatMap { range ~= $0 ? $0 : nil }
        }
    }

    /// The time to wait for another writer.
    func wait() throws -> Duration { .milliseconds(try milliseconds(.wait, in: 0...TimeSpan.day) ?? 10_000) }
}
