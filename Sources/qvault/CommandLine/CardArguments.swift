import VaultFormat
import Cards
import VaultStore

/// Cards as a command line names and fills them.
enum CardArguments {
    /// The one card that a name means: a title or an id; else the only one whose title has the name in it, or is spelled by it
    /// in pinyin. It is said which that is. Who changes something names the whole title, or picks one at the terminal: a script
    /// that removes `Work` twice does not remove `Workshop`.
    ///
    /// - Throws: `VaultError` `.noSuchRecord`; `Ambiguity`.
    static func card(_ name: [UInt8], in vault: Vault, kind: String? = nil, changes: Bool = false) throws -> Entry {
        do { return try titled(name, in: vault, kind: kind) } catch VaultError.noSuchRecord(let path) {
            let number = kind.flatMap { Schema.named($0)?.kind }
            let query = CardQuery(String(decoding: name, as: UTF8.self))
            let found = try vault.cardEntries { number == nil || $0.kind == number }.filter { entry in
                query?.match(name: String(decoding: entry.overview.title, as: UTF8.self)).map { $0 < .typo } ?? false
            }
            let entry = try only(among: found, meaning: name, changes: changes)
            Messages.say("'\(path)' is taken for '\(printable(entry.overview.title))'")
            return entry
        }
    }

    /// The one card that words mean, to be read: by its title or id, or else the only one that `search` finds.
    ///
    /// - Throws: `VaultError` `.noSuchRecord`; `Ambiguity`; as `Vault.search`: a card that cannot be read may be the one.
    static func found(_ words: [[UInt8]], in vault: Vault) throws -> Entry {
        let name = Array(words.joined(separator: [0x20]))
        do { return try titled(name, in: vault) } catch VaultError.noSuchRecord(let path) {
            guard let query = CardQuery(String(decoding: name, as: UTF8.self)) else {
                throw VaultError.noSuchRecord(path)
            }
            return try only(among: vault.search(query).map(\.entry), meaning: name, changes: false)
        }
    }

    /// The only one of some cards that have a name in part.
    private static func only(among found: [Entry], meaning name: [UInt8], changes: Bool) throws -> Entry {
        guard let first = found.first else { throw VaultError.noSuchRecord(BytePath(name)) }
        guard found.count == 1, !changes else {
            throw Ambiguity(name, found.map { (BytePath($0.overview.title), $0) }, isExact: false)
        }
        return first
    }

    /// The card with a title or an id.
    static func titled(_ name: [UInt8], in vault: Vault, kind: String? = nil) throws -> Entry {
        let only = kind.flatMap { Schema.named($0)?.kind }
        // A title that one card has needs no list of all names.
        let titled = try vault.cardEntries { $0.overview.title == name && (only == nil || $0.kind == only) }
        if titled.count == 1, !name.contains(UInt8(ascii: "/")) { return titled[0] }
        let cards = try Names.list(vault).selecting { $1.isCard && (only == nil || $1.kind == only) }
        return try Names.record(name, among: cards).entry
    }

    /// The kind of cards that a word means.
    static func schema(_ name: [UInt8]) throws -> Schema {
        let name = String(decoding: name, as: UTF8.self)
        if let schema = Schema.named(name) { return schema }
        let meant = Schema.beginning(with: name)
        if meant.count == 1 { return meant[0] }
        if meant.count > 1 {
            throw Failure(
                .invalid, "'\(printable(name.utf8))' may mean \(meant.map(\.label.said).listed)",
                hint: "give more letters")
        }
        throw Failure(
            .invalid, "no kind of cards is called '\(printable(name.utf8))'",
            hint: .meant(name, among: Schema.cards.map(\.name), else: "'qvault card kinds' lists them"))
    }

    /// Words like `phone=13800138000`.
    static func fields(_ words: some Sequence<[UInt8]>) throws -> [(key: String, value: String)] {
        try words.map { word in
            let text = try Arguments.text(word)
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
    static func name(_ text: String?, _ option: String) throws -> String? { try text.map { try Card.name($0, option) } }

    /// The group as it is called already: `Personal` and `personal` are one.
    static func group(_ name: String, in vault: Vault) throws -> String {
        let known = try vault.knownGroup(name)
        if known != name { Messages.say("the group is called '\(printable(known.utf8))' here, and was not made twice") }
        return known
    }

    /// The line of a card that a key means, or a label in either language; nil if it has none.
    static func lineIfAny(_ key: String, of card: Card) -> Card.Line? {
        let meant = card.schema.field(called: key)?.key
        return card.lines.first { $0.key == key } ?? card.lines.first { $0.key == meant }
    }

    /// The same, where there has to be one.
    static func line(_ key: String, of card: Card) throws -> Card.Line {
        if let line = lineIfAny(key, of: card) { return line }
        let title = printable(card.overview.title)
        if let field = card.schema[key] { throw Failure(.notFound, "'\(title)' has no \(field.label.said) (\(key))") }
        throw Failure(
            .notFound, "'\(title)' has no field '\(printable(key.utf8))'",
            hint: .meant(key, among: card.lines.map(\.key), else: "'qvault card show' shows what it has"))
    }

    /// Which cards the options of a list ask for.
    static func filter(_ arguments: Arguments) throws -> (Entry) -> Bool {
        let kind = try arguments.text(.kind).map { try schema(Array($0.utf8)).kind }
        let (group, tags) = (arguments.text(.group), arguments.texts(.tag))
        guard kind != nil || group != nil || !tags.isEmpty else { return { _ in true } }
        return { entry in
            (kind == nil || entry.kind == kind) && (group == nil || entry.overview.group == group)
                && tags.allSatisfy(entry.overview.tags.contains)
        }
    }
}

extension Arguments {
    /// A title, a group, or the like, as an option gives it.
    func name(_ option: OptionName) throws -> String? { try CardArguments.name(text(option), option.word) }
}

extension Card {
    /// An empty card.
    init(of schema: Schema) { self.init(schema: schema, overview: Overview(title: []), fields: RecordFields()) }

    /// An empty card of the kind that a word means.
    init(of kind: String) throws { self.init(of: try CardArguments.schema(Array(kind.utf8))) }
}
