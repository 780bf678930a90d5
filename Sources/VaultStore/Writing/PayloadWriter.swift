import VaultIO
import VaultCrypto
import VaultFormat

/// Lays out the payload area of one commit from front to back (Spec/container.md, 3.3, 3.4 and 3.6).
///
/// Content is read straight to where its ciphertext will stand, in batches that other threads seal, tag and write
/// (BatchPool, Batch, BlockSink), so that every byte is copied once by the kernel, passes the cipher once, and the
/// memory is bounded however long a record is. What is known only at the end of a record, its length, is in its
/// header: that comes last, in a batch of its own if the record was longer than one.
struct PayloadWriter: ~Copyable {
    /// The offset of the payload area in the file.
    private let start: UInt64
    private let sink: BlockSink
    private let pool: BatchPool
    private var batch: Batch
    /// The bytes before this position are in the file.
    private var readable: UInt64 = 0

    init(_ file: any File, start: UInt64, salt: Salt, keys: Keys) throws {
        self.start = start
        sink = BlockSink(file, start: start, salt: salt)
        pool = BatchPool(sink) { try Batch(salt: salt, keys: keys) }
        batch = try pool.take(at: 0)
    }

    /// Waits until nothing is written any more, whatever became of it.
    func abandon() { try? pool.drain() }

