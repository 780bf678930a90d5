/// One version of a record as the manifest lists it (Spec/entries.cddl).
public struct Entry: Equatable, Sendable {
    /// Names the record in all its versions.
    public private(set) var id: RecordID
    /// See `Kind`; numbers that this version does not know are carried along.
    public var kind: UInt16
    /// 1, then one more with every change of the entry.
    public var revision: UInt64
    /// Salt of the stored record.
    public var salt: Salt
    /// Where the stored record starts in the file, in bytes.
    public var place: UInt64
    /// Length of the content in bytes.
    public var length: UInt64
    /// Microseconds since 1970.
    public var created: UInt64
    /// Microseconds since 1970.
    public var updated: UInt64
    /// The folder it lies in, or the record it belongs to.
    public var parent: RecordID?
    /// The commit that brought this version.
    public var first: UInt64
    /// The last commit in which this version was live; nil in a live entry.
    public var last: UInt64?
    /// Live, in the trash, purged or moved.
    public var state: State = .live
    /// Flags that this version does not know, carried along unchanged.
    private var otherFlags: UInt64 = 0
    /// What a list shows of it.
    public var overview: Overview
    /// The pairs with keys above 12, in order: ids that few entries have, and those that this version does not know, which
    /// are carried along unchanged.
    private var otherPairs: [UnknownPair] = []

    /// True if the entry has a key or flag of a newer program that a reader must know to read the content, such as one for
    /// compression (Spec/entries.cddl). The record is listed, and its content is refused.
    package var isOfNewerProgram: Bool {
        otherFlags & Self.criticalFlags != 0 || otherPairs.contains { $0.key.count == 1 && Key.critical ~= $0.key[0] }
    }

    private static let criticalFlags: UInt64 = 0xFC

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
    public enum Kind {
        /// Content: its bytes.
        public static let file: UInt16 = 1
        /// No content.
        public static let folder: UInt16 = 2
        /// Content: its target, 1 to 4,095 bytes.
        public static let symlink: UInt16 = 3
        /// Content: its bytes. It belongs to another record.
        public static let attachment: UInt16 = 32
        /// Content: a small picture of the attachment it belongs to.
        public static let thumbnail: UInt16 = 33
        /// How an attachment is marked: content as Spec/product/watermark.md, 7.
        public static let watermark: UInt16 = 34
        /// A copy that was given away: content as Spec/product/watermark.md, 7.
        public static let share: UInt16 = 35
        /// Content: 32 random bytes.
        public static let watermarkSeed: UInt16 = 36
        /// A setting: content as Spec/product/records.md, 7.
        public static let setting: UInt16 = 40
        /// Kinds that only serve the record that they belong to.
        public static let parts: ClosedRange<UInt16> = 33...36
        /// Kinds that form trees, with ids derived from their names.
        public static let tree: ClosedRange<UInt16> = 1...3
    }

    /// A live version with none of the keys above 12.
    public init(
        id: RecordID, kind: UInt16, revision: UInt64, salt: Salt, place: UInt64, length: UInt64, created: UInt64,
        updated: UInt64, parent: RecordID?, first: UInt64, overview: Overview
    ) {
        (self.id, self.kind, self.revision, self.salt, self.place) = (id, kind, revision, salt, place)
        (self.length, self.created, self.updated, self.parent) = (length, created, updated, parent)
        (self.first, self.overview) = (first, overview)
    }

    /// The tombstone of a record that is purged, or moved away, with commit `sequence`.
    ///
    /// - Throws: `FormatError.invalid` where it has as many versions as the format allows.
    public init(burying entry: Entry, as state: State = .purged, at sequence: UInt64, _ time: UInt64) throws {
        self.init(
            id: entry.id, kind: 0, revision: try Self.next(entry.revision), salt: .zero, place: 0, length: 0,
            created: 0, updated: time, parent: nil, first: sequence, overview: Overview(title: []))
        self.state = state
    }

    /// The tombstone at an id that a folder elsewhere has as its inner id.
    package init(movedFrom id: RecordID, at sequence: UInt64, _ time: UInt64) {
        self.init(
            id: id, kind: 0, revision: 1, salt: .zero, place: 0, length: 0, created: 0, updated: time, parent: nil,
            first: sequence, overview: Overview(title: []))
        state = .moved
    }

