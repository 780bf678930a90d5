import VaultIO
import VaultCrypto
import VaultFormat

/// The pieces in which a record is read: stretches of chunks, or frames.
struct Pieces {
    let content: StoredContent
    let frames: FrameTable?

    /// The pieces of content that is stored as it is.
    init(_ content: StoredContent) { (self.content, frames) = (content, nil) }

    /// The frames of compressed content.
    init(_ content: StoredContent, table: [UInt8]) throws {
        (self.content, frames) = (content, try FrameTable(table, of: content))
    }

    static func count(_ content: StoredContent) -> Int {
        guard !content.isCompressed else { return Int(FrameTable.count(content.length)) }
        return (Int(StoredRecord.chunkCount(content.byteCount)) - 1) / Lane.chunks + 1
    }

    var count: Int { Self.count(content) }
    private var byteCount: UInt64 {
        UInt64(frames == nil ? Lane.chunks * Layout.chunkByteCount : FrameTable.contentByteCount)
    }

    /// The offset in the content at which a piece begins.
    func start(of piece: Int) -> UInt64 { UInt64(piece) * byteCount }

    /// The pieces that a range of the content touches.
    func indices(_ range: Range<UInt64>) -> Range<Int> {
        Int(range.lowerBound / byteCount)..<Int((range.upperBound + byteCount - 1) / byteCount)
    }

    /// The chunks that hold a piece.
    func chunks(of piece: Int) -> Range<Int> {
        guard let frames else {
            let first = piece * Lane.chunks
            return first..<min(first + Lane.chunks, Int(StoredRecord.chunkCount(content.byteCount)))
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
final class Lane {
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
