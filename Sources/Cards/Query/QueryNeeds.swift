/// What a query has to know of a vault besides the record that it looks at.
struct QueryNeeds: OptionSet {
    let rawValue: Int

    static let attachments = QueryNeeds(rawValue: 1)
    static let shares = QueryNeeds(rawValue: 2)
    static let due = QueryNeeds(rawValue: 4)
    static let paths = QueryNeeds(rawValue: 8)
}
