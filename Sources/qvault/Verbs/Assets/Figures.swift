import Portfolio
import VaultFormat
import VaultRecords

extension Option {
    static let isPrivate = Option(.private, help: "**** in the place of every amount; percentages stay")
}

/// Amounts as people read them, or hidden.
struct Figures {
    let isHidden: Bool

    init(_ arguments: Arguments) { isHidden = arguments.has(.private) }

    /// Two places, with commas between groups of three digits.
    func amount(_ value: ExactDecimal, isSigned: Bool = false) -> String {
        guard !isHidden else { return "****" }
        let text = value.magnitude.rounded(2).description
        let parts = text.split(separator: ".").map(String.init)
        let digits = Array(parts[0])
        let groups = digits.indices.map { place in
            (place > 0 && (digits.count - place) % 3 == 0 ? "," : "") + String(digits[place])
        }.joined()
        let sign = value.rounded(2).sign < 0 ? "-" : isSigned && value.rounded(2).sign > 0 ? "+" : ""
        return sign + groups + "." + (parts.count > 1 ? parts[1] : "00")
    }

    /// The same for JSON: exact, to two places.
    func json(_ value: ExactDecimal) -> JSON { isHidden ? .text("****") : .text(value.rounded(2).description) }

    /// A bar of eighths of a column.
    static func bar(_ share: ExactDecimal, width: Int) -> String {
        let eighths = Int((share * ExactDecimal(width * 8)).rounded(0).description) ?? 0
        let parts = Array(" ▏▎▍▌▋▊▉")
        let count = max(0, min(width * 8, eighths))
        return String(repeating: "█", count: count / 8) + (count % 8 > 0 ? String(parts[count % 8]) : "")
    }

    /// The categories in words.
    static func category(_ word: String) -> Phrase {
        switch word {
        case "liquid": "liquid funds"
        case "fixed": "fixed assets"
        case "investment": "investments"
        case "receivable": "receivables"
        default: "debts"
        }
    }
}
