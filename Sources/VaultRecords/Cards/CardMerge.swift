import VaultFormat
public import VaultStore

extension Merge {
    /// Plans a merge that joins cards field by field: what only one side changed is taken, and a card is kept twice only
    /// where both changed the same field (Spec/store.md, 13).
    ///
    /// - Throws: what reading either vault throws.
    public init(cardsOf theirs: Vault, into mine: Vault) throws {
        try self.init(theirs, into: mine) { old, mine, theirs in
            guard mine.entry.isCard, old.entry.kind == mine.entry.kind else { return nil }
            let (before, here, there) = (
                try old.vault.card(old.entry), try mine.vault.card(mine.entry), try theirs.vault.card(theirs.entry)
            )
            // Parts that a newer program made cannot be told apart.
            guard ![before, here, there].contains(where: \.fields.isPartlyUnknown),
                here.overview.unknownBytes == there.overview.unknownBytes
            else { return nil }
            let (card, conflicts) = there.merged(since: before, into: here)
            return conflicts.isEmpty ? (card.overview, card.fields.bytes) : nil
        }
    }
}

extension Card {
    /// The keys of what differs between two versions of a card: fields, and `title`, `group`, `tags`, `pinned`.
    public func keysThatDiffer(from other: Card) -> [String] {
        func values(_ card: Card) -> [String: String] {
            Dictionary(card.lines.map { ($0.key, $0.value) }, uniquingKeysWith: { $0 + "\n" + $1 })
        }
        let (mine, theirs) = (values(self), values(other))
        var seen: Set<String> = []
        let keys = (lines + other.lines).map(\.key).filter { mine[$0] != theirs[$0] && seen.insert($0).inserted }
        let parts = [
            ("title", overview.title == other.overview.title), ("group", overview.group == other.overview.group),
            ("tags", overview.tags == other.overview.tags), ("pinned", overview.isPinned == other.overview.isPinned),
        ]
        return parts.filter { !$0.1 }.map(\.0) + keys
    }
}
