import VaultFormat

/// The fields of an entry that a verification keeps: there may be millions, and each takes 72 bytes.
struct CheckedRecord: Hashable {
    let stored: StoredContent
    let kind: Entry.Kind
    /// False if the entry breaks a rule of its kind, or is a newer program's: then its content is not opened.
    let isInOrder: Bool

    var place: UInt64 { stored.place }

    /// True if both entries can name one stored record.
    func agrees(with other: CheckedRecord) -> Bool { stored == other.stored && kind == other.kind }
}
