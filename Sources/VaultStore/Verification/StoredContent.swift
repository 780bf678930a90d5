import VaultFormat

/// The fields of an entry needed to read its content. It has no labels, whose references would be counted at each copy.
struct StoredContent: Equatable {
    let salt: Salt
    /// The offset of the stored record in the file, in bytes.
    let place: UInt64
    /// Length of the content in bytes.
    let length: UInt64

    /// The values that are equal in all entries of one stored record.
    struct Key: Hashable {
        let place: UInt64
        let salt: Salt
        let length: UInt64
        let kind: Entry.Kind

        init(_ entry: Entry) { (place, salt, length, kind) = (entry.place, entry.salt, entry.length, entry.kind) }
    }

    init(_ entry: borrowing Entry) {
        (salt, place, length) = (entry.salt, entry.place, entry.length)
    }

    /// The range of the stored record in the file.
    var extent: Range<UInt64> { place..<place + StoredRecord.byteCount(length) }
}

/// The fields of an entry that a verification keeps: there may be millions, and each takes 56 bytes.
struct CheckedRecord: Equatable {
    let stored: StoredContent
    let kind: Entry.Kind
    /// False if the entry breaks a rule of its kind, or is a newer program's: then its content is not opened.
    let isInOrder: Bool

    var place: UInt64 { stored.place }

    /// True if both entries can name one stored record.
    func agrees(with other: CheckedRecord) -> Bool { stored == other.stored && kind == other.kind }
}
