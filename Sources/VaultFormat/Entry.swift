/// One version of a record as the manifest lists it (Spec/records.cddl).
public struct Entry: Equatable, Sendable {
    public let id: RecordID
    /// See `Kind`; numbers that this version does not know are carried along.
    public var kind: UInt16
    /// 1, then one more with every change of the entry.
    public var revision: UInt64
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
    public var state: State = .live
    public var overview: Overview
    /// Pairs that this version does not know, in order, carried along unchanged.
    var unknown: [UnknownPair] = []

    /// Whether a record is there, in the trash, or gone but for its id (whose other fields are then zero).
    public enum State: UInt64, Sendable {
        case live = 0
        case trashed = 1
        case purged = 2
    }

    /// Kinds of records (Spec/records.cddl).
    public enum Kind {
        public static let file: UInt16 = 1
        public static let folder: UInt16 = 2
        public static let symlink: UInt16 = 3
        /// Kinds that form trees, with ids derived from their names.
        public static let tree: ClosedRange<UInt16> = 1...3
    }

    public init(
        id: RecordID, kind: UInt16, revision: UInt64, salt: Salt, place: UInt64, length: UInt64, created: UInt64,
        updated: UInt64, parent: RecordID?, first: UInt64, overview: Overview
    ) {
        (self.id, self.kind, self.revision, self.salt, self.place) = (id, kind, revision, salt, place)
        (self.length, self.created, self.updated, self.parent) = (length, created, updated, parent)
        (self.first, self.overview) = (first, overview)
    }

    /// Whether the id is the one that its name gives, which the Spec asks of files, folders and symlinks.
    public func hasDerivedID() throws -> Bool {
        guard Kind.tree.contains(kind), state != .purged else { return true }
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

        /// Bits of the keys that an entry, a past entry and a tombstone must have.
        static let live: UInt16 = 0b1_0010_1111_1111
        static let past: UInt16 = live | 1 << last
        static let tombstone: UInt16 = 1 << id | 1 << revision | 1 << updated | 1 << first | 1 << flags
        static let optional: UInt16 = 1 << parent | 1 << flags
    }

    init(parsing reader: inout CBORReader, part: SegmentPart) throws {
        var id = RecordID.zero
        var entry = Entry(
            id: .zero, kind: 0, revision: 0, salt: .zero, place: 0, length: 0, created: 0, updated: 0, parent: nil,
            first: 0, overview: Overview(title: []))
        var seen: UInt16 = 0
        try reader.map { reader, key in
            guard let lead = key.first, lead >> 5 == 0 else { throw reader.malformed("integer key expected") }
            guard key.count == 1, lead <= Key.overview else {
                entry.unknown.append(UnknownPair(key: Array(key), value: Array(try reader.item(depth: 3))))
                return
            }
            seen |= 1 << lead
            switch lead {
            case Key.id: id = try reader.bytes16()
            case Key.kind: entry.kind = UInt16(try reader.unsigned(upTo: UInt64(UInt16.max)))
            case Key.revision: entry.revision = try reader.unsigned(upTo: Limits.counter)
            case Key.salt: entry.salt = try reader.bytes32()
            case Key.place: entry.place = try reader.unsigned(upTo: Limits.fileByteCount)
            case Key.length: entry.length = try reader.unsigned(upTo: Limits.recordByteCount)
            case Key.created: entry.created = try reader.unsigned(upTo: Limits.counter)
            case Key.updated: entry.updated = try reader.unsigned(upTo: Limits.counter)
            case Key.parent: entry.parent = try reader.bytes16()
            case Key.first: entry.first = try reader.unsigned(upTo: Limits.counter)
            case Key.last: entry.last = try reader.unsigned(upTo: Limits.counter)
            case Key.flags: entry.state = try Self.state(&reader)
            default: entry.overview = try Overview(parsing: &reader)
            }
        }
        self = Entry(id: id, copying: entry)
        try check(keys: seen, part: part, reader)
    }

