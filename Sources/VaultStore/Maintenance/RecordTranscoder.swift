import VaultIO
import VaultCrypto
import VaultFormat

/// A stored record of one log that is written to another: whoever fills a batch reads its chunks, whoever completes it
/// opens them.
final class RecordTranscoder {
    private let file: any File
    let keys: Keys
    private let entry: Entry

    /// - Parameter entry: one whose place and header were checked.
    init(_ file: any File, _ keys: Keys, _ entry: Entry) {
        (self.file, self.keys, self.entry) = (file, keys, entry)
    }

    /// Bytes of chunk `index` with its tag.
    func sealedByteCount(_ index: UInt64) -> Int {
        StoredRecord.chunkLength(index, of: entry.content.byteCount) + Layout.tagByteCount
    }

    /// Reads chunk `index` with its tag.
    ///
    /// - Throws: `Fault`; `IOError`.
    func read(_ index: UInt64, into bytes: inout MutableSpan<UInt8>) throws {
        let count = try file.readAll(into: &bytes, at: entry.place + StoredRecord.chunkOffset(index))
        guard count == bytes.count else { throw Fault.chunk(index, of: entry.content) }
    }

    /// Opens chunk `index` where it stands.
    ///
    /// - Returns: its nonce, under whichever key.
    /// - Throws: `Fault`.
    func open(
        _ index: UInt64, with cipher: inout RecordCipher, inPlace bytes: inout MutableSpan<UInt8>
    ) throws -> Nonce {
        let nonce = Nonce.chunk(index, isFinal: index == StoredRecord.chunkCount(entry.content.byteCount) - 1)
        try cipher.turn(to: entry.salt)
        do { try cipher.cipher.open(inPlace: &bytes, nonce: nonce) } catch CryptoError.authenticationFailed {
            throw Fault.chunk(index, of: entry.content)
        }
        // Nothing that breaks a rule is written anew.
        let length = StoredRecord.chunkLength(index, of: entry.content.byteCount)
        if entry.kind == .symlink, (0..<length).contains(where: { bytes[$0] == 0 }) {
            throw FormatError(.malformed, "the target of a symlink", at: entry.place)
        }
        return nonce
    }
}
