import VaultCrypto
import VaultFormat

extension Entry {
    /// Holds its place against the log.
    ///
    /// - Throws: `FormatError.malformed`.
    func checkPlace(logEnd: UInt64) throws {
        let end = place + StoredRecord.byteCount(length)
        guard place >= Layout.logStart, place % Layout.recordAlignment == 0, end <= logEnd else {
            throw FormatError(.malformed, "the place of a record", at: place)
        }
    }
}

extension Fault {
    /// The fault of a chunk of a stored record.
    static func chunk(_ index: UInt64, of entry: Entry) -> Fault { chunk(index, of: StoredContent(entry)) }

    static func chunk(_ index: UInt64, of stored: StoredContent) -> Fault {
        let place = stored.place + StoredRecord.chunkOffset(index)
        let byteCount = StoredRecord.chunkLength(index, of: stored.length) + Layout.tagByteCount
        return Fault(
            what: "chunk \(index + 1) of \(StoredRecord.chunkCount(stored.length)) of a record",
            range: place..<place + UInt64(byteCount))
    }
}

extension StoredRecord.HeaderCipher {
    /// Holds the first 192 bytes of a stored record against the entry that names it.
    ///
    /// - Throws: `Fault`; `FormatError` `.malformed`, `.unsupported`.
    mutating func check(_ prelude: Span<UInt8>, of entry: Entry) throws {
        try check(prelude, of: StoredContent(entry))
    }

    /// The same for an entry that no newer program made.
    mutating func check(_ prelude: Span<UInt8>, of stored: StoredContent) throws {
        guard prelude.count == StoredRecord.preludeByteCount, Salt(prelude) == stored.salt,
            let header = try opened(prelude)
        else {
            let range = stored.place..<stored.place + UInt64(StoredRecord.preludeByteCount)
            throw Fault(what: "the header of a record", range: range)
        }
        guard header.length == stored.length else {
            throw FormatError(.malformed, "a record's header and its entry differ", at: stored.place)
        }
    }
}
