import VaultFormat

/// Writes versions of records into a new log that takes the place of another: each under a fresh salt, all in one
/// commit (Spec/store.md, 10). What reads and what writes work side by side, on all cores.
struct Rewrite {
    /// The log that is replaced: where the content comes from, and the tags that the new log goes on from.
    struct Source {
        let file: any File
        let keys: Keys
        let vaultID: VaultID
        let epoch: Epoch
        let tags: Core.Tags
        let logEnd: UInt64
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
    func write(to file: any File, sequence: UInt64, slots: SlotArea) throws -> CommitRecord {
        let basis = CommitWriter.Basis(
            vaultID: source.vaultID, epoch: source.epoch, sequence: sequence, start: Layout.logStart,
            replacedTags: source.tags)
        let writer = try CommitWriter(file, basis, keys: source.keys, source.environment)
        writer.lines = lines
        var reader = try RecordReader(source.file, keys: source.keys, logEnd: source.logEnd)
        var done: UInt64 = 0
        for twins in items.sorted(by: { $0.stored.place < $1.stored.place }).chunked(by: Self.shareBytes) {
            if twins[0].version.state == .purged {
                writer.bury(twins[0].version)
                continue
            }
            do {
                try reader.open(twins[0].stored)
                try writer.carry(twins.map(\.version)) { buffer in
                    let count = try reader.pull(into: &buffer)
                    done += UInt64(count)
                    progress(done)
                    return count
                }
            } catch let fault as Fault {
                throw try source.diagnose(fault)
            }
        }
        return try writer.finish(slots: slots)
    }

    /// Whether two versions have one stored record; tombstones have none.
    private static func shareBytes(_ left: Item, _ right: Item) -> Bool {
        left.stored.place == right.stored.place && left.version.state != .purged
    }
}

extension Vault {
    /// This vault as what a new log is written from.
    var source: Rewrite.Source {
        Rewrite.Source(
            file: file, keys: keys, vaultID: root.header.vaultID, epoch: root.header.epoch, tags: record.core.tags,
            logEnd: record.core.end, environment: environment, diagnose: diagnose)
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
