import VaultFormat
import Cards
import VaultStore

/// Cards of one kind as objects of the API: what a field of the one is called in the other.
struct CardResource: Sendable {
    let kind: String
    let item: APIObject
    /// The declaration of what a new one takes.
    let request: APIObject
    /// Keys of the card whose fields have other names here.
    let keys: [String: String]
    /// Fields that every such card has.
    var fixed: [(key: String, value: String)] = []
    var isMember: @Sendable (Card) -> Bool = { _ in true }

    /// The calls: the list, and those that add a card, change one and remove one.
    ///
    /// - Parameters:
    ///   - names: one of them, with an article, where it is new and where it is there already.
    ///   - missing: what is said where none has the id or name of a path.
    func endpoints(_ list: Endpoint, _ names: (new: String, known: String), missing: String) -> [Endpoint] {
        let (missing, wrong) = ((404, missing), Endpoint.wrongField)
        return [
            list,
            Endpoint(
                .post, list.path, "Adds \(names.new)", request: .object(request), errors: [wrong],
                .json(.object(item)), of: add),
            Endpoint(
                .put, "\(list.path)/{id}", "Changes the fields that are given; null takes one away",
                request: .object(request.optional), errors: [missing, wrong], .json(.object(item)), of: change),
            Endpoint(
                .delete, "\(list.path)/{id}", "Moves \(names.known) to the trash", errors: [missing], .done, of: remove),
        ]
    }

    /// The field of a list that has its items.
    func list<Value>(_ get: @escaping @Sendable (Value) -> [Stored]) -> ShapeField<Value> {
        ShapeField("items", .list(.object(item))) { .list(get($0).map(json)) }
    }

    /// A card with the times that its entry has.
    struct Stored {
        var card: Card
        let id: RecordID
        let created: Timestamp
        var updated: Timestamp
    }

    /// The live cards that count and belong to it.
    func all(_ vault: Vault) throws -> [Stored] {
        let entries = try Household.entries(vault, [kind]).counted
        return zip(entries, try vault.cards(entries)).filter { isMember($1) }.map {
            Stored(card: $1, id: $0.id, created: $0.created, updated: $0.updated)
        }
    }

    /// The card that a path names by its id, or by its name where only one has it.
    ///
    /// - Throws: `APIProblem` 404.
    func named(_ call: APICall) throws -> Stored {
        let name = call.parameters["id"] ?? ""
        let found = try all(call.vault).filter { $0.id.description == name.lowercased() || $0.card.title == name }
        guard found.count == 1 else {
            throw APIProblem(404, found.isEmpty ? "no \(item.name) \(name)" : "several are called \(name): give the id")
        }
        return found[0]
    }

    /// The card as an object, with what was given besides.
    func json(_ stored: Stored) -> JSON {
        .object(item.fields.map { ($0.name, value(of: $0, stored)) } + stored.card.ownMembers(besides: item))
    }

    private func value(of field: APIField, _ stored: Stored) -> JSON {
        let heads = [
            "id": stored.id.description, "name": stored.card.title, "created_at": stored.created.text,
            "updated_at": stored.updated.text,
        ]
        let key = keys[field.name] ?? field.name
        guard let text = heads[field.name] ?? stored.card.fields.texts[key] ?? Self.usual[field.name] else {
            return field.isOptional ? .null : .text("")
        }
        return switch field.type {
        case .money, .percent: .money(ExactDecimal(text))
        case .number: .number(ExactDecimal(text))
        default: .text(text)
        }
    }

    /// The values of fields that a card does not have.
    private static let usual = ["status": PolicyStatus.active.rawValue, "currency": "CNY"]

    /// Makes a card of the body.
    ///
    /// - Throws: `APIProblem` 422.
    func add(_ call: APICall) throws -> JSON {
        let card = try Card(kind, call.values(request), keys, besides: fixed)
        let (transaction, now) = (try call.change(), call.surroundings.now)
        let stored = Stored(card: card, id: try transaction.makeID(), created: now, updated: now)
        try transaction.put(card, as: stored.id)
        return json(stored)
    }

