import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultIO
import VaultStore

/// A card that is filled in at the terminal, field by field.
enum CardForm {
    /// Asks for each field until its value holds, then for title, group and tags where the card has none, and for pictures.
    ///
    /// - Parameter groups: the groups that the vault has already.
    /// - Returns: the pictures.
    static func ask(_ card: inout Card, title: String?, groups: [String]) throws -> [NewAttachment] {
        try Terminal.say("fields with * must be filled in; Enter leaves out the others; Ctrl-C stops")
        FieldQuestion.sayKeys()
        var attachments = AttachmentQuestion()
        var questions = card.schema.fieldsToAsk.map(Question.field)
        if card.schema.takesOwnFields { questions.append(.ownFields) }
        if title == nil { questions.append(.title) }
        if card.overview.group == nil { questions.append(.group) }
        if card.overview.tags.isEmpty { questions.append(.tags) }
        if card.schema.isOfPaper { questions.append(.attachments) }
        var saidContradictions = false
        try LineEditor.inTurn(questions, orKeeping: { try keepsWhatWasTyped(&card) }) { question in
            if case .field = question {
            } else if !saidContradictions {
                saidContradictions = true
                for complaint in card.contradictions { Messages.say("warning: \(CardArguments.said(complaint))") }
            }
            switch question {
            case .field(let field): try FieldQuestion.ask(field, of: &card)
            case .ownFields: try askOwn(&card)
            case .title: try askTitle(&card)
            case .group: card.overview.group = try askGroup(groups, card.overview.group)
            case .tags: card.overview.tags = try askTags(card.overview.tags)
            case .attachments: try attachments.ask()
            }
        }
        if let title { card.overview.title = Array(title.utf8) }
        return attachments.files
    }

    /// Asks after Ctrl-C whether the card is saved as far as it was filled in. Ctrl-C here saves nothing.
    ///
    /// - Returns: false where the questions go on.
    /// - Throws: `VaultError.cancelled` where nothing is kept.
    static func keepsWhatWasTyped(_ card: inout Card, since old: Card? = nil) throws -> Bool {
        guard !card.lines.isEmpty, card != old else { throw VaultError.cancelled }
        qv_forget_interrupt()
        let missing = card.missing(besides: []).map { $0.label?.said ?? $0.key }
        let isKept =
            missing.isEmpty
            ? try Terminal.confirm("save what was typed?", standard: false)
            : try Terminal.confirm("nothing is saved without \(missing.listed); go on?", standard: true)
        guard isKept else {
            // The command ends as it does after any Ctrl-C.
            raise(SIGINT)
            throw VaultError.cancelled
        }
        guard missing.isEmpty else { return false }
        _ = card.fillDerived()
        if card.overview.title.isEmpty { card.overview.title = Array(card.defaultTitle(LocalizedLabel.spoken).utf8) }
        return true
    }

    /// Asks for the kind of a new card.
    ///
    /// - Throws: `Failure` where nobody can be asked.
    static func askKind() throws -> Schema {
        guard isatty(STDIN_FILENO) == 1, Terminal.isPresent else {
            throw Failure(.usage, "card add: KIND is missing", hint: "'qvault card kinds' lists them")
        }
        try CardKindMenu.write(CardKindMenu.count)
        return try FieldQuestion.untilValid {
            try CardKindMenu.kind(Terminal.ask("which kind (a number or a name): ", CardKindMenu.completion))
        }
    }

    private enum Question {
        case field(Field)
        case ownFields, title, group, tags, attachments
    }

    /// Asks for each field of a card that is there: Enter keeps it, and `-` takes it away.
    static func change(_ card: inout Card) throws {
        Messages.say(
            "Enter keeps a field, '-' takes it away; Ctrl-C stops; $EDITOR names an editor for all at once")
        let old = card
        let title = try FieldQuestion.untilValid {
            try CardArguments.name(FieldQuestion.answer("title [\(printable(card.overview.title))]: "), "title")
        }
        if let title { card.overview.title = Array(title.utf8) }
        let fields =
            card.schema.fieldsToAsk.map { ($0.key, $0.label.said, $0.isSensitive || $0.isPassword) }
            + card.fields.own.map { ($0.label, printable($0.label.utf8), $0.isSensitive) }
        try LineEditor.inTurn(fields, orKeeping: { try keepsWhatWasTyped(&card, since: old) }) { key, label, isHidden in
            try change(key, label, isHidden: isHidden, of: &card)
        }
        if card.schema.takesOwnFields { try askOwn(&card) }
    }

