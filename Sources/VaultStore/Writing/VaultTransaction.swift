public import VaultIO
public import VaultCrypto
public import VaultFormat

/// One save: changes that become durable together, or not at all (Spec/store.md, 2).
///
/// Dropped without `commit`, it leaves the vault as it was.
public final class VaultTransaction {
    var environment: StoreEnvironment

    /// The time by the clock that saves have.
    package var now: Timestamp { environment.now() }

    let file: any File
    /// The same file, for what is written before the pages.
    private let guarded: GuardedFile
    /// The vault's path without symbolic links.
    package let path: BytePath
    /// The path that was asked for.
    package let givenPath: BytePath
    private let root: Root
    let vault: Vault
    let writer: CommitWriter
    /// The key slots that will be in force with this save.
    public private(set) var slots: SlotArea
    var isFinished = false
    private let isDry: Bool
    /// The repairs made before this save, in words.
    public let repairs: [Phrase]
    /// Further names (hard links) under which the old file stays, after the vault was written anew.
    public internal(set) var remainingLinkCount: UInt64 = 0

    /// Opens the vault, takes the writer's lock and mends what an interrupted writer left.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for another writer.
    ///   - scratch: a folder for all that is written, so that the vault does not change: a dry run, which nothing commits and which
    ///     needs no lock. Nothing is left in the folder. Nil for a save.
    ///   - admit: sees the vault before anything is repaired; what it throws is thrown.
    ///   - unlock: gets the master key for the pages it is shown; called before the lock is taken, and once more if
    ///     the key slots have changed by then.
    /// - Throws: `VaultError` `.busy`, `.readOnly`; all that opening throws.
    public convenience init(
        _ path: BytePath, in environment: StoreEnvironment, timeout: Duration = .seconds(10), scratch: BytePath? = nil,
        admit: (Vault) throws -> Void = { _ in },
        unlock: (LockedVault) throws -> Secret
    ) throws {
        try self.init(path, in: environment, timeout: timeout, scratch: scratch, admit: admit) {
            try Keys(master: unlock($0), vaultID: $0.header.vaultID, epoch: $0.header.epoch)
        }
    }

    /// The same, with a function that gives the vault's keys.
    package init(
        _ path: BytePath, in environment: StoreEnvironment, timeout: Duration, scratch: BytePath? = nil,
        admit: (Vault) throws -> Void,
        keys makeKeys: (LockedVault) throws -> Keys
    ) throws {
        givenPath = path
        let path = try environment.files.resolve(path)
        let before = try LockedVault(path, in: environment)
        // Nobody should type a password for nothing.
        if let obstacle = before.header.obstacle { throw VaultError.readOnly(obstacle) }
        var keys = try makeKeys(before)
        if let scratch {
            let changes = try environment.files.openFolder(scratch).makeFile(replacing: false)
            file = try OverlayFile(over: environment.files.openFile(path, writing: false), changes: changes)
        } else {
            file = try VaultLock.open(path, environment, timeout: timeout)
            TemporaryFiles.removeStale(in: path.parent, environment.files, besides: try file.status())
        }
        isDry = scratch != nil
        var locked = try LockedVault(file, environment, isLocked: true)
        if locked.slots != before.slots || locked.header.vaultID != before.header.vaultID
            || locked.header.epoch != before.header.epoch
        {
            keys = try makeKeys(locked)
        }
        var vault = try Vault(locked, keys: keys, isLocked: true)
        if let obstacle = vault.obstacle { throw VaultError.readOnly(obstacle) }
        try admit(vault)
        repairs = try Recovery(vault).repair()
        if !isDry { try Self.syncName(of: vault, path, environment) }
        if !repairs.isEmpty {
            locked = try LockedVault(file, environment, isLocked: true)
            vault = try Vault(locked, keys: keys, isLocked: true)
            guard vault.warnings.isEmpty else {
                throw FormatError(.damaged, "the vault does not read back as it was repaired")
            }
        }
        guard vault.sequence < Limits.counter else {
            throw FormatError(.invalid, "the vault has as many commits as the format allows")
        }
        let basis = CommitChanges.Basis(
            vaultID: locked.header.vaultID, epoch: locked.header.epoch, sequence: vault.sequence + 1,
            start: vault.record.core.end, previous: vault)
        guarded = GuardedFile(file, vault.root)
        writer = try CommitWriter(guarded, basis, keys: keys, environment)
        (self.environment, self.path, self.vault, root, slots) = (environment, path, vault, vault.root, vault.keySlots)
    }

    /// Makes the vault's name durable: a restore that was killed may not have done so. A folder that may be searched but
    /// not read cannot be opened; there only the first save after the vault was made fails.
    private static func syncName(of vault: Vault, _ path: BytePath, _ environment: StoreEnvironment) throws {
        let holder: any Folder
        do { holder = try environment.files.openFolder(path.parent) } catch let error as IOError where error.isDenied {
            guard vault.record.core.start > Layout.logStart else { throw error }
            return
        }
        try holder.sync()
    }

    /// The live record with this id as the save will leave it.
    public func entry(_ id: RecordID) throws -> Entry? {
        try writer.changes.entry(id).flatMap { $0.state == .live ? $0 : nil }
    }

    /// The state that the save starts from.
    public var before: Vault { vault }

    /// True if nothing at all changed: no record, and no key slot.
    public var isEmpty: Bool { writer.changes.isEmpty && slots == root.slots }

    /// True if the contents of files are compressed where that saves something.
    package var isCompressing: Bool {
        get { writer.isCompressing }
        set { writer.isCompressing = newValue }
    }

    /// A place to store trees of files in this save.
    public func treeImport(report: @escaping (TreeProblem) -> Void) throws -> TreeImport {
        let status = try file.status()
        return TreeImport(writer, environment, vaultFile: (status.device, status.inode), report: report)
    }

