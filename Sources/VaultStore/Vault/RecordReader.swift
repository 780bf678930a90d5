package import VaultIO
import VaultCrypto
package import VaultFormat

/// Reads stored records (Spec/reader.md, 5), one after the other, with the same buffers and keys.
///
/// A record of many chunks is opened on all cores: in order, one stretch ahead of whoever takes it (`read`), or
/// straight to where each stretch goes (`readInAnyOrder`). A short record is one call to the system.
package struct RecordReader: ~Copyable {
    /// Records of at most so many bytes are handed out in one piece.
    static let pieceByteCount = Lane.chunks * Layout.chunkByteCount

    private let file: any File
    private let keys: Keys
    private let logEnd: UInt64
    private var headers: StoredRecord.HeaderCipher
    private var front: [Lane]
    private var back: [Lane] = []
    private let background = Background()
    /// The state of `pull`: its place, the lanes at hand, and the bytes that were taken of the first.
    private var pulled: (cursor: Cursor, lanes: ArraySlice<Lane>, offset: Int)?

    package init(_ file: any File, keys: Keys, logEnd: UInt64) throws {
        let headers = try StoredRecord.HeaderCipher(keys)
        let first = try Lane(keys)
        (self.file, self.keys, self.logEnd, front) = (file, keys, logEnd, [first])
        self.headers = headers
    }

    /// Reads the content of one version and hands out each piece once it is authenticated, in order; an empty record
    /// hands out nothing.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`, or what `body` throws. Nothing is handed out after a
    ///   fault.
    package mutating func read(_ entry: Entry, _ body: (Span<UInt8>) throws -> Void) throws {
        try read(entry.content, body)
    }

    /// The same for the content that an entry names.
    mutating func read(_ content: StoredContent, _ body: (Span<UInt8>) throws -> Void) throws {
        var cursor = try start(content)
        defer { try? background.wait() }  // what `body` threw counts, and nobody may be left at work
        while let lanes = try turn(&cursor) {
            for lane in lanes { try lane.handOut(body) }
        }
    }

    /// Hands out the part of the content that lies in `range`; of the rest only what stands in the same pieces is read.
    mutating func read(_ entry: Entry, in range: Range<UInt64>, _ body: (Span<UInt8>) throws -> Void) throws {
        let range = range.clamped(to: 0..<entry.length)
        var cursor = try start(entry.content, range)
        defer { try? background.wait() }
        var offset = cursor.pieces?.start(of: cursor.next) ?? 0
        while let lanes = try turn(&cursor) {
            for lane in lanes {
                try lane.handOut { piece in
                    let wanted = range.clamped(to: offset..<offset + UInt64(piece.count))
                    if !wanted.isEmpty {
                        try body(piece.extracting(Int(wanted.lowerBound - offset)..<Int(wanted.upperBound - offset)))
                    }
                    offset += UInt64(piece.count)
                }
            }
        }
    }

    /// The same for who takes the content at a pace of his own: makes `entry` the record that `pull` reads.
    package mutating func open(_ entry: Entry) throws {
        try? background.wait()  // of a record that was not read to its end
        pulled = (try start(entry.content), [], 0)
    }

    /// Fills `buffer` with the next bytes of the record that was opened; returns how many, fewer at its end only.
    ///
    /// - Throws: as `read`.
    package mutating func pull(into buffer: inout MutableSpan<UInt8>) throws -> Int {
        guard var (cursor, lanes, offset) = pulled else { preconditionFailure("a record is opened first") }
        defer { pulled = (cursor, lanes, offset) }
        var done = 0
        while done < buffer.count {
            if let lane = lanes.first {
                let count = try lane.copy(from: offset, into: &buffer, at: done)
                (done, offset) = (done + count, offset + count)
                if count == 0 { (lanes, offset) = (lanes.dropFirst(), 0) }
            } else if let next = try turn(&cursor) {
                lanes = next
            } else {
                break
            }
        }
        return done
    }

    deinit { try? background.wait() }

    /// The progress of reading a record.
    private struct Cursor {
        /// The pieces of a record; nil for one that is open in the first lane.
        let pieces: Pieces?
        /// The first piece of the next turn, and the one behind the last.
        var next = 0
        var end = 0
    }

    private mutating func start(_ content: StoredContent, _ range: Range<UInt64>? = nil) throws -> Cursor {
        guard let pieces = try begin(content) else { return Cursor(pieces: nil, end: 1) }
        while back.count < Parallel.threadCount { back.append(try Lane(keys)) }
        let wanted = range.map(pieces.indices) ?? 0..<pieces.count
        let cursor = Cursor(pieces: pieces, next: wanted.lowerBound, end: wanted.upperBound)
        start(cursor)
        return cursor
    }

    /// The lanes with the next pieces, in order, while those after them are opened; nil at the end.
    private mutating func turn(_ cursor: inout Cursor) throws -> ArraySlice<Lane>? {
        guard cursor.next < cursor.end else { return nil }
        defer { cursor.next = min(cursor.next + Parallel.threadCount, cursor.end) }
        guard cursor.pieces != nil else { return front[..<1] }
        try background.wait()
        swap(&front, &back)
        var following = cursor
        following.next += Parallel.threadCount
        start(following)
        return front.prefix(cursor.end - cursor.next)
    }

    /// Has the back lanes opened on the second thread.
    private func start(_ cursor: Cursor) {
        guard let pieces = cursor.pieces, cursor.next < cursor.end else { return }
        let (lanes, file) = (back, file)
        background.start {
            try Parallel.forEach(min(lanes.count, cursor.end - cursor.next)) { _, index in
                try lanes[index].open(file, pieces, cursor.next + index)
            }
        }
    }

    /// The same in any order and from several threads at once: `body` is told where in the content a piece belongs.
    ///
    /// - Parameter beginning: called before the first piece of a long record, when its length is known to be authentic.
    package mutating func readInAnyOrder(
        _ entry: Entry, beginning: () -> Void = {}, _ body: (UInt64, Span<UInt8>) throws -> Void
    ) throws {
        guard let pieces = try begin(entry.content) else { return try front[0].handOut { try body(0, $0) } }
        beginning()
        let (lanes, file) = (front, file)
        try Parallel.forEach(pieces.count) { thread, piece in
            try lanes[thread].open(file, pieces, piece)
            try lanes[thread].handOut { try body(pieces.start(of: piece), $0) }
        }
    }

    /// Checks place and header. A record of one piece is then open in the first lane; of a longer one it gives the pieces.
    private mutating func begin(_ content: StoredContent) throws -> Pieces? {
        try content.checkPlace(logEnd: logEnd)
        let chunks = Int(StoredRecord.chunkCount(content.byteCount))
        let isShort = Pieces.count(content) == 1
        try front[0].load(file, content, isShort ? 0..<chunks : 0..<0, withPrelude: true)
        let lane = front[0]
        try lane.withPrelude { try headers.check($0, of: content) }
        guard !isShort else {
            try lane.openLoaded()
            if content.compressedLength != nil { try lane.openFrame(Pieces(content, table: []), 0) }
            return nil
        }
        while front.count < Parallel.threadCount { front.append(try Lane(keys)) }
        guard content.compressedLength != nil else { return Pieces(content) }
        return try Pieces(content, table: lane.storedBytes(file, content, FrameTable.range(in: content)))
    }
}

