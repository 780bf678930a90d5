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
        try LineEditor.inTurn(fields, orKeeping: { try CardForm.keepsWhatWasTyped(&card) }) {
            try FieldQuestion.ask($0, of: &card)
        }
        _ = card.fillDerived()
        card.overview.title = Array(card.defaultTitle(LocalizedLabel.spoken).utf8)
        var attachments = AttachmentQuestion()
        try attachments.ask()
        let files = attachments.files
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
