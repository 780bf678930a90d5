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
    /// The records that `pull` reads after this one.
    private var following: ArraySlice<StoredContent> = []

    package init(_ file: any File, keys: Keys, logEnd: UInt64) throws {
        let headers = try StoredRecord.HeaderCipher(keys)
        let first = try Lane(keys)
        (self.file, self.keys, self.logEnd, front) = (file, keys, logEnd, [first])
        self.headers = headers
    }

    /// Reads what a stored record holds and hands out each piece once it is authenticated, in order; an empty record
    /// hands out nothing.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`, or what `body` throws. Nothing is handed out after a
    ///   fault.
    package mutating func read(_ content: StoredContent, _ body: (Span<UInt8>) throws -> Void) throws {
        var cursor = try start(content)
        defer { try? background.wait() }  // what `body` threw counts, and nobody may be left at work
        while let lanes = try turn(&cursor) {
            for lane in lanes { try lane.handOut(body) }
        }
    }

    /// Hands out the part of the content that lies in `range`; of the rest only what stands in the same pieces is read.
    mutating func read(
        _ content: StoredContent, in range: Range<UInt64>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        let range = range.clamped(to: 0..<content.length)
        var cursor = try start(content, range)
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

    /// The same for who takes the content at a pace of his own: these are, one behind the other, what `pull` reads.
    package mutating func open(_ contents: [StoredContent]) throws {
        following = contents[...]
        pulled = nil
    }

    /// Fills `buffer` with the next bytes of what was opened; returns how many, fewer at the end only.
    ///
    /// - Throws: as `read`.
    package mutating func pull(into buffer: inout MutableSpan<UInt8>) throws -> Int {
        guard var (cursor, lanes, offset) = try pulled ?? next() else { return 0 }
        defer { pulled = (cursor, lanes, offset) }
        var done = 0
        while done < buffer.count {
            if let lane = lanes.first {
                let count = try lane.copy(from: offset, into: &buffer, at: done)
                (done, offset) = (done + count, offset + count)
                if count == 0 { (lanes, offset) = (lanes.dropFirst(), 0) }
            } else if let more = try turn(&cursor) {
                lanes = more
            } else if let next = try next() {
                (cursor, lanes, offset) = next
            } else {
                break
            }
        }
        return done
    }

    /// Begins with the next record of those that were opened; nil behind the last.
    private mutating func next() throws -> (cursor: Cursor, lanes: ArraySlice<Lane>, offset: Int)? {
        guard let content = following.popFirst() else { return nil }
        return (try start(content), [], 0)
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

    /// Reads what a stored record holds, in order and on this thread alone: with the call nothing holds the file any more.
    mutating func readAlone(_ content: StoredContent, _ body: (Span<UInt8>) throws -> Void) throws {
        try readAlone(content, beginning: {}) { try body($1) }
    }

    /// The same in any order and from several threads at once: `body` is told where in the content a piece belongs.
    ///
    /// - Parameter beginning: called before the first piece of a long record, when its length is known to be authentic.
    package mutating func readInAnyOrder(
        _ content: StoredContent, beginning: () -> Void = {}, _ body: (UInt64, Span<UInt8>) throws -> Void
    ) throws {
        guard let pieces = try begin(content) else { return try front[0].handOut { try body(0, $0) } }
        beginning()
        let (lanes, file) = (front, file)
        try Parallel.forEach(pieces.count) { thread, piece in
            try lanes[thread].open(file, pieces, piece)
            try lanes[thread].handOut { try body(pieces.start(of: piece), $0) }
        }
    }

    /// The same for several records: each thread reads whole ones. Both functions are told of which a piece is.
    mutating func readInAnyOrder(
        _ contents: [StoredContent], beginning: (Int) -> Void, _ body: (Int, UInt64, Span<UInt8>) throws -> Void
    ) throws {
        if contents.count == 1 {
            return try readInAnyOrder(contents[0], beginning: { beginning(0) }, { try body(0, $0, $1) })
        }
        final class Helper {
            var reader: RecordReader
            init(_ reader: consuming RecordReader) { self.reader = reader }
        }
        let helpers = try (0..<Parallel.threadCount).map { _ in
            Helper(try RecordReader(file, keys: keys, logEnd: logEnd))
        }
        try Parallel.forEach(contents.count) { thread, index in
            try helpers[thread].reader.readAlone(contents[index], beginning: { beginning(index) }) {
                try body(index, $0, $1)
            }
        }
    }

    private mutating func readAlone(
        _ content: StoredContent, beginning: () -> Void, _ body: (UInt64, Span<UInt8>) throws -> Void
    ) throws {
        guard let pieces = try begin(content) else { return try front[0].handOut { try body(0, $0) } }
        beginning()
        for piece in 0..<pieces.count {
            try front[0].open(file, pieces, piece)
            try front[0].handOut { try body(pieces.start(of: piece), $0) }
        }
    }

    /// Checks place and header. A record of one piece is then open in the first lane; of a longer one it gives the pieces.
    private mutating func begin(_ content: StoredContent) throws -> Pieces? {
        try? background.wait()  // of a record that was not read to its end
        try content.checkPlace(logEnd: logEnd)
        let chunks = Int(StoredRecord.chunkCount(content.byteCount))
        // A single frame that claims to be longer than any is not read.
        let isShort =
            Pieces.count(content) == 1 && (!content.isCompressed || content.byteCount <= FrameTable.mostByteCount)
        try front[0].load(file, content, isShort ? 0..<chunks : 0..<0, withPrelude: true)
        let lane = front[0]
        try lane.withPrelude { try headers.check($0, of: content) }
        guard !isShort else {
            try lane.openLoaded()
            if content.isCompressed { try lane.openFrame(Pieces(content, table: []), 0) }
            return nil
        }
        while front.count < Parallel.threadCount { front.append(try Lane(keys)) }
        guard content.isCompressed else { return Pieces(content) }
        let table = try FrameTable.range(in: content)
        return try Pieces(content, table: table.isEmpty ? [] : lane.storedBytes(file, content, table))
    }
}
