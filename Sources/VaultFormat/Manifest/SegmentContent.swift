import VaultCrypto

/// The items of a manifest segment, in memory (Spec/container.md, 3.5; Spec/store.md, 5).
package struct SegmentContent: Equatable, Sendable {
    /// By id.
    package var live: [Entry] = []
    /// By id, then first sequence.
    package var past: [Entry] = []
    /// By sequence.
    package var lines: [CommitLine] = []

    package init() {}

    /// Sorts, packs and seals the segment for `offset`, standing on `base`; as `SegmentWriter`.
    package mutating func sealed(
        at offset: UInt64, salt: Salt, keys: Keys, base: SegmentLink?
    ) throws -> (parts: [[UInt8]], link: SegmentLink) {
        var writer = try SegmentWriter(salt: salt, keys: keys)
        try writer.add(&self)
        let (head, link) = try writer.finish(at: offset, base: base)
        var parts = [head]
        try writer.forEachChunk { parts.append($0) }
        return (parts, link)
    }
}

/// Packs and seals the items of one segment, all at once or a range of ids after the other.
package struct SegmentWriter: ~Copyable {
    private let salt: Salt
    private var cipher: AESGCM
    private var live = ChunkWriter(.live)
    /// Live entries whose chunks are sealed twice: first for the head, then when they are written. None is kept.
    private var liveEntries: SortedEntries?
    private var past = ChunkWriter(.past)
    private var lines = ChunkWriter(.lines)

    package init(salt: Salt, keys: Keys) throws {
        self.salt = salt
        cipher = try AESGCM(key: keys.commitKey(.segment, salt: salt))
    }

    /// Adds items that come behind all that were added before.
    ///
    /// - Throws: `FormatError` `.malformed` where an item comes twice, `.invalid` where one is too long.
    package mutating func add(_ content: inout SegmentContent) throws {
        content.live.sort { $0.id < $1.id }
        content.past.sort { ($0.id, $0.first) < ($1.id, $1.first) }
        content.lines.sort { $0.sequence < $1.sequence }
        for entry in content.live { try live.add(key: (entry.id.value, 0), &cipher) { entry.write(to: &$0) } }
        for entry in content.past { try past.add(key: (entry.id.value, entry.first), &cipher) { entry.write(to: &$0) } }
        for line in content.lines { try lines.add(key: (line.key, 0), &cipher) { line.write(to: &$0) } }
    }

    /// Adds all live entries; no other call adds any.
    package mutating func add(live entries: consuming PackedEntries) throws {
        guard entries.count > 0 else { return }
        precondition(live.isEmpty, "live entries come by one way")
        let sorted = entries.sorted()
        try Self.pack(sorted, into: &live, &cipher) { _ in }
        liveEntries = sorted
    }

    /// Gives the sealed chunks of the entries to `sink`.
    private static func pack(
        _ entries: SortedEntries, into part: inout ChunkWriter, _ cipher: inout AESGCM, sink: ([UInt8]) throws -> Void
    ) throws {
        for (id, encoding) in entries {
            try part.add(key: (id.value, 0), &cipher) { $0.encoded(encoding) }
            try part.takeSealed().forEach(sink)
        }
        try part.flush(&cipher)
        try part.takeSealed().forEach(sink)
    }

    /// Seals the head of the segment for `offset`, standing on `base`.
    ///
    /// - Returns: the head, which the chunks follow, and the link, which does not know yet where the head's copy will stand.
    package mutating func finish(at offset: UInt64, base: SegmentLink?) throws -> (head: [UInt8], link: SegmentLink) {
        try live.flush(&cipher)
        try past.flush(&cipher)
        try lines.flush(&cipher)
        var head = SegmentHead()
        head.base = base
        (head.live, head.past, head.lines) = (live.chunks, past.chunks, lines.chunks)
        let sealedHead = try cipher.sealed(head.bytes.span, nonce: .segment(part: .head, index: 0))
        let length = UInt64(sealedHead.count) + live.byteCount + past.byteCount + lines.byteCount
        guard length <= Limits.segmentByteCount, sealedHead.count <= Limits.headByteCount else {
            throw FormatError(.invalid, "the vault's manifest would pass the limit of the format")
        }
        let link = SegmentLink(
            offset: offset, length: length, headLength: UInt64(sealedHead.count), headCopy: 0, salt: salt,
            headHash: Bytes32(try SHA256.hash(sealedHead.span)))
        return (sealedHead, link)
    }

    /// Gives the sealed chunks of the finished segment in their order.
    package mutating func forEachChunk(_ body: ([UInt8]) throws -> Void) throws {
        if let entries = liveEntries {
            var again = ChunkWriter(.live)
            try Self.pack(entries, into: &again, &cipher, sink: body)
        }
        for part in [live, past, lines] { try part.sealed.forEach(body) }
    }
}

