import VaultFormat

/// A card as another program has it: values for the fields of a kind, and everything else under its own name. Nothing
/// of it is left out because a value does not fit (Spec/product/export.md, 5).
struct ForeignItem {
    /// The name of a kind of cards.
    var kind = "login"
    var title: String?
    var group: String?
    var tags: [String] = []
    var isPinned = false
    /// True if it lay in the other program's recycle bin.
    var isDeleted = false
    var fields: [(key: String, value: String)] = []
    var own: [RecordFields.CustomField] = []
    var created, updated: Timestamp?
    var attachments: [NewAttachment] = []
    /// Texts of the source that are part of a value here.
    var parts: [String?] = []
    /// Attachments that hold a text which no field takes.
    private(set) var texts: Set<[UInt8]> = []
    let place: Phrase

    init(at place: Phrase) { self.place = place }

    /// Adds a value under a name of its own, unless it is empty.
    mutating func addOwn(_ label: String, _ value: String?, isSensitive: Bool = false) {
        guard let value, !value.isEmpty else { return }
        own.append(RecordFields.CustomField(label: label, value: value, isSensitive: isSensitive))
    }

    /// Adds members of a JSON object that have no field here, each under its name.
    mutating func addRest(of object: JSON?, besides known: Set<String>, isSensitive: Bool = false) {
        for (key, value) in object?.members ?? [] where !known.contains(key) && !value.isEmpty {
            addOwn(key, value.text ?? value.line, isSensitive: isSensitive)
        }
    }

    /// Adds a file; it keeps its bytes whatever type they have.
    mutating func attach(_ name: String, _ content: [UInt8]) {
        let taken = Set(attachments.map(\.name))
        let name = name.split(separator: "/").last.map(String.init) ?? "file"
        var (candidate, number) = (Array(name.utf8.suffix(200)), 1)
        while taken.contains(candidate) {
            number += 1
            candidate = Array("\(number) \(name)".utf8.prefix(255))
        }
        attachments.append(NewAttachment(anyType: content, name: candidate))
    }

    /// Adds a text that no field takes.
    fileprivate mutating func attach(_ field: RecordFields.CustomField) {
        attach("\(field.label).txt", Array(field.value.utf8))
        if let name = attachments.last?.name { texts.insert(name) }
    }
}

extension ImportBatch {
    /// Takes a card of another program over. A value that its field does not take becomes a field of its own; a card
    /// that lacks a required field becomes a note; text that no field takes becomes an attachment.
    mutating func add(_ foreign: ForeignItem) {
        var foreign = foreign
        guard let schema = Schema.named(foreign.kind), let note = Schema.named("note") else {
            preconditionFailure("kinds are those of the table")
        }
        var card = Card(schema: schema, overview: Overview(title: []), fields: RecordFields())
        let misfits = Set(card.set(foreign.fields).map(\.key))
        if !card.missing(besides: []).isEmpty {
            let what: Phrase = "stored as a note: a card of kind \(schema.name) lacks a required field"
            notices.append(ImportProblem(foreign.place, what))
            card = Card(schema: note, overview: Overview(title: []), fields: RecordFields())
            let own = foreign.fields.map { key, value in
                RecordFields.CustomField(label: key, value: value, isSensitive: schema[key]?.isSensitive ?? false)
            }
            foreign.own = own.filter { !$0.value.isEmpty } + foreign.own
        } else {
            // A value of blanks says nothing to a card, and is kept all the same.
            let isLeft = { (key: String, value: String) in
                misfits.contains(key) || !value.isEmpty && card.fields.texts[key] == nil
            }
            let own = foreign.fields.filter(isLeft).map { key, value in
                RecordFields.CustomField(label: key, value: value, isSensitive: schema[key]?.isSensitive ?? false)
            }
            foreign.own = own + foreign.own
        }
        foreign.label(&card)
        for field in card.adopt(foreign.own) { foreign.attach(field) }
        var item = ImportItem(foreign.place, card.overview, .card(card))
        if let created = foreign.created ?? foreign.updated {
            (item.created, item.updated) = (created, max(created, foreign.updated ?? created))
        }
        (item.attachments, item.texts) = (foreign.attachments, foreign.texts)
        (item.isDeleted, item.isForeign) = (foreign.isDeleted, true)
        items.append(item)
    }
}

