import VaultFormat
import VaultStore

extension Verb {
    static let move = Verb.changing(
        name: "mv", summary: "rename files and folders, or move them into a folder", operands: "NAME… NEW",
        options: [.find, .dryRun],
        example: "qvault mv -f documents.qvault papers letters",
        note: "the folder is 'letters' from now on; what lies in it is neither read nor stored again"
    ) { transaction, arguments in
        let vault = transaction.before
        let (names, new) = (arguments.operands.dropLast(), BytePath(arguments.operands.last ?? []))
        let plain = new.components.reduce(BytePath("")) { $0.appending($1) }
        // A folder that is there, or is called one by a slash, takes them in.
        let isFolder = try new.bytes.last == 0x2F || vault.entry(at: plain)?.kind == .folder
        let named = try named(names, in: vault)
        let meant = try named + found(arguments, in: vault, besides: named.map(\.path), plain)
        guard !meant.isEmpty else { return Messages.done("nothing to move: all of it is there") }
        guard isFolder || meant.count == 1 else {
            throw Failure(.notFound, "no folder '\(plain)'", hint: "a slash at the end makes one: \(plain)/")
        }
        for (source, entry) in meant {
            let target = isFolder ? plain.appending(source.lastComponent) : plain
            guard target == source || !target.isOrIsBeneath(source) else {
                throw Failure(.invalid, "'\(source)' cannot be moved into itself")
            }
            try transaction.move(entry, from: source, to: target)
        }
        return try Session.commit(transaction, arguments, saying: "records moved: \(meant.count)")
    }

    private static func named(
        _ names: ArraySlice<[UInt8]>, in vault: Vault
    ) throws -> [(path: BytePath, entry: Entry)] {
        try names.flatMap { name in
            let found = try Names.fitting(name, in: vault)
            for (source, entry) in found where !entry.kind.isInTree {
                throw Failure(
                    .invalid, "'\(source)' is no file or folder", hint: "'qvault card edit' changes a card's title")
            }
            // Records in a folder move with it.
            return found.filter { item in
                !found.contains { $0.path != item.path && item.path.isOrIsBeneath($0.path) }
            }
        }
    }

    /// What `--find` finds, without the target, what is in it already, and what is named or moves with a folder that is named or
    /// found.
    private static func found(
        _ arguments: Arguments, in vault: Vault, besides named: [BytePath], _ target: BytePath
    ) throws -> [(path: BytePath, entry: Entry)] {
        let found = Set(try QueryArguments.found(arguments, in: vault) { $0.kind.isInTree }.map(\.id))
        guard !found.isEmpty else { return [] }
        var meant: [(path: BytePath, entry: Entry)] = []
        // A folder stands right before what is in it.
        for (path, entry) in try Names.list(vault)
        where found.contains(entry.id) && ![path, path.parent].contains(target) {
            if let last = meant.last, last.entry.kind == .folder, path.isOrIsBeneath(last.path) { continue }
            if named.contains(where: path.isOrIsBeneath) { continue }
            meant.append((path, entry))
        }
        return meant
    }
}
