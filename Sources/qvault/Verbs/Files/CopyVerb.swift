import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let copy = Verb(
        name: "copy", summary: "take a card, or one field of it, to the clipboard", operands: "NAME",
        operandCount: 1...1,
        options: [
            .vault, Option(.field, value: "KEY", help: "this field's value alone"),
            .stdout,
        ] + Option.use,
        example: ("qvault copy Home --field phone", "the clipboard is emptied after 45 seconds, unless it has changed")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let vault = try Session.open(path, arguments)
            let card = try vault.card(CardArguments.card(arguments.operands[0], in: vault))
            let text = try arguments.text(.field).map { try CardArguments.line($0, of: card).value } ?? card.copied
            return try Clipboard.copy(text, arguments)
        }
    }
}

extension Card {
    /// The text to paste: a text as it is; of any other card each value behind its label.
    var copied: String {
        if schema.name == "text", let text = fields.texts["text"], lines.count == 1 { return text }
        return lines.map { "\($0.label?.said ?? $0.key): \($0.value)" }.joined(separator: "\n")
    }
}