/// The pieces in which a record is read: stretches of chunks, or frames.
private struct Pieces {
    let content: StoredContent
    let frames: FrameTable?

    /// The pieces of content that is stored as it is.
    init(_ content: StoredContent) { (self.content, frames) = (content, nil) }

    /// The frames of compressed content.
    init(_ content: StoredContent, table: [UInt8]) throws {
        (self.content, frames) = (content, try FrameTable(table, of: content))
    }

    static func count(_ content: StoredContent) -> Int {
        guard content.compressedLength == nil else { return Int(FrameTable.count(content.length)) }
        return (Int(StoredRecord.chunkCount(content.length)) - 1) / Lane.chunks + 1
    }

    var count: Int { Self.count(content) }
    private var byteCount: UInt64 {
        UInt64(frames == nil ? Lane.chunks * Layout.chunkByteCount : FrameTable.contentByteCount)
    }

    /// Where in the content a piece begins.
    func start(of piece: Int) -> UInt64 { UInt64(piece) * byteCount }

    /// The pieces that a range of the content touches.
    func indices(_ range: Range<UInt64>) -> Range<Int> {
        Int(range.lowerBound / byteCount)..<Int((range.upperBound + byteCount - 1) / byteCount)
    }

    /// The chunks that hold a piece.
    func chunks(of piece: Int) -> Range<Int> {
        guard let frames else {
            let first = piece * Lane.chunks
            return first..<min(first + Lane.chunks, Int(StoredRecord.chunkCount(content.length)))
        }
        return Self.chunks(of: frames[piece])
    }

