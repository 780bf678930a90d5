import VaultIO
public import VaultFormat

/// The side of a push or pull that sends. It needs no key, unless its log was written anew since the other side had it.
public struct ReplicaSource {
    private let file: any File
    private let environment: StoreEnvironment
    /// The page that is sent.
    package let page: Page
    private let newest: Core

    /// - Throws: `VaultError.readOnly` of a backup; `FormatError.damaged` where a newer save may be lost, or the newest is not whole.
    public init(_ locked: LockedVault) throws {
        if locked.header.isCopy { throw VaultError.readOnly(.copy) }
        if let warning = locked.warnings.first { throw FormatError(.damaged, warning) }
        let record = try locked.record()
        (file, environment, page, newest) = (locked.file, locked.environment, locked.root.page, record.core)
        guard try record.isWhole(in: file, environment) else {
            throw FormatError(.damaged, "the newest save", at: newest.start)
        }
    }

    /// Rules for what may be sent.
    public struct Judging {
        /// True if a file may be made where none is.
        let mayCreate: Bool
        /// Tells, with the key, whether this vault follows a commit that its log does not have; nil leaves that to the other
        /// side.
        let follows: ((Core) throws -> Bool)?

        /// - Parameters:
        ///   - mayCreate: true if a file may be made where none is.
        ///   - follows: tells, with the key, whether this vault follows a commit that its log does not have; nil leaves that
        ///     to the other side.
        public init(mayCreate: Bool, follows: ((Core) throws -> Bool)?) {
            (self.mayCreate, self.follows) = (mayCreate, follows)
        }
    }

    /// The stretch that the other side lacks; nil if it has all.
    ///
    /// - Parameter state: what the other side has.
    /// - Throws: `ReplicaRefusal`; what `Judging.follows` throws; `IOError`.
    package func update(for state: ReplicaState, _ judging: Judging) throws -> ReplicaUpdate? {
        guard let theirs = state.page else {
            guard judging.mayCreate else { throw ReplicaRefusal.missing }
            return update(from: Layout.logStart)
        }
        if theirs.header.isCopy { throw ReplicaRefusal.isBackup }
        guard theirs.header.vaultID == page.header.vaultID else { throw ReplicaRefusal.otherVault }
        if theirs == page { return state.isMended ? nil : update(from: newest.end) }
        let core = try theirs.record().core
        guard core.sequence < newest.sequence else {
            throw state.knowsSource ? ReplicaRefusal.ahead(core.sequence) : .forked(core.sequence)
        }
        var log = try CommitLog(file, newest: page.record())
        var oldest = newest
        while let item = try log.pop(), item.core.sequence >= core.sequence {
            if item.core == core { return update(from: core.end) }
            oldest = item.core
        }
        // What was written anew names the save that it was made of.
        if oldest.start == Layout.logStart, oldest.previous == core.fingerprint { return update(from: Layout.logStart) }
        guard let follows = judging.follows else { return update(from: Layout.logStart) }
        guard try follows(core) else { throw ReplicaRefusal.forked(core.sequence) }
        return update(from: Layout.logStart)
    }

    /// Brings a file of this machine to the state of this vault.
    ///
    /// - Parameters:
    ///   - isDry: only what would be done is told.
    ///   - admit: as for `ReplicaTarget.receive`.
    /// - Returns: what was brought; nil if the target has all.
    /// - Throws: as `update` and `ReplicaTarget.receive`.
    public func update(
        _ target: ReplicaTarget, isDry: Bool = false, judging: Judging,
        progress: @escaping (UInt64) -> Void = { _ in }, admit: (ReplicaTarget.Arrival) throws -> Void = { _ in }
    ) throws -> ReplicaUpdate? {
        guard let update = try update(for: target.state(for: page), judging) else { return nil }
        if !isDry { try target.receive(update.telling(progress), admit: admit) }
        return update
    }

    private func update(from start: UInt64) -> ReplicaUpdate {
        var next = start
        return ReplicaUpdate(page: page, range: start..<newest.end) { [file, environment, newest] in
            try environment.checkCancellation()
            let count = Int(min(1 << 20, newest.end - next))
            let piece = try file.bytes(at: next, count: count)
            guard piece.count == count else { throw FormatError(.damaged, "the file ends too early", at: next) }
            next += UInt64(count)
            return piece
        }
    }
}

extension Vault {
    /// True if this vault follows a save, also where its log was written anew since, or a merge brought the save.
    package func follows(_ core: Core) throws -> Bool {
        try core.vaultID == id && (core == record.core || descends(from: core.sequence, core.fingerprint))
    }

    /// The same for a save of this vault's that is known by its sequence and fingerprint.
    func descends(from sequence: UInt64, _ fingerprint: Bytes32) throws -> Bool {
        try line(of: sequence)?.fingerprint == fingerprint.prefix16 || hasMerged(fingerprint)
    }

    /// True if a merge brought a save into it, with all that it changed. A list of merged saves that cannot be read proves
    /// nothing.
    private func hasMerged(_ fingerprint: Bytes32) throws -> Bool {
        guard let merged = try? MergedSaves.read(self) else { return false }
        return merged.holes.isEmpty && merged.saves.contains(fingerprint.prefix16)
    }
}
