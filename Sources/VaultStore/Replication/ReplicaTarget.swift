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
            _ = try environment.files.openFolder(path.parent)
            (self.path, old) = (path, nil)
            return
        }
        self.path = try environment.files.resolve(path)
        let file = try VaultLock.open(self.path, environment, timeout: timeout)
        old = (file, try Self.root(of: file, environment))
    }

    /// The state that counts.
    ///
    /// - Throws: `FormatError.damaged` where a newer save may be lost, or the newest is not whole.
    private static func root(of file: any File, _ environment: StoreEnvironment) throws -> Root {
        let found = try Root(file, environment, isLocked: true)
        // A save that nobody acknowledged and no reader shows gives way.
        let root = found.arePagesOld ? found : found.withoutEndPage() ?? found
        if root.mayLackSave { throw FormatError(.damaged, Root.lackingSave) }
        let record = try root.page.record()
        let first = record.core.start..<record.core.start + 1
        guard try record.isWhole(in: file, environment, inPayload: first) else {
            throw FormatError(.damaged, "the newest save", at: record.core.start)
        }
        return root
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
    /// - Parameters:
    ///   - keepingOld: a file that is replaced as a whole stays under another name beside it.
    ///   - admit: judges what came before a page names it: the vault as it will be, and its new commits; throws to refuse it.
    /// - Throws: what `admit` throws; `FormatError.damaged` where what came is not whole; `IOError`. Until then the file is
    ///   as before. `VaultError.outcomeUnknown`.
    package func receive(
        _ update: ReplicaUpdate, keepingOld: Bool = false, admit: (Arrival) throws -> Void = { _ in }
    ) throws {
        if update.page.header.isCopy || old?.root.header.isCopy == true { throw ReplicaRefusal.isBackup }
        if let header = old?.root.header {
            guard header.vaultID == update.page.header.vaultID else { throw ReplicaRefusal.otherVault }
            guard header.sequence <= update.sequence else { throw ReplicaRefusal.forked(header.sequence) }
        }
        guard let old, !update.isWhole else { return try replace(with: update, keepingOld: keepingOld, admit) }
        try extend(old.file, by: update, admit)
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
        public func authenticate(with vault: Vault) throws { try authenticate(vault.keys) }

        /// The same with an audit key, which cannot read.
        ///
        /// - Throws: `FormatError` `.tampered`, `.wrongKey`.
        public func authenticate(with key: AuditKey) throws {
            try key.check(page.header)
            try authenticate(key.keys)
        }

        private func authenticate(_ keys: any Authenticator) throws {
            try page.authenticate(keys)
            for core in cores { try core.authenticate(keys) }
        }
    }

    // MARK: Commits added to what is there

    /// What comes is kept apart until all of it is there and is admitted: nothing that somebody made up stands behind the log
    /// where a page would be looked for.
    private func extend(_ file: any File, by update: ReplicaUpdate, _ admit: (Arrival) throws -> Void) throws {
        let root = try mended(file)
        let end = root.header.logEnd
        guard update.range.lowerBound == end else {
            throw FormatError(.damaged, "what came does not go on from what is here", at: end)
        }
        let arrived = try OverlayFile(
            over: file, changes: environment.files.openFolder(path.parent).makeFile(replacing: true))
        try write(update, to: arrived)
        let cores = try newCommits(update, in: arrived, after: root.page.record().core)
        try admit(Arrival(page: update.page, cores: cores, whole: nil))
        let guarded = GuardedFile(file, root)
        var isNamed = false
        do {
            for start in stride(from: end, to: update.range.upperBound, by: 1 << 20) {
                try environment.checkCancellation()
                let piece = try arrived.bytes(at: start, count: Int(min(1 << 20, update.range.upperBound - start)))
                try guarded.writeAll(piece.span, at: start)
            }
            // Page T may name several commits at once: none of them is to be missing once it is there.
            do { try file.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
            isNamed = true
            try guarded.writeEndPage(update.page)
            do { try file.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
            guard try root.isUnchanged(in: file), try hasName(file) else { throw VaultError.changedUnderneath }
        } catch {
            // Until a page names what came, page T of the state that counts may stand in its place again. Afterwards it must
            // not: the commits are durable, the new page T may be, and would name what the old one has overwritten.
            if !isNamed, (try? root.isUnchanged(in: file)) == true { try? file.writeEndPage(root.page) }
            throw error
        }
        do {
            try file.writeDurably(update.page.bytes, at: root.olderPage.offset)
            try file.writeDurably(update.page.bytes, at: root.olderPage == .a ? Layout.pageBOffset : Layout.pageAOffset)
            guard try hasName(file) else { throw VaultError.changedUnderneath }
        } catch let error as IOError {
            throw VaultError.outcomeUnknown(error)
        }
    }

    /// Makes sure of the state that counts before page T, which may be the last that tells of it, is overwritten.
    private func mended(_ file: any File) throws -> Root {
        let root = try Self.root(of: file, environment)
        guard !root.unsound.isEmpty else { return root }
        for place in root.unsound { try file.writeDurably(root.page.bytes, at: place.offset) }
        return try Self.root(of: file, environment)
    }

    /// True if the path leads to the file that was locked.
    private func hasName(_ file: any File) throws -> Bool {
        try file.status().isOfSameFile(as: environment.files.status(path))
    }

    /// Writes the stretch behind the log, or into a new file.
    private func write(_ update: ReplicaUpdate, to file: any File) throws {
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

    private func replace(
        with update: ReplicaUpdate, keepingOld: Bool, _ admit: (Arrival) throws -> Void
    ) throws {
        TemporaryFiles.removeStale(in: path.parent, environment.files, besides: try old?.file.status())
        let new = try AtomicFile(path, environment.files, replacing: old != nil)
        // Nobody saves into it before its name is durable. Without locks nobody can save at all.
        _ = try? new.file.lock()
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
        let folder = try environment.files.openFolder(path.parent)
        var aside: BytePath?
        if let old {
            guard try old.root.isUnchanged(in: old.file), try hasName(old.file) else {
                throw VaultError.changedUnderneath
            }
            aside = try keepingOld ? Restoration.keepAside(old.file, path, in: folder, environment) : nil
        }
        do { try new.publish() } catch {
            // The old file is to have one name again.
            if let aside { try? folder.removeFile(aside.lastComponent) }
            throw error
        }
        do { try folder.sync() } catch let error as IOError { throw VaultError.outcomeUnknown(error) }
        // No secret of before opens what remains of the old file on the disk.
        if let old, try old.file.status().linkCount == 0 { try? old.file.overwritePages(environment) }
    }
}
