public import Values

/// The time at which a query is asked, where it is asked.
public struct QueryClock: Sendable {
    /// Now.
    public let now: Timestamp
    /// The day of now.
    public let today: Day
    /// When a day begins.
    public let start: @Sendable (Day) -> Timestamp

    /// - Parameters:
    ///   - now: the time.
    ///   - today: its day; left out, in UTC.
    ///   - start: when a day begins; left out, in UTC.
    public init(
        now: Timestamp, today: Day? = nil,
        start: @escaping @Sendable (Day) -> Timestamp = { Timestamp(second: $0.second) }
    ) {
        (self.now, self.start) = (now, start)
        self.today = today ?? Day(second: now.seconds)
    }
}
