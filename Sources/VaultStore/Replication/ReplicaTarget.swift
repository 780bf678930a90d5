public import VaultIO
public import VaultFormat

/// The side of a push or pull that receives: the file that grows, locked from its opening on. It needs no key. Broken off
/// anywhere, it leaves the state before, or the new one (Spec/replication.md, 3).
public final class ReplicaTarget {
    private let path: BytePath
    private let environment: StoreEnvironment
    private let old: (file: any File, root: Root)?

    /// Opens and locks the file; where none is, a new one will be made.
    ///
    /// - Throws: `VaultError.busy`; `FormatError` of a file that is no sound vault; `IOError`.
    public init(_ path: BytePath, in environment: StoreEnvironment, timeout: Duration = .seconds(10)) throws {
        self.environment = environment
        guard try environment.files.exists(path) else {
            (self.path, old) = (path, nil)
            return
        }
        self.path = try environment.files.resolve(path)
        let file = try VaultLock.open(self.path, environment, timeout: timeout)
        let found = try Root(file, environment, isLocked: true)
        // A save that nobody acknowledged and no reader shows gives way.
        let root = found.arePagesOld ? found : found.withoutEndPage() ?? found
        if root.mayLackSave { throw FormatError(.damaged, Root.lackingSave) }
        old = (file, root)
    }

    /// The newest commit that it has; nil where there is no file.
    public var newest: Core? { get throws { try old?.root.page.record().core } }

    /// What it has, for a source with this page.
    package func state(for source: Page) throws -> ReplicaState {
        guard let (file, root) = old else { return ReplicaState(page: nil, knowsSource: false, isMended: false) }
        let (core, newest) = (try source.record().core, try root.page.record().core)
        let isNext = core.end <= newest.end && core.vaultID == newest.vaultID
        let isEndSound = try root.hasEndPage && file.status().size == newest.end + UInt64(Layout.pageByteCount)
        return ReplicaState(
            page: root.page, knowsSource: try isNext && knows(core, file, root),
            isMended: root.place != .t && isEndSound && root.hasExpectedOlderPage(newest)
                && root.other?.slots == root.slots)
    }

    private func knows(_ core: Core, _ file: any File, _ root: Root) throws -> Bool {
        var log = try CommitLog(file, newest: root.page.record())
        while let item = try log.pop(), item.core.sequence >= core.sequence {
            if item.core == core { return true }
        }
        return false
    }

    /// Makes it what the other side sends. When this returns, it is durable.
    ///
    /// - Parameter admit: judges what came before a page names it: the vault as it will be, and its new commits; throws to
    ///   refuse it.
    /// - Throws: what `admit` throws; `FormatError.damaged` where what came is not whole; `IOError`. Until then the file is
    ///   as before. `VaultError.outcomeUnknown`.
    package func receive(_ update: ReplicaUpdate, admit: (Arrival) throws -> Void = { _ in }) throws {
        guard let old, !update.isWhole else { return try replace(with: update, admit) }
        try extend(old.file, old.root, by: update, admit)
    }

    /// What came, before it counts.
    public struct Arrival {
        /// The page that will count.
        public let page: Page
        /// The commits that came, the newest first.
        public let cores: [Core]
        /// The whole vault in its new file; nil where commits were added to the one that is there.
        public let whole: LockedVault?

        /// Checks the tags of what came with the key of a vault of the same master key: the page, and each commit, which
        /// vouches for all its bytes.
        ///
        /// - Throws: `FormatError.tampered`.
        public func authenticate(with vault: Vault) throws {
            try page.authenticate(vault.keys)
            for core in cores { try core.authenticate(vault.keys) }
        }
    }

    // MARK: Commits added to what is there

