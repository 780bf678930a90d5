import VaultFormat

/// What has to hold, by the places of words and conditions.
indirect enum QueryNode: Sendable {
    case word(Int)
    case condition(Int)
    case not(QueryNode)
    case all([QueryNode])
    case any([QueryNode])
}

/// A condition that is understood.
struct ResolvedCondition: Sendable {
    let field: QueryField
    /// One of them has to hold.
    let tests: [QueryTest]
    /// The kinds that it asks for, if it asks for kinds; `save` of saves.
    let kinds: (records: Set<Entry.Kind>, saves: Bool)
    /// The states or parts that it asks for.
    let words: [String]
    /// The fields of one's own that it asks for, folded.
    let own: [String]
    /// The fields that it asks for, or for a value of; of each kind that has such.
    let fields: [Entry.Kind: [Key]]

    /// A field as content is compared with it.
    struct Key: Sendable {
        let bytes: [UInt8]
        let check: Check
    }
}
