// qvault: the command. One file per verb; each verb is declared once, and parsing, help and the README's table come
// from that declaration. Nothing here knows bytes of the format or file calls on a vault: that is VaultStore's.
//
// Rules of its speech: results on standard output, all else on standard error behind "qvault: ", no capital at the
// start and no full stop, a hint where there is something to do; the exit code says which kind of failure it was.

import CSystem
import Glibc
import VaultStore

enum Command {
    static let version = "0.1.0"
    static let verbs: [Verb] = [.create, .pack, .unpack, .list, .cat, .get, .put, .remove, .verify, .info]

    static var help: String {
        let width = (verbs.map(\.name.count).max() ?? 0) + 2
        let rows = verbs.map { "  " + $0.name + String(repeating: " ", count: width - $0.name.count) + $0.summary }
        return """
            qvault keeps files in one encrypted file

            usage: qvault VERB [OPTION…] …

            \(rows.joined(separator: "\n"))

            'qvault VERB --help' says more, with an example; 'qvault --version' says which qvault this is

            """
    }

    static func run(_ words: [[UInt8]]) throws -> ExitCode {
        guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else {
            Messages.say("a verb is missing")
            Messages.hint("'qvault --help' lists the verbs")
            return .usage
        }
        switch first {
        case "-h", "--help", "help":
            let verb = words.dropFirst().first.map { String(decoding: $0, as: UTF8.self) }
            try print(verb.map { try find($0).help } ?? help)
            return .done
        case "-V", "--version", "version":
            try print("qvault \(version)\n")
            return .done
        default: break
        }
        let verb = try find(first)
        let arguments = try Arguments(Array(words.dropFirst()), for: verb)
        guard !arguments.has(.help) else {
            try print(verb.help)
            return .done
        }
        return try verb.run(arguments)
    }

    private static func find(_ name: String) throws -> Verb {
        if let verb = verbs.first(where: { $0.name == name }) { return verb }
        let near = nearest(name, among: verbs.map(\.name))
        let what = name.hasPrefix("-") ? "a verb comes first, not" : "unknown verb"
        throw Failure(
            .usage, "\(what) '\(printable(name.utf8))'",
            hint: near.map { "did you mean \($0)?" } ?? "'qvault --help' lists the verbs")
    }

    private static func print(_ text: String) throws {
        var out = StandardOutput()
        try out.write(text)
        try out.flush()
    }

    /// The arguments as bytes: names of files need not be UTF-8.
    static var words: [[UInt8]] {
        (1..<Int(CommandLine.argc)).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { word in
                unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
            }
        }
    }

    static func main() -> Int32 {
        guard qv_harden_process() == 0, qv_watch_interrupts() == 0 else {
            Messages.say("cannot protect this process: \(unsafe String(cString: strerror(errno)))")
            return ExitCode.failure.rawValue
        }
        qv_raise_file_limit()
        do {
            return try run(words).rawValue
        } catch VaultError.cancelled where qv_interrupted() != 0 {
            Messages.say("stopped; nothing was left half-written")
            qv_die_by(qv_interrupted())
            return ExitCode.failure.rawValue
        } catch let error as IOError where error.code == EPIPE {
            // Who read the results has enough of them.
            qv_die_by(SIGPIPE)
            return ExitCode.failure.rawValue
        } catch {
            let failure = failure(for: error, vault: nil)
            Messages.say(failure.message)
            if let hint = failure.hint { Messages.hint(hint) }
            return failure.code.rawValue
        }
    }
}

exit(Command.main())
