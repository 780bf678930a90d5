import Glibc
import Values
import VaultFormat

extension Arguments {
    /// The rule of `--keep`; nil if none is given.
    func retention() throws -> Retention? {
        try value(.keep, or: "--keep takes a number, or 7d,4w,12m,2y") { Retention($0) }
    }

    /// True if so many may go. Where more than half would, as after a slip of the pen, a person is asked; without a terminal
    /// none go, which is said.
    func mayDrop(_ count: Int, of all: Int, asking question: Phrase, refusing refusal: Phrase, hint: Phrase) throws
        -> Bool
    {
        guard 2 * count > all, !has(.yes) else { return true }
        if isatty(STDIN_FILENO) == 1, Terminal.isPresent { return try Terminal.confirm(question, standard: false) }
        Messages.say(refusal)
        Messages.hint(hint)
        return false
    }
}
