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
        var answered = arguments
        if asksWhom {
            let names = try text("for whom (several with ; between them): ").split { ";；、".contains($0) }
            answered = answered.setting(.recipient, names.map { String($0).trimmed }.filter { !$0.isEmpty })
        }
        if asksWhat { answered = answered.setting(.purpose, [try text("what for: ")]) }
        let isOfPictures = entries.allSatisfy { $0.overview.mediaType != MediaType.pdf.rawValue }
        if entries.count > 1, isOfPictures, !arguments.has(.layout), !arguments.has(.output),
            try Terminal.confirm("\(entries.count) pictures: all on one page (A4)?", standard: true)
        {
            answered = answered.setting(.layout, ["a4"])
        }
        guard !arguments.has(.until) else { return answered }
        while true {
            let day = try Terminal.ask("until when, like 2026-12-31 or 30d (Enter: no day): ").trimmed
            guard !day.isEmpty else { return answered }
            let dated = answered.setting(.until, [day])
            do { if try dated.lastDay != nil { return dated } } catch let failure as Failure {
                Messages.say(failure.message)
            }
        }
    }

    /// An answer that is not empty.
    private static func text(_ question: Phrase) throws -> String {
        while true {
            let answer = try Terminal.ask(question).trimmed
            if answer.contains(where: { !";；、".contains($0) }) { return answer }
        }
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
