import Glibc
import VaultFormat

/// Standard error, for people: every line begins with the command's name.
enum Messages {
    static func say(_ phrase: Phrase) {
        let line = Array("qvault: \(phrase.line)\n".utf8)
        // Nobody is left to tell if even this fails.
        try? writeAll(line.span, to: STDERR_FILENO, named: "standard error")
    }

    static func hint(_ phrase: Phrase) { say("hint: \(phrase)") }

    static func say(_ failure: Failure) {
        say(failure.message)
        if let hint = failure.hint { self.hint(hint) }
    }

    /// Says the result to a person at a terminal.
    static func done(_ phrase: Phrase, _ arguments: Arguments) {
        if isatty(STDERR_FILENO) == 1, !arguments.has(.quiet) { say(phrase) }
    }

    /// Says the next step to a person at a terminal.
    static func advise(_ phrase: Phrase, _ arguments: Arguments) {
        if isatty(STDERR_FILENO) == 1, !arguments.has(.quiet) { hint(phrase) }
    }
}
