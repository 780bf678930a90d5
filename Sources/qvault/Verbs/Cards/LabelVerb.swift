import VaultFormat
import VaultStore

extension Option {
    fileprivate static let off = Option(.off, help: "take it away")
}

extension Verb {
    static let pin = Verb(
        name: "pin", summary: "list records first", operands: "NAME…", operandCount: 1...Int.max,
        options: [.vault, .off, .wait] + Option.use,
        example: ("qvault pin Home", "'card list' shows it first; --off ends that")
    ) { arguments in
        try relabel(arguments, arguments.operands) { overview, _ in overview.isPinned = !arguments.has(.off) }
    }

    static let tag = Verb(
        name: "tag", summary: "tag a record, or list all tags", operands: "[NAME TAG…]", operandCount: 0...Int.max,
        options: [.vault, .off, .wait, .json] + Option.use,
        example: ("qvault tag Home family move", "'card list --tag family' finds it; --off takes tags away")
    ) { arguments in
        guard let name = arguments.operands.first else {
            if arguments.has(.off) { throw Failure(.usage, "tag: which tags?", hint: "qvault tag NAME TAG…") }
            return try list(arguments, "tag") { $0.tags }
        }
        if arguments.has(.json) { throw Failure(.usage, "tag: --json goes with the list of tags") }
        let words = try arguments.operands.dropFirst().map(text)
        guard !words.isEmpty else { throw Failure(.usage, "tag: which tags?", hint: "qvault tag NAME TAG…") }
        return try relabel(arguments, [name]) { overview, _ in
            overview.tags =
                arguments.has(.off)
                ? overview.tags.filter { !words.contains($0) }
                : try CardArguments.tags(words, "tag", besides: overview.tags)
        }
    }

    static let group = Verb(
        name: "group", summary: "put records into a group, or list all groups", operands: "[NAME… GROUP]",
        operandCount: 0...Int.max, options: [.vault, .off, .wait, .json] + Option.use,
        example: ("qvault group Home Office personal", "'card list --group personal' lists it; --off NAME… takes out")
    ) { arguments in
        guard !arguments.operands.isEmpty else {
            if arguments.has(.off) { throw Failure(.usage, "group: which records?", hint: "qvault group --off NAME…") }
            return try list(arguments, "group") { $0.group.map { [$0] } ?? [] }
        }
        if arguments.has(.json) { throw Failure(.usage, "group: --json goes with the list of groups") }
        if arguments.has(.off) {
            return try relabel(arguments, arguments.operands) { overview, _ in overview.group = nil }
        }
        guard arguments.operands.count > 1 else {
            throw Failure(.usage, "group: which records?", hint: "qvault group NAME… GROUP")
        }
        let group = try CardArguments.name(text(arguments.operands[arguments.operands.count - 1]), "group")
        return try relabel(arguments, arguments.operands.dropLast()) { overview, vault in
            overview.group = try group.map { try CardArguments.group($0, in: vault) }
        }
    }

    private static func text(_ word: [UInt8]) throws -> String {
        guard let text = String(validating: word, as: UTF8.self) else {
            throw Failure(.invalid, "'\(printable(word))' is not UTF-8")
        }
        return text
    }

    /// Changes what lists show of records; their content is not stored again.
    private static func relabel(
        _ arguments: Arguments, _ names: [[UInt8]], _ change: (inout Overview, Vault) throws -> Void
    ) throws -> ExitCode {
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let transaction = try Session.begin(path, arguments)
            var count = 0
            var seen: Set<RecordID> = []
            for name in names {
                let (_, entry) = try Names.record(name, in: transaction.before)
                var overview = entry.overview
                try change(&overview, transaction.before)
                guard overview != entry.overview, seen.insert(entry.id).inserted else { continue }
                try transaction.updateMetadata(entry, overview)
                count += 1
            }
            guard count > 0 else {
                Messages.done("nothing to change", arguments)
                return .done
            }
            try Session.commit(transaction)
            Messages.done("records changed: \(count)", arguments)
            return .done
        }
    }

    /// Lists names with the number of records that have each.
    private static func list(
        _ arguments: Arguments, _ member: String, _ names: (Overview) -> [String]
    ) throws -> ExitCode {
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            var counts: [String: Int] = [:]
            for entry in try Session.open(path, arguments).entries() {
                for name in names(entry.overview) { counts[name, default: 0] += 1 }
            }
            var out = StandardOutput()
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                let line = JSON.object([(member, .text(name)), ("records", .integer(Int64(count)))]).line
                try out.write(arguments.has(.json) ? line + "\n" : "\(printable(name.utf8))  \(count)\n")
            }
            try out.flush()
            return .done
        }
    }
}
