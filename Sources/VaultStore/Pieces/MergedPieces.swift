import VaultCrypto
import VaultFormat

/// Brings the pieces of another vault's contents into a save: those that this vault does not have, once each.
struct MergedPieces: ~Copyable {
    private let theirs: Vault
    private var store: PieceStore
    /// Its pieces here.
    private var known: [RecordID: PieceList.Piece] = [:]

    init(from theirs: Vault, _ store: consuming PieceStore) {
        self.theirs = theirs
        self.store = store
    }

    /// The list that stands here for a content in pieces of theirs.
    ///
    /// - Throws: what reading theirs throws; what storing throws.
    mutating func take(_ entry: Entry, _ reader: inout RecordReader) throws -> PieceList {
        try store.knowAll()
        let list = try reader.list(entry.content)
        let contents = try theirs.manifest.contents(of: entry, with: &reader)
        return PieceList(
            try zip(list.pieces, contents).map { piece, content in
                if let here = known[piece.id] { return here }
                let here = try take(piece, content, &reader)
                known[piece.id] = here
                return here
            })
    }

    /// A piece is kept in memory while it is compared. One that is longer than writers make them is stored as it comes.
    private mutating func take(
        _ piece: PieceList.Piece, _ content: StoredContent, _ reader: inout RecordReader
    ) throws -> PieceList.Piece {
        if try store.has(piece, content) { return piece }
        guard piece.length <= UInt64(Cutter.most) else {
            try reader.open([content])
            return try store.store(length: piece.length) { try reader.pull(into: &$0) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(piece.length))
        defer { wipeBytes(&bytes) }
        try reader.read(content) { bytes += Array(copying: $0) }
        return try store.store(bytes.span)
    }
}
