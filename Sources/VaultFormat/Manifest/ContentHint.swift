import VaultCrypto

/// A hash of the beginning of a file and of its length (Spec/entries.cddl, key 14). Files with the same content have the same
/// hint; those with the same hint are to be compared.
package struct ContentHint: Hashable, Sendable {
    /// Bytes of content that count, at most.
    package static let byteCount = 65_536

    package let value: UInt64
    /// Bytes of the content.
    package let length: UInt64

    /// - Parameter beginning: the first 64 KiB of the content, or all of it.
    package init(_ beginning: Span<UInt8>, length: UInt64) throws {
        var hash = try SHA256()
        var head: [UInt8] = []
        head.append(bigEndian: length)
        try hash.update(head.span)
        try hash.update(beginning)
        value = try hash.finish().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.length = length
    }
}
