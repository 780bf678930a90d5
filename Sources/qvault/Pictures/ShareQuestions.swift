import Glibc
import Pictures
import Values
import VaultFormat
import VaultIO
import VaultStore

/// The questions at a terminal for what the mark of a copy lacks.
enum ShareQuestions {
    /// The arguments with the answers; as they are where nothing is missing, or nobody can be asked.
    static func answered(_ arguments: Arguments, _ path: BytePath, _ key: VaultSecret) throws -> Arguments {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, Terminal.isPresent, !arguments.has(.json) else {
            return arguments
        }
        let vault = try Session.open(path, key, arguments)
        let entries = try AttachmentArguments.attachments(arguments, in: vault)
        let profiles = try entries.map { try MarkProfile(arguments, changing: vault.mark(of: $0.id)) }
        let asksWhom = profiles.contains { $0.recipient == nil && $0.text.contains("{recipient}") }
        let asksWhat = profiles.contains { $0.purpose == nil && $0.text.contains("{purpose}") }
        guard asksWhom || asksWhat else { return arguments }
        let isOfPictures = entries.allSatisfy { $0.overview.mediaType != MediaType.pdf.rawValue }
        let asksLayout =
            2...pictureCount ~= entries.count && isOfPictures && !arguments.has(.layout) && !arguments.has(.output)
        let questions: [Question] =
            (asksWhom ? [.whom] : []) + (asksWhat ? [.what] : []) + (asksLayout ? [.layout] : [])
            + (arguments.has(.until) ? [] : [.until])
        let shares = try vault.shares { _, _ in }
        var answered = arguments
        try LineEditor.inTurn(questions) { question in
            switch question {
            case .whom:
                let answer = try text(
                    "for whom (several with ; between them): ",
                    answered.texts(.recipient).joined(separator: "；"),
                    .words(shares.values("recipient"), separators: separators))
                let names = answer.split { separators.contains($0) }.map { String($0).trimmed }
                answered = answered.setting(.recipient, names.filter { !$0.isEmpty })
            case .what:
                answered = answered.setting(
                    .purpose, [try text("what for: ", answered.text(.purpose) ?? "", .words(shares.values("purpose")))])
            case .layout:
                let isOnePage = try Terminal.confirm(
                    "\(entries.count) pictures: all on one page (A4)?", standard: true)
                answered = answered.setting(.layout, isOnePage ? ["a4"] : [])
            case .until: answered = try asked(answered)
            }
        }
        return answered
    }

    private enum Question { case whom, what, layout, until }

    /// A comma stands in names of English (ACME, Inc.).
    private static let separators = Language.current == .chinese ? ";；、，," : ";；、，"
    /// Pictures that fit on a page as a rule.
    private static let pictureCount = 4

    /// The arguments with the day until which a copy is good.
    private static func asked(_ arguments: Arguments) throws -> Arguments {
        while true {
            let day = try Terminal.ask("until when, like 2026-12-31 or 30d (Enter: no day): ").trimmed
            guard !day.isEmpty else { return arguments }
            let dated = arguments.setting(.until, [day])
            do { if try dated.lastDay != nil { return dated } } catch let failure as Failure {
                Messages.say(failure.message)
            }
        }
    }

    /// An answer that is not empty.
    ///
    /// - Parameter before: the answer that was given before, where the person came back.
    private static func text(
        _ question: Phrase, _ before: String, _ completion: LineCompletion
    ) throws -> String {
        while true {
            let answer = try Terminal.ask(question, text: before, completion).trimmed
            if answer.contains(where: { !separators.contains($0) }) { return answer }
        }
    }
}

extension [Share] {
    /// The values of their notes under a key, the latest first, each once.
    fileprivate func values(_ key: String) -> [String] {
        var seen: Set<String> = []
        return compactMap { $0.texts[key] }.filter { seen.insert($0).inserted }
    }
}

extension Arguments {
    /// The arguments for each recipient; the same where there is one, or none.
    ///
    /// - Throws: `Failure` where one is named twice.
    func forEachRecipient() throws -> [Arguments] {
        guard all(.recipient).count > 1 else { return [self] }
        let names = try all(.recipient).map { try Arguments.text($0).trimmed }
        guard Set(names).count == names.count else { throw Failure(.usage, "share: a recipient is named twice") }
        return names.map { setting(.recipient, [$0]) }
    }
}
