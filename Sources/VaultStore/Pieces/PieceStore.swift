import VaultFormat
import VaultIO

/// Stores pieces in a save: those that the vault does not have.
///
/// A hint leads to a piece, and only bytes decide, as for whole files (`KnownContents`).
struct PieceStore: ~Copyable {
    /// Pieces with one hint that are compared at most.
    private static let candidates = 8

    private let writer: CommitWriter
    /// By their hints: the pieces of the content that was there before, and those of the vault, once they were asked for.
    private var preferred: [UInt64: [RecordID]] = [:]
    private var stored: [UInt64: [RecordID]]?
    /// Those of this save.
    private var fresh: [ContentHint: RecordID] = [:]
    /// Those in which all bytes are zero, by length, as far as this save has met them.
    private var zeros: [UInt64: RecordID] = [:]

    init(_ writer: CommitWriter) { self.writer = writer }

    /// Looks first at the pieces of a content; nil for none.
    mutating func prefer(_ content: StoredContent?) throws {
        preferred = [:]
        guard let content, content.isList, let vault = writer.changes.before else { return }
        var reader = try vault.reader()
        // A list that cannot be read has nothing to share.
        guard let list = try? reader.list(content) else { return }
        for piece in Set(list.pieces) {
            guard let entry = try vault.entry(piece.id), let hint = entry.hint else { continue }
            preferred[hint, default: []].append(entry.id)
        }
    }

    /// Looks at all pieces of the vault, whose entries are read once.
    mutating func knowAll() throws {
        guard stored == nil, let vault = writer.changes.before else { return }
        let found = try vault.flatMapEntries { entries in
            entries.compactMap { entry in entry.kind == .piece ? entry.hint.map { ($0, entry.id) } : nil }
        }
        stored = Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
    }

    /// True if the vault has the very stored record that a copy of it has for a piece.
    func has(_ piece: PieceList.Piece, _ content: StoredContent) throws -> Bool {
        guard let entry = try writer.changes.before?.entry(piece.id) else { return false }
        return entry.holds(piece) && entry.content == content
    }

    /// Stores a piece, or finds it.
    ///
    /// - Parameter bytes: all of it, 1 or more.
    mutating func store(_ bytes: Span<UInt8>) throws -> PieceList.Piece {
        let length = UInt64(bytes.count)
        let beginning = bytes.extracting(first: min(bytes.count, ContentHint.byteCount))
        let hint = try ContentHint(beginning, length: length)
        let isZero = bytes.isZero
        if let id = try (isZero ? zeros[length] : nil) ?? find(bytes, hint) {
            if isZero { zeros[length] = id }
            return PieceList.Piece(id: id, length: length)
        }
        var offset = 0
        let piece = try store(length: length, hint) { buffer in
            let count = buffer.copy(bytes.extracting(offset...))
            offset += count
            return count
        }
        fresh[hint] = piece.id
        if isZero { zeros[length] = piece.id }
        return piece
    }

    /// Stores a piece without looking for it.
    ///
    /// - Parameters:
    ///   - length: its length, as long as what `read` gives.
    ///   - read: as for `PayloadWriter.store`.
    func store(
        length: UInt64, _ hint: ContentHint? = nil, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> PieceList.Piece {
        let id = try writer.makeID()
        try writer.put(id, kind: .piece, parent: nil, overview: Overview(title: []), hint: hint, read: read)
        return PieceList.Piece(id: id, length: length)
    }

    /// The piece of this save or of the vault that has these very bytes.
    private func find(_ bytes: Span<UInt8>, _ hint: ContentHint) throws -> RecordID? {
        func isHeld(by holds: ((UInt64, inout MutableSpan<UInt8>) throws -> Int) throws -> Bool) rethrows -> Bool {
            try holds { $1.copy(bytes.extracting(Int($0)...)) }
        }
        if let id = fresh[hint], let entry = try writer.changes.entry(id),
            try isHeld(by: { try writer.holds(entry.content, $0) })
        {
            return id
        }
        guard let vault = writer.changes.before else { return nil }
        let candidates = preferred[hint.value, default: []] + (stored?[hint.value] ?? [])
        for id in candidates.prefix(Self.candidates) {
            guard let entry = try vault.entry(id), entry.holds(PieceList.Piece(id: id, length: hint.length)),
                try isHeld(by: { try vault.holds(entry, $0) })
            else { continue }
            return id
        }
        return nil
    }
}
