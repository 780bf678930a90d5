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
        var cursor = try start(entry)
        defer { try? background.wait() }  // what `body` threw counts, and nobody may be left at work
        while let lanes = try turn(&cursor) {
            for lane in lanes { try lane.handOut(body) }
        }
    }

    /// The same for who takes the content at a pace of his own: makes `entry` the record that `pull` reads.
    package mutating func open(_ entry: Entry) throws {
        try? background.wait()  // of a record that was not read to its end
        pulled = (try start(entry), [], 0)
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
        let stored: StoredContent
        /// Chunks of a long record; nil for one that is open in the first lane.
        let chunks: Int?
        /// The first chunk of the next turn.
        var next = 0
    }

    private mutating func start(_ entry: Entry) throws -> Cursor {
        let cursor = Cursor(stored: StoredContent(entry), chunks: try begin(entry))
        if let chunks = cursor.chunks {
            while back.count < Parallel.threadCount { back.append(try Lane(keys)) }
            start(cursor.stored, 0, of: chunks)
        }
        return cursor
    }

    /// The lanes with the next pieces, in order, while those after them are opened; nil at the end.
    private mutating func turn(_ cursor: inout Cursor) throws -> ArraySlice<Lane>? {
        guard let chunks = cursor.chunks else {
            defer { cursor.next = 1 }
            return cursor.next == 0 ? front[..<1] : nil
        }
        guard cursor.next < chunks else { return nil }
        try background.wait()
        swap(&front, &back)
        let first = cursor.next
        cursor.next += Lane.chunks * Parallel.threadCount
        if cursor.next < chunks { start(cursor.stored, cursor.next, of: chunks) }
        return front.prefix((chunks - first - 1) / Lane.chunks + 1)
    }

    /// The same in any order and from several threads at once: `body` is told where in the content a piece belongs.
    ///
    /// - Parameter beginning: called before the first piece of a long record, when its length is known to be authentic.
    package mutating func readInAnyOrder(
        _ entry: Entry, beginning: () -> Void = {}, _ body: (UInt64, Span<UInt8>) throws -> Void
    ) throws {
        guard let chunks = try begin(entry) else { return try front[0].handOut { try body(0, $0) } }
        beginning()
        let (lanes, file, stored) = (front, file, StoredContent(entry))
        try Parallel.forEach((chunks - 1) / Lane.chunks + 1) { thread, piece in
            let first = piece * Lane.chunks
            try lanes[thread].open(file, stored, first..<min(first + Lane.chunks, chunks))
            try lanes[thread].handOut { try body(UInt64(first * Layout.chunkByteCount), $0) }
        }
    }

    /// Checks place and header. A record of one lane is then open in the first; of a longer one it gives the chunks.
    private mutating func begin(_ entry: Entry) throws -> Int? {
        try entry.checkPlace(logEnd: logEnd)
        let chunks = Int(StoredRecord.chunkCount(entry.length))
        let isShort = chunks <= Lane.chunks
        try front[0].load(file, StoredContent(entry), isShort ? 0..<chunks : 0..<0, withPrelude: true)
        let lane = front[0]
        try lane.withPrelude { try headers.check($0, of: entry) }
        guard !isShort else {
            try front[0].openLoaded()
            return nil
        }
        while front.count < Parallel.threadCount { front.append(try Lane(keys)) }
        return chunks
    }

    /// Has the back lanes opened on the second thread, from chunk `first` on.
    private func start(_ stored: StoredContent, _ first: Int, of chunks: Int) {
        let (lanes, file) = (back, file)
        background.start {
            let count = min(lanes.count, (chunks - first - 1) / Lane.chunks + 1)
            try Parallel.forEach(count) { _, index in
                let start = first + index * Lane.chunks
                try lanes[index].open(file, stored, start..<min(start + Lane.chunks, chunks))
            }
        }
    }
}

/// Neighbouring chunks of a record: read with one call, opened, handed out. Used by one thread at a time.
private final class Lane {
    /// Chunks at most: with their plaintext, what a core's cache holds.
    static let chunks = 8
    private var sealed: [UInt8] = []
    private var plain: [UInt8] = []
    private var record: RecordCipher
    /// The loaded chunks: of which record, their range, where they begin in `sealed`, and where the bytes end.
    private var loaded: (stored: StoredContent, chunks: Range<Int>, start: Int, end: Int)?
    /// Bytes of `plain` that are authentic, and what came after them.
    private var count = 0
    private var fault: Fault?

    init(_ keys: Keys) throws { record = try RecordCipher(keys) }

    deinit { wipePlaintext() }

    private func wipePlaintext() { plain.withMutableSlice(0..<plain.count) { wipe(&$0) } }

    /// Reads and opens chunks.
    func open(_ file: any File, _ stored: StoredContent, _ chunks: Range<Int>) throws {
        try load(file, stored, chunks, withPrelude: false)
        try openLoaded()
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
        StoredRecord.chunkLength(UInt64(chunk), of: stored.length)
    }

    /// Lends the first 192 bytes of the record, if they were loaded; fewer at the end of the file.
    func withPrelude(_ body: (Span<UInt8>) throws -> Void) throws {
        let sealed = sealed
        try body(sealed.span.extracting(0..<(loaded.map { min($0.start, $0.end) } ?? 0)))
    }

    /// Opens what was loaded, up to the first chunk that fails.
    func openLoaded() throws {
        guard let (stored, chunks, start, end) = loaded else { return }
        (count, fault) = (0, nil)
        try record.turn(to: stored.salt)
        let room = chunks.count * Layout.chunkByteCount
        if plain.count < room, plain.count < stored.length {
            wipePlaintext()
            plain = [UInt8](repeating: 0, count: min(room, Int(stored.length)))
        }
        let total = Int(StoredRecord.chunkCount(stored.length))
        var from = start
        for index in chunks {
            let length = Self.length(index, stored)
            let chunk = from..<from + length + Layout.tagByteCount
            let nonce = Nonce.chunk(UInt64(index), isFinal: index == total - 1)
            let content = count..<count + length
            guard chunk.upperBound <= end, try Self.open(&record, sealed, chunk, nonce, &plain, content) else {
                fault = .chunk(UInt64(index), of: stored)
                return
            }
            (from, count) = (chunk.upperBound, content.upperBound)
        }
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
    /// left, throws the fault, if there is one.
    func copy(from offset: Int, into buffer: inout MutableSpan<UInt8>, at start: Int) throws -> Int {
        let taken = min(count - offset, buffer.count - start)
        if taken == 0, let fault { throw fault }
        unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe buffer[start..<start + taken].copyBytes(from: plain[offset..<offset + taken])
        }
        return taken
    }

    /// Gives `body` what is authentic, then throws the fault, if there is one.
    func handOut(_ body: (Span<UInt8>) throws -> Void) throws {
        let plain = plain
        if count > 0 { try body(plain.span.extracting(0..<count)) }
        if let fault { throw fault }
    }
}