/// The chunks of one part of a segment.
private struct ChunkWriter {
    let part: SegmentPart
    private(set) var chunks: [SegmentHead.Chunk] = []
    /// The chunks that are kept.
    private(set) var sealed: [[UInt8]] = []
    private var pending = CBORWriter()
    private var count = 0
    private var first = Bytes16.zero
    private var last: (Bytes16, UInt64)?

    /// An array header takes up to 3 bytes.
    private static let room = Limits.segmentChunkByteCount - Layout.tagByteCount - 3

    init(_ part: SegmentPart) { self.part = part }

    var isEmpty: Bool { chunks.isEmpty && count == 0 }
    /// Stored bytes of all chunks.
    var byteCount: UInt64 { chunks.reduce(0) { $0 + UInt64($1.length) } }

    /// The chunks sealed since the last call. They are not kept.
    mutating func takeSealed() -> [[UInt8]] {
        defer { sealed = [] }
        return sealed
    }

    /// - Parameter key: what the items are in order of.
    mutating func add(key: (Bytes16, UInt64), _ cipher: inout AESGCM, write: (inout CBORWriter) -> Void) throws {
        // Each segment was in order by itself; a hostile stack may still say a thing twice.
        if let last, last >= key { throw FormatError.malformed("what the manifest says twice") }
        last = key
        let mark = pending.bytes.count
        write(&pending)
        if pending.bytes.count > Self.room, count > 0 {
            let tooMuch = pending.cut(to: mark)
            try flush(&cipher)
            pending.encoded(tooMuch)
        }
        if count == 0 { first = key.0 }
        count += 1
    }

    mutating func flush(_ cipher: inout AESGCM) throws {
        guard count > 0 else { return }
        var chunk = CBORWriter()
        chunk.array(count)
        chunk.encoded(pending.bytes)
        let bytes = try cipher.sealed(chunk.bytes.span, nonce: .segment(part: part, index: UInt32(chunks.count)))
        guard bytes.count <= (count == 1 ? Limits.singleItemChunkByteCount : Limits.segmentChunkByteCount) else {
            throw FormatError(.invalid, "a record's names and tags are longer than the format allows")
        }
        let digest = Bytes32(try SHA256.hash(bytes.span)).prefix16
        chunks.append(SegmentHead.Chunk(length: bytes.count, count: count, digest: digest, first: first))
        sealed.append(bytes)
        _ = pending.cut(to: 0)
        count = 0
    }
}

/// Reads the chunks of a segment once their bytes were checked against the head.
package enum SegmentChunk {
    /// Entries of a live or past chunk.
    ///
    /// - Throws: `FormatError.malformed`.
    package static func entries(_ plain: [UInt8], _ part: SegmentPart, _ chunk: SegmentHead.Chunk) throws -> [Entry] {
        try items(plain, chunk) { reader in
            try Entry(parsing: &reader, part: part)
        } key: {
            order($0, part)
        }
    }

    /// The sort key of entries of a live or past part; no two are equal.
    package static func order(_ entry: Entry, _ part: SegmentPart) -> (Bytes16, UInt64) {
        (entry.id.value, part == .past ? entry.first : 0)
    }

    /// Lines of a chunk.
    ///
    /// - Throws: `FormatError.malformed`.
    package static func lines(_ plain: [UInt8], _ chunk: SegmentHead.Chunk) throws -> [CommitLine] {
        try items(plain, chunk) { reader in
            try CommitLine(parsing: &reader)
        } key: {
            ($0.key, 0)
        }
    }

    /// - Parameter key: what the items are in order of.
    private static func items<Item>(
        _ plain: [UInt8], _ chunk: SegmentHead.Chunk, read: (inout CBORReader) throws -> Item,
        key: (Item) -> (Bytes16, UInt64)
    ) throws -> [Item] {
        var reader = CBORReader(plain)
        let count = try reader.arrayCount()
        guard count == chunk.count else { throw reader.malformed("a chunk with another number of items") }
        var items: [Item] = []
        items.reserveCapacity(count)
        var last: (Bytes16, UInt64)?
        for _ in 0..<count {
            let item = try read(&reader)
            let next = key(item)
            if let last, last >= next { throw reader.malformed("items out of order") }
            if last == nil, next.0 != chunk.first { throw reader.malformed("a chunk that begins with another item") }
            last = next
            items.append(item)
        }
        try reader.finish()
        return items
    }
}