    private func extend(
        _ file: any File, _ root: Root, by update: ReplicaUpdate, _ admit: (Arrival) throws -> Void
    ) throws {
        let guarded = GuardedFile(file, root)
        let end = root.header.logEnd
        guard update.range.lowerBound == end, update.page.header.isCopy == root.header.isCopy else {
            throw FormatError(.damaged, "what came does not go on from what is here", at: end)
        }
        var isDurable = false
        do {
            try write(update, to: guarded)
            let cores = try newCommits(update, in: file, after: root.page.record().core)
            try admit(Arrival(page: update.page, cores: cores, whole: nil))
            // Page T may name several commits at once: none of them is to be missing once it is there.
            do { try file.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
            try guarded.writeEndPage(update.page)
            do { try file.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
            guard try root.isUnchanged(in: file) else { throw VaultError.changedUnderneath }
            isDurable = true
        } catch {
            // What came belongs to no save yet; page T of the state that counts stands in its place again.
            if !isDurable, (try? root.isUnchanged(in: file)) == true { try? file.writeEndPage(root.page) }
            throw error
        }
        do {
            try file.writeDurably(update.page.bytes, at: root.olderPage.offset)
            try file.writeDurably(update.page.bytes, at: root.olderPage == .a ? Layout.pageBOffset : Layout.pageAOffset)
        } catch let error as IOError {
            throw VaultError.outcomeUnknown(error)
        }
    }

    /// Writes the stretch behind the log, or into a new file.
    private func write(_ update: ReplicaUpdate, to file: any File) throws {
        file.allocate(update.range.lowerBound..<update.range.upperBound + UInt64(Layout.pageByteCount))
        var next = update.range.lowerBound
        while true {
            try environment.checkCancellation()
            let piece = try update.next()
            guard !piece.isEmpty else { break }
            guard UInt64(piece.count) <= update.range.upperBound - next else { throw Self.torn }
            try file.writeAll(piece.span, at: next)
            next += UInt64(piece.count)
        }
        guard next == update.range.upperBound else { throw Self.torn }
    }

    private static let torn = FormatError(.damaged, "what came is not as long as it was said to be")

    /// The commits that came, each checked as it reads back, and in a chain behind the one that was the newest.
    private func newCommits(_ update: ReplicaUpdate, in file: any File, after last: Core) throws -> [Core] {
        let record = try update.page.record()
        guard record.core.end == update.range.upperBound else { throw Self.torn }
        if record.core == last { return [] }
        var log = try CommitLog(file, newest: record)
        var cores: [Core] = []
        while let item = try log.pop(), item.core != last {
            guard item.core.start >= last.end, item.findings.isEmpty else { break }
            var check = CommitCheck(file: file, checkCancellation: environment.checkCancellation)
            check.stopsAtFirst = true
            if let finding = try check.findings(item.core).first {
                throw FormatError(.damaged, finding.what, at: finding.range?.lowerBound)
            }
            cores.append(item.core)
        }
        guard let first = cores.last, last.precedes(first) else {
            throw FormatError(.damaged, "what came does not go on from what is here", at: last.end)
        }
        return cores
    }

    // MARK: A whole vault

    private func replace(with update: ReplicaUpdate, _ admit: (Arrival) throws -> Void) throws {
        if let header = old?.root.header {
            guard header.vaultID == update.page.header.vaultID else { throw ReplicaRefusal.otherVault }
            guard header.sequence < update.sequence else { throw ReplicaRefusal.ahead(header.sequence) }
            if header.isCopy { throw ReplicaRefusal.isBackup }
        }
        TemporaryFiles.removeStale(in: path.parent, environment.files, besides: try old?.file.status())
        let new = try AtomicFile(path, environment.files, replacing: old != nil)
        if let old { try new.file.takeAccess(of: old.file) }
        try write(update, to: new.file)
        for offset in [Layout.pageAOffset, Layout.pageBOffset] {
            try new.file.writeAll(update.page.bytes.span, at: offset)
        }
        try new.file.writeEndPage(update.page)
        try new.file.sync()
        let locked = try LockedVault(new.file, environment)
        let check = try locked.verify()
        if let finding = check.findings.first {
            throw FormatError(.damaged, finding.what, at: finding.range?.lowerBound)
        }
        try admit(Arrival(page: update.page, cores: check.cores, whole: locked))
        if let old, try !old.root.isUnchanged(in: old.file) { throw VaultError.changedUnderneath }
        do { try new.publishDurably() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
        // No secret of before opens what remains of the old file on the disk.
        if let old, try old.file.status().linkCount == 0 { try? old.file.overwritePages(environment) }
    }
}