    private static func change(_ key: String, _ label: String, isHidden: Bool, of card: inout Card) throws {
        let line = card.lines.first { $0.key == key }
        // A value of one line is edited in place.
        if !isHidden, LineEditor.isPossible, let line, printable(line.value.utf8) == line.value {
            return try FieldQuestion.take(key, label, into: &card) {
                let typed = try Terminal.ask("\(label): ", text: line.value)
                return typed == line.value ? nil : typed == "-" ? "" : typed
            }
        }
        let old = line.map { printable($0.said(isRevealed: !isHidden).prefix { $0 != "\n" }.utf8) } ?? ""
        let prompt: Phrase = "\(label) [\(old)]: "
        try FieldQuestion.take(key, label, into: &card) {
            let typed = try isHidden ? FieldQuestion.hidden(prompt) : Terminal.ask(prompt)
            return typed.isEmpty ? nil : typed == "-" ? "" : typed
        }
    }

    private static func askOwn(_ card: inout Card) throws {
        while true {
            let label = try FieldQuestion.untilValid { try Terminal.ask("name of a custom field (Enter to finish): ") }
            if label.allSatisfy(\.isWhitespace) { return }
            let value = try FieldQuestion.untilValid { try Terminal.ask("\(printable(label.utf8)): ") }
            let complaints = card.set([(label, value)])
            for complaint in complaints { Messages.say("\(printable(label.utf8)): \(complaint.what)") }
        }
    }

    private static func askTitle(_ card: inout Card) throws {
        let standard = card.defaultTitle(LocalizedLabel.spoken)
        let typed = try FieldQuestion.untilValid {
            try CardArguments.name(
                FieldQuestion.answer(
                    "title [\(printable(standard.utf8))]: ", text: String(decoding: card.overview.title, as: UTF8.self)),
                "title")
        }
        card.overview.title = Array((typed ?? standard).utf8)
    }

    private static func askGroup(_ groups: [String], _ answered: String?) throws -> String? {
        let known = groups.prefix(5).map { printable($0.utf8) }.listed
        let prompt: Phrase = known.isEmpty ? "group (Enter: none): " : "group, such as \(known) (Enter: none): "
        return try FieldQuestion.untilValid {
            try CardArguments.name(FieldQuestion.answer(prompt, text: answered ?? "", .words(groups)), "group")
        }
    }

    private static func askTags(_ answered: [String]) throws -> [String] {
        try FieldQuestion.untilValid {
            let tags =
                try FieldQuestion.answer(
                    "tags, with commas between (Enter: none): ", text: answered.joined(separator: ", "))?.split {
                    ",，、;；".contains($0)
                }
                ?? []
            return try Card.tags(tags.map { $0.trimming(" ") }, "tags")
        }
    }

    /// Saves what was typed; if that fails, the person may mend the reason and try again, so that nothing is lost.
    static func saving(to path: BytePath, _ body: () throws -> Void) throws {
        while true {
            do { return try body() } catch {
                if case VaultError.cancelled = error { throw error }
                if case VaultError.outcomeUnknown = error { throw error }
                Messages.say(failure(for: error, vault: path))
                guard try Terminal.ask("nothing is saved yet; try again? [Y/n] ").lowercased().first != "n" else {
                    throw error
                }
            }
        }
    }
}

extension Schema {
    /// True of what people have on paper, and scan: it ends on a day, or it is a bill.
    fileprivate var isOfPaper: Bool { name == "invoice" || fields.contains { $0.endsDocument } }
}

extension StringProtocol {
    /// Without the given characters around it.
    fileprivate func trimming(_ characters: String) -> String {
        let body = drop { characters.contains($0) }
        return String(body.prefix(body.count - body.reversed().prefix { characters.contains($0) }.count))
    }
}