extension ForeignItem {
    /// Gives a card title, group and tags. A name that is none here is cut, and kept whole in a field of its own.
    fileprivate mutating func label(_ card: inout Card) {
        let title = title.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } ?? card.defaultTitle(\.english)
        card.overview.title = Array(fitted(title, "title").utf8)
        if let group, !group.allSatisfy(\.isWhitespace) { card.overview.group = fitted(group, "group") }
        var seen: Set<String> = []
        let tags = tags.filter { !$0.allSatisfy(\.isWhitespace) && seen.insert($0).inserted }
        // A list of tags is written with commas.
        for tag in tags where tag.contains(",") { addOwn("whole tag", tag) }
        card.overview.tags = tags.prefix(Card.tagCount).map {
            fitted($0.replacing(",", with: " "), "tag")
        }
        for tag in tags.dropFirst(Card.tagCount) { addOwn("tag", tag) }
        card.overview.isPinned = isPinned
    }

    private mutating func fitted(_ name: String, _ what: String) -> String {
        guard Card.complaint(aboutName: name) != nil else { return name }
        addOwn("whole \(what)", name)
        let plain = String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isLineOrControl ? " " : $0 }))
        var cut = plain
        while cut.utf8.count > Card.titleByteCount { cut = String(cut.prefix(cut.count * 3 / 4)) }
        return cut.allSatisfy(\.isWhitespace) ? what : cut
    }
}

extension Unicode.Scalar {
    fileprivate var isLineOrControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}

extension JSON {
    /// True for null, false, and empty texts, lists and objects: values that say nothing.
    fileprivate var isEmpty: Bool {
        switch self {
        case .null, .bool(false): true
        case .text(let text): text.isEmpty
        case .list(let items): items.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }
}

extension Card {
    /// Adds fields of one's own, to a card of any kind; two of one label get numbers. A label that is none here is changed,
    /// and stands whole in a field of its own.
    ///
    /// - Returns: fields that do not fit: values over 1 MiB or with control characters, and those over 256.
    fileprivate mutating func adopt(_ own: [RecordFields.CustomField]) -> [RecordFields.CustomField] {
        var rest: [RecordFields.CustomField] = []
        var labels = Set(fields.own.map(\.label))
        for field in own where !field.value.isEmpty {
            // A secret keeps its bytes.
            let value = field.isSensitive ? field.value : Check.text.normalized(field.value)
            guard Check.text.complaint(about: value) == nil, fields.own.count < Self.ownFieldCount else {
                rest.append(field)
                continue
            }
            let label = freeLabel(field.label, besides: labels)
            labels.insert(label)
            fields.own.append(.init(label: label, value: value, isSensitive: field.isSensitive))
            guard !field.label.isEmpty, !Self.isLabel(label, for: field.label) else { continue }
            let whole = RecordFields.CustomField(
                label: freeLabel("name of \(label)", besides: labels), value: field.label)
            guard fields.own.count < Self.ownFieldCount, Check.text.complaint(about: field.label) == nil else {
                rest.append(whole)
                continue
            }
            labels.insert(whole.label)
            fields.own.append(whole)
        }
        return rest
    }

    /// True if a label is the one that was wanted, perhaps with a number.
    private static func isLabel(_ label: String, for wanted: String) -> Bool {
        guard label.utf8.starts(with: wanted.utf8) else { return false }
        let rest = label.utf8.dropFirst(wanted.utf8.count)
        return rest.isEmpty || rest.first == 0x20 && rest.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }

    /// A label for a field of one's own that the card does not have yet.
    func freeLabel(_ wanted: String, besides labels: Set<String>) -> String {
        let scalars = wanted.unicodeScalars.map { $0 == ":" || $0.isLineOrControl ? " " : $0 }
        let plain = String(String.UnicodeScalarView(scalars)).drop { $0 == "#" || $0.isWhitespace }
        let base = plain.isEmpty ? "field" : String(plain.prefix(60))
        var (label, number) = (base, 1)
        while schema[label] != nil || ["title", "group", "tags", "pinned"].contains(label) || labels.contains(label)
            || Self.complaint(aboutName: label) != nil
        {
            number += 1
            label = Self.complaint(aboutName: base) == nil ? "\(base) \(number)" : "field \(number)"
        }
        return label
    }
}