    /// The chunks that hold a range of the stored bytes.
    static func chunks(of range: Range<UInt64>) -> Range<Int> {
        let size = UInt64(Layout.chunkByteCount)
        return Int(range.lowerBound / size)..<Int((range.upperBound + size - 1) / size)
    }
}

/// Neighbouring chunks of a record: read with one call, opened, handed out. Used by one thread at a time.
private final class Lane {
    /// Chunks at most of content that is stored as it is: with their plaintext, what a core's cache holds.
    static let chunks = 8
    private var sealed: [UInt8] = []
    private var plain: [UInt8] = []
    /// A frame's content, and what opens frames.
    private var frame: [UInt8] = []
    private var decoder: FrameDecoder?
    private var record: RecordCipher
    /// The loaded chunks: of which record, their range, where they begin in `sealed`, and where the bytes end.
    private var loaded: (stored: StoredContent, chunks: Range<Int>, start: Int, end: Int)?
    /// Bytes of `plain` that are authentic, and what came after them.
    private var count = 0
    private var failure: (any Error)?

    init(_ keys: Keys) throws { record = try RecordCipher(keys) }

    deinit {
        plain.withMutableSlice(0..<plain.count) { wipe(&$0) }
        frame.withMutableSlice(0..<frame.count) { wipe(&$0) }
    }

    /// Reads and opens a piece.
    func open(_ file: any File, _ pieces: Pieces, _ piece: Int) throws {
        try load(file, pieces.content, pieces.chunks(of: piece), withPrelude: false)
        try openLoaded()
        if pieces.frames != nil { try openFrame(pieces, piece) }
    }

    /// Reads a range of the stored bytes.
    ///
    /// - Throws: `Fault`.
    func storedBytes(_ file: any File, _ stored: StoredContent, _ range: Range<UInt64>) throws -> [UInt8] {
        let chunks = Pieces.chunks(of: range)
        try load(file, stored, chunks, withPrelude: false)
        try openLoaded()
        if let failure { throw failure }
        let start = Int(range.lowerBound) - chunks.lowerBound * Layout.chunkByteCount
        return Array(plain[start..<start + range.count])
    }

    /// Reads chunks, and the 192 bytes before the first if wanted.
    func load(_ file: any File, _ stored: StoredContent, _ chunks: Range<Int>, withPrelude: Bool) throws {
        let start = withPrelude ? StoredRecord.preludeByteCount : 0
        let offset = stored.place + StoredRecord.chunkOffset(UInt64(chunks.lowerBound))
        let byteCount = start + chunks.reduce(0) { $0 + Self.length($1, stored) + Layout.tagByteCount }
        if sealed.count < byteCount { sealed = [UInt8](repeating: 0, count: byteCount) }
        let done = try sealed.withMutableSlice(0..<byteCount) {
            try file.readAll(into: &$0, at: offset - UInt64(start))
        }
        loaded = (stored, chunks, start, done)
    }

