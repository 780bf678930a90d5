public import Values
public import VaultFormat

/// A query that is understood: a question that every record of a vault answers (Spec/product/query.md).
public struct Query: Sendable {
    let node: QueryNode
    let words: CardQuery
    let conditions: [ResolvedCondition]
    /// As it is written.
    public let term: QueryTerm

    /// Reads a query.
    ///
    /// - Parameters:
    ///   - text: the query.
    ///   - clock: when it is asked.
    ///   - named: the text of a query with a name; nil where there is none.
    /// - Throws: `QueryError`; what `named` throws.
    public init(_ text: String, clock: QueryClock, named: (String) throws -> String? = { _ in nil }) throws {
        try self.init(QueryTerm(text), text, clock: clock, named: named)
    }

    /// The same of a query that was read.
    ///
    /// - Parameter text: what errors show.
    public init(
        _ term: QueryTerm, _ text: String, clock: QueryClock, named: (String) throws -> String? = { _ in nil }
    ) throws {
        self.term = term
        var builder = QueryBuilder(text: text, clock: clock)
        node = try builder.node(term, named)
        (words, conditions) = (CardQuery(words: builder.words), builder.conditions)
    }

    /// True if it looks for words, and so has a best answer.
    public var hasWords: Bool { words.count > 0 }

    /// A line of a text in which a word is found, and of a long one the part that has it; at most 80 characters.
    public func excerpt(of text: String) -> String { words.excerpt(of: text) }

    /// The name of a kind of records that queries find, for people.
    public static func label(of kind: Entry.Kind) -> LocalizedLabel? { QueryKinds.label(kind) }

    /// The name of saves, for people.
    public static let saveLabel = LocalizedLabel(QueryKinds.save[0], QueryKinds.save[2])

    /// True if it asks for saves.
    var asksForSaves: Bool { conditions.contains { $0.kinds.saves || $0.field.place == .save } }

    /// Parts of a vault that the query needs besides the records.
    var needs: QueryNeeds {
        conditions.reduce(into: []) { needs, condition in
            needs.formUnion(condition.field.needs)
            let words = Set(condition.words)
            if words.contains(QueryPart.attachment.rawValue) { needs.insert(.attachments) }
            if words.contains(QueryPart.share.rawValue) { needs.insert(.shares) }
            if !words.isDisjoint(with: [QueryPart.due.rawValue, QueryState.overdue.rawValue]) { needs.insert(.due) }
        }
    }
}
