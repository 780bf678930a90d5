import Cards
import VaultFormat
import VaultStore

extension Verb {
    static let groupRename = Verb.changing(
        name: "group rename", summary: "give a group another name", operands: "GROUP NAME",
        example: "qvault group rename personal 家", note: "if there is a group of that name, both become one"
    ) { transaction, arguments in
        let entries = try members(arguments, in: transaction.before)
        let name = arguments.words[1]
        let new = try Card.name(name, "group")
        for entry in entries where entry.overview.group != new { try setGroup(new, of: entry, transaction) }
        return try Session.commit(transaction, arguments, saying: "records changed: \(entries.count)")
    }

    static let groupRemove = Verb.at(
        name: "group rm", summary: "take a group away; its records stay, without a group", operands: "GROUP",
        options: [
            .vault, Option(.records, help: "its records go into the trash too"), .yes, .dryRun, .wait, .savesAsJSON,
        ]
            + Option.use,
        example: "qvault group rm 指数", note: "'qvault undelete' brings records back"
    ) { path, arguments in
        let transaction = try Session.begin(path, arguments)
        let entries = try members(arguments, in: transaction.before)
        let (count, isWhole) = (entries.count, arguments.has(.records))
        let what: Phrase =
            isWhole
            ? "the group has \(count) records, which go into the trash"
            : "the group has \(count) records, which stay and have no group then"
        if arguments.has(.dryRun), !arguments.has(.json) { Messages.say(what) }
        if Terminal.isPresent, !arguments.has(.yes), !arguments.has(.dryRun) {
            guard try Terminal.confirm("\(what); go on?", standard: false) else { throw VaultError.cancelled }
        }
        for entry in entries { try isWhole ? transaction.trash(entry) : setGroup(nil, of: entry, transaction) }
        return try Session.commit(transaction, arguments, saying: "records changed: \(count)")
    }

    private static func setGroup(_ group: String?, of entry: Entry, _ transaction: VaultTransaction) throws {
        var overview = entry.overview
        overview.group = group
        try transaction.updateMetadata(entry, overview)
    }

    private static func members(_ arguments: Arguments, in vault: Vault) throws -> [Entry] {
        let name = arguments.words[0]
        let all = try vault.entries()
        let entries = all.filter { $0.overview.group == name }
        guard entries.isEmpty else { return entries }
        throw Failure(
            .notFound, "no group is called '\(printable(name.utf8))'",
            hint: .meant(
                name, among: Array(Set(all.compactMap(\.overview.group))), else: "'qvault group' lists the groups"))
    }
}
