public import VaultIO
public import Values
import VaultFormat

/// A repair of a damaged file: by its parity, by what stands in it twice, and by other copies. It needs no key
/// (Spec/reader.md, 10).
public struct Repair {
    /// Bytes that were damaged and are whole in the new file, of the vault and of its parity, by blocks.
    public private(set) var repairedByteCount: UInt64 = 0
    /// Bytes of the vault in damaged blocks that nothing could make again.
    public private(set) var lost: [Range<UInt64>] = []
    /// The check without a key of the repaired file; nil where no page of it can be read.
    public private(set) var verification: Verification?
    /// The part of the parity that is left where it was needed most, 0 … 1; nil where there is none.
    public private(set) var margin: Double?

    /// True if the repaired file is sound.
    public var isWhole: Bool { lost.isEmpty && verification.map { $0.worst == nil } == true }

    /// False where nothing could be repaired, so that no file was written or changed.
    public private(set) var isWritten = true

    private let environment: StoreEnvironment
    private let done: ProgressCounter
    /// Why the file is not this program's to repair; nil where it is.
    private var foreign: FormatError?
    /// False for a repair by parity alone.
    private let mends: Bool
    private var isInPlace = false
    /// True if blocks were put back from other places.
    private(set) var isRealigned = false

    /// Writes a repaired copy of a file. The file itself stays as it is.
    ///
    /// - Parameters:
    ///   - copies: other copies of the same vault, of this state or another.
    ///   - mends: false for a repair by parity alone.
    ///   - progress: told the bytes read so far, by one thread at a time.
    /// - Throws: `VaultError.exists`; `FormatError.invalid` where nothing is there to repair it from; `IOError`.
    public init(
        _ path: BytePath, to target: BytePath, from copies: [BytePath] = [], mends: Bool = true,
        in environment: StoreEnvironment, progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        self.init(environment, mends: mends, progress)
        let file = try environment.files.openFile(path, writing: false)
        let new = try AtomicFile(vault: target, environment)
        try copyReadable(of: file, to: new.file)
        try run(on: new.file, of: file, from: copies)
        // A file as damaged as before is in the way of a better repair.
        isWritten = !mends || isWhole || repairedByteCount > 0
        guard isWritten else { return }
        try new.file.sync()
        try new.publishDurably()
    }

    /// Tries whether a file can be repaired, without a change to it.
    ///
    /// - Parameter scratch: a folder for what the repair would change; nothing is left in it.
    /// - Throws: as the repair.
    public init(
        trying file: any File, scratch: BytePath, from copies: [BytePath] = [], in environment: StoreEnvironment,
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        self.init(environment, mends: true, progress)
        let changes = try environment.files.openFolder(scratch).makeFile(replacing: false)
        try run(on: OverlayFile(over: file, changes: changes), of: file, from: copies)
    }

    /// Repairs a file where it stands. Everything is worked out and checked first, and made durable in a journal beside the
    /// file, from which an interrupted repair goes on.
    ///
    /// Nothing is changed, and `isWritten` is false, if the file would not become whole.
    ///
    /// - Throws: as the repair; `VaultError.busy`.
    public init(
        inPlace path: BytePath, from copies: [BytePath] = [], in environment: StoreEnvironment,
        timeout: Duration = .seconds(10), progress: @escaping (UInt64) -> Void = { _ in }
    ) throws {
        self.init(environment, mends: true, progress)
        isInPlace = true
        let path = try environment.files.resolve(path)
        let file = try VaultLock.open(path, environment, timeout: timeout)
        let folder = try environment.files.openFolder(path.parent)
        let journal = RepairJournal(of: path, in: folder)
        try journal.finishInterrupted(file, environment)
        let overlay = try OverlayFile(over: file, changes: folder.makeFile(replacing: false))
        try run(on: overlay, of: file, from: copies)
        isWritten = isWhole
        let isShorter = try overlay.status().size != file.status().size
        guard isWhole, isShorter || !overlay.written.isEmpty else { return }
        try journal.apply(overlay, to: file, at: verification?.newest)
    }

    init(_ environment: StoreEnvironment, mends: Bool, _ progress: @escaping (UInt64) -> Void) {
        (self.environment, self.mends, done) = (environment, mends, ProgressCounter(progress))
    }

    // MARK: The steps

