/// The piece list that stands for a content (Spec/container.md, 3.10).
package struct PieceList: Sendable {
    /// A piece: a record of its own, and the length of its content.
    package struct Piece: Hashable, Sendable {
        package let id: RecordID
        package let length: UInt64

        package init(id: RecordID, length: UInt64) { (self.id, self.length) = (id, length) }
    }

    package let pieces: [Piece]

    package init(_ pieces: [Piece]) { self.pieces = pieces }

    /// - Parameter bytes: the stored bytes of the content.
    /// - Throws: `FormatError.malformed` where the lengths are not the content's.
    package init(_ bytes: [UInt8], of content: StoredContent) throws {
        guard content.isPossible, content.isList, UInt64(bytes.count) == content.otherLength else {
            throw FormatError(.malformed, Self.fault, at: content.place)
        }
        var fields = FieldReader(bytes)
        var sum: UInt64 = 0
        var pieces: [Piece] = []
        while fields.offset < bytes.count {
            let piece = Piece(id: RecordID(fields.bytes16()), length: fields.integer())
            guard piece.length > 0, piece.length <= content.length - sum else {
                throw FormatError(.malformed, Self.fault, at: content.place)
            }
            sum += piece.length
            pieces.append(piece)
        }
        guard sum == content.length else { throw FormatError(.malformed, Self.fault, at: content.place) }
        self.pieces = pieces
    }

    /// The stored bytes.
    package var bytes: [UInt8] {
        var fields = FieldWriter(byteCount: pieces.count * Int(StoredContent.pieceRowByteCount))
        for piece in pieces {
            fields.put(piece.id)
            fields.put(piece.length)
        }
        return fields.bytes
    }

    /// The length of the content.
    package var length: UInt64 { pieces.reduce(0) { $0 + $1.length } }

    /// The error about a list that is authentic and breaks the form.
    package static let fault: Phrase = "a piece list that breaks the format"
}
