import Cards
import Pictures
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
    private(set) var attachments: [NewAttachment] = []
    private var names = NumberedNames<[UInt8]>()
    /// True of a note that is one: it lacks nothing.
    var isPlain = false
    /// Texts of the source that are part of a value here.
    var parts: [String?] = []
    /// Attachments that hold a text which no field takes.
    private(set) var texts: Set<[UInt8]> = []
    let place: Phrase

    init(at place: Phrase) { self.place = place }

    /// An item that its place and its title name together.
    init(_ place: Phrase, title: String?) {
        self.init(at: "\(place) '\(printable((title ?? "").utf8))'")
        self.title = title
    }

    init(note text: String, title: String?, at place: Phrase) {
        self.init(at: place)
        (kind, self.title, fields) = ("note", title, [("text", text)])
    }

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

    /// True if it has a value for a field.
    func has(_ key: String) -> Bool { fields.contains { $0.key == key } }

    /// Adds a time that is none here.
    mutating func addUnread(_ label: String, _ value: JSON?, _ time: Timestamp?) {
        guard time == nil, let value, !value.isEmpty else { return }
        addOwn(label, value.text ?? value.line)
    }

    /// Adds a file; it keeps its bytes whatever type they have.
    mutating func attach(_ name: String, _ content: [UInt8]) {
        let name = name.split(separator: "/").last.map(String.init) ?? "file"
        if name.utf8.count > 200 { addOwn("name of an attachment", name) }
        let free = names.free(name) { number in
            number == 1 ? Array(name.utf8.suffix(200)) : Array("\(number) ".utf8) + Array(name.utf8.suffix(200))
        }
        attachments.append(NewAttachment(anyType: content, name: free))
    }

    /// Adds texts that no field takes, each in a file, and fields that are more than a card has, in one file.
    fileprivate mutating func attach(texts fields: [RecordFields.CustomField], many: [RecordFields.CustomField]) {
        var files = fields.map { ("\($0.label).txt", $0.value) }
        let lines = many.map { JSON.object([("label", .text($0.label)), ("value", .text($0.value))]).line + "\n" }
        if !lines.isEmpty { files.append(("more fields.jsonl", lines.joined())) }
        for (name, text) in files {
            attach(name, Array(text.utf8))
            if let name = attachments.last?.name { texts.insert(name) }
        }
    }
}

/// Names of which each is given once: the second of a name has the number 2.
struct NumberedNames<Name: Hashable> {
    private var taken: Set<Name>
    /// The last number that a name got.
    private var numbers: [String: Int] = [:]

    init(taken: [Name] = []) { self.taken = Set(taken) }

    /// The first name that is free, of those that `make` makes with the numbers from 1; nil is none.
    mutating func free(_ wanted: String, _ make: (Int) -> Name?) -> Name {
        var number = numbers[wanted] ?? 0
        while true {
            number += 1
            guard let name = make(number), taken.insert(name).inserted else { continue }
            numbers[wanted] = number
            return name
        }
    }
}

extension ImportBatch {
    /// Takes a card of another program over. A value that its field does not take becomes a field of its own; a card
    /// that lacks a required field becomes a note; text that no field takes becomes an attachment.
    mutating func add(_ foreign: ForeignItem) {
        var foreign = foreign
        taken.take(foreign)
        guard let schema = Schema.named(foreign.kind), let note = Schema.named("note") else {
            preconditionFailure("kinds are those of the table")
        }
        var card = Card(schema: schema)
        let misfits = Set(card.set(foreign.fields).map(\.key))
        let isLeft: (String, String) -> Bool
        if !foreign.isPlain, !card.missing(besides: []).isEmpty {
            let what: Phrase = "stored as a note: a card of kind \(schema.name) lacks a required field"
            notices.append(ImportProblem(foreign.place, what))
            card = Card(schema: note)
            isLeft = { !$1.isEmpty }
        } else {
            // A value of blanks says nothing to a card, and is kept all the same.
            let taken = card.fields.texts
            isLeft = { misfits.contains($0) || !$1.isEmpty && taken[$0] == nil }
        }
        foreign.own.insert(
            contentsOf: foreign.fields.filter { isLeft($0.key, $0.value) }.map { key, value in
                RecordFields.CustomField(label: key, value: value, isSensitive: schema[key]?.isSensitive ?? false)
            }, at: 0)
        foreign.label(&card)
        let rest = card.adopt(foreign.own)
        foreign.attach(texts: rest.texts, many: rest.many)
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
        let title = title.flatMap { $0.isBlank ? nil : $0 } ?? card.defaultTitle(\.english)
        card.overview.title = Array(fitted(title, "title").utf8)
        if let group, !group.isBlank { card.overview.group = fitted(group, "group") }
        var seen: Set<String> = []
        let tags = tags.filter { !$0.isBlank && seen.insert($0).inserted }
        // A list of tags is written with commas.
        for tag in tags where tag.contains(",") { addOwn("whole tag", tag) }
        card.overview.tags = tags.prefix(Card.tagCount).map { fitted($0.replacing(",", with: " "), "tag") }
        for tag in tags.dropFirst(Card.tagCount) { addOwn("tag", tag) }
        card.overview.isPinned = isPinned
    }

