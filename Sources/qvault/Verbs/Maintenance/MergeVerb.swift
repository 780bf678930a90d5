import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let merge = Verb.at(
        name: "merge", summary: "bring in what was done to a copy of this vault", operands: "[OTHER]",
        options: [
            .vault, Option(.dryRun, also: "-n", help: "only say what would be done"),
            Option(
                .allowRetired,
                help: "bring in a copy under a master key that was replaced: whoever had that key may have written it"),
            .json, .wait,
        ] + Option.use,
        example: "qvault merge -f documents.qvault laptop/documents.qvault",
        note: "cards are joined field by field; what both changed otherwise is kept twice, and listed"
    ) { path, arguments in
        let otherPath = try arguments.operands.first.map { BytePath($0) } ?? copyBeside(path)
        let isDry = arguments.has(.dryRun)
        // Nobody is to type a password while others wait for the lock.
        var opened = try Session.openUnrelated(otherPath, to: path, arguments)
        func other(_ vault: Vault) throws -> Vault {
            let other = try opened ?? Session.openOther(otherPath, beside: vault, arguments)
            opened = other
            return other
        }
        let transaction = isDry ? nil : try Session.begin(path, arguments, merging: other)
        let vault = try transaction?.before ?? Session.open(path, arguments, isSource: true)
        let source = try other(vault)
        source.nameInErrors = otherPath
        let merge = try Merge(cardsOf: source, into: vault)
        if !merge.isEmpty { try admit(source, into: vault, otherPath, arguments) }
        if merge.ancestor == nil {
            Messages.note("\(otherPath): note: the two have no save in common: all of it is taken as new")
        }
        if source.id == vault.id, !Messages.isQuiet { tellOfKeys(source, vault, otherPath) }
        if let transaction {
            if merge.isEmpty {
                if source.id == vault.id { try Machine.witnesses?.rememberFork(vault, at: path) }
            } else {
                try merge.carryOut(in: transaction)
                try Session.commit(transaction, accepts: true)
            }
        }
        try StandardOutput.list(merge.outcomes, arguments, json: { json($0, $1) }, text: { text($0, $1) })
        if merge.outcomes.isEmpty { Messages.done("nothing to merge: all that is in \(otherPath) is here") }
        if merge.outcomes.contains(where: { if case .keptBoth = $0.outcome { true } else { false } }) {
            Messages.advise("'qvault resolve' makes one card of two")
        }
        return merge.isPartial ? .inPart : .done
    }

    /// Says what a merge does not bring: another master key, other passwords.
    private static func tellOfKeys(_ other: Vault, _ vault: Vault, _ path: BytePath) {
        let (mine, theirs) = (vault.header.epoch.counter, other.header.epoch.counter)
        if theirs > mine {
            Messages.say(
                "\(path): note: its master key is newer: put a copy of it in the place of this vault, else it refuses to merge this one"
            )
        } else if theirs == mine, other.keySlots != vault.keySlots {
            Messages.say(
                "\(path): note: its passwords are others; they are not merged: 'qvault key list' shows those of each copy"
            )
        }
    }

    /// Refuses a copy under a master key that was replaced since: somebody who was shut out by that may have written it, and a
    /// rotation is to keep him out.
    private static func admit(_ other: Vault, into vault: Vault, _ path: BytePath, _ arguments: Arguments) throws {
        guard other.id == vault.id, other.header.epoch.counter < vault.header.epoch.counter else { return }
        let what: Phrase =
            "\(path): signed with a master key that was replaced: whoever had that key, also somebody shut out since, may have written it"
        guard arguments.has(.allowRetired) else {
            throw Failure(.older, what, hint: "--allow-retired brings it in all the same")
        }
        Messages.say(what)
    }

    /// The one copy that a program for synchronising left beside the vault.
    private static func copyBeside(_ path: BytePath) throws -> BytePath {
        let copies = try withVault(path) {
            try ConflictCopy.beside(path, LockedVault(path, in: Machine.store).header.vaultID)
        }
        guard copies.count != 1 else { return copies[0] }
        throw Failure(
            .usage,
            copies.isEmpty
                ? "merge: no copy with a conflict is beside the vault"
                : "merge: copies with a conflict: \(copies.count)",
            hint: copies.isEmpty
                ? "name the other vault: qvault merge OTHER"
                : "name one: \(copies.map(\.description).listed)")
    }

    private static func text(_ path: BytePath, _ outcome: Merge.Outcome) -> String {
        let name = padded(outcome.name.said, 12)
        if let other = outcome.other { return "\(name)  \(path)  →  \(other)" }
        if case .leftOut(let reason) = outcome { return "\(name)  \(path): \(reason.said)" }
        return "\(name)  \(path)"
    }

    private static func json(_ path: BytePath, _ outcome: Merge.Outcome) -> JSON {
        let reason: JSON = if case .leftOut(let reason) = outcome { ["reason": reason] } else { [:] }
        return JSON(
            joining: .path(path), ["outcome": outcome.name], outcome.other.map { .path($0, key: "other") } ?? [:],
            reason)
    }
}

extension Merge.Outcome {
    /// The second path that it tells of.
    fileprivate var other: BytePath? {
        switch self {
        case .keptBoth(let path), .moved(let path): path
        default: nil
        }
    }

    fileprivate var name: Phrase {
        switch self {
        case .taken: "taken"
        case .moved: "moved"
        case .removed: "removed"
        case .joined: "joined"
        case .keptBoth: "kept both"
        case .keptHere: "kept"
        case .broughtBack: "brought back"
        case .leftOut: "left out"
        }
    }
}
