import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// A program of verbs: its help, and what each word that it is given does.
struct Command {
    let index: VerbIndex
    /// The paragraphs of the help before and behind its list of verbs.
    let start: [Phrase]
    let end: @Sendable () -> [Phrase]
    /// A page of the help by its name; nil of none.
    var page: @Sendable (String) -> String? = { _ in nil }
    /// The names of these pages.
    var topics: [String] = []
    /// Runs a verb.
    var perform: @Sendable (Verb, Arguments) throws -> ExitCode = { try $0.run($1) }
    /// Runs the program without a verb, with the options that were given.
    let bare: @Sendable ([[UInt8]]) throws -> ExitCode

    private var help: String {
        let width = (index.all.map(\.name.count).max() ?? 0) + 2
        let verbs = index.groups.map { $0.title.said + rows($0.verbs, width).map { "\n" + $0 }.joined() }
        return (start.map(\.said) + verbs + end().map(\.said)).joined(separator: "\n\n") + "\n"
    }

    private func rows(_ verbs: [Verb], _ width: Int) -> [String] {
        verbs.map { "  " + padded($0.name, width) + $0.summary.said }
    }

    /// The help of a topic, of a verb, or of all verbs with one first word; without words, the list of all.
    private func help(of words: ArraySlice<[UInt8]>) throws -> String {
        guard let first = words.first else { return help }
        let name = String(decoding: first, as: UTF8.self)
        if let page = page(name) { return page }
        let kin = index.kin(name)
        if kin.isEmpty, nearest(name, among: index.all.map(\.name), within: 1) == nil,
            let topic = nearest(name, among: topics, within: 2)
        {
            throw Failure(.usage, "no help is called '\(printable(name.utf8))'", hint: "did you mean 'help \(topic)'?")
        }
        let isWhole = words.count == 1 && kin.count > 1
        guard isWhole else { return try index.named(words).verb.help }
        return rows(kin, (kin.map(\.name.count).max() ?? 0) + 2).map { $0 + "\n" }.joined()
    }

    /// True for `card --help`, where only verbs of two words begin with `card`.
    private func asksForKin(_ words: ArraySlice<[UInt8]>) -> Bool {
        let texts = words.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        return texts.count == 2 && ["-h", "--help"].contains(texts[1]) && index.kin(texts[0]).count > 1
            && !index.all.contains { $0.name == texts[0] }
    }

    func run(_ words: [[UInt8]]) throws -> ExitCode {
        let (leading, words) = leadingOptions(words[...])
        guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else { return try bare(leading) }
        switch first {
        case "-h", "--help", "help": return try StandardOutput.show(help(of: words.dropFirst()))
        case "-V", "--version", "version": return try StandardOutput.print("\(Product.name) \(Program.version)\n")
        case _ where asksForKin(words): return try StandardOutput.show(help(of: words.prefix(1)))
        default: break
        }
        let (verb, rest) = try index.named(words)
        let start = ContinuousClock.now
        do {
            let arguments = try Arguments(leading + rest, for: verb)
            if arguments.has(.quiet) { Messages.beQuiet() }
            guard !arguments.has(.help) else { return try StandardOutput.show(verb.help) }
            let code = try perform(verb, arguments)
            EventLog.note(verb, code, since: start)
            return code
        } catch {
            EventLog.note(verb, failure(for: error, vault: nil).code, since: start)
            throw error
        }
    }

    /// Options that most verbs have may also stand before the verb.
    private func leadingOptions(_ words: ArraySlice<[UInt8]>) -> ([[UInt8]], ArraySlice<[UInt8]>) {
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

    func main() -> Int32 {
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
