/// Words for people, with what varies kept apart from what stays the same, so that a program can say them in another
/// language. Written like any string: `"the tags of commit \(number)"`.
public struct Phrase: Equatable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// A value inserted into the words: text as it is, or a phrase of its own.
    public enum Argument: Equatable, Sendable {
        case text(String)
        indirect case phrase(Phrase)
    }

    /// The words in English, with `{}` for each argument in turn.
    public let template: String
    /// The values for the places of `{}`.
    public let arguments: [Argument]

    /// A phrase without arguments.
    public init(stringLiteral words: String) { (template, arguments) = (words, []) }

    /// A phrase with arguments.
    public init(stringInterpolation words: StringInterpolation) {
        (template, arguments) = (words.template, words.arguments)
    }

    /// Collects words and arguments.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var template = ""
        fileprivate var arguments: [Argument] = []

        /// Room for the words.
        public init(literalCapacity: Int, interpolationCount: Int) { template.reserveCapacity(literalCapacity) }

        /// Words.
        public mutating func appendLiteral(_ words: String) { template += words }

        /// A phrase within a phrase.
        public mutating func appendInterpolation(_ phrase: Phrase) { append(.phrase(phrase)) }

        /// Text that is the same in every language.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            append(.text(value.description))
        }

        private mutating func append(_ argument: Argument) {
            template += "{}"
            arguments.append(argument)
        }
    }

    /// The words of a language: `translate` gives a template with `{}` for each argument in turn, or `{1}` for the
    /// first, wherever it stands; nil where it has none.
    public func said(_ translate: (String) -> String?) -> String {
        let parts = (translate(template) ?? template).split(separator: "{", omittingEmptySubsequences: false)
        var result = String(parts[0])
        var next = 0
        for part in parts.dropFirst() {
            let pieces = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
            let index = Int(pieces[0]).map { $0 - 1 } ?? next
            next = index + 1
            if arguments.indices.contains(index) {
                switch arguments[index] {
                case .text(let text): result += text
                case .phrase(let phrase): result += phrase.said(translate)
                }
            }
            if pieces.count > 1 { result += pieces[1] }
        }
        return result
    }

    /// In English.
    public var description: String { said { _ in nil } }
}
