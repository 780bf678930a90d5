import Glibc
import VaultFormat
import Cards
import Pictures
import VaultStore

/// Vaults that are written anew, and what is said of their size.
enum Compaction {
    /// Writes a vault anew, and says what became of its size.
    static func rewrite(
        _ transaction: VaultTransaction, _ arguments: Arguments, keeping saves: KeptSaves, purging: [RecordChange] = []
    ) throws -> (change: Phrase, save: UInt64, size: UInt64) {
        let before = transaction.before.fileByteCount
        let record = try Progress.showing("rewritten", arguments) {
            try transaction.rewrite(
                keeping: saves, purging: Set(purging.map(\.entry.id)),
                isEvidence: transaction.before.sharedVersions(), progress: $0)
        }
        Session.saved(record, transaction.before.keys, at: transaction.givenPath, purging)
        tellOfLinks(transaction)
        let size = Vault.fileByteCount(endingWith: record)
        return ("\(sizeText(before)) before, \(sizeText(size)) now", record.core.sequence, size)
    }

    /// Tells that the old file of a vault that was written anew stays under other names.
    static func tellOfLinks(_ transaction: VaultTransaction) {
        let count = transaction.remainingLinkCount
        guard count > 0 else { return }
        Messages.say(
            "\(transaction.path): warning: the old file, with all its content, still has \(count) other names (hard links)"
        )
    }

    /// Records up to which a save looks whether compaction is worth while.
    private static let fewRecords = 10_000

    /// Tells a person at a terminal that more than half of a vault is old versions.
    static func offer(_ vault: Vault) {
        guard Messages.isRead, vault.recordBound <= fewRecords,
            let present = try? vault.presentByteCount(), vault.byteCount > 1 << 20, present < vault.byteCount / 2
        else { return }
        Messages.hint(
            "\(sizeText(vault.byteCount - present)) of \(sizeText(vault.byteCount)) are older versions: 'qvault compact' gives the space back"
        )
    }

    /// Asks a person at a terminal before records go for good.
    static func confirm(_ count: Int, _ arguments: Arguments) throws {
        guard !arguments.has(.yes), isatty(STDIN_FILENO) == 1, Terminal.isPresent else { return }
        guard try Terminal.confirm("purge for good, with all their versions: \(count)?", standard: false) else {
            throw Failure(.refused, "nothing was purged")
        }
    }

    /// The records of copies that were given away which a purge leaves: all but those that a person named. They are evidence,
    /// and stay when what they belong to goes. Says how many they are.
    static func spared(_ doomed: some Sequence<Entry>, named: Set<RecordID>) -> Set<RecordID> {
        let spared = Set(doomed.lazy.filter { $0.isShare && !named.contains($0.id) }.map(\.id))
        if !spared.isEmpty {
            Messages.note(
                "records of copies that were given away stay: \(spared.count); 'qvault purge ID' takes one, by its id")
        }
        return spared
    }

    /// Writes the vault anew without these records; what it then says of its size.
    static func purge(
        _ doomed: [RecordChange], in transaction: VaultTransaction, _ arguments: Arguments
    ) throws -> Phrase {
        let ids = Set(doomed.map(\.entry.id))
        let shares = try transaction.before.shares(damaged: { _, _ in }).count {
            ids.contains($0.id) || $0.attachment.map(ids.contains) ?? false
        }
        let (change, _, _) = try rewrite(
            transaction, arguments, keeping: .since(0, in: transaction.before), purging: doomed)
        if shares > 0 {
            Messages.note("note: copies that were given away and that no picture can be traced to any more: \(shares)")
        }
        tellOfOtherCopies()
        return change
    }

    /// Tells where bytes that went for good may still be.
    static func tellOfOtherCopies() {
        Messages.note(
            "note: backups, other copies, snapshots and the disk itself may still hold the old bytes, and who has the key can read them there"
        )
    }
}

extension Session {
    /// Makes a save durable, remembers it, and says what was done; with `-n` it says what would be done, and saves nothing.
    ///
    /// - Parameter offersCompaction: where old versions take most of the space.
    static func commit(
        _ transaction: VaultTransaction, _ arguments: Arguments, saying what: Phrase, offersCompaction: Bool = false
    ) throws -> ExitCode {
        guard !arguments.has(.dryRun) else { return try plan(transaction) }
        try commit(transaction)
        Messages.done(what)
        if offersCompaction { Compaction.offer(transaction.before) }
        return .done
    }

    /// Says what a save would change, and saves nothing.
    static func plan(_ transaction: VaultTransaction) throws -> ExitCode {
        ShownSaves.plan(transaction.givenPath, try transaction.changes())
    }
}
