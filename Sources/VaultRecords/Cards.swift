public import VaultFormat
public import VaultStore

extension Entry {
    /// Whether it is a card of a kind that this version knows.
    public var isCard: Bool { Schema.isKnown(kind) }
}

extension Vault {
    /// The most bytes of a card's content.
    public static let cardByteCount = 1 << 24

    /// Reads a card.
    ///
    /// - Throws: `FormatError`; `IOError`.
    public func card(_ entry: Entry) throws -> Card {
        try Card(entry, content(of: entry, limit: Self.cardByteCount))
    }

    /// Reads many cards on all cores; in their order.
    ///
    /// - Throws: as `card`.
    public func cards(_ entries: [Entry]) throws -> [Card] {
        try map(entries, limit: Self.cardByteCount, with: {}, damaged: { throw $1 }) {
            try Card($1, Array(copying: $2))
        }
    }

    /// What `transform` makes of the content of each of many short records, read on all cores; in their order, without
    /// those that it makes nothing of.
    ///
    /// - Parameters:
    ///   - makeState: makes what serves `transform` for many records, one after the other.
    ///   - damaged: told, one after the other, which records cannot be read; the rest goes on if it returns.
    /// - Throws: as `content`, unless `damaged` says otherwise; what `transform` throws.
    func map<State, Value>(
        _ entries: [Entry], limit: Int, with makeState: () -> State, damaged: (Entry, FormatError) throws -> Void,
        _ transform: (inout State, Entry, Span<UInt8>) throws -> Value?
    ) throws -> [Value] {
        let step = 256
        let pieces = try Parallel.map((entries.count + step - 1) / step) { piece in
            var made: (values: [Value], faults: [(Int, FormatError)]) = ([], [])
            var state = makeState()
            let range = piece * step..<min((piece + 1) * step, entries.count)
            try forEachContent(of: entries.span.extracting(range), limit: limit) { entry, content in
                if let value = try transform(&state, entry, content) { made.values.append(value) }
            } damaged: {
                made.faults.append((range.lowerBound + $0, $1))
            }
            return made
        }
        for (index, error) in pieces.lazy.flatMap(\.faults) { try damaged(entries[index], error) }
        return pieces.flatMap(\.values)
    }

    /// All live cards, by id.
    ///
    /// - Throws: as `entries`.
    public func cardsByID() throws -> [Entry] {
        var entries = try entries()
        entries.removeAll { !$0.isCard }
        return entries
    }

    /// All live cards: those that are pinned first, then those that changed last.
    public func cardEntries() throws -> [Entry] {
        let entries = try entries()
        // What is compared stands side by side: an entry is many parts, each counted when it is handed over.
        var keys: [ListKey] = []
        keys.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() where entry.isCard {
            keys.append(
                ListKey(isPinned: entry.overview.isPinned, updated: entry.updated, id: entry.id, index: index))
        }
        keys.sort { $0.isBefore($1) }
        return keys.map { entries[$0.index] }
    }
}

/// Where a card stands in a list.
private struct ListKey {
    let isPinned: Bool
    let updated: UInt64
    let id: RecordID
    let index: Int

    func isBefore(_ other: ListKey) -> Bool {
        if isPinned != other.isPinned { return isPinned }
        return updated == other.updated ? id < other.id : updated > other.updated
    }
}

extension Card {
    init(_ entry: Entry, _ content: [UInt8]) throws {
        guard let schema = Schema.of(entry.kind) else { preconditionFailure("an entry that is a card") }
        do {
            self.init(schema: schema, overview: entry.overview, fields: try RecordFields(parsing: content))
        } catch let error as FormatError { throw error.at(entry.place) }
    }
}

extension Transaction {
    /// Stores a card: a new one, or a new version of the one with this id.
    public func put(_ card: Card, as id: RecordID) throws {
        let content = card.fields.bytes
        guard content.count <= Vault.cardByteCount else {
            throw FormatError(.invalid, "a card takes 16 MiB, not \(content.count) bytes")
        }
        try put(id, kind: card.schema.kind, parent: nil, overview: card.overview, content: content)
    }
}
