import VaultFormat
import Cards
import VaultStore

/// Cards that were one: `NAME`, and each `NAME (conflict 12-b7f0)` that a merge kept beside it.
struct CardConflict {
    let mine: Entry
    let others: [Entry]

    /// The conflict of a card and copies that a person names together; nil where they name anything else.
    init?(naming wanted: [RecordID], copies: [Entry], in vault: Vault) throws {
        let known = Set(copies.map(\.id))
        let others = wanted.filter { !known.contains($0) }
        guard others.count == 1, let card = try vault.entry(others[0]), !copies.isEmpty,
            copies.allSatisfy({ $0.kind == card.kind })
        else { return nil }
        (mine, self.others) = (card, copies)
    }

    private init(mine: Entry, others: [Entry]) { (self.mine, self.others) = (mine, others) }

    /// The conflicts whose card is known.
    static func all(in vault: Vault) throws -> [CardConflict] {
        let cards = try vault.cardEntries()
        let groups = Dictionary(grouping: copies(among: cards)) { owner(of: $0, among: cards)?.id }
        return cards.compactMap { card in groups[card.id].map { CardConflict(mine: card, others: $0) } }
    }

    /// Copies of which nobody can tell whose they are.
    static func lonely(in vault: Vault) throws -> [Entry] {
        let cards = try vault.cardEntries()
        return copies(among: cards).filter { owner(of: $0, among: cards) == nil }
    }

    /// The copies that merges made.
    static func copies(among cards: [Entry]) -> [Entry] { cards.filter { $0.titleBeforeMerge != nil } }

    private static func owner(of copy: Entry, among cards: [Entry]) -> Entry? {
        let name = copy.titleBeforeMerge
        let owners = cards.filter { $0.overview.title == name && $0.kind == copy.kind }
        return owners.count == 1 ? owners[0] : nil
    }

    /// One card of all. A field that only one of them has is taken; of two values a person chooses, or this card's counts.
    func resolved(in vault: Vault, asks: Bool) throws -> Card {
        var card = try vault.card(mine)
        if asks { try Terminal.write("\n\(printable(mine.overview.title))\n") }
        for other in try others.map({ try vault.card($0) }) {
            for line in other.lines { try Self.take(line, of: other, into: &card, asks: asks) }
            if card.overview.group == nil { card.overview.group = other.overview.group }
            card.overview.tags = try CardArguments.tags(other.overview.tags, "tags", besides: card.overview.tags)
            card.overview.isPinned = card.overview.isPinned || other.overview.isPinned
        }
        return card
    }

    private static func take(_ line: Card.Line, of other: Card, into card: inout Card, asks: Bool) throws {
        let own = card.lines.first { $0.key == line.key }
        if let own {
            guard !own.value.utf8.elementsEqual(line.value.utf8), asks, try takesSecond(own, line) else { return }
        }
        if let field = other.fields.own.first(where: { $0.label == line.key }), line.label == nil {
            // With what hides it from lists.
            if let place = card.fields.own.firstIndex(where: { $0.label == field.label }) {
                card.fields.own[place] = field
            } else {
                card.fields.own.append(field)
            }
        } else {
            try CardArguments.require(card.set([(line.key, line.value)]), of: card.schema)
        }
    }

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

    /// True if nobody changed any of the cards meanwhile.
    func isUnchanged(in transaction: VaultTransaction) throws -> Bool {
        try ([mine] + others).allSatisfy { try transaction.entry($0.id)?.revision == $0.revision }
    }

    /// Stores the card, gives it the attachments of the others with their marks and shares, and puts those into the trash.
    func store(_ card: Card, in transaction: VaultTransaction) throws {
        try transaction.put(card, as: mine.id)
        let entries = try transaction.before.entries()
        var there = try transaction.before.attachments(of: mine)
        var moved: Set<RecordID> = []
        for other in others {
            for file in try transaction.before.attachments(of: other) {
                let isShared = entries.contains { $0.parent == file.id && $0.kind != .thumbnail }
                if try !isShared && there.contains(where: { try isSame($0, file, transaction.before) }) { continue }
                var overview = file.overview
                let names = Set(there.map(\.overview.title))
                for number in 2... where names.contains(overview.title) {
                    overview.title = Array("\(number) ".utf8) + file.overview.title.suffix(Limits.titleByteCount - 8)
                }
                let content = try transaction.before.content(of: file, limit: Vault.maximumAttachmentByteCount)
                try transaction.put(
                    file.id, kind: file.kind, parent: mine.id, overview: overview, content: content)
                var new = file
                new.overview = overview
                there.append(new)
                moved.insert(file.id)
            }
            for entry in Vault.withDependents([other], among: entries)
            where !moved.contains(entry.id) && !(entry.parent.map(moved.contains) ?? false) {
                try transaction.trash(entry)
            }
        }
    }

    private func isSame(_ one: Entry, _ other: Entry, _ vault: Vault) throws -> Bool {
        guard one.overview.title == other.overview.title, one.length == other.length else { return false }
        let limit = Vault.maximumAttachmentByteCount
        return try vault.content(of: one, limit: limit) == vault.content(of: other, limit: limit)
    }
}
