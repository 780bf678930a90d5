import VaultFormat
import VaultStore

extension Verb {
    static let remove = Verb.changing(
        name: "rm", summary: "put records into the trash", operands: "NAME…", options: [.find, .recursive, .dryRun],
        example: "qvault rm -f documents.qvault Documents/letter.pdf", note: "'qvault undelete' brings it back"
    ) { transaction, arguments in
        let doomed = try Names.select(arguments.operands, arguments, in: transaction.before)
        try requireRecursive(doomed, arguments)
        for (_, entry) in doomed { try transaction.trash(entry) }
        return try Session.commit(
            transaction, arguments, saying: "records moved to the trash: \(doomed.count)", offersCompaction: true)
    }

    static let undelete = Verb.changing(
        name: "undelete", summary: "bring records back from the trash, or as they were at an older save",
        operands: "NAME…", options: [.moment, .find, .dryRun],
        example: "qvault undelete -f documents.qvault Documents/letter.pdf",
        note: "a folder comes with what was removed with it"
    ) { transaction, arguments in
        let vault = transaction.before
        let wanted = try arguments.text(.at).map {
            try Names.select(
                arguments.operands, arguments, in: vault.snapshot(atSave: TimeArgument.sequence($0, in: vault)))
        }
        let found = try wanted ?? inTrash(arguments, vault)
        let restored = try transaction.restore(found)
        guard !restored.isEmpty else { return Messages.done("nothing to bring back: all of it is there as it was") }
        return try Session.commit(transaction, arguments, saying: "records brought back: \(restored.count)")
    }

    /// The records that were named or found, and beneath a folder those that the same save removed.
    private static func inTrash(_ arguments: Arguments, _ vault: Vault) throws -> TreeListing {
        let trash = try vault.listing { $0.state == .trashed }
        let named = try arguments.operands.flatMap { name in
            do { return try Names.fitting(name, in: vault, among: trash) } catch VaultError.noSuchRecord(let path) {
                guard (try? Names.record(name, in: vault)) != nil else { throw VaultError.noSuchRecord(path) }
                throw Failure(.notFound, "'\(path)' is not in the trash", hint: "'qvault ls --trash' lists what is")
            }
        }
        let found = Set(try QueryArguments.found(arguments, in: vault, trash: trash).map(\.id))
        let roots = named + trash.filter { found.contains($0.entry.id) }
        let ids = Set(roots.map(\.entry.id))
        let save = try vault.maker()
        return trash.selecting(partsOf: roots).selecting { path, entry in
            ids.contains(entry.id)
                || roots.contains {
                    save($0.entry) == save(entry) && (!entry.kind.isInTree || path.isOrIsBeneath($0.path))
                }
        }
    }

    /// Refuses folders without `-r`.
    static func requireRecursive(_ doomed: TreeListing, _ arguments: Arguments) throws {
        guard !arguments.has(.recursive), let folder = doomed.first(where: { $0.entry.kind == .folder }) else { return }
        throw Failure(.invalid, "'\(folder.path)' is a folder", hint: "-r removes folders with what is in them")
    }
}
