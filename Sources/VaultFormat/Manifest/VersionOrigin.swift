/// The save that made a version of a record, in whichever copy of the vault. Versions with one id and one origin are the
/// same.
public struct VersionOrigin: Hashable, Comparable, Sendable {
    /// The sequence of the save.
    public let sequence: UInt64
    /// The first 16 bytes of its fingerprint.
    public let save: Bytes16

    /// That save.
    public init(sequence: UInt64, save: Bytes16) { (self.sequence, self.save) = (sequence, save) }

    /// By sequence, then by fingerprint.
    public static func < (one: Self, other: Self) -> Bool {
        (one.sequence, one.save) < (other.sequence, other.save)
    }

    /// - Throws: `FormatError.malformed`.
    init(parsing encoded: [UInt8]) throws {
        var reader = CBORReader(encoded)
        guard try reader.arrayCount() == 2 else { throw reader.malformed("an origin of two items") }
        (sequence, save) = (try reader.sequence(), try reader.bytes16())
        try reader.finish()
    }

    var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.array(2)
        writer.unsigned(sequence)
        writer.byteString(save)
        return writer.bytes
    }
}
