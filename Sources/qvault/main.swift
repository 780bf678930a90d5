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
    static let version = Program.version
    static let verbs: [Verb] = [
        .create, .pack, .unpack, .list, .cat, .get, .put, .move, .remove, .undelete, .purge, .history,
        .cardAdd, .cardShow, .cardEdit, .cardRemove, .cardList, .cardKinds, .search, .copy,
        .attachAdd, .attachList, .attachShow, .attachRemove,
        .configGet, .configSet, .configUnset, .configList, .configPut,
        .watermarkSet, .watermarkShow, .watermarkEdit, .watermarkRemove, .watermarkFile, .share, .shares, .export,
        .importing, .pin, .tag,
        .group,
        .compact, .diff, .merge, .verify, .backup, .restore, .salvage, .info, .destroy,
        .unlock, .lock, .status, .keyList, .keyAdd, .keyRemove, .keyRecovery, .keyAudit, .keyGenerate,
        .rekeyPassword, .rekeyIterations, .rekeyRotate, .forget, .log, .completion, .manual,
    ]

    static var help: String {
        let width = (verbs.map(\.name.count).max() ?? 0) + 2
        let rows = verbs.map { "  " + padded($0.name, width) + $0.summary.said }
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
        return try topic?.text(Language.current) ?? find(words).verb.help
    }

    static func run(_ words: [[UInt8]]) throws -> ExitCode {
        let (leading, words) = leadingOptions(words[...])
        guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else {
            let vault = try Session.vaultPath(Arguments(leading, for: .create))
            if Welcome.isWanted(vault) { return try Welcome.run(vault) }
            throw Failure(.usage, "a verb is missing", hint: "'qvault --help' lists the verbs")
        }
        switch first {
        case "-h", "--help", "help":
            try print(help(of: words.dropFirst()))
            return .done
        case "-V", "--version", "version":
            try print("qvault \(version)\n")
            return .done
        default: break
        }
        let (verb, rest) = try find(words)
        let start = ContinuousClock.now
        do {
            let arguments = try Arguments(leading + rest, for: verb)
            guard !arguments.has(.help) else {
                try print(verb.help)
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

    /// The verb that the first word names, or the first two (`key list`), and the words behind it.
    static func find(_ words: ArraySlice<[UInt8]>) throws -> (verb: Verb, rest: ArraySlice<[UInt8]>) {
        let name = words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let verb = verbs.first(where: { $0.name == name }) { return (verb, words.dropFirst()) }
        let kin = verbs.filter { $0.name.hasPrefix(name + " ") }
        if !kin.isEmpty {
            let second = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? ""
            if let verb = kin.first(where: { $0.name == "\(name) \(second)" }) { return (verb, words.dropFirst(2)) }
            let names = kin.map { String($0.name.dropFirst(name.count + 1)) }
            let near = nearest(second, among: names).map { "\(name) \($0)" }
            throw Failure(
                .usage, "\(name): one of \(names.joined(separator: ", "))",
                hint: near.map { "did you mean \($0)?" } ?? "'qvault \(name) \(names[0]) --help' says more")
        }
        let near = nearest(name, among: verbs.map(\.name))
        let shown = printable(name.utf8)
        throw Failure(
            .usage, name.hasPrefix("-") ? "a verb comes first, not '\(shown)'" : "unknown verb '\(shown)'",
            hint: near.map { "did you mean \($0)?" } ?? "'qvault --help' lists the verbs")
    }

    static func print(_ text: String) throws {
        var out = StandardOutput()
        try out.write(text)
        try out.flush()
    }

    /// The arguments as bytes: names of files need not be UTF-8.
    static let words: [[UInt8]] =
        (1..<Int(CommandLine.argc)).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { word in
                unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
            }
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
            return try run(words).rawValue
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
