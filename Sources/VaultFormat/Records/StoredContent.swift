/// The content of an entry as it is stored (Spec/container.md, 3.6): where, and how long.
package struct StoredContent: Hashable, Sendable {
    package var salt: Salt
    /// The offset of the stored record in the file, in bytes.
    package var place: UInt64
    /// Length of the content in bytes, n of the Spec.
    package var length: UInt64
    /// Bytes that it takes when it is compressed, m of the Spec; nil if it is stored as it is.
    package var compressedLength: UInt64?

    package init(salt: Salt, place: UInt64, length: UInt64, compressedLength: UInt64? = nil) {
        (self.salt, self.place, self.length, self.compressedLength) = (salt, place, length, compressedLength)
    }

    /// No content: of an entry that has none yet, and of a tombstone.
    package static let none = StoredContent(salt: .zero, place: 0, length: 0)
    /// The one whose encoding takes most bytes.
    package static let widest = StoredContent(salt: .zero, place: .max, length: .max, compressedLength: .max)

    /// Bytes that the chunks of the stored record hold.
    package var byteCount: UInt64 { compressedLength ?? length }

    /// False if it is said to be compressed and cannot be: nothing makes no frame.
    var isCompressible: Bool { compressedLength.map { length > 0 && $0 > 0 } ?? true }
}
