// qvault: the command. One file per verb; each verb is declared once, and parsing, help, manual and completion come
// from that declaration. Nothing here knows bytes of the format or file calls on a vault: that is VaultStore's.
//
// Rules of its speech: results on standard output, all else on standard error behind "qvault: ", no capital at the
// start and no full stop, a hint where there is something to do; the exit code says which kind of failure it was.

import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

enum Command {
    static var help: String {
        let width = (VerbIndex.qvault.all.map(\.name.count).max() ?? 0) + 2
        let verbs = VerbIndex.qvault.groups.map { $0.title.said + rows($0.verbs, width).map { "\n" + $0 }.joined() }
        let (start, end): ([Phrase], Phrase) = (
            ["qvault keeps cards, pictures and files in one encrypted file", "usage: qvault VERB [OPTION…] …"],
            "'qvault VERB --help' says more, with an example; 'qvault' alone shows how things are"
        )
        let topics = [Phrase("topics, for 'qvault help TOPIC':").said, Guide.list]
        return (start.map(\.said) + verbs + topics + [end.said]).joined(separator: "\n\n") + "\n"
    }

    private static func rows(_ verbs: [Verb], _ width: Int) -> [String] {
        verbs.map { "  " + padded($0.name, width) + $0.summary.said }
    }

    /// The help of a topic, of a verb, or of all verbs with one first word; without words, the list of all.
    private static func help(of words: ArraySlice<[UInt8]>) throws -> String {
        guard let first = words.first else { return help }
        let name = String(decoding: first, as: UTF8.self)
        let topic = ["assets", "money", "portfolio"].contains(name) ? "household" : name
        if let page = Guide.topics.first(where: { $0.name == topic }) { return page.text(Language.current) }
        let kin = VerbIndex.qvault.kin(name)
        let isWhole = words.count == 1 && kin.count > 1
        guard isWhole else { return try VerbIndex.qvault.named(words).verb.help }
        return rows(kin, (kin.map(\.name.count).max() ?? 0) + 2).map { $0 + "\n" }.joined()
    }

    /// True for `card --help`, where only verbs of two words begin with `card`.
    private static func asksForKin(_ words: ArraySlice<[UInt8]>) -> Bool {
        let texts = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        return texts.count == 2 && ["-h", "--help"].contains(texts[1]) && VerbIndex.qvault.kin(texts[0]).count > 1
            && !VerbIndex.qvault.all.contains { $0.name == texts[0] }
    }

    static func run(_ words: [[UInt8]]) throws -> ExitCode {
        let (leading, words) = leadingOptions(words[...])
        guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else { return try Home.run(leading) }
        switch first {
        case "-h", "--help", "help": return try StandardOutput.print(help(of: words.dropFirst()))
        case "-V", "--version", "version": return try StandardOutput.print("qvault \(Program.version)\n")
        case _ where asksForKin(words): return try StandardOutput.print(help(of: words.prefix(1)))
        default: break
        }
        let (verb, rest) = try VerbIndex.qvault.named(words)
        let start = ContinuousClock.now
        do {
            let arguments = try Arguments(leading + rest, for: verb)
            if arguments.has(.quiet) { Messages.beQuiet() }
            guard !arguments.has(.help) else { return try StandardOutput.print(verb.help) }
            let code = try Ambiguity.asking(arguments, verb.run)
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
            Messages.say("cancelled; nothing is left half-written")
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