    private init(id: RecordID, copying entry: Entry) {
        self.init(
            id: id, kind: entry.kind, revision: entry.revision, salt: entry.salt, place: entry.place,
            length: entry.length, created: entry.created, updated: entry.updated, parent: entry.parent,
            first: entry.first, overview: entry.overview)
        (last, state, unknown) = (entry.last, entry.state, entry.unknown)
    }

    private static func state(_ reader: inout CBORReader) throws -> State {
        guard let state = State(rawValue: try reader.unsigned()), state != .live else {
            throw reader.malformed("flags of an entry")
        }
        return state
    }

    private func check(keys seen: UInt16, part: SegmentPart, _ reader: CBORReader) throws {
        let required =
            switch (part, state) {
            case (.live, .purged): Key.tombstone
            case (.live, _): Key.live
            default: Key.past
            }
        let allowed = state == .purged ? required : required | Key.optional
        guard seen & required == required, seen & ~allowed == 0, part == .live || state != .purged else {
            throw reader.malformed("fields of an entry missing or out of place")
        }
        guard revision > 0, first > 0, first <= last ?? first else { throw reader.malformed("numbers of an entry") }
    }

    func write(to writer: inout CBORWriter) {
        let isTombstone = state == .purged
        let known = isTombstone ? 5 : 10 + (parent == nil ? 0 : 1) + (last == nil ? 0 : 1) + (state == .live ? 0 : 1)
        var map = MapWriter(writer, count: known, unknown: unknown)
        map.pair([Key.id]) { $0.byteString(id.bytes) }
        if !isTombstone { map.pair([Key.kind]) { $0.unsigned(UInt64(kind)) } }
        map.pair([Key.revision]) { $0.unsigned(revision) }
        if !isTombstone {
            map.pair([Key.salt]) { $0.byteString(salt.bytes) }
            map.pair([Key.place]) { $0.unsigned(place) }
            map.pair([Key.length]) { $0.unsigned(length) }
            map.pair([Key.created]) { $0.unsigned(created) }
        }
        map.pair([Key.updated]) { $0.unsigned(updated) }
        if !isTombstone, let parent { map.pair([Key.parent]) { $0.byteString(parent.bytes) } }
        map.pair([Key.first]) { $0.unsigned(first) }
        if let last { map.pair([Key.last]) { $0.unsigned(last) } }
        if state != .live { map.pair([Key.flags]) { $0.unsigned(state.rawValue) } }
        if !isTombstone { map.pair([Key.overview]) { overview.write(to: &$0) } }
        writer = map.finish()
    }
}

extension CBORReader {
    mutating func unsigned(upTo limit: UInt64) throws -> UInt64 {
        let value = try unsigned()
        guard value <= limit else { throw malformed("\(value) is above \(limit)") }
        return value
    }
}

/// One earlier commit, as the manifest remembers it.
public struct CommitLine: Equatable, Sendable {
    public let sequence: UInt64
    /// Microseconds since 1970.
    public let time: UInt64
    /// Where its record stood in the file.
    public let recordOffset: UInt64
    /// The first 16 bytes of its owner tag.
    public let ownerTag: Bytes16

    package init(sequence: UInt64, time: UInt64, recordOffset: UInt64, ownerTag: Bytes16) {
        (self.sequence, self.time, self.recordOffset, self.ownerTag) = (sequence, time, recordOffset, ownerTag)
    }

    init(parsing reader: inout CBORReader) throws {
        guard try reader.arrayCount() == 4 else { throw reader.malformed("a line of four items") }
        sequence = try reader.unsigned(upTo: Limits.counter)
        time = try reader.unsigned(upTo: Limits.counter)
        recordOffset = try reader.unsigned(upTo: Limits.fileByteCount)
        ownerTag = try reader.bytes16()
    }

    func write(to writer: inout CBORWriter) {
        writer.array(4)
        writer.unsigned(sequence)
        writer.unsigned(time)
        writer.unsigned(recordOffset)
        writer.byteString(ownerTag.bytes)
    }
}
