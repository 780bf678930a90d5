import VaultCrypto
import VaultFormat

/// Writes the payload area of one commit from front to back (Spec/container.md, 3.3, 3.4 and 3.6).
///
/// Plaintext is sealed straight into a buffer of whole 64 KiB blocks. When it is full, the blocks get their two tags and go
/// to the file with one write. A block that holds the header of the record in progress is set aside until the
/// record's length is known, so that a record of any length streams through bounded memory and every block is tagged
/// and written once.
struct PayloadWriter: ~Copyable {
    private static let block = Layout.blockByteCount
    private static let bufferedBlocks = 16
    /// Space is asked for in steps of this many bytes, once a commit is larger than the buffer.
    private static let allocationStep: UInt64 = 1 << 24

    private let file: any File
    private let keys: Keys
    private let salt: Salt
    /// Where the payload area starts in the file.
    private let start: UInt64
    private var table: CheckTable
    private var padding: Padding
    private var headers: AESGCM
    private var recordKeys: RecordKeys

    /// Bytes that wait, from payload position `base` on.
    private var buffer: [UInt8]
    private var base: UInt64 = 0
    private var used = 0
    private var allocated: UInt64 = 0
    /// Blocks with the header of the record in progress.
    private var held: [(index: UInt64, bytes: [UInt8])] = []
    private var heldPositions: Range<UInt64>?
    private var current = [UInt8](repeating: 0, count: Layout.chunkByteCount)
    private var following = [UInt8](repeating: 0, count: Layout.chunkByteCount)

    init(_ file: any File, start: UInt64, salt: Salt, keys: Keys) throws {
        let table = try CheckTable(salt: salt, keys: keys)
        let padding = try Padding(salt: salt, keys: keys)
        let headers = try AESGCM(key: keys.header)
        let recordKeys = try RecordKeys(keys)
        (self.file, self.start, self.salt, self.keys) = (file, start, salt, keys)
        self.table = table
        self.padding = padding
        self.headers = headers
        self.recordKeys = recordKeys
        // Behind the last whole block there is room for a chunk, its tag and a record's beginning.
        buffer = [UInt8](repeating: 0, count: (Self.bufferedBlocks + 1) * Self.block + 1024)
    }

    /// Bytes of the payload area so far.
    var position: UInt64 { base + UInt64(used) }

    /// Stores one record: `read` fills as much of the buffer as it can, and is at the end when it fills less.
    ///
    /// - Returns: where it stands and how long its content is. If `read` throws, the record ends with what came before and the error is
    ///   in `failure`: what is in the payload is final, hence always a whole record.
    mutating func store(
        _ header: StoredRecord.Header, salt recordSalt: Salt, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> (place: UInt64, length: UInt64, failure: (any Error)?) {
        try pad(to: Layout.align(start + position, to: Layout.recordAlignment) - start)
        var header = header
        let from = position
        heldPositions = from..<from + UInt64(StoredRecord.preludeByteCount)
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
            try Self.seal(current, count, nonce, &cipher, &buffer, used..<end)
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
        try put(header.sealed(salt: recordSalt, keys: keys, cipher: &headers), at: from)
        try releaseHeld()
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
    mutating func finish(_ makeSegment: (UInt64) throws -> [UInt8]) throws -> (length: UInt64, table: [UInt8], hash: Bytes32) {
        let segmentPosition = Layout.align(start + position, to: Layout.recordAlignment) - start
        try pad(to: segmentPosition)
        let segment = try makeSegment(start + segmentPosition)
        try append(segment)
        let length = Layout.align(Layout.padme(position), to: Layout.alignment)
        guard length <= Limits.payloadByteCount else {
            throw FormatError(.invalid, "a save is longer than \(Limits.payloadByteCount) bytes")
        }
        try pad(to: length)
        try flush(used)
        return (length, table.bytes, try table.hash())
    }

    // MARK: The buffer

    private mutating func append(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = min(bytes.count - done, Self.block)
            for i in 0..<count { buffer[used + i] = bytes[done + i] }
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
            try Self.pad(&padding, &buffer, range, from)
            used += count
            try flushFullBlocks()
        }
    }

    private static func pad(
        _ padding: inout Padding, _ buffer: inout [UInt8], _ range: Range<Int>, _ position: UInt64
    ) throws {
        try buffer.withMutableSlice(range) { try padding.fill(&$0, from: position) }
    }

    /// Overwrites bytes that are still in memory: in a held block or in the buffer.
    private mutating func put(_ bytes: [UInt8], at position: UInt64) {
        for (i, byte) in bytes.enumerated() {
            let at = position + UInt64(i)
            if at >= base {
                buffer[Int(at - base)] = byte
            } else {
                let index = at / UInt64(Self.block)
                let slot = held.firstIndex { $0.index == index }!  // a block with header bytes was held
                held[slot].bytes[Int(at % UInt64(Self.block))] = byte
            }
        }
    }

    private mutating func flushFullBlocks() throws {
        guard used >= Self.bufferedBlocks * Self.block else { return }
        try flush(used / Self.block * Self.block)
    }

    /// Tags and writes the first `count` bytes of the buffer and moves the rest to its front.
    private mutating func flush(_ count: Int) throws {
        var from = 0
        while from < count {
            let end = min(from + Self.block, count)
            let first = base + UInt64(from)
            guard let header = heldPositions, header.overlaps(first..<first + UInt64(Self.block)) else { break }
            held.append((first / UInt64(Self.block), Array(buffer[from..<end])))
            from = end
        }
        for block in stride(from: from, to: count, by: Self.block) {
            let index = (base + UInt64(block)) / UInt64(Self.block)
            try Self.tag(&table, index, buffer, block..<min(block + Self.block, count))
        }
        if from < count {
            let end = base + UInt64(count)
            if end > allocated, count < used || base > 0 {
                file.allocate(start + allocated..<start + end + Self.allocationStep)
                allocated = end + Self.allocationStep
            }
            try file.writeAll(buffer.span.extracting(from..<count), at: start + base + UInt64(from))
        }
        let rest = used - count
        for i in 0..<rest { buffer[i] = buffer[count + i] }
        (base, used) = (base + UInt64(count), rest)
    }

    private static func tag(_ table: inout CheckTable, _ index: UInt64, _ buffer: [UInt8], _ range: Range<Int>) throws {
        try table.set(index, to: buffer.span.extracting(range))
    }

    /// Tags and writes the blocks that waited for the header.
    private mutating func releaseHeld() throws {
        for block in held {
            try table.set(block.index, to: block.bytes.span)
            try file.writeAll(block.bytes.span, at: start + block.index * UInt64(Self.block))
        }
        held = []
        heldPositions = nil
    }
}
