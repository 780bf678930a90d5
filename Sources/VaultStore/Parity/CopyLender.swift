import VaultFormat
import VaultIO

/// Another copy of a damaged vault, of the same state or another, that lends the bytes which both have: where it holds a
/// commit with the same fingerprint, the log up to there is the same (Spec/reader.md, 10.5).
struct CopyLender {
    private let locked: LockedVault
    private let cores: [Core]
    /// Bytes of it that are damaged, or of which nothing says that they are not.
    private let damaged: [Range<UInt64>]
    private let environment: StoreEnvironment

    /// - Throws: `FormatError` of a file that is no vault; `IOError`.
    init(_ path: BytePath, _ environment: StoreEnvironment) throws {
        self.environment = environment
        locked = try LockedVault(path, in: environment)
        let check = try locked.verify()
        cores = check.cores
        damaged = (check.findings.compactMap(\.range) + check.unchecked).merged()
    }

    /// Lends what a check of the damaged file found to be wrong; all of the log, where no page of it can be read.
    ///
    /// - Returns: the bytes that were lent.
    func lend(to file: any File, _ verification: Verification?) throws -> UInt64 {
        guard let verification, let newest = verification.newest else { return try lendAll(to: file) }
        guard newest.vaultID == locked.header.vaultID else {
            throw FormatError(.invalid, "\(locked.file.path): a copy of another vault")
        }
        let mine = Set(cores.map(\.fingerprint.bytes))
        // All up to the end of the newest commit that both have.
        var shared = verification.cores.first { mine.contains($0.fingerprint.bytes) }?.end
        if shared == nil, let oldest = verification.cores.last, mine.contains(oldest.previous.bytes) {
            shared = oldest.start
        }
        guard let shared else { return 0 }
        let wanted = (verification.findings.filter { !$0.isOfParity }.compactMap(\.range) + verification.unchecked)
            .map { $0.clamped(to: Layout.logStart..<shared) }.filter { !$0.isEmpty }
        return try wanted.merged().reduce(0) { count, range in
            let start = range.lowerBound / Layout.alignment * Layout.alignment
            return try count + lend(start..<min(Layout.align(range.upperBound, to: Layout.alignment), shared), to: file)
        }
    }

    /// The pages, and the log between them. Only where the file has lost all of its pages and is this vault, as commits of the
    /// copy in their places show, and no save that follows the copy's stands in it.
    private func lendAll(to file: any File) throws -> UInt64 {
        let page = locked.root.page
        // A page of a newer format is not lost.
        let isLost = try [Layout.pageAOffset, Layout.pageBOffset].allSatisfy { offset in
            var foreign: FormatError?
            return try Page.sound(file, offset, foreign: &foreign) == nil && foreign == nil
        }
        let isThis = try cores.contains {
            try file.bytes(at: $0.recordOffset, count: Core.byteCount) == $0.bytes
        }
        guard isLost, try Page.atEnd(of: file) == nil, isThis, try !goesOn(file) else { return 0 }
        for offset in [Layout.pageAOffset, Layout.pageBOffset] { try file.writeAll(page.bytes.span, at: offset) }
        let count = try lend(Layout.logStart..<page.header.logEnd, to: file)
        try file.writeEndPage(page)
        return count + 3 * UInt64(Layout.pageByteCount)
    }

    /// True if a file has a commit that follows the copy's newest.
    private func goesOn(_ file: any File) throws -> Bool {
        guard let newest = cores.first else { return false }
        let size = try file.status().size
        for start in stride(from: newest.end, to: max(newest.end, size), by: Int(Layout.alignment)) {
            try environment.checkCancellation()
            let bytes = try file.bytes(at: start, count: Core.byteCount)
            if let core = try? Core(parsing: bytes), core.recordOffset == start, core.vaultID == newest.vaultID,
                core.sequence > newest.sequence
            {
                return true
            }
        }
        return false
    }

    /// Copies what is sound of a range.
    private func lend(_ range: Range<UInt64>, to file: any File) throws -> UInt64 {
        var count: UInt64 = 0
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(Layout.alignment)) {
            try environment.checkCancellation()
            let piece = start..<min(start + Layout.alignment, range.upperBound)
            let next = damaged.firstIndex(from: 0) { $0.upperBound > piece.lowerBound }
            if next < damaged.count, damaged[next].overlaps(piece) { continue }
            let bytes = try locked.file.bytes(at: piece.lowerBound, count: piece.count)
            guard bytes.count == piece.count, try file.bytes(at: piece.lowerBound, count: piece.count) != bytes else {
                continue
            }
            try file.writeAll(bytes.span, at: piece.lowerBound)
            count += UInt64(bytes.count)
        }
        return count
    }
}
