import VaultCrypto
import VaultFormat

/// Checks the table and the payload blocks of one commit, each block read once (Spec/reader.md, 7.3).
struct CommitCheck {
    private static let batch = 16
    /// Blocks from which on the work is divided: 4 MiB.
    private static let sharedFrom = 64
    let file: any File
    let checkCancellation: () throws -> Void
    /// With it the content is checked too, as the blocks come by.
    var content: ContentPass?
    /// True if one finding is enough: each thread then stops at its first.
    var stopsAtFirst = false

    /// Checks the blocks that overlap `range`, or all.
    ///
    /// - Parameter progress: is told the bytes of each batch.
    func findings(_ core: Core, in range: Range<UInt64>? = nil, progress: (UInt64) -> Void = { _ in }) throws
        -> [Finding]
    {
        let tableRange = core.tableOffset..<core.tableOffset + core.tableByteCount
        let hasTable = try isWhole(core, tableRange)
        var findings: [Finding] = []
        if !hasTable {
            findings.append(
                Finding(
                    .damaged, "the check table of commit \(core.sequence): its payload cannot be checked", tableRange))
            guard content != nil else { return findings }
        }
        if stopsAtFirst, !findings.isEmpty { return findings }
        if hasTable, try !isTailWhole(core) {
            findings.append(
                Finding(
                    .repairable, "what stands behind the check table of commit \(core.sequence)",
                    core.headCopyOffset..<core.end))
        }
        // Contiguous shares of the blocks, one for each thread; each is checked in order. A payload whose table holds
        // is in the file; of another only what is there is looked at, whatever the core claims.
        let blocks = Self.blocks(core, hasTable ? range : core.start..<max(core.start, try file.status().size))
        let threads = blocks.count >= Self.sharedFrom ? Parallel.threadCount : 1
        let shares = (0..<threads).map { share in
            Share(
                blocks.lowerBound + blocks.count * share / threads..<blocks.lowerBound + blocks.count * (share + 1)
                    / threads)
        }
        try Parallel.forEach(threads) { _, index in
            // One thread speaks for all: the progress of its share is theirs.
            try check(core, shares[index], hasTable: hasTable) { if index == 0 { progress($0 * UInt64(threads)) } }
        }
        findings += shares.flatMap(\.findings)
        return Self.joined(findings)
    }

    /// True if the check table has the hash in the core.
    private func isWhole(_ core: Core, _ range: Range<UInt64>) throws -> Bool {
        var hash = try SHA256()
        guard try hash.update(file, range, checkCancellation) else { return false }
        return try hash.finish() == core.tableHash.bytes
    }

    /// True if the bytes behind the check table have the hash in the table's last row.
    private func isTailWhole(_ core: Core) throws -> Bool {
        var hash = try CheckTable.hash(core.blockCount, salt: core.salt)
        let row = core.headCopyOffset - UInt64(CheckTable.rowByteCount)
        guard try hash.update(file, core.headCopyOffset..<core.end, checkCancellation) else { return false }
        return try hash.finish() == file.bytes(at: row, count: CheckTable.rowByteCount)
    }

    /// Blocks for one thread, and what is wrong with them.
    private final class Share {
        let blocks: Range<Int>
        private(set) var findings: [Finding] = []

        init(_ blocks: Range<Int>) { self.blocks = blocks }

        /// Neighbours are joined at once: a hostile core may claim any number of blocks.
        func add(_ more: [Finding]) {
            let joined = CommitCheck.joined(findings.suffix(1) + more)
            findings.removeLast(min(findings.count, 1))
            findings += joined
        }
    }

    /// The blocks of a payload area that overlap `range`.
    private static func blocks(_ core: Core, _ range: Range<UInt64>?) -> Range<Int> {
        let payload = core.start..<core.recordOffset
        let wanted = (range ?? payload).clamped(to: payload)
        guard !wanted.isEmpty else { return 0..<0 }
        let first = Int(wanted.lowerBound - core.start) / Layout.blockByteCount
        return first..<Int(wanted.upperBound - 1 - core.start) / Layout.blockByteCount + 1
    }

