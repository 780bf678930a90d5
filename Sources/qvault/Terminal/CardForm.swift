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
        for field in card.schema.fieldsToAsk { try ask(field, of: &card) }
        if card.schema.takesOwnFields { try askOwn(&card) }
        for complaint in card.contradictions { Messages.say("warning: \(CardArguments.said(complaint))") }
        try askTitle(&card, title)
        if card.overview.group == nil { card.overview.group = try askGroup(groups) }
        if card.overview.tags.isEmpty { card.overview.tags = try askTags() }
    }

    /// Asks for each field of a card that is there: Enter keeps it, and `-` takes it away.
    static func change(_ card: inout Card) throws {
        Messages.say(
            "Enter keeps a field, '-' takes it away; Ctrl-C saves nothing; $EDITOR names an editor for all at once")
        let title = try untilValid {
            try CardArguments.name(answer("title [\(printable(card.overview.title))]: "), "title")
        }
        if let title { card.overview.title = Array(title.utf8) }
        for field in card.schema.fieldsToAsk {
            try change(field.key, field.label.said, isHidden: field.isSensitive || field.isPassword, of: &card)
        }
        for field in card.fields.own {
            try change(field.label, printable(field.label.utf8), isHidden: field.isSensitive, of: &card)
        }
        if card.schema.takesOwnFields { try askOwn(&card) }
    }

    private static func change(_ key: String, _ label: String, isHidden: Bool, of card: inout Card) throws {
        let line = card.lines.first { $0.key == key }
        let old = line.map { printable($0.said(isRevealed: !isHidden).prefix { $0 != "\n" }.utf8) } ?? ""
        let prompt: Phrase = "\(label) [\(old)]: "
        try take(key, label, into: &card) {
            let typed = try isHidden ? hidden(prompt) : Terminal.ask(prompt)
            return typed.isEmpty ? nil : typed == "-" ? "" : typed
        }
    }

    /// Asks for a value until it holds; nil leaves the field as it is.
    private static func take(
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

    /// The first card of a new vault: what its kind requires, and a picture. Other fields can wait.
    static func addFirst(_ schema: Schema, to path: BytePath, _ arguments: Arguments) throws {
        var card = Card(of: schema)
        let required = schema.fieldsToAsk.filter(\.isRequired)
        for field in required.isEmpty ? Array(schema.fields.prefix(3)) : required { try ask(field, of: &card) }
        _ = card.fillDerived()
        card.overview.title = Array(card.defaultTitle(LocalizedLabel.spoken).utf8)
        let file = try untilValid(askAttachment)
        let key = try VaultSecret(path, arguments)
        let title = printable(card.overview.title)
        try saving(to: path) {
            let transaction = try Session.begin(path, arguments, key: key)
            let id = try transaction.makeID()
            try transaction.store(card, as: id)
            if let file, let entry = try transaction.entry(id) {
                _ = try transaction.attach(file, to: entry, among: [])
            }
            try Session.commit(transaction)
        }
        let name = shellWord(card.overview.title)
        Messages.say(
            file == nil ? "added card '\(title)'" : "added card '\(title)' with \(printable(file?.name ?? []))")
        Messages.hint("qvault copy \(name)   qvault card show \(name)   qvault card edit \(name)")
    }

    private static func askAttachment() throws -> NewAttachment? {
        guard let name = try answer("a picture or PDF to attach (its path, Enter for none): ") else { return nil }
        // Terminals put quotes around a file that is dropped on them.
        let bare = name.trimming(" ").trimming("'\"")
        do {
            return try AttachmentArguments.attachment(BytePath(Array(bare.utf8)), limit: Config.attachmentLimit())
        } catch let error as IOError { throw Failure(.invalid, "\(error.path): \(error.message)") }
    }

    private static func ask(_ field: Field, of card: inout Card) throws {
        let derived = card.derived(field.key)
        try take(field.key, field.label.said, into: &card) {
            let typed = try value(of: field, derived)
            return typed.isEmpty ? derived ?? "" : typed
        }
    }

    private static func value(of field: Field, _ derived: String?) throws -> String {
        let prompt = field.label.said + (field.isRequired ? " *" : "") + (derived.map { " [\($0)]" } ?? "")
        if field.isPassword { return try askPassword(prompt) }
        if field.key == "private_key" { return try askFile(prompt) }
        guard field.check == .text, !field.isHiddenInput else {
            return try field.isHiddenInput ? hidden("\(prompt): ") : Terminal.ask("\(prompt): ")
        }
        var lines: [String] = []
        while true {
            let line = try Terminal.ask(lines.isEmpty ? "\(prompt) (an empty line ends it): " : "  ")
            if line.isEmpty { return lines.joined(separator: "\n") }
            lines.append(line)
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
    private static func hidden(_ prompt: Phrase) throws -> String {
        do { return try text(Terminal.askPassword(prompt)) } catch let failure as Failure
            where failure.isOfEmptyPassword
        { return "" }
    }

    /// The content of a file: a key has many lines, which a terminal would take for answers.
    private static func askFile(_ prompt: String) throws -> String {
        while true {
            let name = try Terminal.ask("\(prompt) (path of the file): ")
            guard !name.isEmpty else { return "" }
            let path = BytePath(Array(name.utf8))
            do {
                let bytes = try Machine.store.files.openFile(path, writing: false).bytes(
                    at: 0, count: Check.byteCount + 1)
                if let text = String(validating: bytes, as: UTF8.self) { return text }
                Messages.say("\(path): is not UTF-8")
            } catch let error as IOError { Messages.say(failure(for: error, vault: nil)) }
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

    private static func askOwn(_ card: inout Card) throws {
        while true {
            let label = try untilValid { try Terminal.ask("name of a custom field (Enter to finish): ") }
            if label.allSatisfy(\.isWhitespace) { return }
            let value = try untilValid { try Terminal.ask("\(printable(label.utf8)): ") }
            let complaints = card.set([(label, value)])
            for complaint in complaints { Messages.say("\(printable(label.utf8)): \(complaint.what)") }
        }
    }

    private static func askTitle(_ card: inout Card, _ title: String?) throws {
        let standard = title ?? card.defaultTitle(LocalizedLabel.spoken)
        guard title == nil else { return card.overview.title = Array(standard.utf8) }
        let typed = try untilValid { try CardArguments.name(answer("title [\(printable(standard.utf8))]: "), "title") }
        card.overview.title = Array((typed ?? standard).utf8)
    }

    private static func askGroup(_ groups: [String]) throws -> String? {
        let known = groups.prefix(5).map { printable($0.utf8) }.joined(separator: ", ")
        let prompt: Phrase = known.isEmpty ? "group (Enter: none): " : "group, such as \(known) (Enter: none): "
        return try untilValid { try CardArguments.name(answer(prompt), "group") }
    }

    private static func askTags() throws -> [String] {
        try untilValid {
            let tags = try answer("tags, with commas between (Enter: none): ")?.split { ",，".contains($0) } ?? []
            return try Card.tags(tags.map { $0.trimming(" ") }, "tags")
        }
    }

    /// A line; nil if there is nothing on it.
    private static func answer(_ prompt: Phrase) throws -> String? {
        let line = try Terminal.ask(prompt)
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }

    private static func untilValid<R>(_ body: () throws -> R) throws -> R {
        while true {
            do { return try body() } catch {
                let failure = failure(for: error, vault: nil)
                guard failure.code == .invalid else { throw error }
                Messages.say(failure)
            }
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
