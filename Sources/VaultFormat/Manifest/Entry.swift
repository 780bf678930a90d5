/// One version of a record as the manifest lists it (Spec/entries.cddl).
public struct Entry: Equatable, Sendable {
    /// Names the record in all its versions.
    public internal(set) var id: RecordID
    /// The kind of the record.
    public var kind: Kind
    /// 1, then one more with every change of the entry.
    public var revision: UInt64
    /// The stored record that holds the content.
    package var content: StoredContent
    /// When the record came into the vault.
    public var created: Timestamp
    /// When this version came.
    public var updated: Timestamp
    /// The folder it lies in, or the record it belongs to.
    public var parent: RecordID?
    /// The commit that brought this version.
    public var first: UInt64
    /// The last commit in which this version was live; nil in a live entry.
    public var last: UInt64?
    /// Live, in the trash, purged or moved.
    public var state: State = .live
    /// Flags that this version does not know, carried along unchanged.
    var otherFlags: UInt64 = 0
    /// The metadata that a list shows.
    public var overview: Overview
    /// A hash of the beginning of a file's content (Spec/entries.cddl): where it is another file's, the contents may be the
    /// same.
    package var hint: UInt64?
    /// The pairs with keys above 15, in order: ids that few entries have, and those that this version does not know, which
    /// are carried along unchanged.
    package var otherPairs: [UnknownPair] = []

    /// Salt of the stored record.
    public var salt: Salt { content.salt }
    /// The offset of the stored record in the file, in bytes.
    public var place: UInt64 { content.place }
    /// Length of the content in bytes.
    public var length: UInt64 { content.length }

    /// The state of a record. Of a purged one, and of one that was moved to another path and so to another id, only the id
    /// is left; the other fields are then zero.
    public enum State: UInt64, Sendable {
        case live = 0
        case trashed = 1
        case purged = 2
        case moved = 3
    }

    /// True if only the id is left.
    public var isTombstone: Bool { state == .purged || state == .moved }

    /// Kinds of records (Spec/entries.cddl).
    ///
    /// Numbers that this version does not know are carried along.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number in the entry.
        public let rawValue: UInt16

        /// The kind of that number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// No kind: of a tombstone.
        package static let tombstone = Kind(rawValue: 0)
        /// Content: its bytes.
        public static let file = Kind(rawValue: 1)
        /// No content.
        public static let folder = Kind(rawValue: 2)
        /// Content: its target, 1 to 4,095 bytes.
        public static let symlink = Kind(rawValue: 3)
        /// Content: its bytes. It belongs to another record.
        public static let attachment = Kind(rawValue: 32)
        /// Content: a small picture of the attachment it belongs to.
        public static let thumbnail = Kind(rawValue: 33)
        /// The mark of an attachment: content as Spec/product/watermark.md, 7.
        public static let watermark = Kind(rawValue: 34)
        /// A copy that was given away: content as Spec/product/watermark.md, 7.
        public static let share = Kind(rawValue: 35)
        /// Content: 32 random bytes.
        public static let watermarkSeed = Kind(rawValue: 36)
        /// The saves of other copies that merges brought in: content as Spec/store.md, 13.
        public static let mergedSaves = Kind(rawValue: 37)
        /// A piece of the contents of files (Spec/container.md, 3.10).
        public static let piece = Kind(rawValue: 38)
        /// The key that says where contents are cut into pieces (Spec/store.md, 15): content = 32 bytes.
        public static let pieceKey = Kind(rawValue: 39)
        /// A setting: content as Spec/product/records.md, 7.
        public static let setting = Kind(rawValue: 40)
        /// The text of the attachment it belongs to: content as Spec/product/records.md, 6.
        public static let attachmentText = Kind(rawValue: 41)
        /// Values over time: content as Spec/product/portfolio.md, 3.
        public static let series = Kind(rawValue: 66)

        /// True if such a record only serves others.
        public var isPart: Bool { 33...39 ~= rawValue || self == .attachmentText }

        /// True if an attachment has one such record at most, which follows from it or is set for it.
        public var isOneOfAttachment: Bool { [.thumbnail, .watermark, .attachmentText].contains(self) }

