public import Values

/// A word of a field that takes no others (Spec/product/portfolio.md, 1).
public struct ClosedWord: Equatable, Sendable {
    /// As cards store it, which is also its English name; and its name in Chinese.
    public let label: LocalizedLabel
    /// What else people in China call it.
    private let others: [String]

    /// - Parameter chinese: what people in China call it, one name at least; the first is shown.
    package init(_ stored: String, _ chinese: [String]) {
        (label, others) = (LocalizedLabel(stored, chinese[0]), Array(chinese.dropFirst()))
    }

    /// As cards store it.
    public var stored: String { label.english }

    /// All names for it.
    var names: [String] { [stored, label.chinese] + others }
}

/// The words of a field, with what people in China call each.
public protocol ClosedWords: RawRepresentable<String>, CaseIterable {
    /// Names in Chinese; the first is shown.
    var chinese: [String] { get }
}

extension ClosedWords {
    /// The word with its names.
    public var word: ClosedWord { ClosedWord(rawValue, chinese) }
}
