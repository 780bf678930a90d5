public import VaultFormat
import VaultIO

/// The pieces of a vault, and those that are needed (Spec/store.md, 15).
extension Vault {
    /// The pieces that are there, with their lengths.
    func pieces() throws -> [RecordID: UInt64] {
        let pieces = try manifest.flatMap { entries in
            entries.compactMap { entry -> PieceList.Piece? in
                let piece = PieceList.Piece(id: entry.id, length: entry.length)
                return entry.holds(piece) ? piece : nil
            }
        }
        return Dictionary(pieces.map { ($0.id, $0.length) }, uniquingKeysWith: { first, _ in first })
    }

    /// The pieces that the lists of some versions name.
    ///
    /// - Parameter select: of all versions of some records removes those that are not meant.
    /// - Throws: `FormatError.malformed` where a piece is not there; what reading throws.
    func pieces(namedBy select: @escaping (inout [Entry]) throws -> Void) throws -> Set<RecordID> {
        let known = try diagnosing { try pieces() }
        guard !known.isEmpty else { return [] }
        var lists: Set<StoredContent> = []
        try VaultVersions(vault: self, change: select).forEachPiece { versions in
            for version in versions where version.content.isList { lists.insert(version.content) }
        }
        return try pieces(namedBy: lists, of: known)
    }

    /// The pieces that lists name.
    ///
    /// - Parameter known: those that are there.
    func pieces(namedBy lists: Set<StoredContent>, of known: [RecordID: UInt64]) throws -> Set<RecordID> {
        var reader = try reader()
        var named: Set<RecordID> = []
        for content in lists.sorted(by: { $0.place < $1.place }) {
            try environment.checkCancellation()
            for piece in try diagnosing({ try reader.list(content) }).pieces {
                guard known[piece.id] == piece.length else {
                    throw FormatError(.malformed, Entry.missingPiece, at: content.place)
                }
                named.insert(piece.id)
            }
        }
        return named
    }

    /// Bytes that each save stored of contents in pieces, by sequence.
    public func pieceByteCounts() throws -> [UInt64: UInt64] {
        let stored = try flatMapEntries { entries in
            entries.compactMap { $0.kind == .piece ? ($0.first, $0.content.byteCount) : nil }
        }
        return Dictionary(stored, uniquingKeysWith: &+)
    }

    /// Bytes that the present versions take in the file, those in the trash too; what several share counts once.
    public func presentByteCount() throws -> UInt64 {
        let named = try pieces { $0.removeAll { $0.last != nil } }
        return Layout.logStart
            + Self.storedByteCount(try allEntries().filter { $0.kind != .piece || named.contains($0.id) })
    }

    /// Bytes of the file that `VaultTransaction.rewrite` would make, as far as can be told before: what is stored is counted,
    /// the manifest is estimated.
    ///
    /// - Parameter saves: those that can be shown afterwards.
    public func rewrittenByteCount(
        keeping saves: KeptSaves, isEvidence: @escaping (Entry) -> Bool = { _ in false }
    ) throws -> UInt64 {
        let named = try pieces { saves.thin(&$0, isEvidence: isEvidence) }
        var kept = try versions()
        saves.thin(&kept, isEvidence: isEvidence)
        kept.removeAll { $0.kind == .piece && ($0.last != nil || !named.contains($0.id)) }
        let entries = kept.reduce(0) { $0 + Self.entryByteCount + UInt64($1.overview.title.count) }
        let lines = try UInt64(self.lines().count) * Self.lineByteCount
        let payload = Layout.align(
            Layout.padme(Self.storedByteCount(kept) + entries + lines), to: Layout.alignment)
        return Layout.logStart + payload + Core.tailByteCount(payload, head: entries / 64)
            + UInt64(Layout.pageByteCount)
    }

    /// Bytes of an entry in the manifest beside its title, and of a line, about.
    private static let (entryByteCount, lineByteCount): (UInt64, UInt64) = (100, 40)

    /// Bytes of the stored records of some versions.
    private static func storedByteCount(_ versions: [Entry]) -> UInt64 {
        var stored = versions.filter { !$0.isTombstone }.map { (place: $0.place, byteCount: $0.content.byteCount) }
        stored.sort { $0.place < $1.place }
        var (sum, last) = (UInt64(0), UInt64(0))
        for item in stored where item.place != last {
            last = item.place
            sum &+= Layout.align(StoredRecord.byteCount(item.byteCount), to: Layout.recordAlignment)
        }
        return sum
    }
}