    /// Puts a live record into the trash.
    public func trash(_ entry: Entry) throws { try writer.changes.trash(entry) }

    /// Gives the save a sequence above that of another vault too: it descends from both. Call it before anything is stored.
    /// A sequence that nobody's saves reach counts for nothing.
    func raiseSequence(above other: Vault) {
        guard other.sequence <= Limits.remembered else { return }
        writer.changes.raiseSequence(above: other.sequence)
    }

    /// Says of the present version of a record that it is the one which another save made.
    package func adopt(_ entry: Entry, _ origin: VersionOrigin) throws { try writer.changes.adopt(entry, origin) }

    /// Puts a tombstone where no record is.
    package func bury(_ id: RecordID) throws { try writer.changes.bury(id) }

    /// Makes a version of a record the present one again: out of the trash, or from an older save.
    public func reinstate(_ version: Entry) throws { try writer.changes.reinstate(version) }

    /// Puts a record that is stored already at another id, whose entry it is given as. `leave` comes after it.
    func place(_ moved: Entry) throws { try writer.changes.place(moved) }

    /// Puts the tombstone of a move at the id of a record that this save brings at another path; not where it brings
    /// something else there.
    func leave(_ entry: Entry) throws { try writer.changes.leave(entry) }

    /// Stores a version that was made elsewhere, as it is given.
    ///
    /// - Parameters:
    ///   - twin: a record of the same kind that this save has stored with the same content; then `read` is not called.
    ///   - pieces: the content, where it stands in records of its own; then `read` is not called.
    ///   - read: as for `PayloadWriter.store`.
    func store(
        _ version: Entry, contentOf twin: RecordID?, pieces: PieceList? = nil,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws { try writer.put(version, contentOf: twin, pieces: pieces, read: read) }

    /// A place to store pieces in this save.
    func pieceStore() -> PieceStore { PieceStore(writer) }

    /// Other key slots, in force with this save.
    package func setSlots(_ slots: SlotArea) { self.slots = slots }

    /// Puts a slot into the place `number`, 1 … 8: a new one, or in place of the one there, whose id it keeps.
    ///
    /// - Throws: `FormatError` `.refused` for a cost outside the limits, `.invalid` for too long a label.
    public func setSlot(_ number: Int, for credential: borrowing Credential, _ slot: KeySlot.Request) throws {
        slots = try slots.setting(number, for: credential, slot, keys: vault.keys, &environment)
    }

    /// Puts a slot for a recipient into the place `number`.
    ///
    /// - Throws: `FormatError.invalid` for too long a label, or a public key of low order.
    public func setSlot(_ number: Int, for recipient: Recipient, _ slot: KeySlot.Request) throws {
        slots = try slots.setting(number, for: recipient, slot, keys: vault.keys, &environment)
    }

    /// Takes a slot away.
    ///
    /// - Parameter opened: another slot, which was opened, so that the vault opens without the one that goes.
    public func removeSlot(_ number: Int, besides opened: Int) throws {
        precondition(number != opened && slots[opened] != nil, "what is left of the slots opens the vault")
        slots = slots.setting(number, to: nil)
    }

    /// Makes the save durable. When this returns, it is.
    ///
    /// - Throws: before a page is written: any error, and the vault is as before; afterwards
    ///   `VaultError.outcomeUnknown`. Nothing is tried again: only a fresh open tells. `VaultError.changedUnderneath`
    ///   where another writer saved all the same, as on a file system without working locks.
    @discardableResult
    public func commit() throws -> CommitRecord {
        precondition(!isFinished && !isDry, "a transaction commits once, and a dry run never")
        let record = try writer.finish(slots: slots)
        let page = try Page(naming: record, slots: slots, keys: vault.keys)
        try guarded.writeEndPage(page)
        isFinished = true
        do {
            try syncCommit()
            guard try isAlone(with: record) else { throw VaultError.changedUnderneath }
            try file.writeDurably(page.bytes, at: root.olderPage.offset)
            if slots != root.slots {
                // Until the first page is durable only the old secrets open the vault, from then on only the new ones.
                try file.writeDurably(page.bytes, at: root.place.offset)
            }
            try checkName()
        } catch let error as IOError {
            throw VaultError.outcomeUnknown(error)
        }
        return record
    }

    /// True if the pages are unchanged since the save began and `record`, if given, is in the file where it was written.
    /// Only a writer that ignored the lock can have changed them.
    func isAlone(with record: CommitRecord? = nil) throws -> Bool {
        guard try root.isUnchanged(in: file) else { return false }
        guard let record else { return true }
        // A writer that repairs here has overwritten the first block with its page T.
        let first = record.core.start..<record.core.start + 1
        return try record.isWhole(in: file, environment, inPayload: first)
    }

    /// Holds the file that the path leads to now against the one that was written. Where locks keep nobody out, another
    /// program may have put a vault that it wrote anew in its place, without this save.
    private func checkName() throws {
        let (mine, named) = (try file.status(), try environment.files.status(path))
        guard mine.isOfSameFile(as: named) else { throw VaultError.changedUnderneath }
    }

    /// True if the pages are as they were when the save began.
    func isUnchangedBefore() throws -> Bool { try root.isUnchanged(in: file) }

    private func syncCommit() throws {
        do { try file.sync() } catch {
            // The system may have dropped the bytes and show them all the same: nobody is to adopt them.
            try? file.writeEndPage(root.page)
            throw error
        }
    }

    deinit {
        guard !isFinished else { return }
        writer.abandon()
        // Nothing names the bytes behind the log's end: giving them back is a courtesy, and may fail. So is page T.
        if (try? isAlone()) == true { try? file.writeEndPage(root.page) }
    }
}