    private static func length(_ chunk: Int, _ stored: StoredContent) -> Int {
        StoredRecord.chunkLength(UInt64(chunk), of: stored.byteCount)
    }

    /// Lends the first 192 bytes of the record, if they were loaded; fewer at the end of the file.
    func withPrelude(_ body: (Span<UInt8>) throws -> Void) throws {
        let sealed = sealed
        try body(sealed.span.extracting(0..<(loaded.map { min($0.start, $0.end) } ?? 0)))
    }

    /// Opens what was loaded, up to the first chunk that fails.
    func openLoaded() throws {
        guard let (stored, chunks, start, end) = loaded else { return }
        (count, failure) = (0, nil)
        try record.turn(to: stored.salt)
        let room = chunks.reduce(0) { $0 + Self.length($1, stored) }
        Self.enlarge(&plain, to: room)
        let total = Int(StoredRecord.chunkCount(stored.byteCount))
        var from = start
        for index in chunks {
            let length = Self.length(index, stored)
            let chunk = from..<from + length + Layout.tagByteCount
            let nonce = Nonce.chunk(UInt64(index), isFinal: index == total - 1)
            let content = count..<count + length
            guard chunk.upperBound <= end, try Self.open(&record, sealed, chunk, nonce, &plain, content) else {
                failure = Fault.chunk(UInt64(index), of: stored)
                return
            }
            (from, count) = (chunk.upperBound, content.upperBound)
        }
    }

    /// Turns the opened chunks into the content of the frame that lies in them: all of it, or nothing and the failure.
    func openFrame(_ pieces: Pieces, _ piece: Int) throws {
        guard let frames = pieces.frames, failure == nil else { return count = 0 }
        let decoder = try self.decoder ?? FrameDecoder()
        self.decoder = decoder
        let stored = frames[piece]
        let start = Int(stored.lowerBound) - pieces.chunks(of: piece).lowerBound * Layout.chunkByteCount
        count = frames.contentByteCount(piece)
        Self.enlarge(&frame, to: count)
        let (plain, length) = (plain, stored.count)
        let isSound = frame.withMutableSlice(0..<count) {
            decoder.decode(plain.span.extracting(start..<start + length), into: &$0)
        }
        if isSound { return swap(&self.plain, &frame) }
        count = 0
        failure = FormatError(.malformed, FrameTable.fault, at: pieces.content.place)
    }

    /// Gives a buffer room for so many bytes; what it held is wiped.
    private static func enlarge(_ buffer: inout [UInt8], to byteCount: Int) {
        guard buffer.count < byteCount else { return }
        buffer.withMutableSlice(0..<buffer.count) { wipe(&$0) }
        buffer = [UInt8](repeating: 0, count: byteCount)
    }

    /// False when the chunk is not authentic.
    private static func open(
        _ record: inout RecordCipher, _ sealed: [UInt8], _ chunk: Range<Int>, _ nonce: Nonce, _ plain: inout [UInt8],
        _ content: Range<Int>
    ) throws -> Bool {
        do {
            try plain.withMutableSlice(content) {
                try record.cipher.open(sealed.span.extracting(chunk), nonce: nonce, into: &$0)
            }
            return true
        } catch CryptoError.authenticationFailed {
            return false
        }
    }

    /// Copies authentic bytes from `offset` on to `buffer` from `start` on, and says how many; at the end, with none
    /// left, throws the failure, if there is one.
    func copy(from offset: Int, into buffer: inout MutableSpan<UInt8>, at start: Int) throws -> Int {
        let taken = min(count - offset, buffer.count - start)
        if taken == 0, let failure { throw failure }
        unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe buffer[start..<start + taken].copyBytes(from: plain[offset..<offset + taken])
        }
        return taken
    }

    /// Gives `body` what is authentic, then throws the failure, if there is one.
    func handOut(_ body: (Span<UInt8>) throws -> Void) throws {
        let plain = plain
        if count > 0 { try body(plain.span.extracting(0..<count)) }
        if let failure { throw failure }
    }
}
