// qvault: the command. One file per verb; each verb is declared once, and parsing, help, manual and completion come
// from that declaration. Nothing here knows bytes of the format or file calls on a vault: that is VaultStore's.
//
// Rules of its speech: results on standard output, all else on standard error behind "qvault: ", no capital at the
// start and no full stop, a hint where there is something to do; the exit code says which kind of failure it was.

import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

enum Command {
    static var help: String {
        let width = (Verb.all.map(\.name.count).max() ?? 0) + 2
        let rows = Verb.all.map { "  " + padded($0.name, width) + $0.summary.said }
        let parts: (Phrase, Phrase, Phrase) = (
            "qvault keeps files in one encrypted file", "usage: qvault VERB [OPTION…] …",
            "'qvault VERB --help' says more, with an example; 'qvault --version' says which qvault this is"
        )
        let topics: Phrase = "topics, for 'qvault help TOPIC':"
        return """
            \(parts.0.said)

            \(parts.1.said)

            \(rows.joined(separator: "\n"))

            \(topics.said)

            \(Guide.list)

            \(parts.2.said)

            """
    }

    /// The help of a topic or of a verb; without words, the list of both.
    private static func help(of words: ArraySlice<[UInt8]>) throws -> String {
        guard let first = words.first else { return help }
        let topic = Guide.topics.first { Array($0.name.utf8) == first }
        return try topic?.text(Language.current) ?? Verb.named(words).verb.help
    }

    static func run(_ words: [[UInt8]]) throws -> ExitCode {
        let (leading, words) = leadingOptions(words[...])
        guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else {
            return try Home.run(leading)
        }
        switch first {
        case "-h", "--help", "help":
            try StandardOutput.print(help(of: words.dropFirst()))
            return .done
        case "-V", "--version", "version":
            try StandardOutput.print("qvault \(Program.version)\n")
            return .done
        default: break
        }
        let (verb, rest) = try Verb.named(words)
        let start = ContinuousClock.now
        do {
            let arguments = try Arguments(leading + rest, for: verb)
            guard !arguments.has(.help) else {
                try StandardOutput.print(verb.help)
                return .done
            }
            let code = try verb.run(arguments)
            EventLog.note(verb, code, since: start)
            return code
        } catch {
            EventLog.note(verb, failure(for: error, vault: nil).code, since: start)
            throw error
        }
    }

    /// Options that most verbs have may also stand before the verb.
    private static func leadingOptions(_ words: ArraySlice<[UInt8]>) -> ([[UInt8]], ArraySlice<[UInt8]>) {
        let known = [.vault, .lang, .quiet, .plain, .json, .wait, .noProgress] + Option.password
        var end = words.startIndex
        while end < words.endIndex {
            let parts = words[end].split(separator: UInt8(ascii: "="), maxSplits: 1)
            let name = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            guard let option = known.first(where: { $0.names.contains(name) }) else { break }
            let next = end + (option.value != nil && parts.count == 1 ? 2 : 1)
            guard next <= words.endIndex else { break }
            end = next
        }
        return (Array(words[..<end]), words[end...])
    }

    static func main() -> Int32 {
        guard qv_fill_standard_descriptors() == 0, qv_harden_process() == 0, qv_watch_interrupts() == 0 else {
            Messages.say(
                "cannot protect this process: \(Phrase(stringLiteral: IOError("", BytePath(""), code: errno).reason))")
            return ExitCode.failure.rawValue
        }
        qv_raise_file_limit()
        startLibcryptoForThisPackageAlone()
        do {
            return try run(commandWords).rawValue
        } catch VaultError.cancelled where qv_interrupted() != 0 {
            Messages.say("stopped; nothing was left half-written")
            qv_die_by(qv_interrupted())
            return ExitCode.failure.rawValue
        } catch let error as IOError where error.code == EPIPE {
            // The reader of the results has closed the pipe.
            qv_die_by(SIGPIPE)
            return ExitCode.failure.rawValue
        } catch {
            let failure = failure(for: error, vault: nil)
            Messages.say(failure)
            return failure.code.rawValue
        }
    }
}

exit(Command.main())