    /// Changes the fields of a card that the body names.
    ///
    /// - Throws: `APIProblem` 404, 422.
    func change(_ call: APICall) throws -> JSON {
        var stored = try named(call)
        let old = stored.card
        try stored.card.change(call.values(request.optional), keys, kept: request.required)
        guard stored.card != old else { return json(stored) }
        try call.change().put(stored.card, as: stored.id)
        stored.updated = call.surroundings.now
        return json(stored)
    }

    /// Moves a card to the trash.
    ///
    /// - Throws: `APIProblem` 404.
    func remove(_ call: APICall) throws -> JSON {
        let stored = try named(call)
        let transaction = try call.change()
        if let entry = try transaction.entry(stored.id) { try transaction.trash(entry) }
        return .done
    }
}

extension APIAnswer<JSON> {
    /// The answer to what removes something.
    static var done: APIAnswer { .json(.object(APIObject("Done", [APIField("ok", .flag)]))) }
}

extension Card {
    /// A card of a kind with values by field.
    ///
    /// - Throws: `APIProblem` 422 naming all errors.
    init(
        _ kind: String, _ values: APIValues, _ keys: [String: String],
        besides others: [(key: String, value: String)] = []
    ) throws {
        guard let schema = Schema.named(kind) else { throw APIProblem(404, "no \(kind)") }
        self.init(schema: schema)
        try take(values, keys, besides: others)
    }

    /// Takes values by field; null takes one away.
    ///
    /// - Parameter kept: fields that cannot be taken away.
    /// - Throws: `APIProblem` 422 naming all errors.
    mutating func change(_ values: APIValues, _ keys: [String: String], kept: [String]) throws {
        if let name = kept.first(where: values.cleared.contains) {
            throw APIProblem(422, "\(name) cannot be taken away")
        }
        try take(values, keys, besides: values.cleared.map { (key: keys[$0] ?? $0, value: "") })
    }

    /// Takes values by field, and keeps members that no field has as fields of one's own.
    ///
    /// - Throws: `APIProblem` 422 naming all errors.
    mutating func take(
        _ values: APIValues, _ keys: [String: String], besides others: [(key: String, value: String)] = []
    ) throws {
        var wrong = values.complaints
        let names = Dictionary(keys.map { ($1, $0) }) { first, _ in first }
        let title = names["name"] ?? "name"
        if let name = values.known[title] {
            if let what = Card.complaint(aboutName: name) { wrong.append("\(title) \(what.description)") }
            overview.title = Array(name.utf8)
        }
        let fields = values.known.filter { $0.key != title }.map { (key: keys[$0.key] ?? $0.key, value: $0.value) }
        wrong += set(others + fields.sorted { $0.key < $1.key }).map {
            "\(names[$0.key] ?? $0.key) \($0.what.description)"
        }
        let empty = values.required.filter { values.known[$0]?.isBlank ?? false && $0 != "platform" }
        wrong += empty.map { "\($0) is empty" }
        guard wrong.isEmpty else { throw APIProblem(422, wrong.joined(separator: "; ")) }
        for (name, value) in values.unknown { try keep(name, value) }
    }

    /// Keeps a member that no field has as a field of one's own.
    ///
    /// - Throws: `APIProblem` 422.
    mutating func keep(_ name: String, _ value: JSON) throws {
        // An answer that is sent back has these.
        guard !["id", "created_at", "updated_at"].contains(name) else { return }
        guard Card.complaint(aboutName: name) == nil else { throw APIProblem(422, "\(name) is no name of a field") }
        // A text stays as it is, unless it would read as something else.
        let text = value.text.flatMap { JSON(ownValue: $0).text == $0 ? $0 : nil } ?? value.line
        fields.own.removeAll { $0.label == name }
        if !value.isNull { fields.own.append(RecordFields.CustomField(label: name, value: text)) }
    }

    /// Its fields of one's own, as members behind those of an item.
    func ownMembers(besides item: APIObject) -> [(String, JSON)] {
        fields.own.filter { own in !item.fields.contains { $0.name == own.label } }
            .map { ($0.label, JSON(ownValue: $0.value)) }
    }
}

extension JSON {
    static let done: JSON = ["ok": true]

    /// The value of a field of one's own: what it reads as, or else a text.
    fileprivate init(ownValue text: String) {
        let list = try? JSON(parsing: Array("[\(text)]".utf8))
        self = list?.items.flatMap { $0.count == 1 ? $0[0] : nil } ?? .text(text)
    }
}
