import Cards
import VaultFormat
import VaultStore

extension Verb {
    static let resolve = Verb.at(
        name: "resolve", summary: "make one card of two that a merge kept, field by field", operands: "[NAME…]",
        options: [
            .vault, Option(.all, help: "do not ask: take this card's fields; add only those that it lacks"), .dryRun,
            .wait, .savesAsJSON,
        ] + Option.use,
        example: "qvault resolve", note: "asks for each field that differs; the other card goes to the trash"
    ) { path, arguments in
        Saving.begin(path)
        let key = try VaultSecret(path, arguments)
        // What an interrupted save left may be completed in between: then it is asked once more.
        return try resolve(path, key, arguments) ?? resolve(path, key, arguments) ?? { throw VaultError.replaced }()
    }

    /// - Returns: nil where the cards changed when an interrupted save was mended.
    private static func resolve(_ path: BytePath, _ key: VaultSecret, _ arguments: Arguments) throws -> ExitCode? {
        let vault = try Session.open(path, key, arguments)
        let wanted = try arguments.operands.map { try CardArguments.card($0, in: vault, changes: true).id }
        let (conflicts, lonely) = try CardConflict.all(in: vault, naming: wanted)
        for card in lonely {
            Messages.say(
                "'\(printable(card.overview.title))': it is not known which card it belongs to: none, or several, have its name"
            )
        }
        if !lonely.isEmpty { Messages.hint("'qvault resolve CARD COPY' says to which") }
        guard !conflicts.isEmpty else {
            if lonely.isEmpty { Messages.done("no card has a conflict") }
            return lonely.isEmpty ? .done : .inPart
        }
        guard !arguments.has(.dryRun) else {
            let changes = conflicts.flatMap { conflict in
                [(conflict.mine, Version.Change.changed)] + conflict.others.map { ($0, .trashed) }
            }
            return ShownSaves.plan(path, changes.map { RecordChange(BytePath($0.overview.title), $1, $0) })
        }
        // Nobody else waits while a person thinks.
        let resolved = try conflicts.map { conflict in
            guard !arguments.has(.all) else { return (conflict, try conflict.resolved(in: vault)) }
            try Terminal.write("\n\(printable(conflict.mine.overview.title))\n")
            return (conflict, try conflict.resolved(in: vault, takesSecond: takesSecond))
        }
        let transaction = try Session.begin(path, arguments, key: key)
        for (conflict, card) in resolved {
            guard try conflict.isUnchanged(in: transaction) else {
                if !transaction.repairs.isEmpty { return nil }
                throw VaultError.replaced
            }
            try conflict.store(card, in: transaction)
        }
        try Session.commit(transaction)
        Messages.done("resolved: \(resolved.count); 'qvault undelete' brings the other cards back")
        return lonely.isEmpty ? .done : .inPart
    }

    /// Asks which of two values counts.
    private static func takesSecond(_ own: Card.Line, _ line: Card.Line) throws -> Bool {
        let label = line.label?.said ?? printable(line.key.utf8)
        let values = [own, line].map { printable($0.shown(isRevealed: !$0.isSensitive).utf8) }
        let isSecret: Phrase = own.isSensitive ? " (hidden; 'card show --field' shows them)" : ""
        try Terminal.write("\(label)\(isSecret.said)\n  1 \(values[0])\n  2 \(values[1])\n")
        while true {
            switch try Terminal.ask("1 or 2 [1]: ") {
            case "", "1": return false
            case "2": return true
            default: continue
            }
        }
    }
}
