import VaultFormat

extension Arguments {
    /// A length of time in milliseconds.
    func milliseconds(_ name: OptionName, in range: ClosedRange<UInt64>) throws -> UInt64? {
        try text(name).map { text in
            guard let time = TimeSpan.milliseconds(text), range ~= time else {
                let (least, most) = (TimeSpan.text(range.lowerBound), TimeSpan.text(range.upperBound))
                throw Failure(.usage, "\(name.word) takes a time from \(least) to \(most), like 30s, 15m, 2h or 7d")
            }
            return time
        }
    }

    /// The time to wait for another writer.
    func wait() throws -> Duration { .milliseconds(try milliseconds(.wait, in: 0...TimeSpan.day) ?? 10_000) }
}
