import VaultFormat

/// Of an entry what reading its content takes: without its labels, each of which would be counted wherever it goes.
struct StoredContent: Equatable {
    let salt: Salt
    /// Where the stored record starts in the file, in bytes.
    let place: UInt64
    /// Length of the content in bytes.
    let length: UInt64

    init(_ entry: borrowing Entry) {
        (salt, place, length) = (entry.salt, entry.place, entry.length)
    }

    /// Where the stored record lies.
    var extent: Range<UInt64> { place..<place + StoredRecord.byteCount(length) }
}

/// Of an entry what a verification keeps: there may be millions, and each takes 56 bytes.
struct CheckedRecord: Equatable {
    let stored: StoredContent
    let kind: UInt16
    /// False if the entry breaks a rule of its kind, or is a newer program's: then its content is not opened.
    let isInOrder: Bool

    var place: UInt64 { stored.place }

    /// True if both entries can name one stored record.
    func agrees(with other: CheckedRecord) -> Bool { stored == other.stored && kind == other.kind }
}
