import VaultFormat
import VaultRecords
import VaultStore

/// A card that is filled in at the terminal, field by field.
enum CardForm {
    /// Asks for each field until its value holds; what is not required may be left empty.
    static func ask(_ card: inout Card) throws {
        for field in card.schema.fields {
            while true {
                let value = try field.check == .text ? askText(field) : Terminal.ask("\(prompt(field)): ")
                if let complaint = card.set([(field.key, value)]).first {
                    Messages.say("\(field.label.said): \(complaint.what)")
                } else if field.isRequired, card.fields.texts[field.key] == nil {
                    Messages.say("\(field.label.said): \(Phrase("is missing"))")
                } else {
                    break
                }
            }
        }
        guard card.schema.takesOwnFields else { return }
        while true {
            let label = try Terminal.ask("another field, or nothing: ")
            if label.allSatisfy(\.isWhitespace) { return }
            let complaints = card.set([(label, try Terminal.ask("\(printable(label.utf8)): "))])
            for complaint in complaints { Messages.say("\(printable(label.utf8)): \(complaint.what)") }
        }
    }

    private static func prompt(_ field: Field) -> String { field.label.said + (field.isRequired ? " *" : "") }

    /// Lines up to an empty one.
    private static func askText(_ field: Field) throws -> String {
        var lines: [String] = []
        while true {
            let line =
                try lines.isEmpty
                ? Terminal.ask("\(prompt(field)) (an empty line ends it): ") : Terminal.ask("  ")
            if line.isEmpty { return lines.joined(separator: "\n") }
            lines.append(line)
        }
    }
}
