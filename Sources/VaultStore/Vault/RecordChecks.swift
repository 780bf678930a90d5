import VaultCrypto
import VaultFormat

extension StoredContent {
    /// Holds its place against the log.
    ///
    /// - Throws: `FormatError.malformed`.
    func checkPlace(logEnd: UInt64) throws {
        guard place >= Layout.logStart, place % Layout.recordAlignment == 0, extent.upperBound <= logEnd else {
            throw FormatError(.malformed, "the place of a record", at: place)
        }
    }
}

extension Fault {
    /// The fault of a chunk of a stored record.
    static func chunk(_ index: UInt64, of stored: StoredContent) -> Fault {
        let place = stored.place + StoredRecord.chunkOffset(index)
        let byteCount = StoredRecord.chunkLength(index, of: stored.byteCount) + Layout.tagByteCount
        return Fault(
            what: "chunk \(index + 1) of \(StoredRecord.chunkCount(stored.byteCount)) of a record",
            range: place..<place + UInt64(byteCount))
    }
}

extension StoredRecord.HeaderCipher {
    /// Holds the first 192 bytes of a stored record against what an entry says of it.
    ///
    /// - Throws: `Fault`; `FormatError` `.malformed`, `.unsupported`.
    mutating func check(_ prelude: Span<UInt8>, of stored: StoredContent) throws {
        guard prelude.count == StoredRecord.preludeByteCount, Salt(prelude) == stored.salt,
            let header = try opened(prelude)
        else {
            let range = stored.place..<stored.place + UInt64(StoredRecord.preludeByteCount)
            throw Fault(what: "the header of a record", range: range)
        }
        let said = (header.length, header.otherLength, header.isList)
        guard said == (stored.length, stored.otherLength, stored.isList) else {
            throw FormatError(.malformed, "a record's header and its entry differ", at: stored.place)
        }
    }
}
