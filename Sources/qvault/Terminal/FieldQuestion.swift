import Cards
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// The question for one field of a card, which is asked until its value holds.
enum FieldQuestion {
    /// Asks for a value until it holds; nil leaves the field as it is.
    static func take(
        _ key: String, _ label: String, into card: inout Card, _ answer: () throws -> String?
    ) throws {
        let field = card.schema[key]
        while let text = try untilValid(answer) {
            let isEmpty = field?.isPassword == true ? text.isEmpty : text.allSatisfy(\.isWhitespace)
            let what = isEmpty && field?.isRequired == true ? "is missing" : card.set([(key, text)]).first?.what
            guard let what else { return }
            Messages.say("\(label): \(what)")
        }
    }

    /// Thrown in the place of `VaultError.cancelled` where lines of a text were typed before Ctrl-C.
    private struct TextInterrupted: Error { let text: String }

    /// Asks for a field. Of a text that Ctrl-C ends the lines so far are taken.
    ///
    /// - Throws: `WentBack`; `VaultError.cancelled`.
    static func ask(_ field: Field, of card: inout Card) throws {
        do { try askWhole(field, of: &card) } catch let stop as TextInterrupted {
            for complaint in card.set([(field.key, stop.text)]) {
                Messages.say("\(field.label.said): \(complaint.what)")
            }
            throw VaultError.cancelled
        }
    }

    private static func askWhole(_ field: Field, of card: inout Card) throws {
        var answered = card.lines.first { $0.key == field.key }?.value
        let isAddress = card.schema.name == "address"
        let derived = card.derived(field.key)
        var split: [String: String] = [:]
        try take(field.key, field.label.said, into: &card) {
            var typed = try value(of: field, derived, answered)
            // A whole address that was pasted: its other parts stand in the questions to come.
            if isAddress, let address = PastedAddress(typed) {
                split = address.parts
                typed = split[field.key] ?? ""
            }
            guard typed.isEmpty else {
                // A value that is refused can be corrected.
                if LineEditor.isPossible, !field.isHiddenInput, field.check != .text { answered = typed }
                return typed
            }
            // A hidden value and one of several lines stay as they are where the person came back.
            let stays = field.isHiddenInput || field.check == .text || !LineEditor.isPossible
            return (stays ? answered : nil) ?? derived ?? ""
        }
        if !split.isEmpty { take(split, besides: field.key, into: &card) }
    }

    /// Fills in the parts of an address that hold and are not there yet.
    private static func take(_ parts: [String: String], besides key: String, into card: inout Card) {
        let known = Set(card.lines.map(\.key) + [key])
        for (key, value) in parts where !known.contains(key) { _ = card.set([(key, value)]) }
        Messages.say("split the address into its fields: look at each")
    }

    /// - Parameters:
    ///   - derived: what the field is unless another value is typed.
    ///   - answered: what was typed before, where the person came back.
    private static func value(of field: Field, _ derived: String?, _ answered: String?) throws -> String {
        let standard = derived ?? (LineEditor.isPossible ? nil : answered.map { printable($0.utf8) })
        let label: Phrase = field.isRequired ? "\(field.label.said) *" : "\(field.label.said)"
        let prompt = standard.map { "\(label.said) [\($0)]" } ?? label.said
        if field.isPassword { return try askPassword(prompt) }
        if field.key == "private_key" { return try askFile(prompt) }
        guard field.check == .text, !field.isHiddenInput else {
            return try field.isHiddenInput ? hidden("\(prompt): ") : Terminal.ask("\(prompt): ", text: answered ?? "")
        }
        var (lines, text) = ([String](), "")
        while true {
            do {
                let line = try Terminal.ask(lines.isEmpty ? "\(prompt) (an empty line ends it): " : "  ", text: text)
                // A blank line within a text that was pasted: more of it waits. In the first line it is an answer.
                if line.isEmpty, try lines.isEmpty || !Terminal.hasInput() { return lines.joined(separator: "\n") }
                lines.append(line)
                text = ""
            } catch is WentBack where !lines.isEmpty {
                // The line before can be corrected.
                text = lines.removeLast()
            } catch VaultError.cancelled where !lines.isEmpty {
                throw TextInterrupted(text: lines.joined(separator: "\n"))
            }
        }
    }

    /// A password on one line without echo, twice, or one that is made here.
    private static func askPassword(_ prompt: String) throws -> String {
        while true {
            let typed = try hidden("\(prompt) (@generate makes one): ")
            if typed.isEmpty { return "" }
            if typed == "@generate" {
                Messages.say("made a password of 20 characters; 'qvault copy' takes it to the clipboard")
                return try text(GeneratedPassword.forSite())
            }
            if try hidden("repeat it: ") == typed { return typed }
            Messages.say("the two differ: type it again")
        }
    }

    /// A line without echo; it may be empty.
    static func hidden(_ prompt: Phrase) throws -> String {
        do {
            let typed = try text(Terminal.askPassword(prompt))
            if LineEditor.takesBack, ["\u{1B}[A", "\u{1B}OA"].contains(typed) { throw WentBack() }
            return typed
        } catch let failure as Failure where failure.isOfEmptyPassword { return "" }
    }

    /// The content of a file: a key has many lines, which a terminal would take for answers.
    private static func askFile(_ prompt: String) throws -> String {
        while true {
            let name = try Terminal.ask("\(prompt) (path of the file): ", .paths)
            do {
                guard let path = try TypedPaths.paths(name).first else { return "" }
                let bytes = try Machine.store.files.openFile(path, writing: false).bytes(
                    at: 0, count: Check.byteCount + 1)
                if let text = String(validating: bytes, as: UTF8.self) { return text }
                Messages.say("\(path): is not UTF-8")
            } catch let error as IOError {
                Messages.say(failure(for: error, vault: nil))
            } catch let failure as Failure { Messages.say(failure) }
        }
    }

    private static func text(_ secret: borrowing Secret) throws -> String {
        try secret.withSpan { bytes in
            guard let text = String(validating: Array(copying: bytes), as: UTF8.self) else {
                throw Failure(.invalid, "what was typed is not UTF-8")
            }
            return text
        }
    }

    /// Tells of the keys that lead back and complete, where a line is edited.
    static func sayKeys() {
        if LineEditor.isPossible { Messages.say("the up arrow goes back to the question before, Tab completes") }
    }

    /// A line; nil if there is nothing on it.
    static func answer(
        _ prompt: Phrase, text: String = "", _ completion: LineCompletion = .none
    ) throws -> String? {
        let line = try Terminal.ask(prompt, text: text, completion)
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }

    static func untilValid<R>(_ body: () throws -> R) throws -> R {
        while true {
            do { return try body() } catch {
                let failure = failure(for: error, vault: nil)
                guard failure.code == .invalid else { throw error }
                Messages.say(failure)
            }
        }
    }
}
