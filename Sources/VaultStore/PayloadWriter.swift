import VaultCrypto
import VaultFormat

/// Writes the payload area of one commit from front to back (Spec/container.md, 3.3, 3.4 and 3.6).
///
/// Plaintext is sealed straight into a buffer of whole 64 KiB blocks. A full buffer goes to BlockSink, which tags its
/// blocks and writes them with one call on the second thread while the next buffer is filled on this one. The blocks
/// with the header of the record in progress wait there until the record's length is known, so that a record of any
/// length streams through bounded memory and every block is tagged and written once.
struct PayloadWriter: ~Copyable {
    static let block = Layout.blockByteCount
    private static let bufferedBlocks = 16

    private let keys: Keys
    /// Where the payload area starts in the file.
    private let start: UInt64
    private var padding: Padding
    private var headers: AESGCM
    private var recordKeys: RecordKeys

    /// Bytes that wait, from payload position `base` on.
    private var buffer = BlockBuffer()
    private var base: UInt64 = 0
    private var used = 0
    /// The buffer that the second thread has, or had.
    private var other = BlockBuffer()
    private let sink: BlockSink
    private let background = Background()
    /// Where the header of the record in progress lies.
    private var header: Range<UInt64>?
    private var current = [UInt8](repeating: 0, count: Layout.chunkByteCount)
    private var following = [UInt8](repeating: 0, count: Layout.chunkByteCount)

    /// Behind the last whole block there is room for a chunk, its tag and a record's beginning.
    final class BlockBuffer {
        var bytes = [UInt8](repeating: 0, count: (bufferedBlocks + 1) * block + 1024)
    }

    init(_ file: any File, start: UInt64, salt: Salt, keys: Keys) throws {
        let padding = try Padding(salt: salt, keys: keys)
        let headers = try AESGCM(key: keys.header)
        let recordKeys = try RecordKeys(keys)
        sink = try BlockSink(file, start: start, salt: salt, keys: keys)
        (self.start, self.keys) = (start, keys)
        self.padding = padding
        self.headers = headers
        self.recordKeys = recordKeys
    }

    /// Waits until nothing is written any more, whatever became of it.
    func abandon() { try? background.wait() }

    /// Bytes of the payload area so far.
    var position: UInt64 { base + UInt64(used) }

    /// Stores one record: `read` fills as much of the buffer as it can, and is at the end when it fills less.
    ///
    /// - Returns: where it stands and how long its content is. If `read` throws, the record ends with what came
    ///   before and the error is in `failure`: what is in the payload is final, hence always a whole record.
    mutating func store(
        _ header: StoredRecord.Header, salt recordSalt: Salt, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> (place: UInt64, length: UInt64, failure: (any Error)?) {
        try pad(to: Layout.align(start + position, to: Layout.recordAlignment) - start)
        var header = header
        let from = position
        self.header = from..<from + UInt64(StoredRecord.preludeByteCount)
        try skip(StoredRecord.preludeByteCount)
        var cipher = try recordKeys.cipher(salt: recordSalt, id: header.id, kind: header.kind)

        header.length = 0
        var failure: (any Error)?
        var count = Self.fill(&current, read, &failure)
        var index: UInt64 = 0
        while true {
            let isFull = count == Layout.chunkByteCount && failure == nil
            let next = isFull ? Self.fill(&following, read, &failure) : 0
            let nonce = Nonce.chunk(index, isFinal: next == 0)
            let end = used + count + Layout.tagByteCount
            try Self.seal(current, count, nonce, &cipher, &buffer.bytes, used..<end)
            used = end
            header.length += UInt64(count)
            guard header.length <= Limits.recordByteCount else {
                throw FormatError(.invalid, "a record is longer than \(Limits.recordByteCount) bytes")
            }
            try flushFullBlocks()
            if next == 0 { break }
            swap(&current, &following)
            (count, index) = (next, index + 1)
        }
        try background.wait()
        try put(header.sealed(salt: recordSalt, keys: keys, cipher: &headers), at: from)
        try sink.releaseHeld()
        self.header = nil
        return (start + from, header.length, failure)
    }

    private static func fill(
        _ buffer: inout [UInt8], _ read: (inout MutableSpan<UInt8>) throws -> Int, _ failure: inout (any Error)?
    ) -> Int {
        do {
            var span = buffer.mutableSpan
            return try read(&span)
        } catch {
            failure = error
            return 0
        }
    }

    private static func seal(
        _ plaintext: [UInt8], _ count: Int, _ nonce: Nonce, _ cipher: inout AESGCM, _ buffer: inout [UInt8],
        _ range: Range<Int>
    ) throws {
        try buffer.withMutableSlice(range) {
            try cipher.seal(plaintext.span.extracting(0..<count), nonce: nonce, into: &$0)
        }
    }

    /// Adds the manifest segment, pads the area and writes what is left.
    ///
    /// - Parameter makeSegment: is told the segment's offset in the file and makes its bytes.
    /// - Returns: the length of the payload area and the check table.
    mutating func finish(_ makeSegment: (UInt64) throws -> [UInt8]) throws -> (
        length: UInt64, table: [UInt8], hash: Bytes32
    ) {
        let segmentPosition = Layout.align(start + position, to: Layout.recordAlignment) - start
        try pad(to: segmentPosition)
        let segment = try makeSegment(start + segmentPosition)
        try append(segment)
        let length = Layout.align(Layout.padme(position), to: Layout.alignment)
        guard length <= Limits.payloadByteCount else {
            throw FormatError(.invalid, "a save is longer than \(Limits.payloadByteCount) bytes")
        }
        try pad(to: length)
        try background.wait()
        try sink.write(buffer.bytes, used, at: base, header: nil)
        return (length, sink.table.bytes, try sink.table.hash())
    }

    // MARK: The buffer

    private mutating func append(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = min(bytes.count - done, Self.block)
            buffer.bytes.replaceSubrange(used..<used + count, with: bytes[done..<done + count])
            used += count
            done += count
            try flushFullBlocks()
        }
    }

    private mutating func skip(_ count: Int) throws {
        used += count
        try flushFullBlocks()
    }

    /// The padding stream up to payload position `end`.
    private mutating func pad(to end: UInt64) throws {
        while position < end {
            let count = Int(min(end - position, UInt64(Self.block)))
            let from = position
            let range = used..<used + count
            try Self.pad(&padding, &buffer.bytes, range, from)
            used += count
            try flushFullBlocks()
        }
    }

    private static func pad(
        _ padding: inout Padding, _ buffer: inout [UInt8], _ range: Range<Int>, _ position: UInt64
    ) throws {
        try buffer.withMutableSlice(range) { try padding.fill(&$0, from: position) }
    }

    /// Overwrites bytes of the header, which are still in memory: with the sink or in the buffer.
    private mutating func put(_ bytes: [UInt8], at position: UInt64) {
        for (i, byte) in bytes.enumerated() {
            let at = position + UInt64(i)
            if at >= base { buffer.bytes[Int(at - base)] = byte } else { sink.put(byte, at: at) }
        }
    }

    /// Hands the whole blocks of a full buffer to the second thread and goes on with the other buffer.
    private mutating func flushFullBlocks() throws {
        guard used >= Self.bufferedBlocks * Self.block else { return }
        try background.wait()
        let count = used / Self.block * Self.block
        other.bytes.replaceSubrange(0..<used - count, with: buffer.bytes[count..<used])
        let (sink, full, position, header) = (sink, buffer, base, header)
        background.start { try sink.write(full.bytes, count, at: position, header: header) }
        swap(&buffer, &other)
        (base, used) = (base + UInt64(count), used - count)
    }
}
