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
        var attachments = AttachmentQuestion()
        // Pictures are the last question.
        let questions = fields.map(Field?.some) + [nil]
        try LineEditor.inTurn(questions, orKeeping: { try CardForm.keepsWhatWasTyped(&card) }) { field in
            if let field { try FieldQuestion.ask(field, of: &card) } else { try attachments.ask() }
        }
        let files = attachments.files
        _ = card.fillDerived()
        card.overview.title = Array(card.defaultTitle(LocalizedLabel.spoken).utf8)
        let key = try VaultSecret(path, arguments)
        let title = printable(card.overview.title)
        try CardForm.saving(to: path) {
            let transaction = try Session.begin(path, arguments, key: key)
            let id = try transaction.makeID()
            try transaction.store(card, as: id)
            try transaction.attach(files, to: id)
            try Session.commit(transaction)
        }
        let name = shellWord(card.overview.title)
        Messages.say(files.isEmpty ? "added card '\(title)'" : "added card '\(title)' with \(files.shownNames)")
        Messages.hint("qvault copy \(name)   qvault card show \(name)   qvault card edit \(name)")
    }
}
