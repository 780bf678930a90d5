import VaultCrypto

/// A hash of the beginning of a file and of its length (Spec/entries.cddl, key 14). Files with the same content have the same
/// hint; those with the same hint are to be compared.
package struct ContentHint: Hashable, Sendable {
    /// Bytes of content that count, at most.
    package static let byteCount = 65_536

    package var value: UInt64 { digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    /// All of the hash, of which the value is the beginning.
    private let digest: Bytes32
    /// Bytes of the content.
    package let length: UInt64

    /// True if contents with equal hints are equal: the hash is that of all bytes.
    package var coversAll: Bool { length <= Self.byteCount }

    /// - Parameter beginning: the first 64 KiB of the content, or all of it.
    package init(_ beginning: Span<UInt8>, length: UInt64) throws {
        var hash = try SHA256()
        var head: [UInt8] = []
        head.append(bigEndian: length)
        try hash.update(head.span)
        try hash.update(beginning)
        digest = Bytes32(try hash.finish())
        self.length = length
    }
}
