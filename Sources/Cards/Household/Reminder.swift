public import Values
import VaultFormat

/// One reminder of a fund: a line `rise PERCENT`, `fall PERCENT`, `above PRICE`, `below PRICE` or `nav`, with `off` before one that is not to fire
/// (Spec/product/portfolio.md, 9).
public struct Reminder: FieldLine, Equatable {
    /// What it waits for.
    public enum Kind: String, CaseIterable, Sendable {
        /// The estimate is so far above the net value.
        case rise
        /// The estimate is so far below it.
        case fall
        /// The estimate is this price at least.
        case above
        /// The estimate is this price at most.
        case below
        /// A net value was published.
        case nav
    }

    /// Its kind.
    public let kind: Kind
    /// Percent, or a price; above 0. Nil of `nav`.
    public let threshold: ExactDecimal?
    /// False for one that does not fire.
    public let isOn: Bool

    /// Reads a line; nil where it is none.
    public init?(_ line: some StringProtocol) {
        var words = line.lowercased().fieldWords()
        isOn = words.first != "off"
        if !isOn { words.removeFirst() }
        guard let kind = words.first.flatMap({ Kind(rawValue: $0) ?? Self.others[$0] }) else { return nil }
        self.kind = kind
        threshold = words.count > 1 ? ExactDecimal(printed: words[1]) : nil
        switch kind {
        case .nav: guard words.count == 1 else { return nil }
        case .rise, .fall:
            guard words.count == 2, let threshold, threshold.sign > 0, threshold <= .hundred else { return nil }
        case .above, .below: guard words.count == 2, let threshold, threshold.sign > 0 else { return nil }
        }
    }

    private static let others = ["涨": Kind.rise, "跌": .fall, "高于": .above, "低于": .below, "净值": .nav]

    /// It without `off`: what its firings are stored under.
    public var key: String { kind.rawValue + (threshold.map { " \($0)" } ?? "") }

    /// The line, with `off` before one that does not fire.
    public var line: String { (isOn ? "" : "off ") + key }
    /// Reminders of a fund at most.
    public static let lineCount = 20
    /// The forms of a line.
    public static let wrongLine: Phrase =
        "has a line that is no 'rise PERCENT', 'fall PERCENT', 'above PRICE', 'below PRICE' or 'nav'"

    /// A reminder that stands there twice, on or off.
    public static func complaint(aboutAll reminders: [Reminder]) -> Phrase? {
        Set(reminders.map(\.key)).count == reminders.count ? nil : "has a reminder twice"
    }
}
