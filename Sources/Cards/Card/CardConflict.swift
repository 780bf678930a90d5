public import VaultFormat
public import VaultStore

/// Cards that were one: `NAME`, and each `NAME (conflict 12-b7f0)` that a merge kept beside it.
public struct CardConflict: Sendable {
    /// The card.
    public let mine: Entry
    /// The copies.
    public let others: [Entry]

    /// The conflicts of a vault: those whose card is known, and the copies of which nobody can tell whose they are.
    ///
    /// - Parameter wanted: the cards and copies that a person names; none for all. A card and copies that are named together
    ///   belong together.
    /// - Throws: as `entries`.
    public static func all(
        in vault: Vault, naming wanted: [RecordID] = []
    ) throws -> (known: [CardConflict], lonely: [Entry]) {
        let cards = try vault.cardEntries()
        let groups = Dictionary(grouping: copies(among: cards)) { owner(of: $0, among: cards)?.id }
        let known = cards.compactMap { card in groups[card.id].map { CardConflict(mine: card, others: $0) } }
        let lonely = (groups[nil] ?? []).filter { wanted.isEmpty || wanted.contains($0.id) }
        let named = known.filter { conflict in
            wanted.isEmpty || ([conflict.mine] + conflict.others).contains { wanted.contains($0.id) }
        }
        let rest = wanted.filter { id in !lonely.contains { $0.id == id } }
        if named.isEmpty, !lonely.isEmpty, rest.count == 1, let card = try vault.entry(rest[0]),
            lonely.allSatisfy({ $0.kind == card.kind })
        {
            return ([CardConflict(mine: card, others: lonely)], [])
        }
        return (named, lonely)
    }

    /// The copies that merges made.
    public static func copies(among cards: [Entry]) -> [Entry] { cards.filter { $0.titleBeforeMerge != nil } }

    private static func owner(of copy: Entry, among cards: [Entry]) -> Entry? {
        let name = copy.titleBeforeMerge
        let owners = cards.filter { $0.overview.title == name && $0.kind == copy.kind }
        return owners.count == 1 ? owners[0] : nil
    }

    /// One card of all. A field that only one of them has is taken; of two values this card's counts, or the one that is chosen.
    ///
    /// - Parameter takesSecond: whether a copy's value takes the place of the card's.
    /// - Throws: `Refusal` of what the card cannot hold; as `Vault.card`; what `takesSecond` throws.
    public func resolved(
        in vault: Vault, takesSecond: (Card.Line, Card.Line) throws -> Bool = { _, _ in false }
    ) throws -> Card {
        var card = try vault.card(mine)
        for other in try others.map({ try vault.card($0) }) {
            for line in other.lines {
                let own = card.lines.first { $0.key == line.key }
                if let own, try own.value.utf8.elementsEqual(line.value.utf8) || !takesSecond(own, line) { continue }
                try card.take(line, of: other)
            }
            if card.overview.group == nil { card.overview.group = other.overview.group }
            card.overview.tags = try Card.tags(other.overview.tags, "tags", besides: card.overview.tags)
            card.overview.isPinned = card.overview.isPinned || other.overview.isPinned
        }
        return card
    }

    /// True if nobody changed any of the cards meanwhile.
    ///
    /// - Throws: as `entry`.
    public func isUnchanged(in transaction: VaultTransaction) throws -> Bool {
        try ([mine] + others).allSatisfy { try transaction.entry($0.id)?.revision == $0.revision }
    }

    /// Stores the card, gives it the attachments of the others with their marks and shares, and puts those into the trash.
    ///
    /// - Throws: all that storing throws.
    public func store(_ card: Card, in transaction: VaultTransaction) throws {
        try transaction.put(card, as: mine.id)
        let entries = try transaction.before.entries()
        var there = try transaction.before.attachments(of: mine)
        var moved: Set<RecordID> = []
        for other in others {
            for file in try transaction.before.attachments(of: other) {
                let isShared = entries.contains {
                    $0.parent == file.id && ![.thumbnail, .attachmentText].contains($0.kind)
                }
                if try !isShared && there.contains(where: { try isSame($0, file, transaction.before) }) { continue }
                var overview = file.overview
                let names = Set(there.map(\.overview.title))
                for number in 2... where names.contains(overview.title) {
                    overview.title = Array("\(number) ".utf8) + file.overview.title.suffix(Limits.titleByteCount - 8)
                }
                let content = try transaction.before.content(of: file, limit: Vault.maximumAttachmentByteCount)
                try transaction.put(file.id, kind: file.kind, parent: mine.id, overview: overview, content: content)
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

extension Card {
    /// Takes a field of another card; one of its own keeps what hides it from lists.
    fileprivate mutating func take(_ line: Line, of other: Card) throws {
        if line.label == nil, let field = other.fields.own.first(where: { $0.label == line.key }) {
            if let place = fields.own.firstIndex(where: { $0.label == field.label }) {
                fields.own[place] = field
            } else {
                fields.own.append(field)
            }
        } else if let complaint = set([(line.key, line.value)]).first {
            throw Refusal(complaint.what, key: complaint.key)
        }
    }
}
