import VaultCrypto
import VaultFormat

/// A stored record of one log that is written to another: whoever completes a batch reads its chunks.
final class CarriedRecord: Sendable {
    private let file: Unchecked<any File>
    let keys: Keys
    private let entry: Entry

    /// - Parameter entry: one whose place and header were checked.
    init(_ file: any File, _ keys: Keys, _ entry: Entry) {
        // Reading a file is a system call, from whatever thread.
        (self.file, self.keys, self.entry) = (Unchecked(file), keys, entry)
    }

    /// Bytes of chunk `index` with its tag.
    func sealedByteCount(_ index: UInt64) -> Int {
        StoredRecord.chunkLength(index, of: entry.length) + Layout.tagByteCount
    }

    /// Reads chunk `index` into `bytes`, and opens it where it stands.
    ///
    /// - Returns: its nonce, under whichever key.
    /// - Throws: `Fault`; `IOError`.
    func open(_ index: UInt64, with cipher: inout RecordCipher, into bytes: inout MutableSpan<UInt8>) throws -> Nonce {
        let count = try file.value.readAll(into: &bytes, at: entry.place + StoredRecord.chunkOffset(index))
        guard count == bytes.count else { throw Fault.chunk(index, of: entry) }
        let nonce = Nonce.chunk(index, isFinal: index == StoredRecord.chunkCount(entry.length) - 1)
        try cipher.turn(to: StoredRecord.Key(entry))
        do { try cipher.cipher.open(inPlace: &bytes, nonce: nonce) } catch CryptoError.authenticationFailed {
            throw Fault.chunk(index, of: entry)
        }
        return nonce
    }
}
