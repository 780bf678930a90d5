import VaultCrypto
import VaultFormat

/// A stretch of a payload area on its way to the file. Whoever fills it puts plaintext where the ciphertext will stand
/// and says what is to become of it; `complete`, on any one thread, seals it there, hashes its blocks and writes them.
final class Batch {
    /// Room for eight chunks and for the beginning of the record after them: what a core's cache holds.
    static let byteCount = 8 * StoredRecord.sealedChunkByteCount + StoredRecord.preludeByteCount + 64

    /// A job for some bytes; places are counted from the start of the batch.
    private enum Job {
        /// 192 bytes: salt and sealed header.
        case header(StoredRecord.Header, Salt, at: Int)
        /// Plaintext, and room for a tag behind it.
        case chunk(of: Salt, Nonce, Range<Int>)
        /// A chunk of another log, sealed as it stands there.
        case carried(RecordTranscoder, UInt64, to: Salt, Range<Int>)
        /// The padding stream.
        case padding(Range<Int>)
    }

    var bytes = [UInt8](repeating: 0, count: byteCount)
    /// The offset of the batch in the payload area.
    private(set) var position: UInt64 = 0
    /// Bytes that are spoken for.
    private(set) var used = 0
    /// A header that another batch will bring.
    private var hole: Range<Int>?
    private var jobs: [Job] = []

    private let keys: Keys
    private var record: RecordCipher
    /// For what is carried.
    private var origin: RecordCipher?
    private var headers: StoredRecord.HeaderCipher
    private var padding: AESCTR

    init(salt: Salt, keys: Keys) throws {
        let record = try RecordCipher(keys)
        let headers = try StoredRecord.HeaderCipher(keys)
        let padding = try keys.padding(salt)
        self.keys = keys
        self.record = record
        self.headers = headers
        self.padding = padding
    }

    var end: UInt64 { position + UInt64(used) }
    var room: Int { Self.byteCount - used }

    /// Empties it for the bytes from `position` on.
    func begin(at position: UInt64) {
        (self.position, used, hole) = (position, 0, nil)
        jobs.removeAll(keepingCapacity: true)
    }

    // MARK: Filling

    /// Speaks for the next bytes and says where they begin.
    func take(_ count: Int) -> Int {
        defer { used += count }
        return used
    }

    func append(_ more: ArraySlice<UInt8>) {
        let from = take(more.count)
        bytes.replaceSubrange(from..<used, with: more)
    }

    func pad(_ count: Int) { jobs.append(.padding(take(count)..<used)) }

    /// The chunk whose plaintext stands behind what is spoken for, with its tag; of the record with this salt.
    func chunk(_ count: Int, of salt: Salt, _ nonce: Nonce) {
        jobs.append(.chunk(of: salt, nonce, take(count + Layout.tagByteCount)..<used))
    }

    /// Reads the next chunk of a record of another log to where it will stand, in the record with this salt.
    func carry(_ record: RecordTranscoder, _ index: UInt64, to salt: Salt) throws {
        let range = take(record.sealedByteCount(index))..<used
        try bytes.withMutableSlice(range) { try record.read(index, into: &$0) }
        jobs.append(.carried(record, index, to: salt, range))
    }

    func header(_ header: StoredRecord.Header, _ salt: Salt, at offset: Int) {
        jobs.append(.header(header, salt, at: offset))
    }

    /// The header at `offset` is not known yet; another batch will bring it.
    func omitHeader(at offset: Int) { hole = offset..<offset + StoredRecord.preludeByteCount }

    // MARK: Completing

    /// Does all that was asked for and hands the bytes to the sink.
    func complete(_ sink: BlockSink) throws {
        for job in jobs {
            switch job {
            case .header(let header, let salt, let offset):
                let prelude = try headers.sealed(header, salt: salt)
                bytes.replaceSubrange(offset..<offset + prelude.count, with: prelude)
            case .chunk(let salt, let nonce, let range):
                try record.turn(to: salt)
                try bytes.withMutableSlice(range) { try record.cipher.seal(inPlace: &$0, nonce: nonce) }
            case .carried(let carried, let index, let salt, let range):
                if origin == nil { origin = try RecordCipher(carried.keys) }
                try record.turn(to: salt)
                try bytes.withMutableSlice(range) {
                    let nonce = try carried.open(index, with: &origin!, inPlace: &$0)
                    try record.cipher.seal(inPlace: &$0, nonce: nonce)
                }
            case .padding(let range):
                try bytes.withMutableSlice(range) {
                    try padding.keystream(from: position + UInt64(range.lowerBound), into: &$0)
                }
            }
        }
        if let hole {
            try sink.put(bytes, 0..<hole.lowerBound, at: position)
            try sink.put(bytes, hole.upperBound..<used, at: position)
        } else {
            try sink.put(bytes, 0..<used, at: position)
        }
    }

    /// Completes the last block of an area that ends here, and gives its check table.
    func finish(_ sink: BlockSink) throws -> [UInt8] {
        try complete(sink)
        return try sink.finish(end)
    }
}
