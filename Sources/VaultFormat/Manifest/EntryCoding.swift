extension Entry {
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
            if key <= EntryKey.form {
                seen |= 1 << key
                try takeValue(of: key, &reader)
            } else {
                let value = try reader.item(depth: 3)
                let isID = value.count == 17 && value[0] == [UnknownPair].idHead
                guard isID || key != EntryKey.inner && key != EntryKey.former else {
                    throw reader.malformed("an id of an entry")
                }
                if key == EntryKey.origin { _ = try VersionOrigin(parsing: value) }
                otherPairs.append(UnknownPair(key: [key], value: value))
            }
        }
        try takeOtherPairs(count - done, after: last, &reader)
        try check(keys: seen, part: part, reader)
    }

    private mutating func takeValue(of key: UInt8, _ reader: inout CBORReader) throws {
        switch key {
        case EntryKey.id: id = RecordID(try reader.bytes16())
        case EntryKey.kind: kind = Kind(rawValue: UInt16(try reader.unsigned(upTo: UInt64(UInt16.max))))
        case EntryKey.revision: revision = try reader.unsigned(upTo: Limits.counter)
        case EntryKey.salt: content.salt = Salt(try reader.bytes32())
        case EntryKey.place: content.place = Layout.place(ofStored: try reader.unsigned(upTo: Limits.fileByteCount))
        case EntryKey.length: content.length = try reader.unsigned(upTo: Limits.recordByteCount)
        case EntryKey.otherLength: content.otherLength = try reader.unsigned(upTo: Limits.recordByteCount)
        case EntryKey.hint: hint = try reader.unsigned()
        case EntryKey.form:
            guard try reader.unsigned() == 1 else { throw reader.malformed("the form of a content") }
            content.isList = true
        case EntryKey.created: created = try reader.timestamp()
        case EntryKey.updated: updated = try reader.timestamp()
        case EntryKey.parent: parent = RecordID(try reader.bytes16())
        case EntryKey.first: first = try reader.unsigned(upTo: Limits.counter)
        case EntryKey.last: self.last = try reader.unsigned(upTo: Limits.counter)
        case EntryKey.flags:
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
            case (.live, .purged), (.live, .moved): EntryKey.tombstone
            case (.live, _): EntryKey.live
            case (_, .purged), (_, .moved): throw reader.malformed("a tombstone among the past entries")
            default: EntryKey.past
            }
        let allowed = isTombstone ? required : required | EntryKey.optional
        let isFitting = otherPairs.id(EntryKey.inner) == nil || kind == .folder && !isTombstone
        let isPlain = !isTombstone || formerID == nil && otherPairs[EntryKey.origin] == nil
        guard seen & required == required, seen & ~allowed == 0, isFitting, isPlain else {
            throw reader.malformed("fields of an entry missing or out of place")
        }
        guard revision > 0, first > 0, first <= last ?? first, content.isPossible else {
            throw reader.malformed("numbers of an entry")
        }
    }

    package func write(to writer: inout CBORWriter) {
        let flags = state.rawValue | otherFlags
        let optional = [
            parent != nil, last != nil, flags != 0, content.otherLength != nil, hint != nil, content.isList,
        ].count { $0 }
        let known = isTombstone ? 5 : 10 + optional
        var map = MapWriter(&writer, count: known, unknown: otherPairs)
        map.key(EntryKey.id, &writer)
        writer.byteString(id)
        func put(_ key: UInt8, _ value: UInt64) {
            map.key(key, &writer)
            writer.unsigned(value)
        }
        if !isTombstone { put(EntryKey.kind, UInt64(kind.rawValue)) }
        put(EntryKey.revision, revision)
        if !isTombstone {
            map.key(EntryKey.salt, &writer)
            writer.byteString(salt)
            put(EntryKey.place, Layout.stored(place))
            put(EntryKey.length, length)
            put(EntryKey.created, created.microseconds)
        }
        put(EntryKey.updated, updated.microseconds)
        if !isTombstone, let parent {
            map.key(EntryKey.parent, &writer)
            writer.byteString(parent)
        }
        put(EntryKey.first, first)
        if let last { put(EntryKey.last, last) }
        if flags != 0 { put(EntryKey.flags, flags) }
        if !isTombstone {
            map.key(EntryKey.overview, &writer)
            overview.write(to: &writer)
            if let length = content.otherLength { put(EntryKey.otherLength, length) }
            if let hint { put(EntryKey.hint, hint) }
            if content.isList { put(EntryKey.form, 1) }
        }
        map.finish(&writer)
    }

    /// True if the entry fits in a manifest chunk. Only very long titles, groups or tags make an entry too long.
    package var fitsManifest: Bool {
        guard overview.title.count > 1024 || overview.hasLabels || !otherPairs.isEmpty else { return true }
        var writer = CBORWriter()
        write(to: &writer)
        // An array header of one item, and the tag.
        return writer.bytes.count + 1 + Layout.tagByteCount <= Limits.singleItemChunkByteCount
    }
}
