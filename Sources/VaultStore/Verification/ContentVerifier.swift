import VaultIO
import Synchronization
import VaultCrypto
import VaultFormat

/// Opens all records that lie in the payload areas, as CommitCheck brings the bytes by: so that a verification with the
/// key reads every byte once (Spec/reader.md, 8.3).
final class ContentVerifier: Sendable {
    /// Bytes behind a stretch that what begins in it may reach: a sealed chunk.
    static let lookahead = StoredRecord.sealedChunkByteCount

    /// Something that is not what the keys say.
    struct Failure: Sendable {
        let what: Phrase
        var range: Range<UInt64>
        /// The record that it belongs to, as an index into `records`.
        let record: Int
        /// True if the sealed header failed, and not the content.
        var isOfHeader = false
        /// The class where the bytes are authentic: malformed, or a newer program's.
        var code: FormatError.Code?
    }

    /// Versions to open, in order of their places, one at each.
    let records: [CheckedRecord]
    private let keys: Keys
    private let found = Mutex(Found())

    /// Failures, neighbouring ones of one record as one: a large record may fail everywhere.
    private struct Found {
        var failures: [Failure] = []
        /// The newest failure of each record, as an index into `failures`.
        var newest: [Int: Int] = [:]

        mutating func add(_ failure: Failure) {
            if let index = newest[failure.record], failures[index].what == failure.what,
                failures[index].range.upperBound == failure.range.lowerBound
            {
                failures[index].range = failures[index].range.lowerBound..<failure.range.upperBound
                return
            }
            newest[failure.record] = failures.count
            failures.append(failure)
        }
    }

    init(records: [CheckedRecord], keys: Keys) { (self.records, self.keys) = (records, keys) }

    /// The failures, in the order of the file.
    var failures: [Failure] { found.withLock { $0.failures }.sorted { $0.range.lowerBound < $1.range.lowerBound } }

    /// The reader and cipher of one thread.
    final class Tools {
        fileprivate var record: RecordCipher
        fileprivate var headers: StoredRecord.HeaderCipher
        fileprivate var plain = [UInt8](repeating: 0, count: Layout.chunkByteCount)

        init(_ keys: Keys) throws {
            let record = try RecordCipher(keys)
            let headers = try StoredRecord.HeaderCipher(keys)
            self.record = record
            self.headers = headers
        }
    }

    func tools() throws -> Tools { try Tools(keys) }

    /// Checks what begins in bytes `stretch` of the file; `bytes` go on for `lookahead` behind it.
    func check(_ bytes: Span<UInt8>, _ stretch: Range<UInt64>, _ tools: Tools) throws {
        let end = records.firstIndex(from: 0) { $0.place >= stretch.upperBound }
        var index = records.firstIndex(from: 0) { $0.stored.extent.upperBound > stretch.lowerBound }
        while index < end {
            try check(index, bytes, stretch, tools)
            index += 1
        }
    }

    private func fail(
        _ what: Phrase, _ range: Range<UInt64>, record: Int, isOfHeader: Bool = false, _ code: FormatError.Code? = nil
    ) {
        let failure = Failure(what: what, range: range, record: record, isOfHeader: isOfHeader, code: code)
        found.withLock { $0.add(failure) }
    }

    private func check(_ index: Int, _ bytes: Span<UInt8>, _ stretch: Range<UInt64>, _ tools: Tools) throws {
        let stored = records[index].stored
        if stretch.contains(stored.place) { try checkHeader(index, bytes, stretch, tools) }
        let first = stored.place + StoredRecord.chunkOffset(0)
        let step = UInt64(StoredRecord.sealedChunkByteCount)
        let count = StoredRecord.chunkCount(stored.byteCount)
        var chunk = first >= stretch.lowerBound ? 0 : (stretch.lowerBound - first + step - 1) / step
        if chunk < count { try tools.record.turn(to: stored.salt) }
        while chunk < count, first + chunk * step < stretch.upperBound {
            let length = StoredRecord.chunkLength(chunk, of: stored.byteCount)
            let place = first + chunk * step
            let at = Int(place - stretch.lowerBound)
            let sealed = bytes.extracting(at..<at + length + Layout.tagByteCount)
            let nonce = Nonce.chunk(chunk, isFinal: chunk == count - 1)
            if try !Self.opens(sealed, nonce, &tools.record, &tools.plain) {
                fail("the content of a record", place..<place + UInt64(sealed.count), record: index)
            } else if records[index].kind == .symlink, tools.plain.prefix(length).contains(0) {
                fail("the target of a symlink", place..<place + UInt64(sealed.count), record: index, .malformed)
            }
            chunk += 1
        }
    }

    /// Opens the frames of compressed content, once `check` has seen all its chunks: they are read once more.
    func checkFrames(_ makeReader: () throws -> RecordReader, checkCancellation: () throws -> Void) throws {
        let failed = Set(failures.lazy.map(\.record))
        let wanted = records.indices.filter {
            records[$0].stored.isCompressed && !failed.contains($0)
        }
        let step = 64
        try Parallel.forEach((wanted.count + step - 1) / step) { _, piece in
            var reader = try makeReader()
            for index in wanted[piece * step..<min((piece + 1) * step, wanted.count)] {
                try checkCancellation()
                let stored = records[index].stored
                do { try reader.read(stored) { _ in } } catch let error as FormatError {
                    fail(error.what, stored.extent, record: index, error.code)
                } catch let fault as Fault {
                    fail(fault.what, fault.range, record: index)
                }
            }
        }
    }

    private static func opens(
        _ sealed: Span<UInt8>, _ nonce: Nonce, _ record: inout RecordCipher, _ plain: inout [UInt8]
    ) throws -> Bool {
        do {
            try plain.withMutableSlice(0..<sealed.count - Layout.tagByteCount) {
                try record.cipher.open(sealed, nonce: nonce, into: &$0)
            }
            return true
        } catch CryptoError.authenticationFailed {
            return false
        }
    }

    private func checkHeader(_ index: Int, _ bytes: Span<UInt8>, _ stretch: Range<UInt64>, _ tools: Tools) throws {
        let stored = records[index].stored
        let range = stored.place..<stored.place + UInt64(StoredRecord.preludeByteCount)
        let at = Int(stored.place - stretch.lowerBound)
        do {
            try tools.headers.check(bytes.extracting(at..<at + StoredRecord.preludeByteCount), of: stored)
        } catch let error as FormatError {
            fail(error.what, range, record: index, isOfHeader: true, error.code)
        } catch let fault as Fault {
            fail(fault.what, range, record: index, isOfHeader: true)
        }
    }
}

extension Array {
    /// The first index from which on `isBehind` holds, which it does for no element before; `count` if for none.
    func firstIndex(from start: Int, _ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (start, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