    private mutating func fitted(_ name: String, _ what: String) -> String {
        guard Card.complaint(aboutName: name) != nil else { return name }
        addOwn("whole \(what)", name)
        let plain = String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isLineOrControl ? " " : $0 }))
        var cut = plain
        while cut.utf8.count > Card.titleByteCount { cut = String(cut.prefix(cut.count * 3 / 4)) }
        return cut.isBlank ? what : cut
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
    fileprivate mutating func adopt(
        _ own: [RecordFields.CustomField]
    ) -> (texts: [RecordFields.CustomField], many: [RecordFields.CustomField]) {
        var (texts, many) = ([RecordFields.CustomField](), [RecordFields.CustomField]())
        var labels = FreeLabels(self)
        /// Adds a field with a value in the form in which it is stored; the label that it got, nil where it does not fit.
        func add(_ field: RecordFields.CustomField, _ value: String) -> String? {
            guard Check.text.complaint(about: value) == nil else {
                texts.append(field)
                return nil
            }
            guard fields.own.count < Self.ownFieldCount else {
                many.append(field)
                return nil
            }
            let label = labels.free(field.label)
            fields.own.append(.init(label: label, value: value, isSensitive: field.isSensitive))
            return label
        }
        for field in own where !field.value.isEmpty {
            // A secret keeps its bytes.
            let value = field.isSensitive ? field.value : Check.text.normalized(field.value)
            // The label that was wanted, perhaps with a number behind it.
            guard let label = add(field, value), !label.utf8.starts(with: field.label.utf8) else { continue }
            _ = add(.init(label: "name of \(label)", value: field.label), field.label)
        }
        return (texts, many)
    }
}

/// Labels for fields of one's own that a card does not have yet.
struct FreeLabels {
    private let schema: Schema
    private var names: NumberedNames<String>

    init(_ card: Card) { (schema, names) = (card.schema, NumberedNames(taken: card.fields.own.map(\.label))) }

    /// A label like the one that is wanted, which nobody else gets from now on.
    mutating func free(_ wanted: String) -> String {
        let scalars = wanted.unicodeScalars.map { $0 == ":" || $0.isLineOrControl ? " " : $0 }
        let plain = String(String.UnicodeScalarView(scalars)).drop { $0 == "#" || $0.isWhitespace }
        let named = plain.isEmpty ? "field" : String(plain.prefix(60))
        let base = Card.complaint(aboutName: named) == nil ? named : "field"
        return names.free(base) { [schema] number in
            let label = number == 1 ? base : "\(base) \(number)"
            let isLabel = schema[label] == nil && !["title", "group", "tags", "pinned"].contains(label)
            return isLabel && Card.complaint(aboutName: label) == nil ? label : nil
        }
    }
}

extension TakenTexts {
    /// Adds all that a card has of its source.
    mutating func take(_ card: ForeignItem) {
        formUnion(card.parts.compactMap(\.self) + card.tags + [card.title].compactMap(\.self))
        if let group = card.group { formUnion([group] + group.split(separator: "/").map(String.init)) }
        for (_, value) in card.fields { insert(value) }
        for field in card.own {
            formUnion([field.label, field.value])
            formUnion(leavesOf: field.value)
        }
        for file in card.attachments { insert(String(decoding: file.name, as: UTF8.self)) }
    }
}
