public import VaultIO
import VaultCrypto
public import VaultFormat

/// Makes a new vault in a file of its own, which gets its name when it is whole and checked (Spec/store.md, 4). Nobody
/// can save into it before this object is gone.
public final class VaultCreation {
    private var environment: StoreEnvironment
    private let file: any UnnamedFile
    /// The name that the file gets; nil of a dry run.
    private let new: AtomicFile?
    /// The path of the new vault.
    package let path: BytePath
    package let keys: Keys
    private var slots: SlotArea
    private let vaultID: VaultID
    private let epoch: Epoch
    private let writer: CommitWriter
    /// The record of the first commit, once all is written.
    private var finished: CommitRecord?

    /// Begins a vault that `credential` will open.
    ///
    /// - Throws: `VaultError.exists` if `target` is taken; `IOError`; `FormatError.refused` for a cost outside the limits.
    public convenience init(
        _ target: BytePath, credential: borrowing Credential, slot: KeySlot.Request = KeySlot.Request(),
        in environment: StoreEnvironment
    ) throws {
        let new = try AtomicFile(vault: target, environment)
        try self.init(target, new.file, new, in: environment) { keys, environment in
            try SlotArea([]).setting(1, for: credential, slot, keys: keys, &environment)
        }
    }

    /// A dry run, which takes no room: nothing is kept of what is stored. It cannot be finished.
    ///
    /// - Throws: `VaultError.exists` if `target` is taken; `IOError`.
    package convenience init(dryRunOf target: BytePath, in environment: StoreEnvironment) throws {
        if try environment.files.openFolder(target.parent).exists(target.lastComponent) {
            throw VaultError.exists(target)
        }
        try self.init(target, ForgetfulFile(target), nil, in: environment) { _, _ in SlotArea([]) }
    }

    private init(
        _ target: BytePath, _ file: any UnnamedFile, _ new: AtomicFile?, in environment: StoreEnvironment,
        slots makeSlots: (Keys, inout StoreEnvironment) throws -> SlotArea
    ) throws {
        (self.file, self.new, path) = (file, new, target)
        var environment = environment
        vaultID = VaultID(try environment.random.bytes(16))
        epoch = try Epoch(counter: 1, random: &environment.random)
        keys = try Keys(master: environment.random.secret(byteCount: 32), vaultID: vaultID, epoch: epoch)
        slots = try makeSlots(keys, &environment)
        let basis = CommitChanges.Basis(
            vaultID: vaultID, epoch: epoch, sequence: 1, start: Layout.logStart, previous: nil)
        writer = try CommitWriter(file, basis, keys: keys, environment)
        self.environment = environment
    }

    /// Another secret that will open the vault.
    public func addSlot(for credential: borrowing Credential, _ slot: KeySlot.Request) throws {
        guard let number = slots.freeNumber else { throw FormatError(.refused, "all key slots are in use") }
        slots = try slots.setting(number, for: credential, slot, keys: keys, &environment)
    }

    /// True if the contents of files are compressed where that saves something.
    package var isCompressing: Bool {
        get { writer.isCompressing }
        set { writer.isCompressing = newValue }
    }

    /// Parity of the first commit's payload area, in percent, 3 … 26; nil, the default, for none. Later commits have none.
    package var parityPercent: Int? {
        get { writer.parityPercent }
        set { writer.parityPercent = newValue }
    }

    /// Stores a record of a kind that forms no tree.
    package func put(_ id: RecordID, kind: Entry.Kind, overview: Overview, content: [UInt8]) throws {
        var content = content[...]
        try writer.put(id, kind: kind, parent: nil, overview: overview) { $0.take(from: &content) }
    }

    /// A place to store trees of files in the first commit.
    public func treeImport(report: @escaping (TreeProblem) -> Void) throws -> TreeImport {
        let status = try file.status()
        return TreeImport(writer, environment, vaultFile: (status.device, status.inode), report: report)
    }

    /// The records that the first commit stores so far, as the changes of a save.
    ///
    /// - Throws: as `VaultTransaction.changes`.
    package func changes() throws -> [RecordChange] { try writer.changes.made() }

    /// Finishes the vault and checks that it opens. Nothing more can be stored; its name it gets by `commit`.
    @discardableResult
    package func finish() throws -> CommitRecord {
        if let finished { return finished }
        precondition(new != nil, "a dry run is not finished")
        let record = try writer.finish(slots: slots)
        try file.finish(naming: record, slots: slots, keys: keys, environment)
        finished = record
        return record
    }

    /// Finishes the vault, and gives it its name. When this returns, it is durable.
    @discardableResult
    public func commit() throws -> CommitRecord {
        let record = try finish()
        try new?.publishDurably()
        return record
    }
}