        /// True if such a record serves the store itself, and no person has anything to do with it.
        public var isOfStore: Bool { 37...39 ~= rawValue }

        /// True if such records form trees, with ids derived from their names.
        public var isInTree: Bool { 1...3 ~= rawValue }
    }

    /// A live version with none of the keys above 12.
    package init(
        id: RecordID, kind: Kind, revision: UInt64, salt: Salt, place: UInt64, length: UInt64, created: Timestamp,
        updated: Timestamp, parent: RecordID?, first: UInt64, overview: Overview
    ) {
        (self.id, self.kind, self.revision) = (id, kind, revision)
        content = StoredContent(salt: salt, place: place, length: length)
        (self.created, self.updated, self.parent) = (created, updated, parent)
        (self.first, self.overview) = (first, overview)
    }

    /// The tombstone of a record that is purged, or moved away, with commit `sequence`.
    ///
    /// - Throws: `FormatError.invalid` where it has as many versions as the format allows.
    public init(burying entry: Entry, as state: State = .purged, at sequence: UInt64, _ time: Timestamp) throws {
        self.init(
            id: entry.id, kind: .tombstone, revision: try Self.next(entry.revision), salt: .zero, place: 0, length: 0,
            created: .zero, updated: time, parent: nil, first: sequence, overview: Overview(title: []))
        self.state = state
    }

    /// A tombstone at an id that had no record: a record that is gone elsewhere, or a folder elsewhere that has it as its
    /// inner id.
    package init(tombstoneAt id: RecordID, as state: State = .moved, at sequence: UInt64, _ time: Timestamp) {
        self.init(
            id: id, kind: .tombstone, revision: 1, salt: .zero, place: 0, length: 0, created: .zero, updated: time,
            parent: nil, first: sequence, overview: Overview(title: []))
        self.state = state
    }

    /// Gives it another path, and the id that belongs to it. A folder keeps its inner id.
    package mutating func move(to id: RecordID, in parent: RecordID?, title: [UInt8]) {
        let inner = innerID
        (self.id, self.parent, overview.title) = (id, parent, title)
        if kind == .folder { innerID = inner }
    }

    /// The id that the entries of this folder have as their parent: its own, unless the folder was moved or made where
    /// another had been.
    public package(set) var innerID: RecordID {
        get { otherPairs.id(EntryKey.inner) ?? id }
        set { otherPairs.setID(EntryKey.inner, newValue == id ? nil : newValue) }
    }

    /// The id that it had before it was moved; nil if it never was.
    public package(set) var formerID: RecordID? {
        get { otherPairs.id(EntryKey.former) }
        set { otherPairs.setID(EntryKey.former, newValue) }
    }

    /// The save of another copy of the vault that made this version, where a merge brought it as it was; else nil.
    public package(set) var origin: VersionOrigin? {
        get { otherPairs[EntryKey.origin].flatMap { try? VersionOrigin(parsing: $0) } }
        set { otherPairs[EntryKey.origin] = newValue?.encoded }
    }

    /// Takes over what an older version says of the record, and this program does not know.
    package mutating func takeOver(from old: Entry) { otherPairs = old.otherPairs.filter(\.isOfRecord) }

    /// Makes it a version that save `sequence` of this vault brings.
    package mutating func renew(at sequence: UInt64, _ time: Timestamp) {
        (first, last, updated) = (sequence, nil, time)
        (formerID, origin) = (nil, nil)
    }

    /// The revision after this one.
    package static func next(_ revision: UInt64) throws -> UInt64 {
        guard revision < Limits.counter else {
            throw FormatError(.invalid, "a record has as many versions as the format allows")
        }
        return revision + 1
    }

    /// True if the vault held it at a save: live or in the trash.
    public func holds(at sequence: UInt64) -> Bool {
        first <= sequence && sequence <= last ?? .max && !isTombstone
    }

    /// True if the id is derived from the name, as the Spec requires of files, folders and symlinks.
    public func hasDerivedID() throws -> Bool {
        guard kind.isInTree else { return true }
        return try TreeName.id(overview.title, in: parent) == id
    }
}
