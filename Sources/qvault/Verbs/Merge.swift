import VaultFormat
import VaultStore

extension Verb {
    static let diff = Verb(
        name: "diff", summary: "what differs between two vaults, or two states of one", operands: "[OTHER]",
        operandCount: 0...1,
        options: [
            .vault,
            Option(
                "--at", value: "SAVE", help: "the state to start from; a second one: the state to compare",
                repeats: true), .json,
        ]
            + Option.use,
        example: ("qvault diff -f documents.qvault --at 12 --at 15", "what saves 13 to 15 did, by name")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        let moments = arguments.texts("--at")
        guard moments.count <= (arguments.operands.isEmpty ? 2 : 1), !moments.isEmpty || !arguments.operands.isEmpty
        else {
            throw Failure(
                .usage, "diff: name another vault, or give --at once or twice",
                hint: "qvault diff -f FILE --at 12 --at 15")
        }
        return try withVault(path) {
            let vault = try Session.open(path, arguments, isSource: true)
            let states = try moments.map { try vault.at(Moments.sequence($0, in: vault)) }
            let other = try arguments.operands.first.map { try Session.openOther(Path($0), beside: vault, arguments) }
            var out = StandardOutput()
            for difference in try Difference.all(
                from: states.first ?? vault, to: other ?? states.dropFirst().first ?? vault)
            {
                try out.write((arguments.has(.json) ? json(difference).line : text(difference)) + "\n")
            }
            try out.flush()
            return .done
        }
    }

    private static func text(_ difference: Difference) -> String {
        let sizes = [difference.old, difference.new].map { entry in
            entry.map { $0.kind == Entry.Kind.folder ? "-" : sizeText($0.length) } ?? ""
        }
        let size = sizes[0] == sizes[1] || sizes.contains("") ? sizes.joined() : sizes.joined(separator: " → ")
        let isSame = sizes[0] == sizes[1]
        return
            "\(padded(difference.kind.name.said, 10))  \(padded(isSame ? sizes[0] : size, 22, left: true))  \(difference.path)"
    }

    private static func json(_ difference: Difference) -> JSON {
        .object(
            JSON.path(difference.path) + [
                ("change", .text(difference.kind.name.description)),
                ("old_size", difference.old.map { .unsigned($0.length) } ?? .null),
                ("new_size", difference.new.map { .unsigned($0.length) } ?? .null),
            ])
    }

    static let merge = Verb(
        name: "merge", summary: "bring in what was done to a copy of this vault", operands: "OTHER",
        operandCount: 1...1,
        options: [.vault, Option("-n", "--dry-run", help: "only say what would be done"), .json, .wait] + Option.use,
        example: (
            "qvault merge -f documents.qvault laptop/documents.qvault",
            "what both changed is kept twice, and listed"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        let otherPath = Path(arguments.operands[0])
        return try withVault(path) {
            var out = StandardOutput()
            let isDry = arguments.has("--dry-run")
            var opened: Vault?
            func other(_ vault: Vault) throws -> Vault {
                let other = try opened ?? Session.openOther(otherPath, beside: vault, arguments)
                opened = other
                return other
            }
            let transaction = isDry ? nil : try Session.begin(path, arguments, merging: other)
            let vault = try transaction?.before ?? Session.open(path, arguments, isSource: true)
            let source = try other(vault)
            let merge = try Merge(source, into: vault)
            if merge.ancestor == nil, !arguments.has(.quiet) {
                Messages.say("\(otherPath): note: the two have no save in common: all of it is taken as new")
            }
            if let transaction, !merge.isEmpty {
                try merge.carryOut(in: transaction)
                try Session.commit(transaction, arguments, accepts: true)
            }
            for (path, outcome) in merge.outcomes {
                try out.write((arguments.has(.json) ? json(path, outcome).line : text(path, outcome)) + "\n")
            }
            try out.flush()
            if merge.isEmpty { Messages.done("nothing to merge", arguments) }
            return .done
        }
    }

    private static func text(_ path: Path, _ outcome: Merge.Outcome) -> String {
        let name = padded(outcome.name.said, 12)
        if case .keptBoth(let other) = outcome { return "\(name)  \(path)  →  \(other)" }
        return "\(name)  \(path)"
    }

    private static func json(_ path: Path, _ outcome: Merge.Outcome) -> JSON {
        var members = JSON.path(path) + [("outcome", .text(outcome.name.description))]
        if case .keptBoth(let other) = outcome { members += JSON.path(other, key: "other") }
        return .object(members)
    }
}

extension Difference.Kind {
    fileprivate var name: Phrase {
        switch self {
        case .added: "added"
        case .removed: "removed"
        case .changed: "changed"
        case .relabelled: "relabelled"
        }
    }
}

extension Merge.Outcome {
    fileprivate var name: Phrase {
        switch self {
        case .taken: "taken"
        case .removed: "removed"
        case .keptBoth: "kept both"
        case .keptHere: "kept"
        case .broughtBack: "brought back"
        }
    }
}
