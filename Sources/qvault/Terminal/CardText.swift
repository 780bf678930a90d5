import VaultFormat
import Cards

extension LocalizedLabel {
    /// In the person's language.
    var said: String { text(in: .current) }
}

extension Card {
    /// The card for a terminal, labels in the language of the person, lines of a text one beneath the other.
    func shown(isRevealed: Bool) -> String {
        let names = lines.map { $0.label?.said ?? printable($0.key.utf8) }
        let width = names.map { columns($0) }.max() ?? 0
        var text = "\(printable(overview.title))  (\(schema.label.said))\n"
        var notes: [String] = []
        if overview.isPinned { notes.append(Phrase("pinned").said) }
        if let group = overview.group { notes.append("\(Phrase("group").said): \(printable(group.utf8))") }
        if !overview.tags.isEmpty {
            notes.append("\(Phrase("tags").said): \(overview.tags.map { printable($0.utf8) }.joined(separator: ", "))")
        }
        if !notes.isEmpty { text += notes.joined(separator: "  ") + "\n" }
        for (line, name) in zip(lines, names) {
            let rows = line.shown(isRevealed: isRevealed).split(separator: "\n", omittingEmptySubsequences: false).map {
                printable($0.utf8)
            }
            text += padded(name, width) + "  " + rows.joined(separator: "\n" + padded("", width + 2)) + "\n"
        }
        return text
    }

    /// As one JSON object.
    func json(_ entry: Entry, isRevealed: Bool, _ attachments: [Entry]) -> JSON {
        let (known, own) = (lines.dropLast(fields.own.count), lines.suffix(fields.own.count))
        return .object(
            CardArguments.cardMembers(entry) + [
                ("revision", .unsigned(entry.revision)),
                ("fields", .object(known.map { ($0.key, .text($0.shown(isRevealed: isRevealed))) })),
                (
                    "own",
                    .list(
                        own.map {
                            .object([
                                ("label", .text($0.key)), ("value", .text($0.shown(isRevealed: isRevealed))),
                                ("sensitive", .bool($0.isSensitive)),
                            ])
                        })
                ),
                (
                    "attachments",
                    .list(
                        attachments.map {
                            .object([
                                ("id", .text(hexText($0.id.bytes))),
                                ("name", .text(String(decoding: $0.overview.title, as: UTF8.self))),
                                ("type", $0.overview.mediaType.map { .text($0) } ?? .null),
                                ("size", .unsigned($0.length)),
                            ])
                        })
                ),
            ])
    }
}

extension CardArguments {
    /// The members of a card in JSON that every list has.
    static func cardMembers(_ entry: Entry) -> [(String, JSON)] {
        [
            ("id", .text(hexText(entry.id.bytes))), ("kind", .text(Names.kindName(entry.kind))),
            ("title", .text(String(decoding: entry.overview.title, as: UTF8.self))),
            ("group", entry.overview.group.map { .text($0) } ?? .null),
            ("tags", .list(entry.overview.tags.map { .text($0) })), ("pinned", .bool(entry.overview.isPinned)),
            ("created", .text(timeText(entry.created))),
            ("updated", .text(timeText(entry.updated))),
        ]
    }
}
