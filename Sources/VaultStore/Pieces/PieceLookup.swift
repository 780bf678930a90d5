package import VaultFormat
import VaultIO

/// Contents in pieces (Spec/container.md, 3.10).
extension Manifest {
    /// The stored records that hold the content of an entry, in order: its own, or those of its pieces.
    ///
    /// - Throws: `FormatError.malformed` where a piece is not there; `Fault`; `IOError`.
    package func contents(of entry: Entry, with reader: inout RecordReader) throws -> [StoredContent] {
        try contents(of: entry, in: 0..<entry.length, with: &reader).map(\.content)
    }

    /// The same for a part of the content: where in it each of them begins, and the record.
    func contents(
        of entry: Entry, in range: Range<UInt64>, with reader: inout RecordReader
    ) throws -> [(start: UInt64, content: StoredContent)] {
        guard entry.content.isList else { return [(0, entry.content)] }
        var end: UInt64 = 0
        let wanted = try reader.list(entry.content).pieces.compactMap { piece in
            let start = end
            end += piece.length
            return range.overlaps(start..<end) ? (start: start, piece: piece) : nil
        }
        // One pass over all entries takes less time than many lookups.
        let all = wanted.count > Self.mostLookups ? try pieces() : nil
        return try wanted.map { start, piece in
            guard let found = try all.map({ $0[piece.id] }) ?? self.entry(piece.id), found.holds(piece) else {
                throw FormatError(.malformed, Entry.missingPiece, at: entry.place)
            }
            return (start, found.content)
        }
    }

    private static let mostLookups = 1000

    private func pieces() throws -> [RecordID: Entry] {
        let pieces = try flatMap { $0.filter { $0.kind == .piece } }
        return Dictionary(pieces.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Entry {
    /// Its title; where it has none, what names it for a person.
    var shownTitle: [UInt8] {
        overview.title.isEmpty ? Array(hexText(Array(id.bytes.prefix(4))).utf8) : overview.title
    }

    /// The error about a list that names what is none of the vault's pieces.
    static let missingPiece: Phrase = "a piece of its content is not there"

    /// True if it is the piece that a list names.
    func holds(_ piece: PieceList.Piece) -> Bool {
        kind == .piece && state == .live && parent == nil && revision == 1 && length == piece.length && !content.isList
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
