import Glibc
import VaultFormat

/// Standard error, for people: every line begins with the command's name.
enum Messages {
    static func say(_ phrase: Phrase) {
        var text = "qvault: \(phrase.line)"
        // Only for a person: programs read whole lines.
        var size = winsize()
        if unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 {
            text = wrapped(text, Int(size.ws_col), indent: 8).joined(separator: "\n")
        }
        let line = Array((text + "\n").utf8)
        // Nobody is left to tell if even this fails.
        try? writeAll(line.span, to: STDERR_FILENO, named: "standard error")
    }

    static func hint(_ phrase: Phrase) { say("hint: \(phrase)") }

    static func say(_ failure: Failure) {
        say(failure.message)
        if let hint = failure.hint { self.hint(hint) }
    }

    /// Says what a person should know, unless `--quiet` is given.
    static func note(_ phrase: Phrase, _ arguments: Arguments) {
        if !arguments.has(.quiet) { say(phrase) }
    }

    /// True where a person at a terminal reads what is said.
    static func isRead(_ arguments: Arguments) -> Bool { isatty(STDERR_FILENO) == 1 && !arguments.has(.quiet) }

    /// Says the result to a person at a terminal; the verb is done.
    @discardableResult
    static func done(_ phrase: Phrase, _ arguments: Arguments) -> ExitCode {
        if isRead(arguments) { say(phrase) }
        return .done
    }

    /// The result as JSON where that is asked for; else said to a person at a terminal.
    @discardableResult
    static func done(_ phrase: Phrase, _ arguments: Arguments, json: JSON) throws -> ExitCode {
        try arguments.has(.json) ? StandardOutput.print(json) : done(phrase, arguments)
    }

    /// Says the next step to a person at a terminal.
    static func advise(_ phrase: Phrase, _ arguments: Arguments) { if isRead(arguments) { hint(phrase) } }
}
