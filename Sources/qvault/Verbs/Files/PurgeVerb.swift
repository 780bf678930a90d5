import VaultFormat
import Pictures
import VaultStore

extension Verb {
    static let purge = Verb.at(
        name: "purge", summary: "take records out of this file for good, with all their versions",
        operands: "NAME…  or  --trash", operandCount: 0...Int.max,
        options: [
            .vault, .find, .recursive, Option(.trash, help: "everything that is in the trash"),
            Option(.olderThan, value: "TIME", help: "with --trash: what has been there for this long, such as 90d"),
            .dryRun, .yes, .wait, .noProgress, .savesAsJSON,
        ] + Option.use,
        example: "qvault purge -f documents.qvault old-scan.png",
        note: "writes the file anew without it; copies, snapshots and the disk itself may keep the old bytes"
    ) { path, arguments in
        guard (arguments.operands.isEmpty && !arguments.has(.find)) == arguments.has(.trash) else {
            throw Failure(.usage, "purge: name records, or give --trash", hint: "qvault purge NAME…  or  --trash")
        }
        if arguments.has(.olderThan), !arguments.has(.trash) {
            throw Failure(.usage, "purge: --older-than goes with --trash")
        }
        let key = try VaultSecret(path, arguments, asksAgain: true)
        let transaction = try Session.begin(path, arguments, key: key)
        let doomed = try doomed(arguments, transaction.before)
        guard !doomed.isEmpty else { return Messages.done("nothing to purge") }
        try requireRecursive(doomed.selecting { $1.state == .live }, arguments)
        let changes = doomed.map { RecordChange($0.path, .purged, $0.entry) }
        guard !arguments.has(.dryRun) else { return ShownSaves.plan(path, changes) }
        try Compaction.confirm(doomed.count, arguments)
        let change = try Compaction.purge(changes, in: transaction, arguments)
        return Messages.done("records purged: \(doomed.count), \(change)")
    }

    private static func doomed(_ arguments: Arguments, _ vault: Vault) throws -> TreeListing {
        guard !arguments.has(.trash) else { return try trash(of: vault, arguments) }
        let all = try vault.listing { _ in true }
        // A purge cannot be undone: it takes names, and no patterns.
        let named = try arguments.operands.map { try Names.record($0, among: all) }
        let roots = try named + Names.records([], arguments, in: vault, among: all)
        let doomed = all.selecting(partsOf: roots)
        let spared = Compaction.spared(doomed.lazy.map(\.entry), named: Set(roots.map(\.entry.id)))
        return doomed.selecting { !spared.contains($1.id) }
    }

    /// All that is in the trash, but what tracing a copy takes: its record and its original.
    private static func trash(of vault: Vault, _ arguments: Arguments) throws -> TreeListing {
        let age = try arguments.milliseconds(.olderThan, in: 0...10_000 * TimeSpan.day) ?? 0
        let latest = Machine.now.seconds - Int64(age / 1000)
        let trash = try vault.listing { $0.state == .trashed && $0.updated.seconds <= latest }
        let originals = try vault.tracedAttachments()
        let rest = trash.selecting { !originals.contains($1.id) }
        if rest.count < trash.count {
            Messages.note(
                "originals of copies that were given away stay: \(trash.count - rest.count); 'qvault purge NAME' takes them"
            )
        }
        let spared = Compaction.spared(rest.lazy.map(\.entry), named: [])
        return rest.selecting { !spared.contains($1.id) }
    }
}
