public import Cards
public import Pictures
public import VaultFormat

/// A record that comes from outside, looked at and ready to be stored.
public struct ImportItem: Sendable {
    /// The content of an item.
    public enum Content: Sendable {
        /// A card.
        case card(Card)
        /// A setting.
        case setting(Setting)
        /// A file that belongs to the record `owner`.
        case attachment(AttachmentSource, owner: RecordID?)
        /// A record of a kind that this version does not know, as it is stored.
        case other(kind: Entry.Kind, [UInt8], owner: RecordID?)
    }

    /// The source of an attachment's bytes.
    public enum AttachmentSource: Sendable {
        /// At hand.
        case bytes([UInt8])
        /// In a file beneath the folder that is imported; the hash, in hexadecimal, of what it held.
        case file(BytePath, sha256: String?)
    }

    /// Its id, where it comes from a vault.
    public var id: RecordID?
    /// Title, group, tags.
    public var overview: Overview
    /// Its content.
    public var content: Content
    /// Microseconds since 1970; nil where nobody knows.
    public var created, updated: Timestamp?
    /// Files that belong to it.
    public var attachments: [NewAttachment] = []
    /// The names of attachments that hold the text of a field. A hash of one would let a password be guessed.
    public internal(set) var texts: Set<[UInt8]> = []
    /// True if it goes into the trash.
    public var isDeleted = false
    /// True if another program made it: a card that says the same under another format is the same.
    var isForeign = false
    /// Its place in the source.
    public let place: Phrase

    /// The number of owners above it.
    var depth: Int {
        switch content {
        case .card, .setting: 0
        case .attachment: 1
        case .other: 2
        }
    }

    var kind: Entry.Kind {
        switch content {
        case .card(let card): card.schema.kind
        case .setting: Entry.Kind.setting
        case .attachment: Entry.Kind.attachment
        case .other(let kind, _, _): kind
        }
    }

    init(_ place: Phrase, _ overview: Overview, _ content: Content) {
        (self.place, self.overview, self.content) = (place, overview, content)
    }
}

/// The content of a source: records in its order, and the problems with the rest.
public struct ImportBatch: Sendable {
    /// In the order of the source.
    public internal(set) var items: [ImportItem] = []
    /// The items that were left out.
    public internal(set) var problems: [ImportProblem] = []
    /// What was taken in another way than its source has it.
    public internal(set) var notices: [ImportProblem] = []
    /// The texts of the source that the items have.
    var taken = TakenTexts()

    /// Nothing yet.
    public init() {}

    /// Notes a part of the source that cannot be read.
    public mutating func leaveOut(_ place: Phrase, _ what: Phrase) { problems.append(ImportProblem(place, what)) }

    /// Changes what lists show of every card.
    public mutating func changeCards(_ change: (inout Overview) throws -> Void) rethrows {
        for index in items.indices {
            guard case .card(var card) = items[index].content else { continue }
            try change(&card.overview)
            (items[index].overview, items[index].content) = (card.overview, .card(card))
        }
    }

    /// Takes a card over, or says what is wrong with it.
    ///
    /// - Parameter fields: values by key, those of one's own too.
    mutating func add(
        _ schema: Schema, title: String?, at place: Phrase, group: String? = nil, tags: [String] = [],
        isPinned: Bool = false, fields: [(key: String, value: String)], own: [RecordFields.CustomField] = []
    ) {
        var card = Card(schema: schema)
        var wrong = card.set(fields.filter { !$0.value.isEmpty })
        wrong += card.missing(besides: wrong)
        for field in own {
            let taken = card.fields.own.contains { $0.label == field.label }
            if let what = taken ? "is given twice" : Card.complaint(aboutLabel: field.label, field.value) {
                wrong.append(Card.Complaint(key: field.label, what: what))
            }
            card.fields.own.append(field)
        }
        if card.fields.own.count > Card.ownFieldCount {
            wrong.append(Card.Complaint(key: "own", what: "is one field too many: 256 at most"))
        }
        let title = title.flatMap { $0.isBlank ? nil : $0 } ?? card.defaultTitle(\.english)
        var seen: Set<String> = []
        let tags = tags.filter { seen.insert($0).inserted }
        for (name, key) in [(title, "title"), (group, "group")] + tags.map({ ($0, "tags") }) {
            guard let name, let what = Card.complaint(aboutName: name) else { continue }
            wrong.append(Card.Complaint(key: key, what: what))
        }
        if tags.count > Card.tagCount { wrong.append(Card.Complaint(key: "tags", what: "are too many: 32 at most")) }
        guard wrong.isEmpty else {
            for complaint in wrong { leaveOut(place, "\(complaint.key): \(complaint.what)") }
            return
        }
        card.overview.title = Array(title.utf8)
        (card.overview.group, card.overview.tags, card.overview.isPinned) = (group, tags, isPinned)
        items.append(ImportItem(place, card.overview, .card(card)))
    }
}
