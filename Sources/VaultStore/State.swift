import VaultCrypto
package import VaultFormat

/// The newest state that a file holds, wherever it is to be found: in the page that counts, behind its log end, or, with
/// both pages lost, by a scan of the log (Spec/reader.md, 2).
package struct State {
    /// The newest commit.
    package let record: CommitRecord
    /// The commits behind the page's log end that lead to it.
    package private(set) var adopted: [Core] = []
    /// What stands behind the newest commit.
    package private(set) var rest = Rest.nothing

    /// Bytes behind the newest commit.
    package enum Rest: Equatable, Sendable {
        /// None, or not looked for.
        case nothing
        /// A save that was never acknowledged, wholly or in part.
        case unacknowledged(byteCount: UInt64)
        /// Perhaps a save that was acknowledged and is damaged.
        case unexplained(byteCount: UInt64)
    }

    /// Finds it.
    ///
    /// - Parameters:
    ///   - keys: with them tags are checked too, of pages and of all that is found.
    ///   - isLocked: no writer is at work, so that what stands behind the log end may be looked at.
    /// - Throws: `FormatError` `.tampered`, `.malformed`, `.damaged`, `.unsupported`; `IOError`.
    init(
        _ root: Root, _ file: any File, keys: Keys?, isLocked: Bool = false,
        checkCancellation: @escaping () throws -> Void
    ) throws {
        let scan = CommitScan(file: file, keys: keys, checkCancellation: checkCancellation)
        guard let page = root.page else {
            if let keys { try root.keyPage?.authenticate(keys) }
            record = try scan.newest(of: root)
            rest = Self.rest(root, behind: record) { .unexplained(byteCount: $0) }
            return
        }
        if let keys { try page.authenticate(keys) }
        var newest = try page.record()
        guard isLocked || root.other == nil else {
            record = newest
            return
        }
        var keyChange: Core?
        while let successor = try scan.successor(of: newest.core) {
            guard successor.core.slotHash == newest.core.slotHash else {
                keyChange = successor.core
                break
            }
            newest = successor
            adopted.append(successor.core)
        }
        var isExplained = root.other != nil || !adopted.isEmpty
        if let keyChange { isExplained = try !Self.isFinished(keyChange, root, scan) }
        record = newest
        rest = Self.rest(root, behind: newest) {
            isExplained ? .unacknowledged(byteCount: $0) : .unexplained(byteCount: $0)
        }
    }

    /// Whether a key change that no page names was finished all the same: page K has its slots, or there are commits
    /// behind it. Then the page is an old one that somebody put back.
    private static func isFinished(_ keyChange: Core, _ root: Root, _ scan: CommitScan) throws -> Bool {
        if try root.keyPage?.slots.hash() == keyChange.slotHash { return true }
        return try scan.successor(of: keyChange) != nil
    }

    private static func rest(_ root: Root, behind record: CommitRecord, _ kind: (UInt64) -> Rest) -> Rest {
        root.fileByteCount > record.core.end ? kind(root.fileByteCount - record.core.end) : .nothing
    }
}

/// Looks for commits where no page names them.
struct CommitScan {
    let file: any File
    let keys: Keys?
    let checkCancellation: () throws -> Void

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
        guard let found, found.sequence > core.sequence, found.previousTags == core.tags, found.end <= size,
            isAuthentic(found)
        else { return nil }
        let record = try CommitRecord(
            parsing: file.bytes(at: found.recordOffset, count: CommitRecord.byteCount))
        guard record.previousCore == core.bytes, try isWhole(found) else { return nil }
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
            best.append(core)
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
        let check = CommitCheck(file: file, checkCancellation: checkCancellation, keys: keys)
        return try check.findings(core).allSatisfy { $0.code == .repairable }
    }

    /// Hands over each core that stands on a multiple of 4,096 in `range` and names that place, until `body` says no.
    private func forEachCore(in range: Range<UInt64>, _ body: (Core) throws -> Bool) throws {
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
