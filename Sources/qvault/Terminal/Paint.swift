import Glibc

/// The colours of figures that rise and fall, on a terminal that shows them. The sign stands beside each.
struct Paint {
    private let isOn: Bool
    private let isRedUp: Bool

    init(_ arguments: Arguments) throws {
        isOn = Self.isPossible(arguments)
        isRedUp = try Config.isRedUp()
    }

    /// True on a terminal that shows colours.
    static func isPossible(_ arguments: Arguments) -> Bool {
        isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR") == nil && environment("TERM") ?? "dumb" != "dumb"
            && !arguments.has(.plain)
    }

    /// A text in the colour of the sign that a figure begins with.
    func byItsSign(_ text: String, _ figure: String, isFigure: Bool) -> String {
        guard isOn, isFigure, let sign = figure.first, "+-".contains(sign) else { return text }
        return "\u{1B}[\((sign == "+") == isRedUp ? 31 : 32)m\(text)\u{1B}[0m"
    }
}
