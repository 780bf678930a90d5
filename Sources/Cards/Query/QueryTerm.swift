/// A query as it is written (Spec/product/query.md, 2): words, conditions, names of queries, and what joins them.
public indirect enum QueryTerm: Equatable, Sendable {
    /// A word that has to be found somewhere.
    case word(QueryText)
    /// A field with a value.
    case condition(QueryCondition)
    /// A query with a name.
    case named(QueryText)
    /// What it does not hold for.
    case not(QueryTerm)
    /// All of them hold. Two at least.
    case all([QueryTerm])
    /// One of them holds. Two at least.
    case any([QueryTerm])
}

/// A text of a query.
public struct QueryText: Equatable, Sendable {
    /// Without its quotes.
    public let text: String
    /// True if it stood in quotes: then it is a text as it is, and no sign in it has a meaning.
    public let isQuoted: Bool
    /// The bytes of the query in which it stands.
    public let place: Range<Int>

    init(_ text: String, isQuoted: Bool = false, _ place: Range<Int>) {
        (self.text, self.isQuoted, self.place) = (text, isQuoted, place)
    }

    /// Equal wherever they stand.
    public static func == (one: Self, other: Self) -> Bool {
        one.text.hasBytes(of: other.text) && one.isQuoted == other.isQuoted
    }
}

/// A condition: a field, a comparison, and values of which one has to do.
public struct QueryCondition: Equatable, Sendable {
    /// The comparison of a field with a value.
    public enum Comparison: String, CaseIterable, Sendable {
        /// Has it in it; of numbers and days, is it.
        case has = ":"
        case equal = "="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// A value.
    public enum Value: Equatable, Sendable {
        case text(QueryText)
        /// From one value to another, both included; nil where it is open.
        case range(QueryText?, QueryText?)
    }

    /// The name of the field.
    public let field: QueryText
    /// The comparison.
    public let comparison: Comparison
    /// The values. One at least.
    public let values: [Value]
    /// The bytes of the query in which it stands.
    public let place: Range<Int>

    /// Equal wherever they stand.
    public static func == (one: Self, other: Self) -> Bool {
        one.field == other.field && one.comparison == other.comparison && one.values == other.values
    }
}

// MARK: Text

extension QueryTerm: CustomStringConvertible {
    /// As it is written: reading it again gives the same.
    public var description: String {
        switch self {
        case .word(let word): word.written
        case .condition(let condition): condition.description
        case .named(let name): "@\(name.written)"
        case .not(let term): "not \(term.inBrackets())"
        case .all(let terms): terms.map { $0.inBrackets() }.joined(separator: " ")
        case .any(let terms): terms.map { $0.inBrackets() }.joined(separator: " or ")
        }
    }

    private func inBrackets() -> String {
        switch self {
        case .all, .any: "(\(description))"
        default: description
        }
    }
}

extension QueryCondition: CustomStringConvertible {
    /// As it is written.
    public var description: String {
        field.written + comparison.rawValue + values.map(\.description).joined(separator: "|")
    }
}

extension QueryCondition.Value: CustomStringConvertible {
    /// As it is written.
    public var description: String {
        switch self {
        case .text(let text): text.written
        case .range(let lower, let upper): "\(lower?.written ?? "")..\(upper?.written ?? "")"
        }
    }
}

extension QueryText {
    /// The text, in quotes where it stood in quotes.
    fileprivate var written: String {
        guard isQuoted else { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
