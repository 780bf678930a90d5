/// Parts of a manifest segment; the numbers go into nonces (Spec/container.md, 3.5).
package enum SegmentPart: UInt8, Sendable {
    case head = 0
    case live = 1
    case past = 2
    case lines = 3
}

/// Names a segment so that whoever trusts the name can trust the segment.
package struct SegmentLink: Equatable, Sendable {
    package let offset: UInt64
    package let length: UInt64
    package let headLength: UInt64
    /// The place of the copy of its head, behind the check table of its commit.
    package var headCopy: UInt64
    /// Salt of the commit that wrote it: gives the segment key.
    package let salt: Salt
    package let headHash: Bytes32

    package init(
        offset: UInt64, length: UInt64, headLength: UInt64, headCopy: UInt64, salt: Salt, headHash: Bytes32
    ) {
        (self.offset, self.length, self.headLength, self.headCopy) = (offset, length, headLength, headCopy)
        (self.salt, self.headHash) = (salt, headHash)
    }

    package var end: UInt64 { offset + length }

    /// Holds its places against the limits and against the first byte that it must not reach.
    ///
    /// - Throws: `FormatError.malformed`.
    package func check(endsBy limit: UInt64) throws {
        guard offset % Layout.recordAlignment == 0, offset < Limits.fileByteCount,
            length <= Limits.segmentByteCount, (17...Limits.headByteCount).contains(headLength),
            headLength <= length, end <= limit, headCopy >= end, headCopy < Limits.fileByteCount
        else { throw FormatError.malformed("the place of a manifest segment") }
    }
}

/// The places and digests of a segment's chunks, and the link to the segment beneath.
package struct SegmentHead: Equatable, Sendable {
    /// One chunk of a part.
    package struct Chunk: Equatable, Sendable {
        /// Stored bytes, with the tag.
        package let length: Int
        /// Items in it.
        package let count: Int
        /// First 16 bytes of SHA-256 over the stored chunk.
        package let digest: Bytes16
        /// Id of its first item; for lines the sequence, as a number.
        package let first: Bytes16

        package init(length: Int, count: Int, digest: Bytes16, first: Bytes16) {
            (self.length, self.count, self.digest, self.first) = (length, count, digest, first)
        }
    }

    package var live: [Chunk] = []
    package var past: [Chunk] = []
    package var lines: [Chunk] = []
    package var base: SegmentLink?

    package init() {}

    package func chunks(_ part: SegmentPart) -> [Chunk] {
        switch part {
        case .head: []
        case .live: live
        case .past: past
        case .lines: lines
        }
    }

    /// Items of all three parts.
    package var itemCount: Int { (live + past + lines).reduce(0) { $0 + $1.count } }

    /// The offset of a part's first chunk, counted from the start of the segment.
    package func offset(of part: SegmentPart, headLength: UInt64) -> UInt64 {
        let before: [Chunk] =
            switch part {
            case .head: []
            case .live: []
            case .past: live
            case .lines: live + past
            }
        return before.reduce(headLength) { $0 + UInt64($1.length) }
    }

    /// Reads a decrypted head and holds it against the link that names it. The place of the base is not judged.
    ///
    /// - Throws: `FormatError.malformed`.
    package init(parsing bytes: [UInt8], of link: SegmentLink) throws {
        var reader = CBORReader(bytes)
        guard try reader.arrayCount() == 5 else { throw reader.malformed("a head of five items") }
        live = try Self.chunks(&reader, .live)
        past = try Self.chunks(&reader, .past)
        lines = try Self.chunks(&reader, .lines)
        base = try reader.null() ? nil : Self.link(&reader)
        try reader.map { reader, key in
            guard reader.encoding(at: key)[0] >> 5 == 0 else { throw reader.malformed("integer key expected") }
            _ = try reader.itemRange(depth: 3)
        }
        try reader.finish()
        guard
            offset(of: .lines, headLength: link.headLength) + lines.reduce(0, { $0 + UInt64($1.length) })
                == link.length
        else { throw FormatError.malformed("the length of a manifest segment") }
    }

    private static func chunks(_ reader: inout CBORReader, _ part: SegmentPart) throws -> [Chunk] {
        let count = try reader.arrayCount()
        var chunks: [Chunk] = []
        for _ in 0..<count {
            let more = try reader.arrayCount() - 4
            guard more >= 0 else { throw reader.malformed("a chunk descriptor of four items") }
            let length = try reader.unsigned(upTo: UInt64(Limits.singleItemChunkByteCount))
            let items = try reader.unsigned(upTo: Limits.itemsPerChunk)
            guard length > 16, items > 0, length <= Limits.segmentChunkByteCount || items == 1 else {
                throw reader.malformed("numbers of a chunk descriptor")
            }
            let digest = try reader.bytes16()
            let first = try part == .lines ? CommitLine.key(reader.sequence()) : reader.bytes16()
            try reader.skipItems(more, depth: 4)
            if let last = chunks.last?.first, !(last < first || (part == .past && last == first)) {
                throw reader.malformed("chunks of a segment out of order")
            }
            chunks.append(Chunk(length: Int(length), count: Int(items), digest: digest, first: first))
        }
        return chunks
    }

    private static func link(_ reader: inout CBORReader) throws -> SegmentLink {
        let more = try reader.arrayCount() - 6
        guard more >= 0 else { throw reader.malformed("a link of six items") }
        let link = SegmentLink(
            offset: Layout.place(ofStored: try reader.unsigned()), length: try reader.unsigned(),
            headLength: try reader.unsigned(), headCopy: Layout.place(ofStored: try reader.unsigned()),
            salt: Salt(try reader.bytes32()), headHash: try reader.bytes32())
        try reader.skipItems(more, depth: 3)
        return link
    }

    /// The head as deterministic CBOR.
    package var bytes: [UInt8] {
        var writer = CBORWriter()
        writer.array(5)
        for part in [SegmentPart.live, .past, .lines] {
            writer.array(chunks(part).count)
            for chunk in chunks(part) {
                writer.array(4)
                writer.unsigned(UInt64(chunk.length))
                writer.unsigned(UInt64(chunk.count))
                writer.byteString(chunk.digest)
                if part == .lines { writer.unsigned(chunk.first.low) } else { writer.byteString(chunk.first) }
            }
        }
        if let base {
            writer.array(6)
            writer.unsigned(Layout.stored(base.offset))
            writer.unsigned(base.length)
            writer.unsigned(base.headLength)
            writer.unsigned(Layout.stored(base.headCopy))
            writer.byteString(base.salt)
            writer.byteString(base.headHash)
        } else {
            writer.null()
        }
        writer.map(0)
        return writer.bytes
    }
}
