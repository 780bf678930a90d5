import VaultCrypto
import VaultFormat

/// Checks the table and the payload blocks of one commit, each block read once (Spec/reader.md, 7.3 and 8.1).
struct CommitCheck {
    private static let batch = 16
    /// Blocks from which on the work is divided: 4 MiB.
    private static let sharedFrom = 64
    let file: any File
    let checkCancellation: () throws -> Void
    /// With keys the audit tags are checked too.
    let keys: Keys?

    /// Checks the blocks that overlap `range`, or all.
    ///
    /// - Parameter progress: is told the bytes of each batch.
    func findings(_ core: Core, in range: Range<UInt64>? = nil, progress: (UInt64) -> Void = { _ in }) throws
        -> [Finding]
    {
        let tableRange = core.tableOffset..<core.tableOffset + core.tableByteCount
        guard try isWhole(core, tableRange) else {
            return [
                Finding(
                    .damaged, "the check table of commit \(core.sequence): its payload cannot be checked", tableRange)
            ]
        }
        var findings: [Finding] = []
        let rest = try file.bytes(at: tableRange.upperBound, count: Int(core.end - tableRange.upperBound))
        if rest.contains(where: { $0 != 0 }) {
            findings.append(
                Finding(.repairable, "unused bytes behind commit \(core.sequence)", tableRange.upperBound..<core.end))
        }
        // Contiguous shares of the blocks, one for each thread; each is checked in order.
        let blocks = Self.blocks(core, range)
        let threads = blocks.count >= Self.sharedFrom ? Parallel.threadCount : 1
        let shares = (0..<threads).map { share in
            Share(
                blocks.lowerBound + blocks.count * share / threads..<blocks.lowerBound + blocks.count * (share + 1)
                    / threads)
        }
        try Parallel.forEach(threads) { _, index in
            // One thread speaks for all: the progress of its share is theirs.
            try check(core, shares[index]) { if index == 0 { progress($0 * UInt64(threads)) } }
        }
        findings += shares.flatMap(\.findings)
        return Self.joined(findings)
    }

    /// Whether the check table hashes to what the core says. It is read in pieces: a hostile core may claim a table
    /// of many gigabytes.
    private func isWhole(_ core: Core, _ range: Range<UInt64>) throws -> Bool {
        var hash = try SHA256()
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
            try checkCancellation()
            let count = Int(min(1 << 20, range.upperBound - start))
            let piece = try file.bytes(at: start, count: count)
            guard piece.count == count else { return false }
            try hash.update(piece.span)
        }
        return try hash.finish() == core.tableHash.bytes
    }

    /// Blocks for one thread, and what is wrong with them.
    private final class Share {
        let blocks: Range<Int>
        var findings: [Finding] = []

        init(_ blocks: Range<Int>) { self.blocks = blocks }
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
    private func check(_ core: Core, _ share: Share, progress: (UInt64) -> Void) throws {
        var checker = try BlockChecker(checking: core)
        let auditor = try keys.map { BoxedChecker(try BlockChecker(auditing: core, keys: $0)) }
        var buffer = [UInt8](repeating: 0, count: Self.batch * Layout.blockByteCount)
        for first in stride(from: share.blocks.lowerBound, to: share.blocks.upperBound, by: Self.batch) {
            try checkCancellation()
            let batch = first..<min(first + Self.batch, share.blocks.upperBound)
            let start = core.start + UInt64(first * Layout.blockByteCount)
            let count = Int(
                min(core.start + UInt64(batch.upperBound * Layout.blockByteCount), core.recordOffset) - start)
            let done = try buffer.withMutableSlice(0..<count) { try file.readAll(into: &$0, at: start) }
            // What the file is too short for counts as zeros: it fails its tag.
            for i in done..<count { buffer[i] = 0 }
            let rows = try file.bytes(
                at: core.tableOffset + UInt64(first * CheckTable.rowByteCount),
                count: batch.count * CheckTable.rowByteCount)
            guard rows.count == batch.count * CheckTable.rowByteCount else {
                throw FormatError(.damaged, "the check table of commit \(core.sequence)", at: core.tableOffset)
            }
            for index in batch {
                let offset = (index - first) * Layout.blockByteCount
                let block = buffer.span.extracting(offset..<min(offset + Layout.blockByteCount, count))
                let at = (index - first) * CheckTable.rowByteCount
                let row = rows.span.extracting(at..<at + CheckTable.rowByteCount)
                let place = start + UInt64(offset)..<start + UInt64(offset + block.count)
                if try !checker.matches(block, index: UInt64(index), row: row) {
                    share.findings.append(Finding(.damaged, "payload of commit \(core.sequence)", place))
                } else if try auditor?.checker.matches(block, index: UInt64(index), row: row) == false {
                    share.findings.append(Finding(.tampered, "payload of commit \(core.sequence)", place))
                }
            }
            progress(UInt64(count))
        }
    }

    /// A checker that may be there or not; the thing itself cannot be copied into an optional's map.
    private final class BoxedChecker {
        var checker: BlockChecker

        init(_ checker: consuming BlockChecker) { self.checker = checker }
    }

    /// Neighbouring findings of one kind as one.
    private static func joined(_ findings: [Finding]) -> [Finding] {
        var result: [Finding] = []
        for finding in findings {
            if let last = result.last, last.code == finding.code, last.what == finding.what, let a = last.range,
                let b = finding.range, a.upperBound == b.lowerBound
            {
                result[result.count - 1] = Finding(last.code, last.what, a.lowerBound..<b.upperBound)
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
            let check = CommitCheck(file: file, checkCancellation: {}, keys: nil)
            let found = try check.findings(item.core, in: fault.range)
            let isDamaged = found.contains { $0.code == .damaged }
            return FormatError(isDamaged ? .damaged : .tampered, fault.what, at: fault.range.lowerBound)
        }
        return FormatError(.damaged, fault.what, at: fault.range.lowerBound)
    }
}
