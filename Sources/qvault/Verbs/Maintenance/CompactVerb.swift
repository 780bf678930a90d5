import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let compact = Verb(
        name: "compact", summary: "write the vault anew without old versions", operands: "[FILE]", operandCount: 0...1,
        options: [
            .vault,
            Option(
                .keep, value: "TIME", help: "keep the saves of this long, e.g. 90d, 12h or 1y; else only the present"
            ),
            .wait, .noProgress,
        ] + Option.use,
        example: (
            "qvault compact -f documents.qvault --keep 90d", "gives the space of older versions back; the trash stays"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        let age = try arguments.text(.keep).map { text in
            guard let seconds = TimeArgument.seconds(text) else {
                throw Failure(.usage, "--keep takes a length of time like 90d, 12h, 4w or 1y")
            }
            return seconds
        }
        return try withVault(path) {
            let transaction = try Session.begin(path, arguments)
            let vault = transaction.before
            let oldest = try age.map { try vault.oldestSave(since: $0 * 1_000_000) } ?? vault.sequence
            let change = try Session.rewrite(transaction, arguments, keeping: oldest)
            Messages.done("compacted \(path), \(change)", arguments)
            return .done
        }
    }
}

extension Session {
    /// Writes a vault anew, and says what became of its size.
    static func rewrite(
        _ transaction: VaultTransaction, _ arguments: Arguments, keeping oldest: UInt64, purging: Set<RecordID> = []
    ) throws -> Phrase {
        let before = transaction.before.record.core.end
        let progress = Progress("rewritten", arguments)
        let record: CommitRecord
        do {
            defer { progress.finish() }
            record = try transaction.rewrite(keeping: oldest, purging: purging, progress: progress.update)
        }
        saved(record, transaction.before.keys, at: transaction.givenPath)
        tellOfLinks(transaction)
        return "\(sizeText(before)) before, \(sizeText(record.core.end)) now"
    }
}

extension Session {
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
    static func offerCompaction(_ vault: Vault, _ arguments: Arguments) {
        guard isatty(STDERR_FILENO) == 1, !arguments.has(.quiet), vault.recordBound <= fewRecords,
            let present = try? vault.presentByteCount(), vault.byteCount > 1 << 20, present < vault.byteCount / 2
        else { return }
        Messages.hint(
            "\(sizeText(vault.byteCount - present)) of \(sizeText(vault.byteCount)) are older versions: 'qvault compact' gives the space back"
        )
    }
}
