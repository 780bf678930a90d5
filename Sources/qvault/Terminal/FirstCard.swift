import Cards
import Pictures
import VaultFormat
import VaultIO
import VaultStore

/// The first card of a new vault.
enum FirstCard {
    /// Asks for what its kind requires, the day to which it is good, and for pictures. Other fields can wait.
    static func add(_ schema: Schema, to path: BytePath, _ arguments: Arguments) throws {
        var card = Card(of: schema)
        let required = schema.fieldsToAsk.filter(\.isRequired)
        let fields =
            required.isEmpty
            ? Array(schema.fields.prefix(3)) : schema.fieldsToAsk.filter { $0.isRequired || $0.endsDocument }
        FieldQuestion.sayKeys()
        try LineEditor.inTurn(fields) { try FieldQuestion.ask($0, of: &card) }
        _ = card.fillDerived()
        card.overview.title = Array(card.defaultTitle(LocalizedLabel.spoken).utf8)
        var line = ""
        let files = try FieldQuestion.untilValid { try askAttachments(&line) }
        let key = try VaultSecret(path, arguments)
        let title = printable(card.overview.title)
        try CardForm.saving(to: path) {
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
            names[place] = try FieldQuestion.untilValid {
                try askSide(found[place].0, found[place].1.name, besides: names[..<place])
            }
        }
        return try zip(found, names).map { item, name in
            name == item.1.name ? item.1 : try AttachmentArguments.attachment(item.0, as: name, limit: limit)
        }
    }

    /// The name of a file by what it shows.
    private static func askSide(_ path: BytePath, _ own: [UInt8], besides others: ArraySlice<[UInt8]>) throws -> [UInt8]
    {
        let sides = [Phrase("front").said, Phrase("back").said]
        let side = try FieldQuestion.answer(
            "what does '\(printable(own))' show, like \(sides.joined(separator: ", ")) (Enter: its name): ",
            .words(sides))
        let name = try side.map { try AttachmentArguments.names([path], [Array($0.utf8)])[0] } ?? own
        guard !others.contains(name) else {
            throw Failure(.invalid, "another file is called '\(printable(name))' already")
        }
        return name
    }
}
