import VaultIO
import Synchronization
import VaultCrypto
package import VaultFormat

/// One manifest segment in a file: its head in memory, its chunks read when asked for.
package final class Segment {
    package let link: SegmentLink
    package let head: SegmentHead
    let file: any File
    private let keys: Keys

    init(_ file: any File, keys: Keys, link: SegmentLink) throws {
        var cipher = try AESGCM(key: keys.commitKey(.segment, salt: link.salt))
        head = try Self.readHead(file, link, keys, &cipher)
        (self.file, self.keys, self.link) = (file, keys, link)
    }

    /// The head as it is sealed, where the segment begins or from the copy in the rest of the commit; nil where it is not
    /// the one that the link names.
    private static func sealedHead(_ file: any File, _ link: SegmentLink, _ keys: Keys, isCopy: Bool) throws -> [UInt8]?
    {
        var bytes = try file.bytes(at: isCopy ? link.headCopy : link.offset, count: Int(link.headLength))
        if isCopy { try keys.maskRest(&bytes, link.salt) }
        return try bytes.count == Int(link.headLength) && Bytes32(SHA256.hash(bytes.span)) == link.headHash
            ? bytes : nil
    }

    /// The head is the one that the link names, and so is its copy.
    ///
    /// - Throws: `Fault`; `IOError`.
    func checkHeads() throws {
        for (isCopy, offset) in [(false, link.offset), (true, link.headCopy)]
        where try Self.sealedHead(file, link, keys, isCopy: isCopy) == nil {
            throw Fault(
                what: "the two heads of a manifest segment differ", range: offset..<offset + link.headLength)
        }
    }

    private static func readHead(
        _ file: any File, _ link: SegmentLink, _ keys: Keys, _ cipher: inout AESGCM
    ) throws -> SegmentHead {
        for isCopy in [false, true] {
            if let sealed = try sealedHead(file, link, keys, isCopy: isCopy),
                let plain = try cipher.opened(sealed.span, nonce: .segment(part: .head, index: 0))
            {
                return try SegmentHead(parsing: plain, of: link)
            }
        }
        throw Fault(what: "the head of a manifest segment", range: link.offset..<link.offset + link.headLength)
    }

    /// The live entry of a record in this segment.
    func entry(_ id: RecordID) throws -> Entry? {
        try items(.live, near: id.value) { try SegmentChunk.entries($0, .live, $1) }.first { $0.id == id }
    }

    /// The entries of the live or past part with these ids.
    func entries(_ ids: ClosedRange<RecordID>, _ part: SegmentPart = .live) throws -> [Entry] {
        let chunks = head.chunks(part)
        // Past versions of one record may fill several chunks.
        let first = max(0, chunks.firstIndex(from: 0) { ids.lowerBound.value <= $0.first } - 1)
        let end = chunks.firstIndex(from: 0) { ids.upperBound.value < $0.first }
        return try flatMap(
            part, chunks: first..<end, { try SegmentChunk.entries($0, part, $1) },
            order: { SegmentChunk.order($0, part) }
        ) { $0.filtered { ids.contains($0.id) } }
    }

    /// The line of an earlier commit in this segment.
    func line(_ sequence: UInt64) throws -> CommitLine? {
        try items(.lines, near: Bytes16(high: 0, low: sequence)) { try SegmentChunk.lines($0, $1) }
            .first { $0.sequence == sequence }
    }

    /// The past versions of a record in this segment.
    func past(_ id: RecordID) throws -> [Entry] { try entries(id...id, .past) }

    /// The items of the one chunk of a part that can hold `key`.
    private func items<Item>(
        _ part: SegmentPart, near key: Bytes16, _ parse: ([UInt8], SegmentHead.Chunk) throws -> [Item]
    ) throws -> [Item] {
        let chunks = head.chunks(part)
        let index = chunks.firstIndex(from: 0) { key < $0.first } - 1
        guard index >= 0 else { return [] }
        let offset = offset(of: part, index)
        let sealed = try file.bytes(at: offset, count: chunks[index].length)
        var cipher = try cipher()
        return try open(sealed.span, part, index: index, at: offset, &cipher) { try parse($0, chunks[index]) }
    }

    /// The offset of a chunk in the file.
    private func offset(of part: SegmentPart, _ index: Int) -> UInt64 {
        head.chunks(part)[..<index].reduce(link.offset + head.offset(of: part, headLength: link.headLength)) {
            $0 + UInt64($1.length)
        }
    }

    /// All entries of the live or past part.
    package func entries(_ part: SegmentPart) throws -> [Entry] { try flatMapEntries(part) { $0 } }

    /// The values that `body` makes of the entries of the live or past part, as `flatMap`.
    func flatMapEntries<Value>(_ part: SegmentPart, _ body: ([Entry]) throws -> [Value]) throws -> [Value] {
        try flatMap(part, { try SegmentChunk.entries($0, part, $1) }, order: { SegmentChunk.order($0, part) }, body)
    }

    /// Lends the entries of the live or past part, a stretch at a time, on all cores; in no order.
    func forEachEntry(_ part: SegmentPart, _ body: ([Entry]) throws -> Void) throws {
        let _: [Never] = try flatMapEntries(part) {
            try body($0)
            return []
        }
    }

    package func lines() throws -> [CommitLine] {
        try flatMap(.lines, { try SegmentChunk.lines($0, $1) }, order: { ($0.key, 0) }) { $0 }
    }

    /// The values that `body` makes of the items of a part, or of some of its chunks. Neighbouring chunks are read with
    /// one call, several at a time on all cores; in their order.
    private func flatMap<Item, Value>(
        _ part: SegmentPart, chunks: Range<Int>? = nil, _ parse: ([UInt8], SegmentHead.Chunk) throws -> [Item],
        order: (Item) -> (Bytes16, UInt64), _ body: ([Item]) throws -> [Value]
    ) throws -> [Value] {
        let stretches = stretches(part, chunks)
        let ends = Mutex(
            [(first: (Bytes16, UInt64)?, last: (Bytes16, UInt64)?)?](repeating: nil, count: stretches.count))
        let values = try Parallel.flatMap(stretches.count) { index in
            let items = try items(of: stretches[index], part, parse, order: order)
            let (first, last) = (items.first.map(order), items.last.map(order))
            ends.withLock { $0[index] = (first, last) }
            return try body(items)
        }
        let all = ends.withLock { $0 }
        for index in all.indices.dropFirst() {
            try Self.checkOrder(all[index - 1]?.last, all[index]?.first, at: stretches[index].offset)
        }
        return values
    }

    private static func checkOrder(_ last: (Bytes16, UInt64)?, _ next: (Bytes16, UInt64)?, at offset: UInt64) throws {
        guard let last, let next, last >= next else { return }
        throw FormatError(.malformed, "chunks of a segment out of order", at: offset)
    }

    /// Neighbouring chunks, and where they stand in the file.
    private struct Stretch {
        var chunks: Range<Int>
        let offset: UInt64
        var byteCount = 0
    }

    /// The chunks of a part, or those with these indices.
    private func stretches(_ part: SegmentPart, _ wanted: Range<Int>? = nil) -> [Stretch] {
        let most = 1 << 16
        var stretches: [Stretch] = []
        let wanted = wanted ?? head.chunks(part).indices
        var offset = offset(of: part, wanted.lowerBound)
        for index in wanted {
            let chunk = head.chunks(part)[index]
            if stretches.last.map({ $0.byteCount >= most }) ?? true {
                stretches.append(Stretch(chunks: index..<index, offset: offset))
            }
            stretches[stretches.count - 1].chunks = stretches[stretches.count - 1].chunks.lowerBound..<index + 1
            stretches[stretches.count - 1].byteCount += chunk.length
            offset += UInt64(chunk.length)
        }
        return stretches
    }

    private func items<Item>(
        of stretch: Stretch, _ part: SegmentPart, _ parse: ([UInt8], SegmentHead.Chunk) throws -> [Item],
        order: (Item) -> (Bytes16, UInt64)
    ) throws -> [Item] {
        let chunks = head.chunks(part)
        let sealed = try file.bytes(at: stretch.offset, count: stretch.byteCount)
        var cipher = try cipher()
        var result: [Item] = []
        result.reserveCapacity(chunks[stretch.chunks].reduce(0) { $0 + $1.count })
        var at = 0
        for index in stretch.chunks {
            let offset = stretch.offset + UInt64(at)
            let end = min(at + chunks[index].length, sealed.count)
            let items = try open(sealed.span.extracting(min(at, end)..<end), part, index: index, at: offset, &cipher) {
                try parse($0, chunks[index])
            }
            try Self.checkOrder(result.last.map(order), items.first.map(order), at: offset)
            result += items
            at += chunks[index].length
        }
        return result
    }

    /// Holds the chunks of a part against their digests.
    func checkDigests(_ part: SegmentPart) throws {
        for stretch in stretches(part) {
            let bytes = try file.bytes(at: stretch.offset, count: stretch.byteCount)
            var at = 0
            for chunk in head.chunks(part)[stretch.chunks] {
                let end = min(at + chunk.length, bytes.count)
                let digest = Bytes32(try SHA256.hash(bytes.span.extracting(min(at, end)..<end))).prefix16
                guard digest == chunk.digest else { throw Self.fault(chunk, at: stretch.offset + UInt64(at)) }
                at += chunk.length
            }
        }
    }

    private static func fault(_ chunk: SegmentHead.Chunk, at offset: UInt64) -> Fault {
        Fault(what: "a chunk of the manifest", range: offset..<offset + UInt64(chunk.length))
    }

    /// The cipher of its chunks.
    func cipher() throws -> AESGCM { try AESGCM(key: keys.commitKey(.segment, salt: link.salt)) }

    func open<R>(
        _ sealed: Span<UInt8>, _ part: SegmentPart, index: Int, at offset: UInt64, _ cipher: inout AESGCM,
        _ parse: ([UInt8]) throws -> R
    ) throws -> R {
        let chunk = head.chunks(part)[index]
        guard sealed.count == chunk.length, Bytes32(try SHA256.hash(sealed)).prefix16 == chunk.digest,
            let plain = try cipher.opened(sealed, nonce: .segment(part: part, index: UInt32(index)))
        else { throw Self.fault(chunk, at: offset) }
        do { return try parse(plain) } catch let error as FormatError { throw error.at(offset) }
    }
}

extension [Entry] {
    /// Those that are wanted; mostly that is all.
    func filtered(_ isWanted: (Entry) -> Bool) -> [Entry] {
        indices.allSatisfy { isWanted(self[$0]) } ? self : filter(isWanted)
    }
}
