import VaultCrypto
package import VaultFormat

/// The manifest of one state of a vault: a stack of segments, read as far as they are asked for (Spec/reader.md, 4).
package final class Manifest {
    /// Newest first.
    package let segments: [Segment]

    /// Reads the heads of the stack.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`.
    init(_ file: any File, keys: Keys, newest: SegmentLink, of core: Core) throws {
        var segments: [Segment] = []
        var next: SegmentLink? = newest
        var limit = core.recordOffset
        guard newest.offset >= core.start else { throw FormatError(.malformed, "the place of a manifest segment") }
        while let link = next {
            guard segments.count < Limits.segmentCount else {
                throw FormatError(.malformed, "more than \(Limits.segmentCount) manifest segments")
            }
            try link.check(endsBy: limit)
            let segment = try Segment(file, keys: keys, link: link)
            segments.append(segment)
            (next, limit) = (segment.head.base, link.offset)
        }
        self.segments = segments
    }

    /// The newest live entry of a record: in the trash and purged ones included.
    package func entry(_ id: RecordID) throws -> Entry? {
        for segment in segments {
            if let entry = try segment.entry(id) { return entry }
        }
        return nil
    }

    /// All live entries by id: in the trash and purged ones included.
    package func entries() throws -> [Entry] {
        guard segments.count > 1 else { return try segments.first?.entries(.live) ?? [] }
        var seen: Set<RecordID> = []
        var result: [Entry] = []
        for segment in segments {
            for entry in try segment.entries(.live) where seen.insert(entry.id).inserted { result.append(entry) }
        }
        return result.sorted { $0.id < $1.id }
    }
}

/// One manifest segment in a file: its head in memory, its chunks read when asked for.
package final class Segment {
    package let link: SegmentLink
    package let head: SegmentHead
    let file: any File
    private var cipher: AESGCM

    init(_ file: any File, keys: Keys, link: SegmentLink) throws {
        var cipher = try AESGCM(key: keys.commitKey(.segment, salt: link.salt))
        head = try Self.readHead(file, link, &cipher)
        self.cipher = cipher
        (self.file, self.link) = (file, link)
    }

    private static func readHead(_ file: any File, _ link: SegmentLink, _ cipher: inout AESGCM) throws -> SegmentHead {
        let count = Int(link.headLength)
        for offset in [link.offset, link.end - link.headLength] {
            let sealed = try file.bytes(at: offset, count: count)
            guard sealed.count == count, Bytes32(try SHA256.hash(sealed.span)) == link.headHash else { continue }
            if let plain = try cipher.opened(sealed.span, nonce: .segment(part: .head, index: 0)) {
                return try SegmentHead(parsing: plain, of: link)
            }
        }
        throw Fault(what: "the head of a manifest segment", range: link.offset..<link.offset + link.headLength)
    }

    /// The live entry of a record in this segment.
    func entry(_ id: RecordID) throws -> Entry? {
        var (low, high) = (0, head.live.count)
        while low < high {
            let middle = (low + high) / 2
            if id < head.live[middle].first { high = middle } else { low = middle + 1 }
        }
        guard low > 0 else { return nil }
        let offset = head.live[..<(low - 1)].reduce(head.offset(of: .live, headLength: link.headLength)) {
            $0 + UInt64($1.length)
        }
        let chunk = head.live[low - 1]
        let sealed = try file.bytes(at: link.offset + offset, count: chunk.length)
        return try open(sealed, .live, index: low - 1, at: link.offset + offset) {
            try SegmentChunk.entries($0, .live, chunk)
        }.first { $0.id == id }
    }

    /// All entries of the live or past part.
    package func entries(_ part: SegmentPart) throws -> [Entry] {
        try items(part) { try SegmentChunk.entries($0, part, $1) }
    }

    package func lines() throws -> [CommitLine] { try items(.lines) { try SegmentChunk.lines($0, $1) } }

    /// Everything in it, for a segment that takes it in.
    package func content() throws -> SegmentContent {
        var content = SegmentContent()
        content.live = try entries(.live)
        content.past = try entries(.past)
        content.lines = try lines()
        return content
    }

    /// Reads all chunks of a part, with one call for each.
    private func items<Item>(_ part: SegmentPart, _ parse: ([UInt8], SegmentHead.Chunk) throws -> [Item]) throws
        -> [Item]
    {
        let chunks = head.chunks(part)
        var result: [Item] = []
        var offset = link.offset + head.offset(of: part, headLength: link.headLength)
        var last: Item?
        for (index, chunk) in chunks.enumerated() {
            let sealed = try file.bytes(at: offset, count: chunk.length)
            let items = try open(sealed, part, index: index, at: offset) { try parse($0, chunk) }
            if let last, let first = items.first, !Self.inOrder(last, first) {
                throw FormatError(.malformed, "chunks of a segment out of order", at: offset)
            }
            last = items.last
            result += items
            offset += UInt64(chunk.length)
        }
        return result
    }

    private static func inOrder<Item>(_ left: Item, _ right: Item) -> Bool {
        switch (left, right) {
        case (let a as Entry, let b as Entry): (a.id, a.first) < (b.id, b.first)
        case (let a as CommitLine, let b as CommitLine): a.sequence < b.sequence
        default: false
        }
    }

    private func open<R>(
        _ sealed: [UInt8], _ part: SegmentPart, index: Int, at offset: UInt64, _ parse: ([UInt8]) throws -> R
    ) throws -> R {
        let chunk = head.chunks(part)[index]
        let fault = Fault(what: "a chunk of the manifest", range: offset..<offset + UInt64(chunk.length))
        guard sealed.count == chunk.length, Bytes32(try SHA256.hash(sealed.span)).prefix16 == chunk.digest,
            let plain = try cipher.opened(sealed.span, nonce: .segment(part: part, index: UInt32(index)))
        else { throw fault }
        do { return try parse(plain) } catch let error as FormatError { throw error.at(offset) }
    }
}
