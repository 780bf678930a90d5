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
    /// The line of a card that answers, or the text of an attachment; nil where the title, a tag or the kind does.
    public let line: Card.Line?

    init(_ entry: Entry, _ answer: QueryMatcher.Answer, _ content: Span<UInt8>) throws {
        self.entry = entry
        let found = try answer.found?.answer(Schema.of(entry.kind), entry.overview, content)
        (match, line) = (found?.match, found?.line)
    }
}

/// The answer of a record, or of an attachment with its text. `Hit` is what is kept of one that answers.
private enum QueryAnswer<Hit> {
    /// It answers.
    case hit(RecordID, Hit)
    /// An attachment with its text answers, or does not.
    case read(TextAnswer)

    /// The answer of an attachment with its text: it counts in place of that of the attachment alone.
    final class TextAnswer {
        let id: RecordID
        let hit: Hit?

        init(_ id: RecordID, _ hit: Hit?) { (self.id, self.hit) = (id, hit) }
    }

    /// - Returns: nil of a record that does not answer, unless that counts.
    init?(_ id: RecordID, _ isText: Bool, _ hit: Hit?) {
        if isText {
            self = .read(TextAnswer(id, hit))
        } else if let hit {
            self = .hit(id, hit)
        } else {
            return nil
        }
    }

    /// The values kept of the records that answer.
    static func hits(_ answers: [QueryAnswer]) -> [Hit] {
        var read: Set<RecordID> = []
        for case .read(let answer) in answers { read.insert(answer.id) }
        return answers.compactMap { answer in
            switch answer {
            case .hit(let id, let hit): read.isEmpty || !read.contains(id) ? hit : nil
            case .read(let answer): answer.hit
            }
        }
    }
}

/// What a vault answers to a query.
public struct QueryResult: Sendable {
    /// The records: with words the best first; without, those that are pinned, then those that changed last.
    public let hits: [QueryHit]
    /// The saves, the latest first; only where the query asks for saves.
    public let saves: [SaveInfo]
    /// The records that were looked at.
    public let counts: QueryCounts
}

/// The number of records and saves that answer a query.
public struct QueryCount: Sendable {
    /// Records, the copies and settings among them.
    public let records: Int
    /// 0 where the query does not ask for saves.
    public let saves: Int
    /// The records that were looked at.
    public let counts: QueryCounts

    /// Records and saves.
    public var total: Int { records + saves }
}

/// The records that a query looked at.
public struct QueryCounts: Sendable {
    /// Records that were looked at.
    public let records: Int
    /// Those of them whose content was read.
    public let opened: Int
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
        let (hits, counts) = try ask(query, context, damaged, QueryHit.init)
        return QueryResult(hits: Self.sorted(hits), saves: try saves(query, context), counts: counts)
    }

    /// The number of records and saves that answer a query. Takes some 20 bytes for each, where `find` takes hundreds.
    ///
    /// - Throws: as `find`.
    public func count(
        _ query: Query, clock: QueryClock, damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> QueryCount {
        let context = try QueryContext(query.needs, self, clock, damaged: damaged)
        let (hits, counts): ([Void], _) = try ask(query, context, damaged) { _, _, _ in () }
        return QueryCount(records: hits.count, saves: try saves(query, context).count, counts: counts)
    }

    private func saves(_ query: Query, _ context: QueryContext) throws -> [SaveInfo] {
        guard query.asksForSaves else { return [] }
        return try saves().reversed().filter { QueryMatcher(query, context).holds(for: $0) }
    }

    /// The values that `keep` makes of the records that answer: of the record, its answer and its content.
    private func ask<Hit>(
        _ query: Query, _ context: QueryContext, _ damaged: (Entry, FormatError) throws -> Void,
        _ keep: @escaping (Entry, QueryMatcher.Answer, Span<UInt8>) throws -> Hit
    ) throws -> (hits: [Hit], counts: QueryCounts) {
        let records = Atomic(0)
        let opened = Atomic(0)
        let answers: [QueryAnswer<Hit>] = try map(
            splitting: { entries in
                var matcher = QueryMatcher(query, context)
                var known: [QueryAnswer<Hit>] = []
                var unread: [Entry] = []
                for entry in entries {
                    let subject = try subject(entry, query)
                    guard let subject else { continue }
                    let isText = entry.kind == .attachmentText
                    if !isText { records.add(1, ordering: .relaxed) }
                    switch matcher.decide(subject, hasOwnText: isText) {
                    case nil: unread.append(entry)
                    case true?:
                        let hit = try matcher.answer().map { try keep(subject, $0, Span()) }
                        QueryAnswer(subject.id, isText, hit).map { known.append($0) }
                    case false?: QueryAnswer(subject.id, isText, nil).map { known.append($0) }
                    }
                }
                opened.add(unread.count, ordering: .relaxed)
                return (known, unread)
            }, limit: Self.cardByteCount, damaged: damaged
        ) {
            var matcher = QueryMatcher(query, context)
            return { entry, content, answers in
                guard let subject = try self.subject(entry, query) else { return }
                let hit = try matcher.answer(subject, content).map { try keep(subject, $0, content) }
                QueryAnswer(subject.id, entry.kind == .attachmentText, hit).map { answers.append($0) }
            }
        }
        let counts = QueryCounts(
            records: records.load(ordering: .relaxed), opened: opened.load(ordering: .relaxed))
        return (QueryAnswer.hits(answers), counts)
    }

    /// The record that a query is asked of where it comes to this one: of the text of an attachment the attachment. Nil where
    /// it is asked of none.
    private func subject(_ entry: Entry, _ query: Query) throws -> Entry? {
        guard entry.kind == .attachmentText else { return QueryKinds.isFound(entry.kind) ? entry : nil }
        guard query.hasWords, let parent = entry.parent, try Self.textID(of: parent) == entry.id else { return nil }
        return try self.entry(parent).flatMap { $0.isAttachment ? $0 : nil }
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
