import VaultCrypto
import VaultFormat

/// Cuts contents into pieces on their way into a vault (Spec/store.md, 15), in one pass over them.
final class PieceImport {
    private let writer: CommitWriter
    private var store: PieceStore
    /// The bytes behind the last cut.
    private var window = [UInt8](repeating: 0, count: Cutter.most)
    private var count = 0
    private var hasEnded = false
    /// The error of the source with which the content ends.
    private(set) var failure: (any Error)?

    init(_ writer: CommitWriter) {
        self.writer = writer
        store = PieceStore(writer)
    }

    deinit { window.withMutableSlice(0..<window.count) { wipe(&$0) } }

    /// Begins with a content.
    ///
    /// - Parameter read: fills the buffer with the next bytes and says how many; less means the end.
    /// - Returns: true if it is long enough to be cut.
    func begin(_ read: (inout MutableSpan<UInt8>) throws -> Int) -> Bool {
        (count, hasEnded, failure) = (0, false, nil)
        fill(upTo: Cutter.most, read)
        return count == Cutter.most
    }

    /// Fills the buffer with the next bytes of a content that is not cut.
    func read(into buffer: inout MutableSpan<UInt8>) throws -> Int {
        let done = window.withMutableSlice(0..<count) { buffer.copy($0.span) }
        dropFirst(done)
        if done == 0, let failure { throw failure }
        return done
    }

    /// Stores the content that was begun in pieces.
    ///
    /// - Parameters:
    ///   - old: the content in whose place it comes; nil if there is none.
    ///   - searchesVault: whether all pieces of the vault may be shared; all its entries are read once.
    ///   - read: as for `begin`.
    ///   - progress: told the bytes of each piece.
    /// - Returns: the list, and the error of `read` with which it ends.
    func add(
        after old: StoredContent?, searchesVault: Bool, _ read: (inout MutableSpan<UInt8>) throws -> Int,
        progress: (Int) -> Void
    ) throws -> (list: PieceList, failure: (any Error)?) {
        try store.prefer(old)
        if searchesVault { try store.knowAll() }
        let cutter = try writer.cutter()
        var pieces: [PieceList.Piece] = []
        while true {
            guard pieces.count < Limits.pieceCount else {
                throw FormatError(.invalid, "a content of more than \(Limits.pieceCount) pieces")
            }
            let length = next(read, cutter)
            guard length > 0 else { return (PieceList(pieces), failure) }
            pieces.append(try window.withMutableSlice(0..<length) { try store.store($0.span) })
            progress(length)
            dropFirst(length)
        }
    }

    private func dropFirst(_ length: Int) {
        let rest = count - length
        unsafe window.withUnsafeMutableBufferPointer { bytes in
            unsafe bytes.baseAddress!.update(from: bytes.baseAddress! + length, count: rest)
        }
        count = rest
    }

    /// The length of the piece with which the window begins; 0 at the end of the content.
    private func next(_ read: (inout MutableSpan<UInt8>) throws -> Int, _ cutter: Cutter) -> Int {
        fill(upTo: Cutter.least, read)
        // Zeros are not cut.
        if count == Cutter.least, isZero {
            fill(upTo: Cutter.most, read)
            if isZero { return count }
        }
        var place = Cutter.least
        while place < Cutter.most {
            fill(upTo: place + Cutter.step, read)
            let end = min(count, place + Cutter.step)
            guard place < end else { break }
            if let length = cutter.cut(window, in: place..<end) { return length }
            place = end
        }
        return count
    }

    private var isZero: Bool { window.withMutableSlice(0..<count) { $0.span.isZero } }

    private func fill(upTo end: Int, _ read: (inout MutableSpan<UInt8>) throws -> Int) {
        while !hasEnded, count < end {
            let wanted = min(end - count, Layout.chunkByteCount)
            do {
                let done = try window.withMutableSlice(count..<count + wanted) { try read(&$0) }
                count += done
                hasEnded = done < wanted
            } catch {
                (failure, hasEnded) = (error, true)
            }
        }
    }
}

extension CommitWriter {
    /// Cuts with the vault's piece key; where there is none, or it cannot be read, one is made and stored.
    fileprivate func cutter() throws -> Cutter {
        if let madeCutter { return madeCutter }
        let cutter = try Cutter(key: pieceKey())
        madeCutter = cutter
        return cutter
    }

    private func pieceKey() throws -> Secret {
        let id = try Cutter.keyID()
        let old = try changes.before?.entry(id)
        if let vault = changes.before, let old, old.kind == .pieceKey {
            do {
                var content: [UInt8] = []
                defer { wipeBytes(&content) }
                try vault.read(old, in: 0..<UInt64(Self.pieceKeyByteCount)) { content += Array(copying: $0) }
                if old.length == content.count { return try Secret(copying: content.span) }
            } catch is FormatError {}
        }
        let key = try makeSecret(byteCount: Self.pieceKeyByteCount)
        // A record that cannot be replaced stays, and this save has a key of its own.
        guard old.map({ $0.kind == .pieceKey && $0.revision < Limits.counter }) ?? true else { return key }
        var content = key.withSpan { Array(copying: $0) }
        defer { wipeBytes(&content) }
        var rest = content[...]
        try put(id, kind: .pieceKey, parent: nil, overview: Overview(title: Array("piece-key".utf8))) {
            $0.take(from: &rest)
        }
        return key
    }

    private static let pieceKeyByteCount = 32
}
