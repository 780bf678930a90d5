import Cards
import VaultFormat

/// A question for a number that has a value already: Enter keeps it.
enum AmountQuestion {
    /// The new number as it is stored; nil where the old one stays.
    ///
    /// - Parameter name: what is asked for, with the value that it has.
    static func ask(_ name: String) throws -> String? {
        while true {
            let answer = try Terminal.ask("\(name): ")
            if answer.isEmpty { return nil }
            if answer == "?" {
                try Terminal.say("a new number, or Enter to keep the old one")
                continue
            }
            if answer.hasPrefix("+") || answer.hasPrefix("＋") {
                Messages.say("'\(printable(answer.utf8))': give the new number, without a plus sign")
                continue
            }
            let amount = Check.amount.normalized(answer)
            guard let what = Check.amount.complaint(about: amount) else { return amount }
            Messages.say("'\(printable(answer.utf8))' \(what)")
        }
    }
}