    /// Stores one record: `read` fills as much of the buffer as it can, and is at the end when it fills less.
    ///
    /// - Parameters:
    ///   - makeSalt: draws the record's salt; called once, when the beginning of the content was read.
    ///   - frames: compresses the content where that saves something.
    /// - Returns: where it stands and how long its content is. If `read` throws, the record ends with what came before and
    ///   the error is in `failure`: what is in the payload is final, hence always a whole record.
    mutating func store(
        _ header: StoredRecord.Header, salt makeSalt: () throws -> Salt, with frames: FrameSource? = nil,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> (content: StoredContent, failure: (any Error)?) {
        guard let frames else { return try store(header, salt: makeSalt, standing: { nil }, read: read) }
        frames.begin()
        defer { frames.end() }
        var failure: (any Error)?
        let stored = try store(
            header, salt: makeSalt, standing: { frames.lengths }, read: { try frames.fill(&$0, read, &failure) })
        return (stored.content, failure ?? stored.failure)
    }

    /// Stores the list that stands for a content in pieces.
    mutating func store(
        _ header: StoredRecord.Header, salt makeSalt: () throws -> Salt, _ list: PieceList
    ) throws -> StoredContent {
        var header = header
        header.isList = true
        let bytes = list.bytes
        var rest = bytes[...]
        return try store(header, salt: makeSalt, standing: { (list.length, UInt64(bytes.count)) }) {
            $0.take(from: &rest)
        }
        .content
    }

    /// - Parameter standing: the lengths of the content and of what stands for it, once all was read; nil where it
    ///   stands as it is.
    private mutating func store(
        _ header: StoredRecord.Header, salt makeSalt: () throws -> Salt,
        standing: () -> (content: UInt64, stored: UInt64)?, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> (content: StoredContent, failure: (any Error)?) {
        try pad(to: Layout.align(start + batch.end, to: Layout.recordAlignment) - start)
        try makeRoom(StoredRecord.preludeByteCount + StoredRecord.sealedChunkByteCount)
        let (first, place) = (batch, batch.end)
        let headerOffset = first.take(StoredRecord.preludeByteCount)

        var header = header
        (header.length, header.otherLength) = (0, nil)
        var failure: (any Error)?
        var isFirstBatch = true
        var count = Self.fill(first, at: first.used, read, &failure)
        let salt = try makeSalt()
        for index in UInt64(0)... {
            header.length += UInt64(count)
            try StoredRecord.checkLength(header.length)
            // A full chunk is known to be the last one only when the next is read, behind it or into another batch.
            let isFull = count == Layout.chunkByteCount && failure == nil
            let hasRoom = batch.room >= 2 * StoredRecord.sealedChunkByteCount
            let after = batch.end + UInt64(StoredRecord.sealedChunkByteCount)
            let next = isFull && !hasRoom ? try pool.take(at: after) : batch
            let offset = next === batch ? batch.used + StoredRecord.sealedChunkByteCount : 0
            let following = isFull ? Self.fill(next, at: offset, read, &failure) : 0

            batch.chunk(count, of: salt, .chunk(index, isFinal: following == 0))
            if following == 0 {
                if let lengths = standing() { (header.length, header.otherLength) = lengths }
                try put(header, salt, at: place, isFirstBatch ? headerOffset : nil)
            } else if next !== batch, isFirstBatch {
                batch.omitHeader(at: headerOffset)
                isFirstBatch = false
            }
            if next !== batch { turn(to: next) }
            if following == 0 { break }
            count = following
        }
        let content = StoredContent(
            salt: salt, place: start + place, length: header.length, otherLength: header.otherLength,
            isList: header.isList)
        return (content, failure)
    }

    /// Stores a record of another log, whose chunks are opened and sealed anew where they will stand.
    ///
    /// - Returns: where it stands.
    mutating func carry(_ header: StoredRecord.Header, salt: Salt, _ record: RecordTranscoder) throws -> UInt64 {
        try pad(to: Layout.align(start + batch.end, to: Layout.recordAlignment) - start)
        try makeRoom(StoredRecord.preludeByteCount)
        let place = batch.end
        batch.header(header, salt, at: batch.take(StoredRecord.preludeByteCount))
        for index in 0..<StoredRecord.chunkCount(header.otherLength ?? header.length) {
            try makeRoom(record.sealedByteCount(index))
            try batch.carry(record, index, to: salt)
        }
        return start + place
    }

    /// Puts a header into the present batch, or into one of its own.
    private func put(_ header: StoredRecord.Header, _ salt: Salt, at place: UInt64, _ offset: Int?) throws {
        if let offset { return batch.header(header, salt, at: offset) }
        let alone = try pool.take(at: place)
        alone.header(header, salt, at: alone.take(StoredRecord.preludeByteCount))
        pool.submit(alone)
    }

    /// Reads the next piece of content behind what is spoken for.
    private static func fill(
        _ batch: Batch, at offset: Int, _ read: (inout MutableSpan<UInt8>) throws -> Int, _ failure: inout (any Error)?
    ) -> Int {
        do {
            return try batch.bytes.withMutableSlice(offset..<offset + Layout.chunkByteCount) { try read(&$0) }
        } catch {
            failure = error
            return 0
        }
    }

    /// Goes to where the manifest segment begins; its offset in the file.
    mutating func beginSegment() throws -> UInt64 {
        try pad(to: Layout.align(start + batch.end, to: Layout.recordAlignment) - start)
        return start + batch.end
    }

    /// Adds bytes of the manifest segment.
    mutating func append(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try makeRoom(1)
            let part = rest.prefix(batch.room)
            batch.append(part)
            rest = rest.dropFirst(part.count)
        }
    }

    /// Writes the bytes that were put, at least up to an offset in the file, so that they can be read.
    mutating func flush(upTo end: UInt64) throws {
        guard end > start + readable else { return }
        if batch.used > 0 { turn(to: try pool.take(at: batch.end)) }
        try pool.drain()
        try sink.flush()
        readable = batch.end
    }

    /// Pads the area and writes what is left.
    ///
    /// - Returns: the length of the payload area and the check table.
    mutating func finish() throws -> (length: UInt64, table: [UInt8]) {
        let length = Layout.align(Layout.padme(batch.end), to: Layout.alignment)
        guard length <= Limits.payloadByteCount else {
            throw FormatError(.invalid, "a save is longer than \(Limits.payloadByteCount) bytes")
        }
        try pad(to: length)
        try pool.drain()
        return (length, try batch.finish(sink))
    }

    // MARK: Batches

    /// The padding stream up to payload position `end`.
    private mutating func pad(to end: UInt64) throws {
        while batch.end < end {
            try makeRoom(1)
            batch.pad(Int(min(end - batch.end, UInt64(batch.room))))
        }
    }

    /// Goes on to another batch when this one has less room.
    private mutating func makeRoom(_ count: Int) throws {
        if batch.room < count { turn(to: try pool.take(at: batch.end)) }
    }

    private mutating func turn(to next: Batch) {
        pool.submit(batch)
        batch = next
    }
}
