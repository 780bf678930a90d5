extension Entry {
    /// Keys of the map, by their one-byte encodings.
    enum Key {
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
        static let origin: UInt8 = 22

        /// Bits of the keys that an entry, a past entry and a tombstone must have.
        static let live: UInt16 = 0b1_0010_1111_1111
        static let past: UInt16 = live | 1 << last
        static let tombstone: UInt16 = 1 << id | 1 << revision | 1 << updated | 1 << first | 1 << flags
        static let optional: UInt16 = 1 << parent | 1 << flags
    }

    /// The first byte of an id in CBOR: a byte string of 16 bytes.
    private static let idHead: UInt8 = 0x50

    func otherID(_ key: UInt8) -> RecordID? {
        value(of: key).map { RecordID($0.span.extracting(1...)) }
    }

    mutating func setOtherID(_ key: UInt8, _ id: RecordID?) {
        setOther(key, id.map { [Self.idHead] + $0.bytes })
    }

    /// The encoded value of a key above 12.
    func value(of key: UInt8) -> [UInt8]? { otherPairs.first { $0.key == [key] }?.value }

    mutating func setOther(_ key: UInt8, _ value: [UInt8]?) {
        otherPairs.removeAll { $0.key == [key] }
        guard let value else { return }
        let place = otherPairs.firstIndex { [key].lexicographicallyPrecedes($0.key) } ?? otherPairs.endIndex
        otherPairs.insert(UnknownPair(key: [key], value: value), at: place)
    }

    package init(parsing reader: inout CBORReader, part: SegmentPart) throws {
        self.init(
            id: .zero, kind: .tombstone, revision: 0, salt: .zero, place: 0, length: 0, created: .zero, updated: .zero,
            parent: nil,
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
                if key == Key.origin { _ = try VersionOrigin(parsing: value) }
                otherPairs.append(UnknownPair(key: [key], value: value))
            }
        }
        try takeOtherPairs(count - done, after: last, &reader)
        try check(keys: seen, part: part, reader)
    }

    private mutating func takeValue(of key: UInt8, _ reader: inout CBORReader) throws {
        switch key {
        case Key.id: id = RecordID(try reader.bytes16())
        case Key.kind: kind = Kind(rawValue: UInt16(try reader.unsigned(upTo: UInt64(UInt16.max))))
        case Key.revision: revision = try reader.unsigned(upTo: Limits.counter)
        case Key.salt: salt = Salt(try reader.bytes32())
        case Key.place: place = Layout.place(ofStored: try reader.unsigned(upTo: Limits.fileByteCount))
        case Key.length: length = try reader.unsigned(upTo: Limits.recordByteCount)
        case Key.created: created = try reader.timestamp()
        case Key.updated: updated = try reader.timestamp()
        case Key.parent: parent = RecordID(try reader.bytes16())
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
        let isFitting = otherID(Key.inner) == nil || kind == .folder && !isTombstone
        let isPlain = !isTombstone || formerID == nil && value(of: Key.origin) == nil
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
        if !isTombstone { put(Key.kind, UInt64(kind.rawValue)) }
        put(Key.revision, revision)
        if !isTombstone {
            map.key(Key.salt, &writer)
            writer.byteString(salt)
            put(Key.place, Layout.stored(place))
            put(Key.length, length)
            put(Key.created, created.microseconds)
        }
        put(Key.updated, updated.microseconds)
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
