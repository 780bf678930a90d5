/// The fixed places of a file (Spec/container.md, 2).
public enum Layout {
    /// Format version.
    public static let version: UInt16 = 1
    /// Bytes of a page.
    public static let pageByteCount = 4096
    /// The offset of page A.
    public static let pageAOffset: UInt64 = 0
    /// The offset of page B.
    public static let pageBOffset: UInt64 = 65_536
    /// The bytes behind pages A and B up to what follows them.
    public static let gaps = [pageAOffset, pageBOffset].map { $0 + UInt64(pageByteCount)..<$0 + pageBOffset }
    /// The start of the log. The offsets in the file count from here.
    public static let logStart: UInt64 = 131_072
    /// Commits, their records and payload areas lie on multiples of this.
    public static let alignment: UInt64 = 4096
    /// Stored records and segments lie on multiples of this.
    public static let recordAlignment: UInt64 = 64
    /// Payload bytes that one row of the check table covers.
    public static let blockByteCount = 65_536
    /// Plaintext bytes of every chunk of a stored record but the last.
    public static let chunkByteCount = 65_536
    /// Bytes of a GCM tag.
    public static let tagByteCount = 16

    /// `value` rounded up to a multiple of `unit`, a power of two.
    public static func align(_ value: UInt64, to unit: UInt64) -> UInt64 { (value + unit - 1) & ~(unit - 1) }

    /// The place in the file for an offset as the file holds it; `.max` if the sum has more than 64 bits.
    static func place(ofStored offset: UInt64) -> UInt64 {
        let (place, isTooLarge) = offset.addingReportingOverflow(logStart)
        return isTooLarge ? .max : place
    }

    /// The offset that the file holds for a place in the log.
    static func stored(_ place: UInt64) -> UInt64 { place &- logStart }
}
