public import VaultIO
public import Values
import VaultFormat

/// A repair of a damaged file by its parity. It needs no key (Spec/reader.md, 10).
public struct Repair {
    /// Bytes that were damaged and are whole in the new file, of the vault and of its parity, by blocks.
    public private(set) var repairedByteCount: UInt64 = 0
    /// Bytes of the vault in damaged blocks that the parity could not make again.
    public private(set) var lost: [Range<UInt64>] = []
    /// The check without a key of the new file; nil where no page of it can be read.
    public private(set) var verification: Verification?

    private let environment: StoreEnvironment
    private let done: ProgressCounter

    /// Writes a repaired copy of a file. The file itself stays as it is.
    ///
    /// - Parameter progress: told the bytes read so far, by one thread at a time.
    /// - Throws: `VaultError.exists`; `FormatError.invalid` where the file has no parity; `IOError`.
    public init(
        _ path: BytePath, to target: BytePath, in environment: StoreEnvironment,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        (self.environment, done) = (environment, ProgressCounter(progress))
        let file = try environment.files.openFile(path, writing: false)
        let new = try AtomicFile(vault: target, environment)
        try copyReadable(of: file, to: new.file)
        var isAny = false
        let (header, before) = try check(new.file)
        if let tail = try tail(header, in: new.file) {
            isAny = true
            try repair(tail, doubtful: before?.doubtful, in: new.file)
            try new.file.truncate(to: tail.range.upperBound)
        }
        verification = isAny ? try check(new.file).result : before
        for parity in try payloads(in: new.file) {
            isAny = true
            try repair(parity, doubtful: verification?.doubtful, in: new.file)
        }
        guard isAny else { throw FormatError(.invalid, "it has no parity from which it could be repaired") }
        lost = lost.merged()
        try new.file.sync()
        verification = try check(new.file).result
        try new.publishDurably()
    }

    /// Copies a file. What cannot be read is zero; what is zero is not written.
    private func copyReadable(of file: any File, to new: any File) throws {
        let size = try file.status().size
        let step: UInt64 = 1 << 20
        var next: UInt64 = 0
        while next < size {
            try environment.checkCancellation()
            let start = max(next, file.nextData(from: next))
            guard start < size else { break }
            let count = min(step, size - start)
            next = start + count
            if try !copy(start, count, of: file, to: new) {
                for part in stride(from: start, to: start + count, by: Int(Layout.alignment)) {
                    _ = try copy(part, min(Layout.alignment, start + count - part), of: file, to: new)
                }
            }
            done.add(count)
        }
        try new.truncate(to: size)
    }

    /// Copies a stretch; false if it cannot be read.
    private func copy(_ start: UInt64, _ count: UInt64, of file: any File, to new: any File) throws -> Bool {
        let bytes: [UInt8]
        do { bytes = try file.bytes(at: start, count: Int(count)) } catch is IOError { return false }
        if !bytes.span.isZero { try new.writeAll(bytes.span, at: start) }
        return true
    }

    /// The header of the page that counts, and the check without a key; nil where no page can be read.
    private func check(_ file: any File) throws -> (header: Header?, result: Verification?) {
        do {
            let locked = try LockedVault(file, environment)
            return (locked.header, try locked.verify())
        } catch is FormatError {
            return (nil, nil)
        }
    }

    /// The tail of the file: where its pages say; without a page, that of which most blocks are there.
    private func tail(_ header: Header?, in file: any File) throws -> Parity? {
        if let header { return try header.tail(in: file, environment) }
        let size = try file.status().size
        return try ParitySearch.all(in: file, environment) { $0.isTail && $0.isPlausible(in: size) }.first
    }

    /// The parity of the payload areas of the commits that are found, one for each.
    private func payloads(in file: any File) throws -> [Parity] {
        let cores: [Core]
        do { cores = try LockedVault(file, environment).commits() } catch is FormatError { return [] }
        let known = Dictionary(cores.map { ($0.start..<$0.recordOffset, $0) }, uniquingKeysWith: { first, _ in first })
        let all = try ParitySearch.all(in: file, environment) { parity in
            guard parity.layout.kind == .payload, let core = known[parity.layout.range] else { return false }
            return core.headCopyOffset <= parity.place && parity.range.upperBound <= core.end
        }
        var seen: Set<Range<UInt64>> = []
        return all.filter { seen.insert($0.layout.range).inserted }
    }

    private mutating func repair(_ parity: Parity, doubtful: [Range<UInt64>]?, in file: any File) throws {
        let outcome = try ParityRepair(parity: parity, doubtful: doubtful, file: file, environment: environment)
            .run(progress: done)
        repairedByteCount += outcome.data * UInt64(ParityLayout.dataByteCount)
        repairedByteCount += outcome.parity * UInt64(ParityLayout.blockByteCount)
        lost += outcome.lost
    }
}

extension Verification {
    /// The bytes of the vault that are wrong, or of which nothing says that they are right; nil where that is not known.
    fileprivate var doubtful: [Range<UInt64>]? {
        let found = findings.filter { !$0.isOfParity }
        // A newer page may be lost, or what the newest one says is none.
        guard newest != nil, !found.contains(where: { $0.range == nil }) else { return nil }
        return (found.compactMap(\.range) + unchecked).merged()
    }
}
