import Portfolio
import VaultFormat

extension FiredReminder {
    /// `rise 1 %: 2.5081 +1.24%`, or `net value 2.5030, the estimate was off by +0.20%`.
    var figures: String {
        let change = ExactDecimal(change).map { percentText($0, signed: true) } ?? ""
        let what: Phrase =
            switch key.split(separator: " ").map(String.init) {
            case let words where words.count > 1 && words[0] == "rise": "risen by \(words[1]) %: \(value) \(change)"
            case let words where words.count > 1: "fallen by \(words[1]) %: \(value) \(change)"
            default: change.isEmpty ? "net value \(value)" : "net value \(value), the estimate was off by \(change)"
            }
        return what.said
    }

    /// The same for a message.
    var said: Phrase { "reminder: \(code) \(figures)" }
}
