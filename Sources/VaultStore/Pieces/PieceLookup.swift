package import VaultFormat
import VaultIO

/// Contents in pieces (Spec/container.md, 3.10).
extension Manifest {
    /// What holds the content of an entry, in order: its own stored record, or those of its pieces.
    ///
    /// - Throws: `FormatError.malformed` where a piece is not there; `Fault`; `IOError`.
    func contents(of entry: Entry, with reader: inout RecordReader) throws -> [StoredContent] {
        try contents(of: entry, in: 0..<entry.length, with: &reader).map(\.content)
    }

    /// The same for a part of the content: where in it each of them begins, and the record.
    func contents(
        of entry: Entry, in range: Range<UInt64>, with reader: inout RecordReader
    ) throws -> [(start: UInt64, content: StoredContent)] {
        guard entry.content.isList else { return [(0, entry.content)] }
        var start: UInt64 = 0
        return try reader.list(entry.content).pieces.compactMap { piece in
            defer { start += piece.length }
            guard range.overlaps(start..<start + piece.length) else { return nil }
            guard let found = try self.entry(piece.id), found.holds(piece) else {
                throw FormatError(.malformed, Entry.missingPiece, at: entry.place)
            }
            return (start, found.content)
        }
    }
}

extension Entry {
    /// The error about a list that names what is none of the vault's pieces.
    static let missingPiece: Phrase = "a piece of its content is not there"

    /// True if it is the piece that a list names.
    func holds(_ piece: PieceList.Piece) -> Bool {
        kind == .piece && state == .live && length == piece.length && !content.isList
    }
}

extension RecordReader {
    /// The list that stands for a content.
    ///
    /// - Throws: as `read`.
    package mutating func list(_ content: StoredContent) throws -> PieceList {
        var bytes: [UInt8] = []
        try read(content) { bytes += Array(copying: $0) }
        return try PieceList(bytes, of: content)
    }
}
