import VaultFormat
import VaultStore

extension Verb {
    static let move = Verb.changing(
        name: "mv", summary: "rename files and folders, or move them into a folder", operands: "NAME… NEW",
        example: "qvault mv -f documents.qvault papers letters",
        note: "the folder is 'letters' from now on; what lies in it is neither read nor stored again"
    ) { transaction, arguments in
        let vault = transaction.before
        let (names, new) = (arguments.operands.dropLast(), BytePath(arguments.operands.last ?? []))
        let plain = new.components.reduce(BytePath("")) { $0.appending($1) }
        // A folder that is there, or is called one by a slash, takes them in.
        let isFolder = try new.bytes.last == 0x2F || vault.entry(at: plain)?.kind == .folder
        guard isFolder || names.count == 1 else {
            throw Failure(.notFound, "no folder '\(plain)'", hint: "a slash at the end makes one: \(plain)/")
        }
        for name in names {
            let (source, entry) = try Names.record(name, in: vault)
            guard entry.kind.isInTree else {
                throw Failure(
                    .invalid, "'\(source)' is no file or folder", hint: "'qvault card edit' changes a card's title")
            }
            let target = isFolder ? plain.appending(source.lastComponent) : plain
            guard target == source || !target.isOrIsBeneath(source) else {
                throw Failure(.invalid, "'\(source)' cannot be moved into itself")
            }
            try transaction.move(entry, from: source, to: target)
        }
        return try Session.commit(transaction, saying: "records moved: \(names.count)")
    }
}
