import Glibc
import VaultCrypto
import VaultFormat
import Cards
import Pictures
import VaultIO
import VaultStore

/// A card that is filled in at the terminal, field by field.
enum CardForm {
    /// Asks for each field until its value holds, then for title, group and tags where the card has none.
    ///
    /// - Parameter groups: the groups that the vault has already.
    static func ask(_ card: inout Card, title: String?, groups: [String]) throws {
        try Terminal.say("fields with * must be filled in; Enter leaves out the others; Ctrl-C saves nothing")
        FieldQuestion.sayKeys()
        var questions = card.schema.fieldsToAsk.map(Question.field)
        if card.schema.takesOwnFields { questions.append(.ownFields) }
        if title == nil { questions.append(.title) }
        if card.overview.group == nil { questions.append(.group) }
        if card.overview.tags.isEmpty { questions.append(.tags) }
        var saidContradictions = false
        try LineEditor.inTurn(questions) { question in
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
            case .tags: card.overview.tags = try askTags()
            }
        }
        if let title { card.overview.title = Array(title.utf8) }
    }

    /// Asks for the kind of a new card.
    ///
    /// - Throws: `Failure` where nobody can be asked.
    static func askKind() throws -> Schema {
        guard isatty(STDIN_FILENO) == 1, Terminal.isPresent else {
            throw Failure(.usage, "card add: KIND is missing", hint: "'qvault card kinds' lists them")
        }
        let kinds = Schema.cards
        let width = kinds.map { columns($0.label.said) }.max() ?? 0
        let cells = kinds.enumerated().map { padded("\($0 + 1)", 3, left: true) + "  " + padded($1.label.said, width) }
        for start in stride(from: 0, to: cells.count, by: 3) {
            try Terminal.write(cells[start..<min(start + 3, cells.count)].joined() + "\n")
        }
        return try FieldQuestion.untilValid {
            let answer = try Terminal.ask("which kind (a number or a name): ", .words(kinds.map(\.label.said)))
            if let number = Int(answer), kinds.indices.contains(number - 1) { return kinds[number - 1] }
            return try CardArguments.schema(Array(answer.trimmed.utf8))
        }
    }

    private enum Question {
        case field(Field)
        case ownFields, title, group, tags
    }

    /// Asks for each field of a card that is there: Enter keeps it, and `-` takes it away.
    static func change(_ card: inout Card) throws {
        Messages.say(
            "Enter keeps a field, '-' takes it away; Ctrl-C saves nothing; $EDITOR names an editor for all at once")
        let title = try FieldQuestion.untilValid {
            try CardArguments.name(FieldQuestion.answer("title [\(printable(card.overview.title))]: "), "title")
        }
        if let title { card.overview.title = Array(title.utf8) }
        let fields =
            card.schema.fieldsToAsk.map { ($0.key, $0.label.said, $0.isSensitive || $0.isPassword) }
            + card.fields.own.map { ($0.label, printable($0.label.utf8), $0.isSensitive) }
        try LineEditor.inTurn(fields) { key, label, isHidden in
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
        let known = groups.prefix(5).map { printable($0.utf8) }.joined(separator: ", ")
        let prompt: Phrase = known.isEmpty ? "group (Enter: none): " : "group, such as \(known) (Enter: none): "
        return try FieldQuestion.untilValid {
            try CardArguments.name(FieldQuestion.answer(prompt, text: answered ?? "", .words(groups)), "group")
        }
    }

    private static func askTags() throws -> [String] {
        try FieldQuestion.untilValid {
            let tags =
                try FieldQuestion.answer("tags, with commas between (Enter: none): ")?.split { ",，、;；".contains($0) }
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

extension StringProtocol {
    /// Without the given characters around it.
    fileprivate func trimming(_ characters: String) -> String {
        let body = drop { characters.contains($0) }
        return String(body.prefix(body.count - body.reversed().prefix { characters.contains($0) }.count))
    }
}
