import VaultFormat
import Cards
import VaultIO
import VaultStore

extension Verb {
    static let copy = Verb.at(
        name: "copy", summary: "take a card, or one field of it, to the clipboard", operands: "NAME…",
        options: [
            .vault, Option(.field, value: "KEY", help: "this field's value alone"),
            Option(
                .as, value: "FORM",
                help: "labels, line or json: how a whole card is written (a login: its password; an address: one line)"),
            Option(.next, help: "user name, password and one-time password in turn, one each time"), .stdout,
        ] + Option.use,
        example: "qvault copy Home --field phone",
        note: "the clipboard is emptied after 45 seconds, unless it has changed"
    ) { path, arguments in
        guard [.field, .as, .next].count(where: arguments.has) <= 1 else {
            throw Failure(.usage, "copy: one of --field, --as and --next")
        }
        let vault = try Session.open(path, arguments)
        let entry = try CardArguments.found(arguments.operands, in: vault)
        let card = try vault.card(entry)
        if arguments.has(.next) { return try copyNext(of: card, entry, vault, arguments) }
        let form: CopyForm? = try arguments.value(.as, or: "copy: --as takes labels, line or json")
        guard let key = arguments.text(.field) else {
            let text = try card.copied(as: form, template: form == nil ? template(for: card, vault) : nil)
            return try Clipboard.copy(text, Copied(entry), arguments)
        }
        let asked = try AskedField(key, of: card)
        return try Clipboard.copy(asked.value, Copied(entry, asked.name), arguments)
    }.picking(.all)

    /// The text that the setting `copy.KIND` gives for a card: `{name} {phone}`, or a form.
    private static func template(for card: Card, _ vault: Vault) throws -> String? {
        let name = "copy.\(card.schema.name)"
        guard case .text(let text)? = try vault.setting(name)?.value else { return nil }
        // The names of forms mean what they mean behind --as.
        if let form = CopyForm(rawValue: text) { return card.copied(as: form) }
        guard card.schema.fields.contains(where: { text.contains("{\($0.key)}") }) else {
            throw Failure(
                .invalid, "the setting '\(name)' names no field of the card: '\(printable(text.utf8))'",
                hint: "labels, line, json, or fields in braces: qvault config set \(name) '{name} {phone}'")
        }
        return card.lines.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// Copies the field after the one that was copied last, within two minutes.
    private static func copyNext(of card: Card, _ entry: Entry, _ vault: Vault, _ arguments: Arguments) throws
        -> ExitCode
    {
        let now = UInt64(max(0, Machine.store.now().seconds))
        // Codes that count are used up by showing them: 'otp' does that.
        let code = try card.presentCode()
        let keys = ["username", "password"].filter { card.fields.texts[$0] != nil } + (code == nil ? [] : ["totp"])
        guard !keys.isEmpty else {
            throw Failure(.notFound, "'\(printable(card.overview.title))' has no field to take in turn")
        }
        var numbers = StateNumbers("copy", vault.id, count: 3)
        let mark = entry.id.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let isSame = numbers.values[0] == mark && now < numbers.values[2] + 120 && now >= numbers.values[2]
        let step = isSame ? Int(numbers.values[1] % UInt64(keys.count)) : 0
        let asked = try AskedField(keys[step], of: card)
        let isCode = keys[step] == "totp"
        let exit = try Clipboard.copy(
            isCode ? code ?? "" : asked.value, Copied(entry, isCode ? "present code" : asked.name), arguments)
        numbers.change { $0 = [mark, UInt64(step + 1), now] }
        return exit
    }
}

/// The ways to write a whole card for pasting.
enum CopyForm: String { case labels, line, json }

extension Card {
    /// The text to paste: a text as it is, the password of a login, an address in one line as people send it, of any other
    /// card each value behind its label.
    func copied(as form: CopyForm? = nil, template: String? = nil) -> String {
        if form == nil, let template { return template }
        if form == nil, schema.name == "login", let password = fields.texts["password"] { return password }
        if form == nil, schema.name == "text", let text = fields.texts["text"], lines.count == 1 { return text }
        switch form ?? (schema.name == "address" ? .line : .labels) {
        case .labels: return lines.map { "\($0.label?.said ?? $0.key): \($0.value)" }.joined(separator: "\n")
        case .json: return JSON.object(lines.map { ($0.key, .text($0.value)) }).line
        case .line:
            guard schema.name == "address" else { return lines.map(\.value).joined(separator: " ") }
            let place = ["province", "city", "district", "address"].compactMap { fields.texts[$0] }.joined()
            return ["name", "phone"].compactMap { fields.texts[$0] }.joined(separator: " ") + " " + place
        }
    }
}
