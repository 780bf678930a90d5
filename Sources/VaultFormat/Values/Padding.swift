import VaultCrypto

/// The padding stream of a commit (Spec/container.md, 3.4): what stands wherever no record and no segment does.
package struct Padding: ~Copyable {
    private var stream: AESCTR

    package init(salt: Salt, keys: Keys) throws {
        stream = try AESCTR(key: keys.commitKey(.padding, salt: salt))
    }

    /// Fills `out` with the stream from `position`, counted from the start of the payload area.
    package mutating func fill(_ out: inout MutableSpan<UInt8>, from position: UInt64) throws {
        try stream.keystream(from: position, into: &out)
    }
}

extension Layout {
    /// The length, in bytes, to which content is padded so that its size tells little (Spec/container.md, 3.4).
    public static func padme(_ length: UInt64) -> UInt64 {
        guard length > 2 else { return length }
        let exponent = 63 - length.leadingZeroBitCount
        let significant = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (UInt64(1) << UInt64(exponent - significant)) - 1
        return (length + mask) & ~mask
    }
}
