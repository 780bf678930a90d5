import Synchronization
import Glibc
import VaultFormat

/// Standard error, for people: every line begins with the command's name.
enum Messages {
    static func say(_ phrase: Phrase) {
        var text = "\(Product.name): \(Product.calling(phrase.line))"
        // Only for a person: programs read whole lines.
        var size = winsize()
        if unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 {
            text = wrapped(text, Int(size.ws_col), indent: Product.name.count + 2).joined(separator: "\n")
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

    private static let silence = Atomic(false)

    /// True if a person wants nothing but results and errors.
    static var isQuiet: Bool { silence.load(ordering: .relaxed) }

    /// Notes that `--quiet` is given.
    static func beQuiet() { silence.store(true, ordering: .relaxed) }

    /// Says what a person should know, unless `--quiet` is given.
    static func note(_ phrase: Phrase) { if !isQuiet { say(phrase) } }

    /// True where a person at a terminal reads what is said.
    static var isRead: Bool { isatty(STDERR_FILENO) == 1 && !isQuiet }

    /// Says the result to a person at a terminal; the verb is done.
    @discardableResult
    static func done(_ phrase: Phrase) -> ExitCode {
        if isRead { say(phrase) }
        return .done
    }

    /// The result as JSON where that is asked for; else said to a person at a terminal.
    @discardableResult
    static func done(_ phrase: Phrase, _ arguments: Arguments, json: JSON) throws -> ExitCode {
        try arguments.has(.json) ? StandardOutput.print(json) : done(phrase)
    }

    /// Says the next step to a person at a terminal.
    static func advise(_ phrase: Phrase) { if isRead { hint(phrase) } }
}
