import VaultFormat
import VaultStore

extension Verb {
    static let purge = Verb(
        name: "purge", summary: "take records out of this file for good, with all their versions",
        operands: "NAME…  or  --trash", operandCount: 0...Int.max,
        options: [
            .vault, .recursive, Option(.trash, help: "everything that is in the trash"), .dryRun, .yes, .wait,
            .noProgress,
        ] + Option.use,
        example: (
            "qvault purge -f documents.qvault old-scan.png",
            "writes the file anew without it; copies, snapshots and the disk itself may keep the old bytes"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        guard arguments.operands.isEmpty == arguments.has(.trash) else {
            throw Failure(.usage, "purge: name records, or give --trash", hint: "qvault purge NAME…  or  --trash")
        }
        return try withVault(path) {
            let key = try VaultSecret(path, arguments, asksAgain: true)
            let transaction = try Session.begin(path, arguments, key: key)
            let doomed = try doomed(arguments, transaction.before)
            guard !doomed.isEmpty else {
                Messages.done("the trash is empty", arguments)
                return .done
            }
            try requireRecursive(doomed.selecting { $1.state == .live }, arguments)
            if arguments.has(.dryRun) {
                for (path, _) in doomed { Messages.say("would purge \(path)") }
                return .done
            }
            try Compaction.confirm(doomed.count, arguments)
            let change = try Compaction.purge(doomed.map(\.entry), in: transaction, arguments)
            Messages.done("records purged: \(doomed.count), \(change)", arguments)
            return .done
        }
    }

    private static func doomed(_ arguments: Arguments, _ vault: Vault) throws -> TreeListing {
        guard !arguments.has(.trash) else { return try vault.listing { $0.state == .trashed } }
        let all = try vault.listing { _ in true }
        let roots = try arguments.operands.map { try Names.record($0, among: all) }
        return all.selecting(partsOf: roots)
    }
}
