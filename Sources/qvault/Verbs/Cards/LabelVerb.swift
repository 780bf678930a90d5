import Cards
import VaultFormat
import VaultStore

extension Option {
    fileprivate static let off = Option(.off, help: "take it away")
}

extension Verb {
    private static let toTag = Option(
        .find, value: "QUERY", help: "tag all records that 'qvault find' finds for it; all operands are tags then")

    static let pin = Verb.at(
        name: "pin", summary: "list records first", operands: "NAME…",
        options: [.vault, .find, .off, .dryRun, .wait, .savesAsJSON] + Option.use,
        example: "qvault pin Home", note: "'card list' shows it first; --off ends that"
    ) { path, arguments in
        try relabel(path, arguments, arguments.operands[...]) { overview, _ in overview.isPinned = !arguments.has(.off)
        }
    }

    static let tag = Verb.at(
        name: "tag", summary: "tag a record, or list all tags", operands: "[NAME TAG…]",
        options: [.vault, toTag, .off, .dryRun, .wait, .savesAsJSON] + Option.use,
        example: "qvault tag Home family move", note: "'card list --tag family' finds it; --off takes tags away"
    ) { path, arguments in
        let isFound = arguments.has(.find)
        guard !arguments.operands.isEmpty else {
            if arguments.has(.off) || isFound || arguments.has(.dryRun) {
                throw Failure(.usage, "tag: which tags?", hint: "qvault tag NAME TAG…")
            }
            return try list(path, arguments, "tag") { $0.tags }
        }
        let words = try arguments.operands.dropFirst(isFound ? 0 : 1).map(Arguments.text)
        guard !words.isEmpty else { throw Failure(.usage, "tag: which tags?", hint: "qvault tag NAME TAG…") }
        return try relabel(path, arguments, isFound ? [] : arguments.operands.prefix(1)) { overview, _ in
            overview.tags =
                arguments.has(.off)
                ? overview.tags.filter { !words.contains($0) } : try Card.tags(words, "tag", besides: overview.tags)
        }
    }

    static let group = Verb.at(
        name: "group", summary: "put records into a group, or list all groups", operands: "[NAME… GROUP]",
        options: [.vault, .find, .off, .dryRun, .wait, .savesAsJSON] + Option.use,
        example: "qvault group Home Office personal",
        note: "'card list --group personal' lists it; --off NAME… takes out"
    ) { path, arguments in
        guard !arguments.operands.isEmpty || arguments.has(.find) else {
            if arguments.has(.off) || arguments.has(.dryRun) {
                throw Failure(.usage, "group: which records?", hint: "qvault group --off NAME…")
            }
            return try list(path, arguments, "group") { $0.group.map { [$0] } ?? [] }
        }
        if arguments.has(.off) {
            return try relabel(path, arguments, arguments.operands[...]) { overview, _ in overview.group = nil }
        }
        guard arguments.operands.count > (arguments.has(.find) ? 0 : 1) else {
            throw Failure(.usage, "group: which records?", hint: "qvault group NAME… GROUP")
        }
        let group = try Card.name(Arguments.text(arguments.operands.last ?? []), "group")
        return try relabel(path, arguments, arguments.operands.dropLast()) { overview, vault in
            overview.group = try CardArguments.group(group, in: vault)
        }
    }

    /// Changes what lists show of records; their content is not stored again.
    private static func relabel(
        _ path: BytePath, _ arguments: Arguments, _ names: ArraySlice<[UInt8]>,
        _ change: (inout Overview, Vault) throws -> Void
    ) throws -> ExitCode {
        let transaction = try Session.begin(path, arguments)
        var changed: Set<RecordID> = []
        for (_, entry) in try Names.records(names, arguments, in: transaction.before) {
            var overview = entry.overview
            try change(&overview, transaction.before)
            guard overview != entry.overview, changed.insert(entry.id).inserted else { continue }
            try transaction.updateMetadata(entry, overview)
        }
        guard !changed.isEmpty else { return Messages.done("nothing to change") }
        return try Session.commit(transaction, arguments, saying: "records changed: \(changed.count)")
    }

    /// Lists names with the number of records that have each.
    private static func list(
        _ path: BytePath, _ arguments: Arguments, _ member: String, _ names: (Overview) -> [String]
    ) throws -> ExitCode {
        let all = try Session.open(path, arguments).entries().flatMap { names($0.overview) }
        let rows = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
        return try StandardOutput.list(rows, arguments) {
            [member: $0.key, "records": $0.value]
        } text: {
            "\(printable($0.key.utf8))  \($0.value)"
        }
    }
}
