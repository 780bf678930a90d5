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
        sayKeys()
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
            case .field(let field): try ask(field, of: &card)
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
        return try untilValid {
            let answer = try Terminal.ask("which kind (a number or a name): ", .words(kinds.map(\.label.said)))
            if let number = Int(answer), kinds.indices.contains(number - 1) { return kinds[number - 1] }
            return try CardArguments.schema(Array(answer.trimmed.utf8))
        }
    }

    private enum Question {
        case field(Field)
        case ownFields, title, group, tags
    }

    /// Tells of the keys that lead back and complete, where a line is edited.
    private static func sayKeys() {
        if LineEditor.isPossible { Messages.say("the up arrow goes back to the question before, Tab completes") }
    }

    /// Asks for each field of a card that is there: Enter keeps it, and `-` takes it away.
    static func change(_ card: inout Card) throws {
        Messages.say(
            "Enter keeps a field, '-' takes it away; Ctrl-C saves nothing; $EDITOR names an editor for all at once")
        let title = try untilValid {
            try CardArguments.name(answer("title [\(printable(card.overview.title))]: "), "title")
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
            return try take(key, label, into: &card) {
                let typed = try Terminal.ask("\(label): ", text: line.value)
                return typed == line.value ? nil : typed == "-" ? "" : typed
            }
        }
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

    /// The first card of a new vault: what its kind requires, the day to which it is good, and pictures. Other fields can wait.
    static func addFirst(_ schema: Schema, to path: BytePath, _ arguments: Arguments) throws {
        var card = Card(of: schema)
        let required = schema.fieldsToAsk.filter(\.isRequired)
        let fields =
            required.isEmpty
            ? Array(schema.fields.prefix(3)) : schema.fieldsToAsk.filter { $0.isRequired || $0.endsDocument }
        sayKeys()
        try LineEditor.inTurn(fields) { try ask($0, of: &card) }
        _ = card.fillDerived()
        card.overview.title = Array(card.defaultTitle(LocalizedLabel.spoken).utf8)
        var line = ""
        let files = try untilValid { try askAttachments(&line) }
        let key = try VaultSecret(path, arguments)
        let title = printable(card.overview.title)
        try saving(to: path) {
            let transaction = try Session.begin(path, arguments, key: key)
            let id = try transaction.makeID()
            try transaction.store(card, as: id)
            if let entry = try transaction.entry(id) {
                for file in files { _ = try transaction.attach(file, to: entry, among: []) }
            }
            try Session.commit(transaction)
        }
        let name = shellWord(card.overview.title)
        let names = files.map { printable($0.name) }.joined(separator: ", ")
        Messages.say(files.isEmpty ? "added card '\(title)'" : "added card '\(title)' with \(names)")
        Messages.hint("qvault copy \(name)   qvault card show \(name)   qvault card edit \(name)")
    }

    /// Asks for pictures and PDF, which are dropped on the terminal or typed, and for what each shows.
    ///
    /// - Parameter line: the paths that were typed before and were refused; those that are typed now.
    private static func askAttachments(_ line: inout String) throws -> [NewAttachment] {
        line = try Terminal.ask(
            "pictures or PDF to attach (one path or several, dropped or typed; Enter for none): ", text: line, .paths)
        let limit = try Config.attachmentLimit()
        // All must be readable before anything is asked about one.
        let found = try TypedPaths.paths(line).map { path in
            do { return (path, try AttachmentArguments.attachment(path, limit: limit)) } catch let error as IOError {
                throw Failure(.invalid, "\(error.path): \(error.message)")
            }
        }
        var names = found.map { $0.1.name }
        try LineEditor.inTurn(Array(found.indices)) { place in
            names[place] = try untilValid { try askSide(found[place].0, found[place].1.name, besides: names[..<place]) }
        }
        return try zip(found, names).map { item, name in
            name == item.1.name ? item.1 : try AttachmentArguments.attachment(item.0, as: name, limit: limit)
        }
    }

    /// The name of a file by what it shows.
    private static func askSide(_ path: BytePath, _ own: [UInt8], besides others: ArraySlice<[UInt8]>) throws -> [UInt8]
    {
        let sides = [Phrase("front").said, Phrase("back").said]
        let side = try answer(
            "what does '\(printable(own))' show, like \(sides.joined(separator: ", ")) (Enter: its name): ",
            .words(sides))
        let name = try side.map { try AttachmentArguments.names([path], [Array($0.utf8)])[0] } ?? own
        guard !others.contains(name) else {
            throw Failure(.invalid, "another file is called '\(printable(name))' already")
        }
        return name
    }

    private static func ask(_ field: Field, of card: inout Card) throws {
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
                if line.isEmpty { return lines.joined(separator: "\n") }
                lines.append(line)
                text = ""
            } catch is WentBack where !lines.isEmpty {
                // The line before can be corrected.
                text = lines.removeLast()
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
    private static func hidden(_ prompt: Phrase) throws -> String {
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

    private static func askOwn(_ card: inout Card) throws {
        while true {
            let label = try untilValid { try Terminal.ask("name of a custom field (Enter to finish): ") }
            if label.allSatisfy(\.isWhitespace) { return }
            let value = try untilValid { try Terminal.ask("\(printable(label.utf8)): ") }
            let complaints = card.set([(label, value)])
            for complaint in complaints { Messages.say("\(printable(label.utf8)): \(complaint.what)") }
        }
    }

    private static func askTitle(_ card: inout Card) throws {
        let standard = card.defaultTitle(LocalizedLabel.spoken)
        let typed = try untilValid {
            try CardArguments.name(
                answer(
                    "title [\(printable(standard.utf8))]: ", text: String(decoding: card.overview.title, as: UTF8.self)),
                "title")
        }
        card.overview.title = Array((typed ?? standard).utf8)
    }

    private static func askGroup(_ groups: [String], _ answered: String?) throws -> String? {
        let known = groups.prefix(5).map { printable($0.utf8) }.joined(separator: ", ")
        let prompt: Phrase = known.isEmpty ? "group (Enter: none): " : "group, such as \(known) (Enter: none): "
        return try untilValid { try CardArguments.name(answer(prompt, text: answered ?? "", .words(groups)), "group") }
    }

    private static func askTags() throws -> [String] {
        try untilValid {
            let tags = try answer("tags, with commas between (Enter: none): ")?.split { ",，、;；".contains($0) } ?? []
            return try Card.tags(tags.map { $0.trimming(" ") }, "tags")
        }
    }

    /// A line; nil if there is nothing on it.
    private static func answer(
        _ prompt: Phrase, text: String = "", _ completion: LineCompletion = .none
    ) throws -> String? {
        let line = try Terminal.ask(prompt, text: text, completion)
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
