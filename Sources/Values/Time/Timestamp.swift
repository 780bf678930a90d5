/// A time that the vault's clock gave: of a save, of a key slot. Text: RFC 3339.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    public let microseconds: UInt64

    /// That many microseconds since 1970-01-01 00:00 UTC.
    public init(microseconds: UInt64) { self.microseconds = microseconds }

    /// A second since 1970; before it, the beginning of 1970.
    public init(second: Int64) { microseconds = min(UInt64(clamping: second), .max / 1_000_000) * 1_000_000 }

    /// The beginning of 1970.
    public static let zero = Timestamp(microseconds: 0)

    /// The latest that there is.
    public static let max = Timestamp(microseconds: .max)

    /// Earlier is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}

/// A time that a file system gave: when a file was modified.
public struct FileTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00 UTC; from the years 1677 to 2262.
    public let nanoseconds: Int64

    /// That many nanoseconds since 1970-01-01 00:00 UTC.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The same moment; the latest that there is for one after 2262.
    package init(_ time: Timestamp) {
        let (nanoseconds, isFar) = Int64(clamping: time.microseconds).multipliedReportingOverflow(by: 1000)
        self.init(nanoseconds: isFar ? .max : nanoseconds)
    }

    /// The earliest that there is.
    public static let min = FileTime(nanoseconds: .min)

    /// The latest that there is.
    public static let max = FileTime(nanoseconds: .max)

    /// Earlier is less.
    public static func < (left: FileTime, right: FileTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
