import VaultFormat
import Cards
import VaultStore

extension Verb {
    static let cardKinds = Verb(
        name: "card kinds", summary: "the kinds of cards, and their fields", operands: "[KIND]", options: [.json],
        example: "qvault card kinds address",
        note: "the fields of an address; an asterisk marks those that it must have"
    ) { arguments in
        let schemas = try arguments.operands.first.map { [try CardArguments.schema($0)] } ?? Schema.cards
        let width = schemas.map(\.name.count).max() ?? 0
        return try StandardOutput.list(schemas, arguments) { schema in
            let fields = schema.fields.map { field -> JSON in
                [
                    "key": field.key, "label": field.label.english, "label_zh": field.label.chinese,
                    "required": field.isRequired, "sensitive": field.isSensitive, "hidden": field.isHiddenInput,
                    "lines": field.check == .text,
                    "words": field.check.words.map {
                        ["word": $0.stored, "label": $0.label.english, "label_zh": $0.label.chinese] as JSON
                    },
                ]
            }
            return [
                "kind": schema.name, "label": schema.label.english, "label_zh": schema.label.chinese,
                "own_fields": schema.takesOwnFields, "fields": fields,
            ]
        } text: { schema in
            let fields = (arguments.operands.isEmpty ? [] : schema.fields).map { field in
                "\n  \(padded(field.key, 16))\(field.isRequired ? "*" : " ") \(field.label.said)"
            }
            return "\(padded(schema.name, width))  \(schema.label.said)" + fields.joined()
        }
    }

    static let cardList = Verb.reading(
        name: "card list", summary: "list cards: pinned ones first, then the latest",
        options: [.kind, .onlyGroup, .onlyTag, .json],
        example: "qvault card list --kind invoice", note: "one line a card: id, pin, kind, title, group, tags"
    ) { vault, arguments in
        let cards = try vault.cardEntries(where: CardArguments.filter(arguments))
        let digits = cards.map(\.id).digitCount
        let present = Set(cards.map(\.kind))
        let kinds = Schema.cards.filter { present.contains($0.kind) }.map { ($0.kind, $0.label.said) }
        let width = kinds.map { columns($0.1) }.max() ?? 0
        let names = Dictionary(kinds.map { ($0, Array(padded($1, width).utf8)) }) { first, _ in first }
        return try StandardOutput.list(many: cards, arguments, json: CardArguments.members) { entry, text in
            entry.writeLine(digits, kind: names[entry.kind] ?? [], to: &text)
        }
    }
}

extension Entry {
    /// Writes a card's line in a list.
    fileprivate func writeLine(_ digits: Int, kind: [UInt8], to text: inout [UInt8]) {
        text.append(id, digits: digits)
        text += (overview.isPinned ? "  *  " : "     ").utf8
        text += kind
        text += "  ".utf8
        text.append(printable: overview.title)
        if let group = overview.group {
            text += "  [".utf8
            text.append(printable: Array(group.utf8))
            text += "]".utf8
        }
        for tag in overview.tags {
            text += "  #".utf8
            text.append(printable: Array(tag.utf8))
        }
    }
}
