public import Values
import VaultFormat

/// One reminder of a fund: a line `rise PERCENT`, `fall PERCENT` or `nav`, with `off` before one that is not to fire
/// (Spec/product/portfolio.md, 9).
public struct Reminder: Equatable, Sendable {
    /// What it waits for.
    public enum Kind: String, CaseIterable, Sendable {
        /// The estimate is so far above the net value.
        case rise
        /// The estimate is so far below it.
        case fall
        /// A net value was published.
        case nav
    }

    /// Its kind.
    public let kind: Kind
    /// Percent, above 0; nil of `nav`.
    public let threshold: ExactDecimal?
    /// False for one that does not fire.
    public let isOn: Bool

    /// Reads a line; nil where it is none.
    init?(_ line: String) {
        var words = line.split { $0 == " " || $0 == "\t" || $0 == "\u{3000}" }.map { $0.lowercased() }
        isOn = words.first != "off"
        if !isOn { words.removeFirst() }
        guard let kind = words.first.flatMap({ Kind(rawValue: $0) ?? Self.others[$0] }) else { return nil }
        self.kind = kind
        threshold = words.count > 1 ? ExactDecimal(printed: words[1]) : nil
        switch kind {
        case .nav: guard words.count == 1 else { return nil }
        case .rise, .fall:
            guard words.count == 2, let threshold, threshold.sign > 0, threshold <= .hundred else { return nil }
        }
    }

    private static let others = ["涨": Kind.rise, "跌": .fall, "净值": .nav]

    /// It without `off`: what its firings are stored under.
    public var key: String { kind.rawValue + (threshold.map { " \($0)" } ?? "") }

    private var line: String { (isOn ? "" : "off ") + key }

    private static let lineCount = 20

    /// Reads the lines of a field; lines that are none are left out.
    public static func list(_ text: String) -> [Reminder] {
        text.split(separator: "\n").compactMap { Reminder(String($0)) }
    }

    static func complaint(about text: String) -> Phrase? {
        let (lines, reminders) = (text.split(separator: "\n"), list(text))
        guard lines.count <= lineCount else { return "has more than \(lineCount) lines" }
        guard reminders.count == lines.count else {
            return "has a line that is no 'rise PERCENT', 'fall PERCENT' or 'nav'"
        }
        return Set(reminders.map(\.key)).count == lines.count ? nil : "has a reminder twice"
    }

    /// Lines in one form. Semicolons part lines too.
    static func normalized(_ text: String) -> String {
        let lines = text.fieldLines
        return lines.map { Reminder($0)?.line ?? $0 }.joined(separator: "\n")
    }
}
