package import VaultCrypto

extension Keys {
    /// The padding stream of a commit's payload area, from its start (Spec/container.md, 3.4): it stands wherever no record
    /// and no segment does.
    package func padding(_ salt: Salt) throws -> AESCTR { try AESCTR(key: commitKey(.padding, salt: salt)) }

    /// Masks the rest of a commit, from its first byte, or takes the mask off (Spec/container.md, 3.5).
    /// - Parameter offset: that of the first of these bytes in the rest.
    package func maskRest(_ bytes: inout [UInt8], from offset: UInt64 = 0, _ salt: Salt) throws {
        var stream = try AESCTR(key: commitKey(.rest, salt: salt))
        var span = bytes.mutableSpan
        try stream.apply(from: offset, to: &span)
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
