import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let resolve = Verb(
        name: "resolve", summary: "make one card of two that a merge kept, field by field", operands: "[NAME…]",
        operandCount: 0...Int.max,
        options: [
            .vault, Option(.all, help: "do not ask: take this card's fields; add only those that it lacks"), .dryRun,
            .wait,
        ] + Option.use,
        example: ("qvault resolve", "asks for each field that differs; the other card goes to the trash")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let key = try VaultSecret(path, arguments)
            let vault = try Session.open(path, key, arguments, isSource: false)
            let wanted = try arguments.operands.map { try CardArguments.card($0, in: vault).id }
            let conflicts = try CardConflict.all(in: vault).filter {
                wanted.isEmpty || wanted.contains($0.mine.id) || wanted.contains($0.theirs.id)
            }
            guard !conflicts.isEmpty else {
                Messages.done("no card has a conflict", arguments)
                return .done
            }
            if arguments.has(.dryRun) {
                for conflict in conflicts { Messages.say("would resolve \(printable(conflict.theirs.overview.title))") }
                return .done
            }
            // Nobody else waits while a person thinks.
            let resolved = try conflicts.map { try ($0, $0.resolved(in: vault, asks: !arguments.has(.all))) }
            let transaction = try Session.begin(path, arguments, key: key)
            for (conflict, card) in resolved {
                guard try conflict.isUnchanged(in: transaction) else { throw VaultError.replaced }
                try transaction.put(card, as: conflict.mine.id)
                try conflict.moveParts(in: transaction)
                let doomed = Vault.withDependents([conflict.theirs], among: try transaction.before.entries())
                for entry in doomed { try transaction.trash(entry) }
            }
            try Session.commit(transaction)
            Messages.done("resolved: \(resolved.count); 'qvault undelete' brings the other cards back", arguments)
            return .done
        }
    }
}

/// Two cards that were one: `NAME` and `NAME (conflict 12)`.
private struct CardConflict {
    let mine, theirs: Entry

    static func all(in vault: Vault) throws -> [CardConflict] {
        let cards = try vault.cardEntries()
        let byTitle = Dictionary(cards.map { ($0.overview.title, $0) }, uniquingKeysWith: { first, _ in first })
        return cards.compactMap { card in
            guard let mark = card.overview.title.firstRange(of: Array(" (conflict ".utf8)),
                let end = card.overview.title[mark.upperBound...].firstIndex(of: UInt8(ascii: ")")),
                card.overview.title[mark.upperBound..<end].allSatisfy({ 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }),
                let mine = byTitle[Array(card.overview.title[..<mark.lowerBound]) + card.overview.title[(end + 1)...]],
                mine.kind == card.kind
            else { return nil }
            return CardConflict(mine: mine, theirs: card)
        }
    }

    /// One card of both. A field that only one of them has is taken; of two values a person chooses, or this card's counts.
    func resolved(in vault: Vault, asks: Bool) throws -> Card {
        var card = try vault.card(mine)
        let other = try vault.card(theirs)
        if asks { try Terminal.write("\n\(printable(mine.overview.title))\n") }
        for line in other.lines where card.lines.first(where: { $0.key == line.key })?.value != line.value {
            guard let own = card.lines.first(where: { $0.key == line.key }) else {
                try CardArguments.require(card.set([(line.key, line.value)]), of: card.schema)
                continue
            }
            guard asks else { continue }
            let label = line.label?.said ?? printable(line.key.utf8)
            let values = [own, line].map { printable($0.shown(isRevealed: !$0.isSensitive).utf8) }
            let isSecret: Phrase = own.isSensitive ? " (hidden; 'card show --field' shows them)" : ""
            try Terminal.write("\(label)\(isSecret.said)\n  1 \(values[0])\n  2 \(values[1])\n")
            if try Self.takesSecond() { try CardArguments.require(card.set([(line.key, line.value)]), of: card.schema) }
        }
        if card.overview.group == nil { card.overview.group = other.overview.group }
        card.overview.tags = try CardArguments.tags(other.overview.tags, "tags", besides: card.overview.tags)
        return card
    }

    private static func takesSecond() throws -> Bool {
        while true {
            switch try Terminal.ask("1 or 2 [1]: ") {
            case "", "1": return false
            case "2": return true
            default: continue
            }
        }
    }

    /// True if nobody changed either card meanwhile.
    func isUnchanged(in transaction: VaultTransaction) throws -> Bool {
        try transaction.entry(mine.id)?.revision == mine.revision
            && transaction.entry(theirs.id)?.revision == theirs.revision
    }

    /// Attachments of the other card stay: they are stored with this one.
    func moveParts(in transaction: VaultTransaction) throws {
        for file in try transaction.before.attachments(of: theirs) {
            let content = try transaction.before.content(of: file, limit: Vault.maximumAttachmentByteCount)
            let new = NewAttachment(
                anyType: content, name: file.overview.title, modified: file.overview.modified)
            _ = try transaction.attach(new, to: mine, among: transaction.before.entries())
        }
    }
}
