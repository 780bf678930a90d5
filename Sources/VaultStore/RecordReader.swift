import VaultCrypto
package import VaultFormat

/// Reads stored records (Spec/reader.md, 5), one after the other, with the same buffers and keys.
///
/// A record of many chunks is read in batches of two lanes that are opened side by side, the next batch while the
/// caller has this one.
package struct RecordReader: ~Copyable {
    private static let laneCount = 2
    private let file: any File
    private let keys: Keys
    private let logEnd: UInt64
    private var headers: AESGCM
    private var recordKeys: RecordKeys
    private var front: [Lane]
    private var back: [Lane]
    private let background = Background()

    package init(_ file: any File, keys: Keys, logEnd: UInt64) throws {
        let headers = try AESGCM(key: keys.header)
        let recordKeys = try RecordKeys(keys)
        (self.file, self.keys, self.logEnd) = (file, keys, logEnd)
        (front, back) = ([Lane(), Lane()], [Lane(), Lane()])
        self.headers = headers
        self.recordKeys = recordKeys
    }

    /// Reads the content of one version and hands out each piece once it is authenticated; an empty record hands out
    /// nothing.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`, or what `body` throws. Nothing is handed out after a
    ///   fault.
    package mutating func read(_ entry: Entry, _ body: (Span<UInt8>) throws -> Void) throws {
        try checkPlace(entry)
        try checkHeader(entry)
        let chunks = StoredRecord.chunkCount(entry.length)
        let isSmall = chunks <= UInt64(Lane.chunks)
        for lane in isSmall ? Array(front.prefix(1)) : front + back {
            try lane.begin(file, entry, recordKeys.cipher(salt: entry.salt, id: entry.id, kind: entry.kind))
        }
        guard !isSmall else {
            try front[0].open(0..<chunks)
            return try front[0].handOut(body)
        }
        defer { try? background.wait() }  // what `body` threw counts, and nobody may be left at work
        try start(0, of: chunks)
        let step = UInt64(Lane.chunks * Self.laneCount)
        for first in stride(from: 0, to: chunks, by: Int(step)) {
            try background.wait()
            swap(&front, &back)
            if first + step < chunks { try start(first + step, of: chunks) }
            for lane in front { try lane.handOut(body) }
        }
    }

    /// Has the back lanes opened on the second thread, from chunk `first` on.
    private func start(_ first: UInt64, of chunks: UInt64) throws {
        let lanes = back
        background.start {
            try Background.forEach(lanes.count) { index in
                let start = min(first + UInt64(index * Lane.chunks), chunks)
                try lanes[index].open(start..<min(start + UInt64(Lane.chunks), chunks))
            }
        }
    }

    private mutating func checkHeader(_ entry: Entry) throws {
        let prelude = try file.bytes(at: entry.place, count: StoredRecord.preludeByteCount)
        let range = entry.place..<entry.place + UInt64(StoredRecord.preludeByteCount)
        guard prelude.count == StoredRecord.preludeByteCount, Salt(prelude) == entry.salt,
            let header = try StoredRecord.Header(opening: prelude, keys: keys, cipher: &headers)
        else { throw Fault(what: "the header of a record", range: range) }
        guard header.id == entry.id, header.kind == entry.kind, header.length == entry.length,
            header.revision <= entry.revision
        else { throw FormatError(.malformed, "a record's header and its entry differ", at: entry.place) }
    }

    private func checkPlace(_ entry: Entry) throws {
        let end = entry.place + StoredRecord.byteCount(entry.length)
        guard entry.place >= Layout.logStart, entry.place % Layout.recordAlignment == 0, end <= logEnd else {
            throw FormatError(.malformed, "the place of a record", at: entry.place)
        }
    }
}

/// Neighbouring chunks of a record: read with one call, opened, handed out. Used by one thread at a time.
private final class Lane {
    /// Chunks at most.
    static let chunks = 8
    private var sealed: [UInt8] = []
    private var plain: [UInt8] = []
    private var job: Job?
    /// Bytes of `plain` that are authentic, and what came after them.
    private var count = 0
    private var fault: Fault?

    /// Turns to another record.
    func begin(_ file: any File, _ entry: Entry, _ cipher: consuming AESGCM) {
        job = Job(file, entry, cipher)
    }

    /// What is being read.
    private final class Job {
        let file: any File
        let entry: Entry
        var cipher: AESGCM

        init(_ file: any File, _ entry: Entry, _ cipher: consuming AESGCM) {
            (self.file, self.entry) = (file, entry)
            self.cipher = cipher
        }
    }

    /// Opens chunks up to the first that fails.
    func open(_ range: Range<UInt64>) throws {
        (count, fault) = (0, nil)
        guard let job, !range.isEmpty else { return }
        let entry = job.entry
        let chunks = StoredRecord.chunkCount(entry.length)
        let offset = entry.place + StoredRecord.chunkOffset(range.lowerBound)
        let content = range.reduce(0) { $0 + StoredRecord.chunkLength($1, of: entry.length) }
        let byteCount = content + range.count * Layout.tagByteCount
        if sealed.count < byteCount { sealed = [UInt8](repeating: 0, count: byteCount) }
        if plain.count < content { plain = [UInt8](repeating: 0, count: content) }
        let done = try sealed.withMutableSlice(0..<byteCount) { try job.file.readAll(into: &$0, at: offset) }
        var from = 0
        for index in range {
            let length = StoredRecord.chunkLength(index, of: entry.length)
            let end = from + length + Layout.tagByteCount
            let nonce = Nonce.chunk(index, isFinal: index == chunks - 1)
            guard end <= done, try Self.open(&job.cipher, sealed, from..<end, nonce, &plain, count..<count + length)
            else {
                fault = Fault(
                    what: "chunk \(index + 1) of \(chunks) of a record",
                    range: offset + UInt64(from)..<offset + UInt64(end))
                return
            }
            (from, count) = (end, count + length)
        }
    }

    /// False when the chunk is not authentic.
    private static func open(
        _ cipher: inout AESGCM, _ sealed: [UInt8], _ chunk: Range<Int>, _ nonce: Nonce, _ plain: inout [UInt8],
        _ content: Range<Int>
    ) throws -> Bool {
        do {
            try plain.withMutableSlice(content) {
                try cipher.open(sealed.span.extracting(chunk), nonce: nonce, into: &$0)
            }
            return true
        } catch CryptoError.authenticationFailed {
            return false
        }
    }

    /// Gives `body` what is authentic, then throws the fault, if there is one.
    func handOut(_ body: (Span<UInt8>) throws -> Void) throws {
        let plain = plain
        if count > 0 { try body(plain.span.extracting(0..<count)) }
        if let fault { throw fault }
    }
}
