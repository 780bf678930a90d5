import VaultFormat

/// Looks for commits where no page names them (Spec/reader.md, 2.1 and 2.2).
struct CommitScan {
    let file: any File
    let keys: (any Authenticator)?
    let checkCancellation: () throws -> Void
    /// Commits of one sequence that are held against their tables: each costs a reading of all that it claims.
    private static let mostTies = 8

    /// The commit that starts where `core` ends and follows it in every respect, its slot hash apart: with that another
    /// one it is an unfinished key change.
    func successor(of core: Core) throws -> CommitRecord? {
        let size = try file.status().size
        guard size > core.end else { return nil }
        var found: Core?
        let first = core.end + Layout.alignment
        let near = first..<max(first, min(size, core.end + Limits.scanByteCount))
        // A commit that is larger than that ends where the file does.
        let far = max(near.upperBound, Self.tail(of: size))..<max(near.upperBound, size)
        for range in [near, far] where found == nil {
            try forEachCore(in: range) { candidate in
                guard candidate.start == core.end, candidate.vaultID == core.vaultID, candidate.epoch == core.epoch
                else { return true }
                found = candidate
                return false
            }
        }
        guard let found, core.precedes(found), found.end <= size, isAuthentic(found) else { return nil }
        // A writer may have cut it off by now.
        let bytes = try file.bytes(at: found.recordOffset, count: CommitRecord.byteCount)
        guard let record = try? CommitRecord(parsing: bytes), record.previousCore == core.bytes, try isWhole(found)
        else { return nil }
        return record
    }

    /// The commit with the highest sequence in the log of a file whose pages are both lost.
    func newest(of root: Root) throws -> CommitRecord {
        var best: [Core] = []
        let start = max(Layout.logStart, Self.tail(of: root.fileByteCount))
        try forEachCore(in: start..<max(start, root.fileByteCount)) { core in
            guard core.vaultID == root.header.vaultID, core.epoch == root.header.epoch,
                core.sequence >= best.first?.sequence ?? 0, isAuthentic(core)
            else { return true }
            if let sequence = best.first?.sequence, core.sequence > sequence { best = [] }
            if best.count < Self.mostTies { best.append(core) }
            return true
        }
        guard let first = best.first else {
            throw FormatError(.damaged, "both pages, and no commit was found", at: Layout.pageAOffset)
        }
        let core = best.count == 1 ? first : try best.first(where: isWhole) ?? first
        var bytes = try file.bytes(at: core.recordOffset, count: CommitRecord.byteCount)
        bytes += [UInt8](repeating: 0, count: CommitRecord.byteCount - bytes.count)
        return try CommitRecord(parsing: bytes)
    }

    /// Where the last bytes of a file begin that a scan looks at.
    private static func tail(of size: UInt64) -> UInt64 {
        size > Limits.scanByteCount ? Layout.align(size - Limits.scanByteCount, to: Layout.alignment) : 0
    }

    private func isAuthentic(_ core: Core) -> Bool {
        guard let keys else { return true }
        return (try? core.authenticate(keys)) != nil
    }

    /// Whether its table and all its blocks hold.
    private func isWhole(_ core: Core) throws -> Bool {
        let check = CommitCheck(file: file, checkCancellation: checkCancellation)
        return try check.findings(core).allSatisfy { $0.code == .repairable }
    }

    /// Hands over each core that stands on a multiple of 4,096 in `range` and names that place, until `body` says no.
    func forEachCore(in range: Range<UInt64>, _ body: (Core) throws -> Bool) throws {
        let step = Int(Layout.alignment)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            try checkCancellation()
            let piece = try file.bytes(at: start, count: Int(min(1 << 20, range.upperBound - start)))
            for at in stride(from: 0, to: piece.count, by: step) where Core.hasMagic(piece[at...]) {
                let bytes = Array(piece[at..<min(at + Core.byteCount, piece.count)])
                let core: Core
                do { core = try Core(parsing: bytes) } catch is FormatError { continue }
                guard core.recordOffset == start + UInt64(at) else { continue }
                guard try body(core) else { return }
            }
        }
    }
}
