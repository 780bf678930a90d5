import Values
public import VaultFormat
public import VaultStore

/// The result of an import of apps.
public struct AppImport: Sendable {
    /// Apps that are new, that changed, that are there as the list has them, and that lie in the trash, where they stay.
    public fileprivate(set) var (added, changed, unchanged, trashed) = (0, 0, 0, 0)
    /// Prices that were not known.
    public fileprivate(set) var prices = 0
    /// Items that were refused, and why.
    public fileprivate(set) var problems: [(place: Phrase, what: Phrase)] = []
}

/// A list of apps on its way into a vault.
private struct AppImportWork {
    private let transaction: VaultTransaction
    private let now: Timestamp
    /// The apps that are there, by number, and by title and developer.
    private var numbered: [String: (id: RecordID, card: Card)] = [:]
    private var named: [[UInt8]: [(id: RecordID, card: Card)]] = [:]
    /// The apps in the trash, by id, by number, and those without one by title and developer.
    private let trash: Set<RecordID>
    private let trashedNumbers: Set<String>
    private let trashedNames: Set<[UInt8]>
    private var seen: [RecordID: Phrase] = [:]
    /// The prices of the apps.
    private(set) var prices: [AppPrice] = []
    private(set) var outcome = AppImport()

    init(_ transaction: VaultTransaction, now: Timestamp) throws {
        (self.transaction, self.now) = (transaction, now)
        let doomed = try transaction.before.allEntries().filter {
            $0.state == .trashed && $0.kind == Schema.app.kind
        }
        let gone = try transaction.before.cards(doomed)
        trash = Set(doomed.map(\.id))
        trashedNumbers = Set(gone.compactMap { $0.fields.texts["app_id"] })
        trashedNames = Set(gone.filter { $0.fields.texts["app_id"] == nil }.map(Self.name))
        let entries = try transaction.before.entries { $0.kind == Schema.app.kind }
        for (entry, card) in try zip(entries, transaction.before.cards(entries)) {
            note(card, entry.id)
        }
    }

    private mutating func note(_ card: Card, _ id: RecordID) {
        if let number = card.fields.texts["app_id"] { numbered[number] = (id, card) }
        named[Self.name(card), default: []].append((id, card))
    }

    /// Title and developer, as names are compared.
    private static func name(_ card: Card) -> [UInt8] {
        Folding.fold(card.title.utf8) + [0] + Folding.fold((card.fields.texts["developer"] ?? "").utf8)
    }

    /// Tags of which one takes the other away.
    private static let opposites = ["有内购": "无内购", "无内购": "有内购"]

    /// Takes an item: all of it, or nothing.
    mutating func take(_ item: AppItem) throws {
        func refuse(_ what: Phrase) { outcome.problems.append((item.place, what)) }
        if let problem = item.problem { return refuse(problem) }
        var card = Card(schema: .app)
        card.overview.title = Array((item.title ?? "").utf8)
        if let complaint = card.set(item.values).first {
            return refuse("\(complaint.key): \(complaint.what)")
        }
        guard Set(item.tags).count <= Card.tagCount else { return refuse("has more than \(Card.tagCount) tags") }
        let candidates = known(card)
        guard candidates.count < 2 else {
            return refuse("has no number, and several apps have its title and developer")
        }
        let there = candidates.first
        let id = try there?.id ?? newID(card)
        if let place = seen[id] { return refuse("is the same app as \(place)") }
        seen[id] = item.place
        if there == nil { note(card, id) }
        guard there != nil || !isInTrash(card, id) else {
            outcome.trashed += 1
            return
        }
        var new = there?.card ?? card
        if there != nil {
            if let complaint = new.set(item.values).first { return refuse("\(complaint.key): \(complaint.what)") }
            if item.title != nil { new.overview.title = card.overview.title }
        }
        if let complaint = Card.complaint(aboutName: new.title) { return refuse("the name \(complaint)") }
        do {
            let known = new.overview.tags.filter { !item.tags.contains(Self.opposites[$0] ?? "") }
            new.overview.tags = try Card.tags(item.tags, "tags", besides: known)
            if new.overview.group == nil { new.overview.group = try item.group.map { try Card.name($0, "group") } }
        } catch let refusal as Refusal { return refuse(refusal.what) }
        if item.isPinned { new.overview.isPinned = true }
        try store(new, id, there?.card, item)
    }

    private func isInTrash(_ card: Card, _ id: RecordID) -> Bool {
        trash.contains(id) || card.fields.texts["app_id"].map(trashedNumbers.contains) ?? false
            || trashedNames.contains(Self.name(card))
    }

    /// The apps that an item may mean: the one with its number, or else those with its title and developer. Another number makes
    /// another app.
    private func known(_ card: Card) -> [(id: RecordID, card: Card)] {
        let named = named[Self.name(card)] ?? []
        guard let number = card.fields.texts["app_id"] else { return named }
        return numbered[number].map { [$0] } ?? named.filter { $0.card.fields.texts["app_id"] == nil }
    }

    /// The id of a new app. Where a record has it that is now called otherwise, another one: nothing is overwritten.
    private func newID(_ card: Card) throws -> RecordID {
        let id = try card.derivedID()
        return try trash.contains(id) || transaction.entry(id) == nil ? id : transaction.makeID()
    }

    private mutating func store(_ card: Card, _ id: RecordID, _ old: Card?, _ item: AppItem) throws {
        let currency = card.fields.texts["currency"] ?? ""
        prices += item.prices.map { AppPrice(id: id, time: $0.time, price: $0.price, currency: currency) }
        if let price = AppPrice(of: card, id, at: now) { prices.append(price) }
        guard card != old else {
            outcome.unchanged += 1
            return
        }
        try transaction.put(card, as: id)
        if old == nil { outcome.added += 1 } else { outcome.changed += 1 }
    }
}

extension Card {
    /// The id of the record of a new app: by its number, or else by its title and developer, so that two copies of a vault that take in
    /// the same list have one record of it.
    fileprivate func derivedID() throws -> RecordID {
        let name = fields.texts["app_id"] ?? "\u{0}\(title)\u{0}\(fields.texts["developer"] ?? "")"
        return try RecordID(of: "app", named: name.utf8)
    }
}

extension VaultTransaction {
    /// Takes in a list of apps. What it says of an app that is there takes the place of what was known; tags are added. What it does
    /// not say stays.
    ///
    /// - Parameter now: since when its price is known.
    /// - Throws: all that reading and storing throws.
    public func take(_ list: AppList, now: Timestamp) throws -> AppImport {
        var work = try AppImportWork(self, now: now)
        for item in list.items { try work.take(item) }
        var outcome = work.outcome
        outcome.prices = try note(work.prices)
        return outcome
    }
}