    /// - Parameter original: the damaged file; `file` is what is made of it.
    mutating func run(on file: any File, of original: any File, from copies: [BytePath]) throws {
        // A copy that is not there is told, whether it is needed or not.
        for path in copies { _ = try environment.files.status(path) }
        // `file` has zeros where the damaged file cannot be read.
        let header = try header(of: file)
        var isAny = try repairByParity(file)
        isAny = try mayMend && mend(file, from: copies) || isAny
        if mayMend { isAny = try realign(file, of: original, header, from: copies) || isAny }
        guard isAny else {
            if verification?.worst == nil, verification != nil {
                throw FormatError(.invalid, "no damage: there is nothing to repair")
            }
            // A file that is no vault, or of another version, is not to be repaired.
            if let foreign { throw foreign }
            throw FormatError(.invalid, "it has no parity from which it could be repaired")
        }
        if verification?.worst == nil, verification != nil { lost = [] }
    }

    /// The header of the page that counts; nil where none can be read.
    private func header(of file: any File) throws -> Header? {
        do { return try LockedVault(file, environment).header } catch is FormatError { return nil }
    }

    /// Puts displaced blocks back, and repairs the rest.
    ///
    /// - Parameter header: that of the damaged file.
    /// - Returns: true if there were any.
    private mutating func realign(
        _ file: any File, of original: any File, _ header: Header?, from copies: [BytePath]
    ) throws -> Bool {
        // A repair in place must not make another vault of a file whose pages are lost.
        if header == nil, isInPlace { return false }
        guard let realignment = try Realignment(original, header, environment) else { return false }
        let moved = try realignment.run(on: file, doubtful: verification?.doubtful, progress: done)
        guard moved > 0 else { return false }
        isRealigned = true
        repairedByteCount += moved
        (lost, margin) = ([], nil)
        _ = try repairByParity(file)
        _ = try mayMend && mend(file, from: copies)
        guard try header == nil || header?.vaultID == self.header(of: file)?.vaultID else {
            throw FormatError(.invalid, "the parity behind it is of another vault")
        }
        return true
    }

    /// True if the file is damaged or cannot be checked, its format is known, and other sources than parity may be used.
    private var mayMend: Bool {
        mends && foreign?.code != .unsupported && (verification?.worst != nil || verification == nil)
    }

    /// Repairs by other copies and by what stands twice.
    ///
    /// - Returns: true if there was something to repair from.
    private mutating func mend(_ file: any File, from copies: [BytePath]) throws -> Bool {
        var lent: UInt64 = 0
        for path in copies {
            lent += try CopyLender(path, environment).lend(to: file, verification)
            verification = try check(file).result
        }
        let mended = try verification == nil ? 0 : Mending(file, environment).run()
        repairedByteCount += lent + mended
        if lent + mended > 0 {
            // With those the parity may reach farther, and its own blocks can be made again.
            lost = []
            _ = try repairByParity(file)
        }
        verification = try check(file).result
        return lent + mended > 0 || !copies.isEmpty && verification != nil
    }

    /// - Returns: false where there is no parity.
    private mutating func repairByParity(_ file: any File) throws -> Bool {
        var isAny = false
        let (header, before) = try check(file)
        if let tail = try tail(header, in: file) {
            isAny = true
            try repair(tail, doubtful: before?.doubtful, in: file)
            try file.truncate(to: tail.range.upperBound)
        }
        verification = isAny ? try check(file).result : before
        // Parity of a payload area is looked for in the whole file: not where the tail has made all of it whole.
        if !isAny || verification == nil || verification?.worst != nil {
            let parities = try payloads(in: file)
            for parity in parities { try repair(parity, doubtful: verification?.doubtful, in: file) }
            if !parities.isEmpty { verification = try check(file).result }
            isAny = isAny || !parities.isEmpty
        }
        lost = lost.merged()
        return isAny
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
            let bytes = try file.readableBytes(at: start, count: Int(count))
            if !bytes.span.isZero { try new.writeAll(bytes.span, at: start) }
            done.add(count)
        }
        try new.truncate(to: size)
    }

    /// The header of the page that counts, and the check without a key; nil where no page can be read.
    private mutating func check(_ file: any File) throws -> (header: Header?, result: Verification?) {
        do {
            foreign = nil
            let locked = try LockedVault(file, environment)
            return (locked.header, try locked.verify())
        } catch let error as FormatError {
            if error.code != .damaged { foreign = error }
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
            known[parity.layout.range]?.holds(parity) ?? false
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
        margin = min(margin ?? 1, Double(outcome.margin) / Double(parity.layout.parityCount))
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
