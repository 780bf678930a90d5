import VaultIO
import Synchronization
import VaultCrypto
import VaultFormat

/// Checks the table and the payload blocks of one commit, each block read once (Spec/reader.md, 7.3).
struct CommitCheck {
    /// Blocks that are read with one call: 1 MiB.
    private static let batch = 16
    /// Blocks that a thread takes at a time: 4 MiB.
    private static let piece = 64
    let file: any File
    let checkCancellation: () throws -> Void
    /// With it the content is checked too, as the blocks come by.
    var content: ContentVerifier?
    /// True if one finding is enough: each thread then stops at its first.
    var stopsAtFirst = false
    /// Counts the bytes of payload that were read.
    var progress: ProgressCounter?

    /// Checks the blocks that overlap `range`, or all.
    func findings(_ core: Core, in range: Range<UInt64>? = nil) throws -> [Finding] {
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
        // A payload whose table holds is in the file; of another only what is there is looked at, whatever the core
        // claims.
        let blocks = Self.blocks(core, hasTable ? range : core.start..<max(core.start, try file.status().size))
        return Self.joined(findings + (try check(core, blocks, hasTable: hasTable)))
    }

    /// The check table as it follows from what it covers; nil unless it has the hash in the core, and another stands in the file.
    func rebuiltTable(_ core: Core) throws -> [UInt8]? {
        guard core.end <= (try file.status().size), try !isWhole(core, core.tableOffset..<core.headCopyOffset) else {
            return nil
        }
        var table: [UInt8] = []
        for index in 0..<core.blockCount {
            try checkCancellation()
            let start = core.start + index * UInt64(Layout.blockByteCount)
            let count = min(UInt64(Layout.blockByteCount), core.recordOffset - start)
            let block = try file.bytes(at: start, count: Int(count))
            table += try CheckTable.row(index, of: block.span, salt: core.salt)
        }
        var rest = try CheckTable.hash(core.blockCount, salt: core.salt)
        guard try rest.update(file, core.headCopyOffset..<core.end, checkCancellation) else { return nil }
        let last = try rest.finish()
        table += last
        let hash = try SHA256.hash(table.span)
        return hash == core.tableHash.bytes ? table : nil
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

    /// The findings of the pieces, in their order. Neighbours are joined at once: a hostile core may claim any number of
    /// blocks.
    private struct Found {
        private(set) var findings: [Finding] = []
        private var order = PieceOrder<[Finding]>()
        /// True once a piece has a finding, in whatever order.
        private(set) var isAny = false

        mutating func add(_ more: [Finding], of piece: Int) {
            isAny = isAny || !more.isEmpty
            let joined = CommitCheck.joined(findings.suffix(1) + order.add(more, of: piece).joined())
            findings.removeLast(min(findings.count, 1))
            findings += joined
        }
    }

    /// The buffer and ciphers of one thread.
    private final class Reader {
        var buffer: [UInt8]
        let tools: ContentVerifier.Tools?
        let lookahead: Int

        init(_ content: ContentVerifier?) throws {
            tools = try content?.tools()
            lookahead = content == nil ? 0 : ContentVerifier.lookahead
            buffer = [UInt8](repeating: 0, count: batch * Layout.blockByteCount + lookahead)
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

    /// Checks blocks, on all cores: each thread takes the next piece when it is done with one, since records may stand
    /// close together in one part of a payload and not in another.
    private func check(_ core: Core, _ blocks: Range<Int>, hasTable: Bool) throws -> [Finding] {
        let pieces = (blocks.count + Self.piece - 1) / Self.piece
        let readers = try (0..<min(Parallel.threadCount, pieces)).map { _ in try Reader(content) }
        let found = Mutex(Found())
        try Parallel.forEach(pieces) { thread, piece in
            let first = blocks.lowerBound + piece * Self.piece
            var findings: [Finding] = []
            for start in stride(from: first, to: min(first + Self.piece, blocks.upperBound), by: Self.batch) {
                if stopsAtFirst, !findings.isEmpty || found.withLock({ $0.isAny }) { break }
                let batch = start..<min(start + Self.batch, blocks.upperBound)
                findings += try check(core, batch, with: readers[thread], hasTable: hasTable)
            }
            let joined = Self.joined(findings)
            found.withLock { $0.add(joined, of: piece) }
        }
        return found.withLock { $0.findings }
    }

    /// Checks the blocks of a batch, and the content that begins in them.
    private func check(_ core: Core, _ batch: Range<Int>, with reader: Reader, hasTable: Bool) throws -> [Finding] {
        try checkCancellation()
        let start = core.start + UInt64(batch.lowerBound * Layout.blockByteCount)
        let end = min(core.start + UInt64(batch.upperBound * Layout.blockByteCount), core.recordOffset)
        let count = Int(end - start)
        let wanted = count + reader.lookahead
        let done = try reader.buffer.withMutableSlice(0..<wanted) { try file.readAll(into: &$0, at: start) }
        // Bytes beyond the end of the file count as zeros: the block fails its hash.
        for i in done..<max(done, wanted) { reader.buffer[i] = 0 }
        let buffer = reader.buffer
        let bytes = buffer.span.extracting(0..<wanted)
        let findings = hasTable ? try compare(bytes.extracting(0..<count), batch, of: core) : []
        if let content, let tools = reader.tools, !stopsAtFirst || findings.isEmpty {
            try content.check(bytes, start..<end, tools)
        }
        progress?.add(UInt64(count))
        return findings
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
        let isInFile = try fault.range.upperBound <= file.status().size
        var log = try CommitLog(file, newest: newest)
        while isInFile, let item = try log.pop() {
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