    /// True if the entry fits in a manifest chunk. Only very long titles, groups or tags make an entry too long.
    package var fitsManifest: Bool {
        guard overview.title.count > 1024 || overview.hasLabels else { return true }
        var writer = CBORWriter()
        write(to: &writer)
        // An array header of one item, and the tag.
        return writer.bytes.count + 1 + Layout.tagByteCount <= Limits.singleItemChunkByteCount
    }

    /// Gives it another path, and the id that belongs to it. A folder keeps its inner id.
    package mutating func move(to id: RecordID, in parent: RecordID?, title: [UInt8]) {
        let inner = innerID
        (self.id, self.parent, overview.title) = (id, parent, title)
        if kind == Kind.folder { innerID = inner }
    }

    /// The id that the entries of this folder have as their parent: its own, unless the folder was moved or made where
    /// another had been.
    public package(set) var innerID: RecordID {
        get { otherID(Key.inner) ?? id }
        set { setOtherID(Key.inner, newValue == id ? nil : newValue) }
    }

    /// The id that it had before it was moved; nil if it never was.
    public package(set) var formerID: RecordID? {
        get { otherID(Key.former) }
        set { setOtherID(Key.former, newValue) }
    }

    /// The first byte of an id in CBOR: a byte string of 16 bytes.
    private static let idHead: UInt8 = 0x50

    private func otherID(_ key: UInt8) -> RecordID? {
        guard let pair = otherPairs.first(where: { $0.key == [key] }) else { return nil }
        return RecordID(pair.value.span.extracting(1...))
    }

    private mutating func setOtherID(_ key: UInt8, _ id: RecordID?) {
        otherPairs.removeAll { $0.key == [key] }
        guard let id else { return }
        let place = otherPairs.firstIndex { [key].lexicographicallyPrecedes($0.key) } ?? otherPairs.endIndex
        otherPairs.insert(UnknownPair(key: [key], value: [Self.idHead] + id.bytes), at: place)
    }

    /// The revision after this one.
    package static func next(_ revision: UInt64) throws -> UInt64 {
        guard revision < Limits.counter else {
            throw FormatError(.invalid, "a record has as many versions as the format allows")
        }
        return revision + 1
    }

    /// Whether it was what the vault held at a save: live or in the trash.
    public func holds(at sequence: UInt64) -> Bool {
        first <= sequence && sequence <= last ?? .max && !isTombstone
    }

    /// Whether the id is the one that its name gives, which the Spec asks of files, folders and symlinks.
    public func hasDerivedID() throws -> Bool {
        guard Kind.tree.contains(kind) else { return true }
        return try TreeName.id(overview.title, in: parent) == id
    }
}

extension Entry {
    /// Keys of the map, by their one-byte encodings.
    private enum Key {
        static let id: UInt8 = 0
        static let kind: UInt8 = 1
        static let revision: UInt8 = 2
        static let salt: UInt8 = 3
        static let place: UInt8 = 4
        static let length: UInt8 = 5
        static let created: UInt8 = 6
        static let updated: UInt8 = 7
        static let parent: UInt8 = 8
        static let first: UInt8 = 9
        static let last: UInt8 = 10
        static let flags: UInt8 = 11
        static let overview: UInt8 = 12
        /// Unknown ones of these say how the content is to be read.
        static let critical: ClosedRange<UInt8> = 13...19
        static let inner: UInt8 = 20
        static let former: UInt8 = 21

        /// Bits of the keys that an entry, a past entry and a tombstone must have.
        static let live: UInt16 = 0b1_0010_1111_1111
        static let past: UInt16 = live | 1 << last
        static let tombstone: UInt16 = 1 << id | 1 << revision | 1 << updated | 1 << first | 1 << flags
        static let optional: UInt16 = 1 << parent | 1 << flags
    }

    package init(parsing reader: inout CBORReader, part: SegmentPart) throws {
        self.init(
            id: .zero, kind: 0, revision: 0, salt: .zero, place: 0, length: 0, created: 0, updated: 0, parent: nil,
            first: 0, overview: Overview(title: []))
        let count = try reader.mapCount()
        var seen: UInt16 = 0
        var last: UInt8?
        var done = 0
        while done < count, let key = try reader.smallKey(after: last) {
            (done, last) = (done + 1, key)
            if key <= Key.overview {
                seen |= 1 << key
                try takeValue(of: key, &reader)
            } else {
                let value = try reader.item(depth: 3)
                let isID = value.count == 17 && value[0] == Self.idHead
                guard isID || key != Key.inner && key != Key.former else {
                    throw reader.malformed("an id of an entry")
                }
                otherPairs.append(UnknownPair(key: [key], value: value))
            }
        }
        try takeOtherPairs(count - done, after: last, &reader)
        try check(keys: seen, part: part, reader)
    }

