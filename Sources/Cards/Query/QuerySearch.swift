import Synchronization
import Values
public import VaultFormat
import VaultIO
public import VaultStore

/// A record that answers a query. Of these there may be very many: each is made once, and not copied.
public final class QueryHit: Sendable {
    /// The record.
    public let entry: Entry
    /// The place of the word that stands in the worst one; nil where the query has no words.
    public let match: CardQuery.Match?
    /// The line of a card that answers; nil where the title, a tag or the kind does.
    public let line: Card.Line?

    init(_ entry: Entry, _ answer: QueryMatcher.Answer, _ content: Span<UInt8>) throws {
        self.entry = entry
        let found = try answer.found?.answer(Schema.of(entry.kind), entry.overview, content)
        (match, line) = (found?.match, found?.line)
    }
}

/// What a vault answers to a query.
public struct QueryResult: Sendable {
    /// The records: with words the best first; without, those that are pinned, then those that changed last.
    public let hits: [QueryHit]
    /// The saves, the latest first; only where the query asks for saves.
    public let saves: [SaveInfo]
    /// Records that were looked at, and those of them whose content was read.
    public let counts: (records: Int, opened: Int)
}

extension Vault {
    /// Asks a query of all live cards, files, folders, attachments, copies and settings.
    ///
    /// - Parameters:
    ///   - clock: when it is asked.
    ///   - damaged: told which records cannot be read; the rest is asked if it returns.
    /// - Throws: as `card`, unless `damaged` says otherwise.
    public func find(
        _ query: Query, clock: QueryClock, damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> QueryResult {
        let context = try QueryContext(query.needs, self, clock, damaged: damaged)
        let records = Atomic(0)
        let opened = Atomic(0)
        let hits: [QueryHit] = try map(
            splitting: { entries in
                var matcher = QueryMatcher(query, context)
                var known: [QueryHit] = []
                var unread: [Entry] = []
                for entry in entries where QueryKinds.isFound(entry.kind) {
                    records.add(1, ordering: .relaxed)
                    switch matcher.decide(entry) {
                    case nil: unread.append(entry)
                    case true?:
                        if let answer = matcher.answer() { known.append(try QueryHit(entry, answer, Span())) }
                    case false?: break
                    }
                }
                opened.add(unread.count, ordering: .relaxed)
                return (known, unread)
            }, limit: Self.cardByteCount, damaged: damaged
        ) {
            var matcher = QueryMatcher(query, context)
            return { entry, content, hits in
                if let answer = try matcher.answer(entry, content) { hits.append(try QueryHit(entry, answer, content)) }
            }
        }
        var saves: [SaveInfo] = []
        if query.asksForSaves {
            saves = try self.saves().reversed().filter { QueryMatcher(query, context).holds(for: $0) }
        }
        return QueryResult(
            hits: Self.sorted(hits), saves: saves,
            counts: (records.load(ordering: .relaxed), opened.load(ordering: .relaxed)))
    }

    /// In the order of `QueryResult.hits`.
    private static func sorted(_ hits: [QueryHit]) -> [QueryHit] {
        var hits = hits
        hits.sort(by: { hit in
            let isPinned = hit.match == nil && hit.entry.overview.isPinned
            return (
                hit.match?.level ?? .exact, hit.match?.place ?? .title, isPinned ? 0 : 1, hit.entry.updated,
                hit.entry.id
            )
        }) { one, other in
            (one.0, one.1, one.2, other.3, one.4) < (other.0, other.1, other.2, one.3, other.4)
        }
        return hits
    }
}