    /// Checks a share of the blocks, a batch with each call.
    private func check(_ core: Core, _ share: Share, hasTable: Bool, progress: (UInt64) -> Void) throws {
        let tools = try content?.tools()
        let lookahead = content == nil ? 0 : ContentPass.lookahead
        var buffer = [UInt8](repeating: 0, count: Self.batch * Layout.blockByteCount + lookahead)
        for first in stride(from: share.blocks.lowerBound, to: share.blocks.upperBound, by: Self.batch) {
            try checkCancellation()
            let batch = first..<min(first + Self.batch, share.blocks.upperBound)
            let start = core.start + UInt64(first * Layout.blockByteCount)
            let end = min(core.start + UInt64(batch.upperBound * Layout.blockByteCount), core.recordOffset)
            let count = Int(end - start)
            let done = try buffer.withMutableSlice(0..<count + lookahead) { try file.readAll(into: &$0, at: start) }
            // Bytes beyond the end of the file count as zeros: the block fails its hash.
            for i in done..<max(done, count + lookahead) { buffer[i] = 0 }
            if hasTable { share.add(try compare(buffer.span.extracting(0..<count), batch, of: core)) }
            if stopsAtFirst, !share.findings.isEmpty { return }
            if let content, let tools {
                try content.check(buffer.span.extracting(0..<count + lookahead), start..<end, tools)
            }
            progress(UInt64(count))
        }
    }

    /// Holds the blocks of a batch against their rows of the table.
    private func compare(_ bytes: Span<UInt8>, _ batch: Range<Int>, of core: Core) throws -> [Finding] {
        let rows = try file.bytes(
            at: core.tableOffset + UInt64(batch.lowerBound * CheckTable.rowByteCount),
            count: batch.count * CheckTable.rowByteCount)
        guard rows.count == batch.count * CheckTable.rowByteCount else {
            throw FormatError(.damaged, "the check table of commit \(core.sequence)", at: core.tableOffset)
        }
        return try batch.compactMap { index in
            let offset = (index - batch.lowerBound) * Layout.blockByteCount
            let block = bytes.extracting(offset..<min(offset + Layout.blockByteCount, bytes.count))
            let at = (index - batch.lowerBound) * CheckTable.rowByteCount
            let start = core.start + UInt64(index * Layout.blockByteCount)
            let row = try CheckTable.row(UInt64(index), of: block, salt: core.salt)
            return row == Array(rows[at..<at + CheckTable.rowByteCount])
                ? nil : Finding(.damaged, "payload of commit \(core.sequence)", start..<start + UInt64(block.count))
        }
    }

    /// Neighbouring findings of one kind as one.
    private static func joined(_ findings: [Finding]) -> [Finding] {
        var result: [Finding] = []
        for finding in findings {
            if let joined = result.last?.joined(with: finding) {
                result[result.count - 1] = joined
            } else {
                result.append(finding)
            }
        }
        return result
    }
}

/// Tells damage from tampering after bytes failed under a key (Spec/reader.md, 5).
struct Diagnosis {
    private let file: any File
    private let newest: CommitRecord

    init(_ file: any File, newest: CommitRecord) {
        self.file = file
        self.newest = newest
    }

    /// `.damaged` if the commit that holds the bytes fails its unkeyed checks there, else `.tampered`.
    func error(for fault: Fault) throws -> FormatError {
        var log = try CommitLog(file, newest: newest)
        while let item = try log.pop() {
            guard item.core.end > fault.range.lowerBound else { break }
            guard item.core.start <= fault.range.lowerBound else { continue }
            let check = CommitCheck(file: file, checkCancellation: {})
            let found = try check.findings(item.core, in: fault.range)
            let isDamaged = found.contains { $0.code == .damaged }
            return FormatError(isDamaged ? .damaged : .tampered, fault.what, at: fault.range.lowerBound)
        }
        return FormatError(.damaged, fault.what, at: fault.range.lowerBound)
    }
}

extension SHA256 {
    /// Takes a range of a file; false where the file ends before. It is read in pieces: a hostile core may claim many
    /// gigabytes.
    fileprivate mutating func update(
        _ file: any File, _ range: Range<UInt64>, _ checkCancellation: () throws -> Void
    ) throws -> Bool {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            try checkCancellation()
            let count = Int(min(1 << 20, range.upperBound - start))
            let piece = try file.bytes(at: start, count: count)
            guard piece.count == count else { return false }
            try update(piece.span)
        }
        return true
    }
}
