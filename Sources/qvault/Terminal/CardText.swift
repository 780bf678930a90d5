import VaultFormat
import VaultRecords
import VaultStore

/// Names, texts and values of cards.
extension Session {
    /// The one card that a name means.
    ///
    /// - Throws: `VaultError` `.noSuchRecord`, `.ambiguous`.
    static func card(_ name: [UInt8], in vault: Vault) throws -> Entry {
        let cards = try list(vault).selecting { $1.isCard }
        return try record(name, among: cards).entry
    }

    /// The kind of cards that a word means.
    static func schema(_ name: [UInt8]) throws -> Schema {
        let name = String(decoding: name, as: UTF8.self)
        if let schema = Schema.named(name) { return schema }
        let near = nearest(name, among: Schema.cards.map(\.name))
        throw Failure(
            .invalid, "no kind of cards is called '\(printable(name.utf8))'",
            hint: near.map { "did you mean \($0)?" } ?? "'qvault card kinds' lists them")
    }

    /// Words like `phone=13800138000`.
    static func fields(_ words: some Sequence<[UInt8]>) throws -> [(key: String, value: String)] {
        try words.map { word in
            guard let text = String(validating: word, as: UTF8.self) else {
                throw Failure(.invalid, "'\(printable(word))' is not UTF-8")
            }
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw Failure(.usage, "'\(printable(word))' is no field: give it as KEY=VALUE")
            }
            return (String(text[..<equals]), String(text[text.index(after: equals)...]))
        }
    }

    /// Refuses a new field of one's own whose name is one letter away from a field of the kind: it is mistyped.
    static func requireMeant(_ values: [(key: String, value: String)], of card: Card) throws {
        guard card.schema.takesOwnFields else { return }
        let keys = card.schema.fields.map(\.key)
        let known = Set(keys + card.lines.map(\.key))
        for (key, _) in values where !known.contains(key) && key.count > 3 {
            guard let near = nearest(key, among: keys, within: 1) else { continue }
            throw Failure(
                .invalid, "\(printable(key.utf8)): is no field of this kind",
                hint: "did you mean \(near)? 'card edit' without fields takes other names too")
        }
    }

    /// Says all that is wrong with a card, and saves nothing.
    static func require(_ complaints: [Card.Complaint], of schema: Schema) throws {
        guard !complaints.isEmpty else { return }
        for complaint in complaints.dropLast() { Messages.say(said(complaint)) }
        let unknown = complaints.first { $0.label == nil && schema[$0.key] == nil }
        let near = unknown.flatMap { nearest($0.key, among: schema.fields.map(\.key)) }
        throw Failure(
            .invalid, said(complaints[complaints.count - 1]),
            hint: near.map { "did you mean \($0)?" }
                ?? "nothing was saved; 'qvault card kinds \(schema.name)' lists the fields")
    }

    static func said(_ complaint: Card.Complaint) -> Phrase {
        let key = printable(complaint.key.utf8)
        let label = complaint.label?.said ?? key
        return label == key ? "\(key): \(complaint.what)" : "\(label) (\(key)): \(complaint.what)"
    }

    /// A title, a group or a tag as it was given.
    static func name(_ text: String?, _ option: String) throws -> String? {
        guard let text else { return nil }
        // The decoder's replacement for bytes that are no text.
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw Failure(.invalid, "'\(printable(text.utf8))' is not UTF-8")
        }
        if let what = Card.complaint(aboutName: text) { throw Failure(.invalid, "\(option): \(what)") }
        return text
    }

    /// Tags as they were given, each once.
    static func tags(_ texts: [String], _ option: String, besides tags: [String] = []) throws -> [String] {
        let all = try texts.reduce(into: tags) { tags, text in
            guard let tag = try name(text, option), !tags.contains(tag) else { return }
            guard !tag.contains(",") else { throw Failure(.invalid, "\(option): a tag has no comma") }
            tags.append(tag)
        }
        guard all.count <= Card.tagCount else {
            throw Failure(.invalid, "a record takes \(Card.tagCount) tags, not \(all.count)")
        }
        return all
    }
}

extension LocalizedLabel {
    /// In the person's language.
    var said: String { Language.current == .chinese ? chinese : english }
    /// In both.
    var both: String { "\(chinese) \(english)" }
}

extension Card {
    /// The card for a terminal, labels in both languages, lines of a text one beneath the other.
    func shown(isRevealed: Bool) -> String {
        let names = lines.map { $0.label?.both ?? printable($0.key.utf8) }
        let width = names.map { columns($0) }.max() ?? 0
        var text = "\(printable(overview.title))  (\(schema.label.both))\n"
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
    func json(_ entry: Entry, isRevealed: Bool) -> JSON {
        let (known, own) = (lines.dropLast(fields.own.count), lines.suffix(fields.own.count))
        return .object(
            Session.cardMembers(entry) + [
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
            ])
    }
}

extension Session {
    /// The members of a card in JSON that every list has.
    static func cardMembers(_ entry: Entry) -> [(String, JSON)] {
        [
            ("id", .text(hexText(entry.id.bytes))), ("kind", .text(kindName(entry.kind))),
            ("title", .text(String(decoding: entry.overview.title, as: UTF8.self))),
            ("group", entry.overview.group.map { .text($0) } ?? .null),
            ("tags", .list(entry.overview.tags.map { .text($0) })), ("pinned", .bool(entry.overview.isPinned)),
            ("created", .text(timeText(microseconds: entry.created))),
            ("updated", .text(timeText(microseconds: entry.updated))),
        ]
    }
}
