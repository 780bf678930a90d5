import VaultFormat

/// A card as text that a person edits: a line `key: value` for each field, the value going on in lines that begin with a
/// space; lines that begin with `#` are notes.
public enum CardTextFormat {
    /// The text of a card, with room for every field of its kind.
    public static func text(_ card: Card) -> String {
        var text = "# \(card.schema.label.chinese) \(card.schema.label.english)\n"
        func put(_ key: String, _ value: String) {
            let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
            text += value.isEmpty ? "\(key):\n" : "\(key): \(lines.joined(separator: "\n "))\n"
        }
        put(CardHead.title.rawValue, card.title)
        put(CardHead.group.rawValue, card.overview.group ?? "")
        put(CardHead.tags.rawValue, card.overview.tags.joined(separator: ", "))
        put(CardHead.pinned.rawValue, card.overview.isPinned ? "yes" : "")
        for field in card.schema.fields {
            let mark = field.isRequired ? " *" : ""
            text += "# \(field.label.chinese) \(field.label.english)\(mark)\n"
            put(field.key, card.fields.texts[field.key] ?? "")
        }
        let known = Set(card.schema.fields.map(\.key))
        for line in card.lines where !known.contains(line.key) { put(line.key, line.value) }
        return text
    }

    /// True if the text of a card says all of it: not where another program gave fields or tags names that it cannot.
    public static func isWhole(_ card: Card) -> Bool {
        let keys = card.lines.map(\.key)
        return Set(keys).count == keys.count && keys.allSatisfy(CardHead.isField)
            && card.overview.tags.allSatisfy { !$0.utf8.contains(UInt8(ascii: ",")) }
            && String(validating: card.overview.title, as: UTF8.self) != nil
    }

    /// Changes a card to what a text says; fields that it leaves out go.
    ///
    /// - Returns: what is wrong, all of it.
    public static func apply(_ text: String, to card: inout Card) -> [Card.Complaint] {
        var wrong: [Card.Complaint] = []
        var values: [(key: String, value: String)] = []
        let pairs = pairs(plain(text), &wrong)
        if pairs.isEmpty { return [Card.Complaint(key: "title", what: "is missing")] }
        for (key, value) in pairs {
            guard let head = CardHead(rawValue: key) else {
                values.append((key, value))
                continue
            }
            if let what = set(head, value, &card.overview) { wrong.append(Card.Complaint(key: key, what: what)) }
        }
        let given = Set(values.map(\.key))
        let gone = card.lines.map(\.key).filter { !given.contains($0) }
        wrong += card.set(values + gone.map { ($0, "") })
        return wrong + card.missing(besides: wrong)
    }

    /// Without what editors of other systems add: a mark of the byte order, carriage returns.
    private static func plain(_ text: String) -> String {
        var scalars = text.unicodeScalars.filter { $0 != "\r" }
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        return String(String.UnicodeScalarView(scalars))
    }

    /// By bytes: a mark that stands over a letter also stands over a colon or a space.
    private static func pairs(_ text: String, _ wrong: inout [Card.Complaint]) -> [(key: String, value: String)] {
        var pairs: [(key: [UInt8], value: [UInt8])] = []
        var emptyLines = 0
        for line in Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false) {
            if line.isEmpty {
                emptyLines += 1
            } else if line.first == 0x20 || line.first == 0x09, !pairs.isEmpty {
                pairs[pairs.count - 1].value += [UInt8](repeating: 0x0A, count: emptyLines + 1) + line.dropFirst()
                emptyLines = 0
            } else if line.first == UInt8(ascii: "#") {
                continue
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex {
                let value = line[(colon + 1)...]
                pairs.append((Array(line[..<colon]), Array(value.first == 0x20 ? value.dropFirst() : value)))
                emptyLines = 0
            } else {
                let start = String(decoding: line.prefix(40), as: UTF8.self)
                wrong.append(Card.Complaint(key: start, what: "is no line 'key: value'"))
            }
        }
        return pairs.map { (String(decoding: $0.key, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)) }
    }

    private static func set(_ head: CardHead, _ value: String, _ overview: inout Overview) -> Phrase? {
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
        case .pinned: overview.isPinned = !["", "no"].contains(value.lowercased())
        }
        return nil
    }
}
