public import VaultCrypto
public import VaultFormat

/// One save: changes that become durable together, or not at all (Spec/store.md, 2).
///
/// Dropped without `commit`, it leaves the vault as it was.
public final class Transaction {
    private let environment: Environment
    private let file: any File
    private let locked: LockedVault
    private let vault: Vault
    private let writer: CommitWriter
    private var isFinished = false

    /// Takes the writer's lock and opens the vault.
    ///
    /// - Parameters:
    ///   - wait: how long to wait for another writer, in milliseconds.
    ///   - unlock: gets the master key for the pages it is shown; called once, under the lock.
    /// - Throws: `VaultError` `.busy`, `.readOnly`; all that opening throws.
    public init(
        _ path: Path, in environment: Environment, wait: Int = 10_000, unlock: (LockedVault) throws -> Secret
    ) throws {
        let path = try environment.files.resolve(path)
        file = try Self.openLocked(path, environment, wait: wait)
        self.environment = environment
        locked = try LockedVault(file, environment)
        try Self.checkWritable(locked.root)
        vault = try locked.open(master: try unlock(locked))
        if let warning = vault.warnings.first { throw VaultError.readOnly(.damaged(warning)) }
        guard vault.sequence < Limits.counter else {
            throw FormatError(.invalid, "the vault has as many commits as the format allows")
        }
        let basis = CommitWriter.Basis(
            vaultID: locked.header.vaultID, epoch: locked.header.epoch, sequence: vault.sequence + 1,
            start: locked.header.logEnd, slots: locked.slots,
            previous: vault)
        writer = try CommitWriter(file, basis, keys: vault.keys, environment)
    }

    /// Opens and locks; starts again when the path leads to another file by then.
    private static func openLocked(_ path: Path, _ environment: Environment, wait: Int) throws -> any File {
        let step = 20
        var waited = 0
        while true {
            let file = try environment.files.openFile(path, writing: true)
            if try file.lock() {
                let (mine, named) = (try file.status(), try environment.files.status(path))
                if mine.inode == named.inode && mine.device == named.device { return file }
                try environment.checkCancellation()
                continue
            }
            guard waited < wait else { throw VaultError.busy }
            try environment.checkCancellation()
            environment.pause(step)
            waited += step
        }
    }

    /// Everything that stops a writer before any key is known (Spec/store.md, 2.2).
    private static func checkWritable(_ root: Root) throws {
        let header = root.page.header
        if header.isCopy { throw VaultError.readOnly(.copy) }
        if header.writeFeatures != 0 { throw VaultError.readOnly(.writeFeatures(header.writeFeatures)) }
        if let unsound = root.unsoundPage { throw VaultError.readOnly(.damaged(unsound)) }
        if root.fileByteCount > header.logEnd {
            throw VaultError.readOnly(.leftover(byteCount: root.fileByteCount - header.logEnd))
        }
    }

    /// The live record with this id as the save will leave it.
    public func entry(_ id: RecordID) throws -> Entry? {
        try writer.entry(id).flatMap { $0.state == .live ? $0 : nil }
    }

    /// The state that the save starts from.
    public var before: Vault { vault }

    /// Whether there is nothing to commit.
    public var isEmpty: Bool { writer.isEmpty }

    /// A place to store trees of files in this save.
    public func treeImport(report: @escaping (TreeProblem) -> Void) throws -> TreeImport {
        let status = try file.status()
        return TreeImport(writer, environment, vaultFile: (status.device, status.inode), report: report)
    }

    /// Puts a live record into the trash.
    public func trash(_ entry: Entry) throws { try writer.trash(entry) }

    /// Makes the save durable. When this returns, it is.
    ///
    /// - Throws: before the root is written: any error, and the vault is as before; afterwards
    ///   `VaultError.outcomeUnknown`.
    public func commit() throws {
        precondition(!isFinished, "a transaction commits once")
        let record = try writer.finish()
        let header = Header(
            vaultID: locked.header.vaultID, epoch: locked.header.epoch, sequence: record.core.sequence,
            logEnd: record.core.end)
        let page = try Page(header: header, slots: locked.slots, record: record, keys: vault.keys)
        isFinished = true
        do {
            try file.sync()
            try file.writeAll(page.bytes.span, at: locked.root.olderPageOffset)
            try file.sync()
        } catch let error as IOError {
            throw VaultError.outcomeUnknown(error)
        }
    }

    deinit {
        guard !isFinished else { return }
        writer.abandon()
        // Nothing names the bytes behind the log's end: giving them back is a courtesy, and may fail.
        try? file.truncate(to: locked.header.logEnd)
    }
}
