import VaultFormat
import Cards

extension Card {
    /// The card for a terminal, labels in the language of the person, lines of a text one beneath the other.
    func shown(isRevealed: Bool) -> String {
        let names = lines.map { $0.label?.said ?? printable($0.key.utf8) }
        let width = names.map { columns($0) }.max() ?? 0
        var text = "\(printable(overview.title))  (\(schema.label.said))\n"
        var notes: [String] = []
        if overview.isPinned { notes.append(Phrase("pinned").said) }
        if let group = overview.group { notes.append(Phrase("group").said + .colon + printable(group.utf8)) }
        if !overview.tags.isEmpty {
            notes.append(Phrase("tags").said + .colon + overview.tags.map { printable($0.utf8) }.listed)
        }
        if !notes.isEmpty { text += notes.joined(separator: "  ") + "\n" }
        for (line, name) in zip(lines, names) {
            let rows = line.said(isRevealed: isRevealed).split(separator: "\n", omittingEmptySubsequences: false).map {
                printable($0.utf8)
            }
            text += padded(name, width) + "  " + rows.joined(separator: "\n" + padded("", width + 2)) + "\n"
        }
        return text
    }

    /// As one JSON object.
    func json(_ entry: Entry, isRevealed: Bool, _ attachments: [Entry]) -> JSON {
        let (known, own) = (lines.dropLast(fields.own.count), lines.suffix(fields.own.count))
        let fields = known.map { ($0.key, JSON.text($0.shown(isRevealed: isRevealed))) }
        return JSON(
            joining: CardArguments.members(of: entry),
            [
                "revision": entry.revision, "fields": JSON.object(fields),
                "own": own.map { line -> JSON in
                    ["label": line.key, "value": line.shown(isRevealed: isRevealed), "sensitive": line.isSensitive]
                },
                "attachments": attachments.map { file -> JSON in
                    [
                        "id": file.id, "name": String(decoding: file.overview.title, as: UTF8.self),
                        "type": file.overview.mediaType, "size": file.length,
                    ]
                },
            ])
    }
}

extension Card.Line {
    /// The value for people: a time as the clock here shows it, a size in units, a closed word in their language.
    func said(isRevealed: Bool) -> String {
        switch check {
        case .time?, .deadline?: Timestamp(value).map { timeText($0, local: true) } ?? value
        case .size?: UInt64(value).map(sizeText) ?? value
        default: closedWord?.label.said ?? shown(isRevealed: isRevealed)
        }
    }
}

extension CardArguments {
    /// The members of a card in JSON that every list has.
    static func members(of entry: Entry) -> JSON {
        let overview = entry.overview
        return [
            "id": entry.id, "kind": Names.kindName(entry.kind),
            "title": String(decoding: overview.title, as: UTF8.self), "group": overview.group, "tags": overview.tags,
            "pinned": overview.isPinned, "created": entry.created, "updated": entry.updated,
        ]
    }
}
