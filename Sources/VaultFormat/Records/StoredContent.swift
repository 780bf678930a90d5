/// The content of an entry as it is stored (Spec/container.md, 3.6): where, and how long.
package struct StoredContent: Hashable, Sendable {
    package var salt: Salt
    /// The offset of the stored record in the file, in bytes.
    package var place: UInt64
    /// Length of the content in bytes, n of the Spec.
    package var length: UInt64
    /// Bytes that stand for it, m of the Spec: frames, or a list of pieces; nil if it is stored as it is.
    package var otherLength: UInt64?
    /// True if a list of pieces stands for it.
    package var isList = false

    package init(salt: Salt, place: UInt64, length: UInt64, otherLength: UInt64? = nil, isList: Bool = false) {
        (self.salt, self.place, self.length, self.otherLength) = (salt, place, length, otherLength)
        self.isList = isList
    }

    /// Bytes of a list for each piece.
    static let pieceRowByteCount: UInt64 = 24

    /// No content: of an entry that has none yet, and of a tombstone.
    package static let none = StoredContent(salt: .zero, place: 0, length: 0)
    /// The one whose encoding takes most bytes.
    package static let widest = StoredContent(
        salt: .zero, place: .max, length: .max, otherLength: .max, isList: true)

    /// Bytes that the chunks of the stored record hold.
    package var byteCount: UInt64 { otherLength ?? length }

    /// True if frames stand for it.
    package var isCompressed: Bool { otherLength != nil && !isList }

    /// False if something is said to stand for it that cannot: nothing makes no frame and no piece.
    var isPossible: Bool {
        guard let otherLength else { return !isList }
        return length > 0 && otherLength > 0
            && (!isList
                || otherLength % Self.pieceRowByteCount == 0
                    && otherLength / Self.pieceRowByteCount <= Limits.pieceCount)
    }
}
