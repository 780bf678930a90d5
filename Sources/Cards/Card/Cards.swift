public import VaultFormat
import VaultIO
public import VaultStore

extension Entry {
    /// True if it is a card of a kind that this version knows.
    public var isCard: Bool { Schema.isKnown(kind) }
    /// The title as text. Bytes of a file name that are not UTF-8 become U+FFFD.
    public var title: String { String(decoding: overview.title, as: UTF8.self) }
}

extension Vault {
    /// The most bytes of a card's content.
    public static let cardByteCount = 1 << 24

    /// Reads a card.
    ///
    /// - Throws: `FormatError`; `IOError`.
    public func card(_ entry: Entry) throws -> Card { try Card(entry, content(of: entry, limit: Self.cardByteCount)) }

    /// Reads many cards on all cores; in their order.
    ///
    /// - Throws: as `card`.
    public func cards(_ entries: [Entry]) throws -> [Card] {
        try map(entries, limit: Self.cardByteCount, damaged: { throw $1 }) { entry, content, cards in
            cards.append(try Card(entry, Array(copying: content)))
        }
    }

    /// The titles of the cards that attachments belong to, by attachment; of those that are there, and whose card is.
    ///
    /// - Parameter shares: records of copies, whose parents are the attachments.
    package func cardTitles(of shares: [Entry]) throws -> [RecordID: String] {
        var titles: [RecordID: String] = [:]
        for attachment in Set(shares.compactMap(\.parent)) {
            titles[attachment] = try entry(attachment)?.parent.flatMap { try entry($0) }?.title
        }
        return titles
    }

    /// The groups of its cards, the largest first.
    public func cardGroups() throws -> [String] {
        let counts = Dictionary(try cardEntries().compactMap(\.overview.group).map { ($0, 1) }, uniquingKeysWith: +)
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// The group that is there under a name, also where only letters are small or capital; else the name itself.
    ///
    /// - Throws: as `entries`.
    public func knownGroup(_ name: String) throws -> String {
        let groups = try cardGroups()
        return groups.contains(name) ? name : groups.first { $0.lowercased() == name.lowercased() } ?? name
    }

    /// All live cards that are wanted: those that are pinned first, then those that changed last.
    ///
    /// - Throws: as `entries`.
    public func cardEntries(where isWanted: (Entry) -> Bool = { _ in true }) throws -> [Entry] {
        Self.listed(try entries { $0.isCard && isWanted($0) })
    }

    /// Cards in the order of lists: pinned ones first, then those that changed last.
    public static func listed(_ cards: [Entry]) -> [Entry] {
        var cards = cards
        cards.sort(by: { ($0.overview.isPinned ? 0 : 1, $0.updated, $0.id) }) { one, other in
            (one.0, other.1, one.2) < (other.0, one.1, other.2)
        }
        return cards
    }

    /// The live cards and the records of copies that were given away, those of cards in the trash too, in no order.
    ///
    /// - Throws: as `entries`.
    public func cardsAndShares() throws -> [Entry] {
        try presentEntries { $0.isCard && $0.state == .live || $0.isShare }
    }
}

extension Card {
    package init(_ entry: Entry, _ content: [UInt8]) throws {
        guard let schema = Schema.of(entry.kind) else { preconditionFailure("an entry that is a card") }
        do {
            self.init(schema: schema, overview: entry.overview, fields: try RecordFields(parsing: content))
        } catch let error as FormatError { throw error.at(entry.place) }
    }
}

extension VaultTransaction {
    /// Stores a card: a new one, or a new version of the one with this id.
    public func put(_ card: Card, as id: RecordID) throws {
        let content = card.fields.bytes
        guard content.count <= Vault.cardByteCount else {
            throw FormatError(.invalid, "a card takes 16 MiB, not \(content.count) bytes")
        }
        try put(id, kind: card.schema.kind, parent: nil, overview: card.overview, content: content)
    }
}