    private mutating func takeValue(of key: UInt8, _ reader: inout CBORReader) throws {
        switch key {
        case Key.id: id = try reader.bytes16()
        case Key.kind: kind = UInt16(try reader.unsigned(upTo: UInt64(UInt16.max)))
        case Key.revision: revision = try reader.unsigned(upTo: Limits.counter)
        case Key.salt: salt = try reader.bytes32()
        case Key.place: place = Layout.place(ofStored: try reader.unsigned(upTo: Limits.fileByteCount))
        case Key.length: length = try reader.unsigned(upTo: Limits.recordByteCount)
        case Key.created: created = try reader.unsigned(upTo: Limits.counter)
        case Key.updated: updated = try reader.unsigned(upTo: Limits.counter)
        case Key.parent: parent = try reader.bytes16()
        case Key.first: first = try reader.unsigned(upTo: Limits.counter)
        case Key.last: self.last = try reader.unsigned(upTo: Limits.counter)
        case Key.flags:
            let flags = try reader.unsigned()
            guard flags != 0 else { throw reader.malformed("flags of an entry") }
            (state, otherFlags) = (State(rawValue: flags & 3) ?? .live, flags & ~3)
        default: overview = try Overview(parsing: &reader)
        }
    }

    /// Pairs whose keys are integers from 24 on: a newer writer's.
    private mutating func takeOtherPairs(_ count: Int, after last: UInt8?, _ reader: inout CBORReader) throws {
        guard count > 0 else { return }
        var last: [UInt8] = last.map { [$0] } ?? []
        for _ in 0..<count {
            let key = try reader.item(depth: 1)
            guard last.lexicographicallyPrecedes(key) else {
                throw reader.malformed("map keys out of order or doubled")
            }
            guard key[0] >> 5 == 0 else { throw reader.malformed("integer key expected") }
            last = key
            otherPairs.append(UnknownPair(key: key, value: try reader.item(depth: 3)))
        }
    }

    private func check(keys seen: UInt16, part: SegmentPart, _ reader: CBORReader) throws {
        let required =
            switch (part, state) {
            case (.live, .purged), (.live, .moved): Key.tombstone
            case (.live, _): Key.live
            case (_, .purged), (_, .moved): throw reader.malformed("a tombstone among the past entries")
            default: Key.past
            }
        let allowed = isTombstone ? required : required | Key.optional
        let isFitting = otherID(Key.inner) == nil || kind == Kind.folder && !isTombstone
        let isPlain = !isTombstone || formerID == nil
        guard seen & required == required, seen & ~allowed == 0, isFitting, isPlain else {
            throw reader.malformed("fields of an entry missing or out of place")
        }
        guard revision > 0, first > 0, first <= last ?? first else { throw reader.malformed("numbers of an entry") }
    }

    package func write(to writer: inout CBORWriter) {
        let flags = state.rawValue | otherFlags
        let known = isTombstone ? 5 : 10 + (parent == nil ? 0 : 1) + (last == nil ? 0 : 1) + (flags == 0 ? 0 : 1)
        var map = MapWriter(&writer, count: known, unknown: otherPairs)
        map.key(Key.id, &writer)
        writer.byteString(id)
        func put(_ key: UInt8, _ value: UInt64) {
            map.key(key, &writer)
            writer.unsigned(value)
        }
        if !isTombstone { put(Key.kind, UInt64(kind)) }
        put(Key.revision, revision)
        if !isTombstone {
            map.key(Key.salt, &writer)
            writer.byteString(salt)
            put(Key.place, Layout.stored(place))
            put(Key.length, length)
            put(Key.created, created)
        }
        put(Key.updated, updated)
        if !isTombstone, let parent {
            map.key(Key.parent, &writer)
            writer.byteString(parent)
        }
        put(Key.first, first)
        if let last { put(Key.last, last) }
        if flags != 0 { put(Key.flags, flags) }
        if !isTombstone {
            map.key(Key.overview, &writer)
            overview.write(to: &writer)
        }
        map.finish(&writer)
    }
}

extension CBORReader {
    mutating func unsigned(upTo limit: UInt64) throws -> UInt64 {
        let value = try unsigned()
        guard value <= limit else { throw malformed("\(value) is above \(limit)") }
        return value
    }
}
