import VaultCrypto
import VaultFormat

/// Checks the table and the payload blocks of one commit, each block read once (Spec/reader.md, 7.3 and 8.1).
struct CommitCheck {
    private static let batch = 16
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
        var check = try BlockChecker(checking: core)
        if let keys {
            var audit = try BlockChecker(auditing: core, keys: keys)
            try forEachBlock(core, range, progress) { block, index, row, place in
                if try !check.matches(block, index: index, row: row) {
                    findings.append(Finding(.damaged, "payload of commit \(core.sequence)", place))
                } else if try !audit.matches(block, index: index, row: row) {
                    findings.append(Finding(.tampered, "payload of commit \(core.sequence)", place))
                }
            }
        } else {
            try forEachBlock(core, range, progress) { block, index, row, place in
                if try !check.matches(block, index: index, row: row) {
                    findings.append(Finding(.damaged, "payload of commit \(core.sequence)", place))
                }
            }
        }
        return Self.joined(findings)
    }

    /// Whether the check table hashes to what the core says. It is read in pieces: a hostile core may claim a table of
    /// many gigabytes.
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

    /// Hands each block to `body` with its number, its row of the check table and its place.
    private func forEachBlock(
        _ core: Core, _ range: Range<UInt64>?, _ progress: (UInt64) -> Void,
        _ body: (Span<UInt8>, UInt64, Span<UInt8>, Range<UInt64>) throws -> Void
    ) throws {
        let blockBytes = UInt64(Layout.blockByteCount)
        let payload = core.start..<core.recordOffset
        let wanted = (range ?? payload).clamped(to: payload)
        guard !wanted.isEmpty else { return }
        let blocks =
            (wanted.lowerBound - core.start) / blockBytes..<(wanted.upperBound - 1 - core.start) / blockBytes + 1
        var buffer = [UInt8](repeating: 0, count: Self.batch * Layout.blockByteCount)
        for first in stride(from: blocks.lowerBound, to: blocks.upperBound, by: Self.batch) {
            try checkCancellation()
            let start = core.start + first * blockBytes
            let end = min(
                core.start + min(first + UInt64(Self.batch), blocks.upperBound) * blockBytes, core.recordOffset)
            let count = Int(end - start)
            let done = try buffer.withMutableSlice(0..<count) { try file.readAll(into: &$0, at: start) }
            // What the file is too short for counts as zeros: it fails its tag.
            for i in done..<count { buffer[i] = 0 }
            let rowCount = (count + Layout.blockByteCount - 1) / Layout.blockByteCount
            let rows = try file.bytes(
                at: core.tableOffset + first * UInt64(CheckTable.rowByteCount),
                count: rowCount * CheckTable.rowByteCount)
            guard rows.count == rowCount * CheckTable.rowByteCount else {
                throw FormatError(.damaged, "the check table of commit \(core.sequence)", at: core.tableOffset)
            }
            for offset in stride(from: 0, to: count, by: Layout.blockByteCount) {
                let length = min(Layout.blockByteCount, count - offset)
                let place = start + UInt64(offset)..<start + UInt64(offset + length)
                let row = offset / Layout.blockByteCount * CheckTable.rowByteCount
                try body(
                    buffer.span.extracting(offset..<offset + length),
                    first + UInt64(offset / Layout.blockByteCount),
                    rows.span.extracting(row..<row + CheckTable.rowByteCount), place)
            }
            progress(UInt64(count))
        }
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
