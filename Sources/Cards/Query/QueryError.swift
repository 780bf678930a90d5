public import Values

/// What is wrong with a query, and where.
public struct QueryError: Error, Equatable, Sendable {
    /// The fault.
    public let what: Phrase
    /// The query.
    public let text: String
    /// The bytes of the query that have the fault; empty at its end.
    public let place: Range<Int>
    /// A word that nobody knows, and those that are known in its place: the nearest may have been meant.
    public let unknown: Unknown?

    /// A word that nobody knows.
    public struct Unknown: Equatable, Sendable {
        /// The thing that it should have named.
        public enum Subject: Sendable { case field, word, query }

        /// The thing that it should have named.
        public let subject: Subject
        /// The word.
        public let word: String
        /// Those that are known; of queries none, since they are in a vault.
        public let known: [String]
    }

    init(_ what: Phrase, _ text: String, _ place: Range<Int>, unknown: Unknown? = nil) {
        (self.what, self.text, self.place, self.unknown) = (what, text, place, unknown)
    }
}
