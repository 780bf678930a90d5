import VaultCrypto
import VaultFormat

/// Writes versions of records into a new log that takes the place of another: each under a fresh salt, all in one
/// commit (Spec/store.md, 10). What reads and what writes work side by side, on all cores.
struct Rewrite {
    /// The log that is replaced: where the content comes from, and the save that the new log goes on from.
    struct Source {
        let file: any File
        let keys: Keys
        let vaultID: VaultID
        let epoch: Epoch
        /// The fingerprint of its newest save.
        let newest: Bytes32
        let environment: Environment
        /// Tells what a fault comes from.
        var diagnose: (Fault) throws -> any Error = { $0 }
    }

    /// A version of a record.
    struct Item {
        /// As the old log has it.
        let stored: Entry
        /// As the new log has it, but for its salt and place. Of each record one version has no `last`: the present
        /// one.
        let version: Entry
    }

    /// What the new log is written as.
    struct Target {
        let keys: Keys
        let epoch: Epoch
        let sequence: UInt64
        let slots: SlotArea
    }

    let source: Source
    /// What is carried over, tombstones too.
    let items: [Item]
    /// What the new log remembers of earlier commits.
    let lines: [CommitLine]
    /// Told the bytes of content done so far.
    var progress: (UInt64) -> Void = { _ in }

    /// Writes the commit; the pages are the caller's.
    ///
    /// - Throws: `FormatError` of a version that cannot be read; `IOError`; `VaultError.cancelled`.
    func write(to file: any File, as target: Target) throws -> CommitRecord {
        let basis = CommitWriter.Basis(
            vaultID: source.vaultID, epoch: target.epoch, sequence: target.sequence, start: Layout.logStart,
            replaced: source.newest)
        let writer = try CommitWriter(file, basis, keys: target.keys, source.environment)
        writer.lines = lines
        do {
            try carry(to: writer)
            return try writer.finish(slots: target.slots)
        } catch let fault as Fault {
            throw try source.diagnose(fault)
        }
    }

    private func carry(to writer: CommitWriter) throws {
        var headers = try StoredRecord.HeaderCipher(source.keys)
        var done: UInt64 = 0
        for twins in items.sorted(by: { $0.stored.place < $1.stored.place }).chunked(by: Self.shareBytes) {
            if twins[0].version.isTombstone {
                writer.bury(twins[0].version)
                continue
            }
            let stored = twins[0].stored
            let prelude = try source.file.bytes(at: stored.place, count: StoredRecord.preludeByteCount)
            try headers.check(prelude.span, of: stored)
            try writer.carry(twins.map(\.version), CarriedRecord(source.file, source.keys, stored))
            done += stored.length
            progress(done)
        }
    }

    /// True if two versions have one stored record; tombstones have none.
    private static func shareBytes(_ left: Item, _ right: Item) -> Bool {
        left.stored.place == right.stored.place && !left.version.isTombstone && !right.version.isTombstone
    }
}

extension Vault {
    /// This vault as what a new log is written from.
    var source: Rewrite.Source {
        Rewrite.Source(
            file: file, keys: keys, vaultID: root.header.vaultID, epoch: root.header.epoch,
            newest: record.core.fingerprint,
            environment: environment, diagnose: diagnose)
    }

    /// The save after this one as what a new log is written as, under the same keys.
    func next(slots: SlotArea) -> Rewrite.Target {
        Rewrite.Target(keys: keys, epoch: root.header.epoch, sequence: sequence + 1, slots: slots)
    }

    /// What a new log is written as under a new master key.
    ///
    /// - Parameters:
    ///   - newest: the counter of an epoch that the new one comes after, beside this vault's own.
    ///   - slots: makes the slots that wrap the key.
    func rotated(
        after newest: UInt64 = 0, sequence: UInt64, slots: (Keys) throws -> SlotArea
    ) throws -> (Rewrite.Target, Keys) {
        var environment = environment
        let last = max(newest, root.header.epoch.counter)
        guard last < Limits.counter else {
            throw FormatError(.invalid, "the vault's master key was replaced too often")
        }
        let epoch = try Epoch(counter: last + 1, random: &environment.random)
        let keys = try Keys(master: environment.random.secret(byteCount: 32), vaultID: id, epoch: epoch)
        return (Rewrite.Target(keys: keys, epoch: epoch, sequence: sequence, slots: try slots(keys)), keys)
    }
}

extension Array {
    /// Neighbours that belong together.
    func chunked(by belong: (Element, Element) -> Bool) -> [[Element]] {
        var result: [[Element]] = []
        for element in self {
            if let last = result.last?.last, belong(last, element) {
                result[result.count - 1].append(element)
            } else {
                result.append([element])
            }
        }
        return result
    }
}
