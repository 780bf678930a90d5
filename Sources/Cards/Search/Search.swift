public import VaultFormat
import VaultIO
public import VaultStore

/// A card that answers a query. Of these there may be very many: each is made once, and not copied.
public final class Hit: Sendable {
    /// The record.
    public let entry: Entry
    /// The match.
    public let match: CardQuery.Match
    /// The line of the card that answers; nil where the title or a tag does.
    public let line: Card.Line?

    fileprivate init(_ entry: Entry, _ found: CardQuery.Found, _ content: Span<UInt8>) throws {
        self.entry = entry
        (match, line) = try found.answer(Schema.of(entry.kind), entry.overview, content)
    }
}

extension Vault {
    /// Cards that answer, the best first: by level, place, then those that were updated last.
    ///
    /// - Parameters:
    ///   - isWanted: which cards are looked at.
    ///   - damaged: told which cards cannot be read; the rest is searched if it returns.
    /// - Throws: as `card`, unless `damaged` says otherwise.
    public func search(
        _ query: CardQuery, where isWanted: (Entry) -> Bool = { _ in true },
        damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [Hit] {
        var hits = try map(where: { $0.isCard && isWanted($0) }, limit: Self.cardByteCount, damaged: damaged) {
            var best: [CardQuery.Found?] = []
            return { entry, content, hits in
                guard let found = try query.match(entry.kind, entry.overview, content, using: &best) else { return }
                hits.append(try Hit(entry, found, content))
            }
        }
        hits.sort(by: { ($0.match.level, $0.match.place, $0.entry.updated, $0.entry.id) }) { one, other in
            (one.0, one.1, other.2, one.3) < (other.0, other.1, one.2, other.3)
        }
        return hits
    }
}
