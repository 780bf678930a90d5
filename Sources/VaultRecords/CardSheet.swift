import VaultFormat

/// A card as text that a person edits: a line `key: value` for each field, the value going on in lines that begin with a
/// space; lines that begin with `#` are notes.
public enum CardSheet {
    /// Keys of what is no field.
    private enum Head: String, CaseIterable {
        case title, group, tags, pinned
    }

    /// The text of a card, with room for every field of its kind.
    public static func text(_ card: Card) -> String {
        var text = "# \(card.schema.label.chinese) \(card.schema.label.english)\n"
        func put(_ key: String, _ value: String) {
            let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
            text += ("\(key): " + lines.joined(separator: "\n ")).withoutSpaceAtEnd + "\n"
        }
        put(Head.title.rawValue, card.title)
        put(Head.group.rawValue, card.overview.group ?? "")
        put(Head.tags.rawValue, card.overview.tags.joined(separator: ", "))
        put(Head.pinned.rawValue, card.overview.isPinned ? "yes" : "")
        for field in card.schema.fields {
            let mark = field.isRequired ? " *" : ""
            text += "# \(field.label.chinese) \(field.label.english)\(mark)\n"
            put(field.key, card.fields.texts[field.key] ?? "")
        }
        let known = Set(card.schema.fields.map(\.key))
        for line in card.lines where !known.contains(line.key) { put(line.key, line.value) }
        return text
    }

    /// Changes a card to what a text says; what it leaves out goes.
    ///
    /// - Returns: what is wrong, all of it.
    public static func apply(_ text: String, to card: inout Card) -> [Card.Complaint] {
        var wrong: [Card.Complaint] = []
        var values: [(key: String, value: String)] = []
        for (key, value) in pairs(text, &wrong) {
            guard let head = Head(rawValue: key) else {
                values.append((key, value))
                continue
            }
            if let what = set(head, value, &card.overview) {
                wrong.append(Card.Complaint(key: key, label: nil, what: what))
            }
        }
        let given = Set(values.map(\.key))
        let gone = card.lines.map(\.key).filter { !given.contains($0) }
        wrong += card.set(values + gone.map { ($0, "") })
        return wrong + card.missing(besides: wrong)
    }

    private static func pairs(_ text: String, _ wrong: inout [Card.Complaint]) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        var emptyLines = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("#") {
            if line.isEmpty {
                emptyLines += 1
            } else if line.hasPrefix(" ") || line.hasPrefix("\t"), !pairs.isEmpty {
                pairs[pairs.count - 1].value += String(repeating: "\n", count: emptyLines + 1) + line.dropFirst()
                emptyLines = 0
            } else if let colon = line.firstIndex(of: ":"), colon > line.startIndex {
                let value = line[line.index(after: colon)...]
                pairs.append((String(line[..<colon]), String(value.hasPrefix(" ") ? value.dropFirst() : value)))
                emptyLines = 0
            } else {
                wrong.append(Card.Complaint(key: String(line.prefix(40)), label: nil, what: "is no line 'key: value'"))
            }
        }
        return pairs
    }

    private static func set(_ head: Head, _ value: String, _ overview: inout Overview) -> Phrase? {
        let value = value.trimmed
        switch head {
        case .title:
            if let what = Card.complaint(aboutName: value) { return what }
            overview.title = Array(value.utf8)
        case .group:
            if !value.isEmpty, let what = Card.complaint(aboutName: value) { return what }
            overview.group = value.isEmpty ? nil : value
        case .tags:
            let tags = value.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
            if let what = tags.lazy.compactMap({ Card.complaint(aboutName: $0) }).first { return what }
            guard tags.count <= Card.tagCount else { return "are too many: 32 at most" }
            overview.tags = tags.enumerated().filter { !tags[..<$0.offset].contains($0.element) }.map(\.element)
        case .pinned: overview.isPinned = !["", "no"].contains(value)
        }
        return nil
    }
}

extension String {
    fileprivate var withoutSpaceAtEnd: String { hasSuffix(" ") ? String(dropLast()) : self }
}
