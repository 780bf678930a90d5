import Glibc
import VaultFormat

extension Ambiguity {
    /// Candidates that are listed at a terminal, at most.
    private static let listed = 20

    /// Runs a verb, and again with what a person picks where a name is ambiguous.
    static func asking(_ arguments: Arguments, _ run: (Arguments) throws -> ExitCode) throws -> ExitCode {
        do { return try run(arguments) } catch let ambiguity as Ambiguity {
            let isAsked = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && Terminal.isPresent
            guard isAsked, !arguments.has(.json), ambiguity.candidates.count <= listed,
                let picked = arguments.operands.firstIndex(of: ambiguity.name)
            else { throw ambiguity }
            return try asking(arguments.replacing(picked, with: ambiguity.pick()), run)
        }
    }

    private func pick() throws -> [UInt8] {
        let width = "\(candidates.count)".count
        let rows = candidates.enumerated().map {
            "  \(padded("\($0 + 1)", width, left: true))  \(terminalSafe($1.shown))\n"
        }
        try Terminal.write(Phrase("'\(printable(name))' may mean:").line + "\n" + rows.joined())
        while true {
            let answer = try Terminal.ask("number (Enter: none): ")
            if answer.isEmpty { throw Failure(self) }
            if let number = Int(answer), 1...candidates.count ~= number { return candidates[number - 1].word }
        }
    }
}
