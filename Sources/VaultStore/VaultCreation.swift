import VaultCrypto
public import VaultFormat

/// Makes a new vault in a file of its own, which gets its name when it is whole and checked (Spec/store.md, 4). Nobody
/// can save into it before this object is gone.
public final class VaultCreation {
    private let environment: Environment
    private let new: NewFile
    package let keys: Keys
    private let slots: SlotArea
    private let vaultID: VaultID
    private let epoch: Epoch
    private let writer: CommitWriter

    /// What the first key slot is made with.
    public struct Slot {
        /// PBKDF2 iterations, 100,000 or more.
        public var iterations: UInt32
        /// At most 55 bytes of UTF-8.
        public var label: String

        /// A slot of this cost and name.
        public init(iterations: UInt32 = Limits.minimumIterations, label: String = "password") {
            (self.iterations, self.label) = (iterations, label)
        }
    }

    /// Begins a vault that `credential` will open.
    ///
    /// - Throws: `VaultError.exists` if `target` is taken; `IOError`; `FormatError.refused` for too few iterations.
    public init(
        _ target: Path, credential: borrowing Credential, slot: Slot = Slot(), in environment: Environment
    ) throws {
        guard (Limits.minimumIterations...Limits.maximumIterations).contains(slot.iterations) else {
            throw FormatError(.refused, "\(slot.iterations) iterations; the floor is \(Limits.minimumIterations)")
        }
        new = try NewFile(target, environment)
        var environment = environment
        vaultID = VaultID(try environment.random.bytes(16))
        epoch = try Epoch(counter: 1, random: &environment.random)
        keys = try Keys(master: environment.random.secret(byteCount: 32), vaultID: vaultID)
        let slotID = Bytes16(try environment.random.bytes(16))
        slots = SlotArea([
            try KeySlot(
                for: credential, keys: keys, id: slotID, iterations: slot.iterations,
                label: KeySlot.Label(created: environment.now(), text: slot.label), random: &environment.random)
        ])
        let basis = CommitWriter.Basis(
            vaultID: vaultID, epoch: epoch, sequence: 1, start: Layout.logStart, previous: nil)
        writer = try CommitWriter(new.file, basis, keys: keys, environment)
        self.environment = environment
    }

    /// A place to store trees of files in the first commit.
    public func treeImport(report: @escaping (TreeProblem) -> Void) throws -> TreeImport {
        let status = try new.file.status()
        return TreeImport(writer, environment, vaultFile: (status.device, status.inode), report: report)
    }

    /// Finishes the vault, checks that it opens, and gives it its name. When this returns, it is durable.
    @discardableResult
    public func commit() throws -> CommitRecord {
        let record = try writer.finish(slots: slots)
        try new.file.finish(naming: record, slots: slots, keys: keys, environment)
        try new.publish()
        return record
    }
}
