import VaultCrypto
package import VaultFormat

/// Reads stored records (Spec/reader.md, 5), one after the other, with the same buffers and keys.
package struct RecordReader: ~Copyable {
    /// Chunks read with one call.
    private static let batch = 16
    private let file: any File
    private let keys: Keys
    private let logEnd: UInt64
    private var headers: AESGCM
    private var recordKeys: RecordKeys
    private var sealed: [UInt8] = []
    private var plain: [UInt8] = []

    package init(_ file: any File, keys: Keys, logEnd: UInt64) throws {
        let headers = try AESGCM(key: keys.header)
        let recordKeys = try RecordKeys(keys)
        (self.file, self.keys, self.logEnd) = (file, keys, logEnd)
        self.headers = headers
        self.recordKeys = recordKeys
    }

    /// Reads the content of one version and hands out each piece once it is authenticated; an empty record hands out nothing.
    ///
    /// - Throws: `Fault`, `FormatError.malformed`, `IOError`, or what `body` throws. Nothing is handed out after a fault.
    package mutating func read(_ entry: Entry, _ body: (Span<UInt8>) throws -> Void) throws {
        let length = entry.length
        try checkPlace(entry)
        let prelude = try file.bytes(at: entry.place, count: StoredRecord.preludeByteCount)
        let preludeRange = entry.place..<entry.place + UInt64(StoredRecord.preludeByteCount)
        guard prelude.count == StoredRecord.preludeByteCount, Salt(prelude) == entry.salt,
            let header = try StoredRecord.Header(opening: prelude, keys: keys, cipher: &headers)
        else { throw Fault(what: "the header of a record", range: preludeRange) }
        guard header.id == entry.id, header.kind == entry.kind, header.length == length,
            header.revision <= entry.revision
        else { throw FormatError(.malformed, "a record's header and its entry differ", at: entry.place) }

        var cipher = try recordKeys.cipher(salt: entry.salt, id: entry.id, kind: entry.kind)
        let chunks = StoredRecord.chunkCount(length)
        for start in stride(from: UInt64(0), to: chunks, by: Self.batch) {
            let end = min(start + UInt64(Self.batch), chunks)
            try readBatch(entry, start..<end, of: chunks, &cipher, body)
        }
    }

    private mutating func readBatch(
        _ entry: Entry, _ range: Range<UInt64>, of chunks: UInt64, _ cipher: inout AESGCM,
        _ body: (Span<UInt8>) throws -> Void
    ) throws {
        let offset = entry.place + StoredRecord.chunkOffset(range.lowerBound)
        let content = range.reduce(0) { $0 + StoredRecord.chunkLength($1, of: entry.length) }
        let count = content + range.count * Layout.tagByteCount
        // Both buffers are lent out of self, so that one can be written while the other is read.
        var (sealed, plain) = ([UInt8](), [UInt8]())
        swap(&sealed, &self.sealed)
        swap(&plain, &self.plain)
        defer {
            swap(&sealed, &self.sealed)
            swap(&plain, &self.plain)
        }
        if sealed.count < count { sealed = [UInt8](repeating: 0, count: count) }
        if plain.count < content { plain = [UInt8](repeating: 0, count: content) }
        let done = try sealed.withMutableSlice(0..<count) { try file.readAll(into: &$0, at: offset) }
        var (from, to) = (0, 0)
        for index in range {
            let length = StoredRecord.chunkLength(index, of: entry.length)
            let fault = Fault(
                what: "chunk \(index + 1) of \(chunks) of a record",
                range: offset + UInt64(from)..<offset + UInt64(from + length + Layout.tagByteCount))
            guard from + length + Layout.tagByteCount <= done else { throw fault }
            let nonce = Nonce.chunk(index, isFinal: index == chunks - 1)
            let chunk = sealed.span.extracting(from..<from + length + Layout.tagByteCount)
            do {
                try plain.withMutableSlice(to..<to + length) { try cipher.open(chunk, nonce: nonce, into: &$0) }
            } catch CryptoError.authenticationFailed {
                if to > 0 { try body(plain.span.extracting(0..<to)) }
                throw fault
            }
            from += length + Layout.tagByteCount
            to += length
        }
        if to > 0 { try body(plain.span.extracting(0..<to)) }
    }

    private func checkPlace(_ entry: Entry) throws {
        let end = entry.place + StoredRecord.byteCount(entry.length)
        guard entry.place >= Layout.logStart, entry.place % Layout.recordAlignment == 0, end <= logEnd else {
            throw FormatError(.malformed, "the place of a record", at: entry.place)
        }
    }
}
