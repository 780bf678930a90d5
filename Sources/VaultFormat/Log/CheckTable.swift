package import VaultCrypto

/// The rows of a check table: a hash for every 64 KiB block of a payload area, and one for what stands behind the table
/// (Spec/container.md, 3.3).
package enum CheckTable {
    package static let rowByteCount = SHA256.byteCount
    private static let label = Array("quickvault/1/block".utf8) + [0]

    /// The 32-byte row of block `index` of the commit with this salt. Nobody needs a key for it.
    package static func row(_ index: UInt64, of block: Span<UInt8>, salt: Salt) throws -> [UInt8] {
        var hash = try hash(index, salt: salt)
        try hash.update(block)
        return try hash.finish()
    }

    /// The hash that becomes a row, before the bytes of its block.
    package static func hash(_ index: UInt64, salt: Salt) throws -> SHA256 {
        let prefix = Array(capacity: label.count + 40) {
            $0 += label
            $0.append(salt)
            $0.append(bigEndian: index)
        }
        var hash = try SHA256()
        try hash.update(prefix.span)
        return hash
    }
}
