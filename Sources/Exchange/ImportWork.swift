import Cards
import Pictures
import VaultCrypto
public import VaultFormat
public import VaultStore

/// The result of an import.
public struct ImportOutcome: Equatable, Sendable {
    /// Records that are new, that got a new version, that were there as they are, and that came into the trash.
    public var (added, changed, unchanged, deleted) = (0, 0, 0, 0)
    /// The record of each item of the batch, by its number there; none where it was left out.
    public var records: [Int: RecordID] = [:]
}

extension VaultTransaction {
    /// Stores what was imported. A record that comes with its id takes the place of the one that has it; a card without
    /// one is left alone where a card that says the same is there.
    ///
    /// - Parameters:
    ///   - batch: its problems grow by what cannot be stored.
    ///   - limit: bytes of an attachment at most.
    ///   - read: gives the bytes of a file of the source; an `ImportFileError` leaves out what needs them.
    /// - Throws: all that storing throws.
    public func store(
        _ batch: inout ImportBatch, limit: UInt64 = .max, read: @escaping (BytePath) throws -> [UInt8]
    ) throws -> ImportOutcome {
        var work = ImportWork(self, try before.entries(), try before.trashedCards(in: batch), limit, read)
        // A record comes after its owner.
        for depth in 0...2 {
            for (index, item) in batch.items.enumerated() where item.depth == depth {
                do { work.outcome.records[index] = try work.store(item) } catch let error as ImportFileError {
                    batch.leaveOut(item.place, error.what)
                } catch let error as FormatError where error.code == .invalid {
                    batch.leaveOut(item.place, error.what)
                }
            }
        }
        try note(work.prices)
        return work.outcome
    }
}

private struct ImportWork {
    private let transaction: VaultTransaction
    private let vault: Vault
    private let limit: UInt64
    private let read: (BytePath) throws -> [UInt8]
    private let entries: [Entry]
    private let known: [RecordID: Entry]
    /// Cards by title, live and in the trash: what says the same is looked for among them.
    private let cards: [[UInt8]: [Entry]], trashed: [[UInt8]: [Entry]]
    private let attachments: [RecordID?: [Entry]], trashedFiles: [RecordID?: [Entry]]
    private let seedID: RecordID?
    private var seen: Set<RecordID> = []
    var outcome = ImportOutcome()
    /// The current prices of apps.
    private(set) var prices: [AppPrice] = []

    init(
        _ transaction: VaultTransaction, _ entries: [Entry], _ trashed: [Entry], _ limit: UInt64,
        _ read: @escaping (BytePath) throws -> [UInt8]
    ) {
        (self.transaction, vault, self.read, self.entries) = (transaction, transaction.before, read, entries)
        self.limit = limit
        known = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        self.trashed = Dictionary(grouping: trashed.filter(\.isCard), by: \.overview.title)
        trashedFiles = Dictionary(grouping: trashed.filter(\.isAttachment), by: \.parent)
        cards = Dictionary(grouping: entries.filter(\.isCard), by: \.overview.title)
        attachments = Dictionary(grouping: entries.filter(\.isAttachment), by: \.parent)
        seedID = try? Vault.seedRecordID()
    }

    private static let noOwner = ImportFileError("the record that it belongs to is not there")

    /// Stores an item.
    ///
    /// - Returns: the id of its record.
    /// - Throws: `ImportFileError` where it is left out.
    mutating func store(_ item: ImportItem) throws -> RecordID? {
        if let id = item.id, !seen.insert(id).inserted { throw ImportFileError("its id came before") }
        if let id = item.id, let old = known[id], old.kind != item.kind {
            throw ImportFileError("another kind of record has its id here")
        }
        switch item.content {
        case .card(let card): return try store(card, item)
        case .setting(let setting):
            // The name alone says which setting it is.
            let id = try Setting.id(String(decoding: item.overview.title, as: UTF8.self))
            guard item.id == id || seen.insert(id).inserted else { throw ImportFileError("its name came before") }
            return try put(item, id, .setting, nil, setting.bytes).id
        case .other(.watermarkSeed, _, _) where item.id.flatMap({ known[$0] }) != nil:
            outcome.unchanged += 1  // marks here stand where this vault's own seed says
            return item.id
        case .other(let kind, let bytes, let owner):
            let entry = try owner.flatMap { try transaction.entry($0) }
            let isRight =
                kind == .watermark || kind == .share
                ? entry?.isAttachment == true && item.id != seedID : owner == nil || owner != item.id && entry != nil
            guard isRight else { throw Self.noOwner }
            return try put(item, item.id ?? transaction.makeID(), kind, owner, bytes).id
        case .attachment(let source, let owner): return try store(item, source, owner)
        }
    }

    private mutating func store(
        _ item: ImportItem, _ source: ImportItem.AttachmentSource, _ owner: RecordID?
    ) throws -> RecordID {
        let content: [UInt8]
        switch source {
        case .bytes(let bytes):
            guard UInt64(bytes.count) <= limit else { throw ImportFileError("is larger than an attachment may be") }
            content = bytes
        case .file(let path, let hash):
            content = try read(path)
            if let hash, try fingerprint(content) != hash { throw ImportFileError("\(path): is not what was exported") }
        }
        guard let owner = try owner.flatMap({ try transaction.entry($0) }) else { throw Self.noOwner }
        let file = NewAttachment(anyType: content, name: item.overview.title, modified: item.overview.modified)
        let id = try item.id ?? transaction.makeID()
        let before = outcome.unchanged
        _ = try put(item, id, .attachment, owner.id, content)
        if outcome.unchanged == before { try transaction.putThumbnail(of: file, id, among: entries) }
        return id
    }

    /// Stores a card with its attachments, unless the vault has one that says the same.
    private mutating func store(_ card: Card, _ item: ImportItem) throws -> RecordID {
        let twin = item.id == nil ? try twin(of: card, item) : nil
        if let twin, twin.isSame {
            let isMore = try !item.isDeleted && attach(item.attachments, to: twin.entry)
            if isMore { outcome.changed += 1 } else { outcome.unchanged += 1 }
            return twin.entry.id
        }
        let id = try item.id ?? twin?.entry.id ?? transaction.makeID()
        var item = item
        if let twin { item.overview = twin.entry.overview }
        let owner = try put(item, id, card.schema.kind, nil, (twin?.card ?? card).fields.bytes)
        if twin != nil { seen.insert(id) }
        // An export of qvault, whose records have ids, brings its series too.
        if item.id == nil, !item.isDeleted, let price = AppPrice(of: card, id, at: transaction.now) {
            prices.append(price)
        }
        if item.isDeleted { try trash(owner, item.attachments) } else { _ = try attach(item.attachments, to: owner) }
        return id
    }

    /// Puts a new card into the trash, with its attachments.
    private mutating func trash(_ card: Entry, _ files: [NewAttachment]) throws {
        outcome.deleted += 1
        for file in files {
            let id = try transaction.makeID()
            var overview = Overview(title: file.name, modified: file.modified)
            overview.mediaType = file.type.rawValue
            try transaction.put(id, kind: .attachment, parent: card.id, overview: overview, content: file.content)
            if let entry = try transaction.entry(id) { try transaction.trash(entry) }
        }
        try transaction.trash(card)
    }

    /// Attaches files that the record does not have yet. A file of the same name and other content keeps its name; the new
    /// one gets a number.
    ///
    /// - Returns: true if there was one.
    private func attach(_ files: [NewAttachment], to owner: Entry) throws -> Bool {
        var isMore = false
        let there = attachments[owner.id] ?? []
        let byLength = Dictionary(grouping: there, by: \.length)
        var names = NumberedNames(taken: there.map(\.overview.title))
        for file in files
        where try !(byLength[UInt64(file.content.count)] ?? []).contains(where: { try isSame($0, file) }) {
            let name = names.free(String(decoding: file.name, as: UTF8.self)) { Self.name(file, $0) }
            let new = NewAttachment(anyType: file.content, name: name, modified: file.modified)
            _ = try transaction.attach(new, to: owner, among: [])
            isMore = true
        }
        return isMore
    }

    /// True if a card in the trash has these files.
    private func hasAll(_ files: [NewAttachment], of owner: Entry) throws -> Bool {
        try files.allSatisfy { file in try trashedFiles[owner.id]?.contains { try isSame($0, file) } ?? false }
    }

    /// The name of a file; behind a number where it is not the first of its name.
    private static func name(_ file: NewAttachment, _ number: Int) -> [UInt8] {
        number == 1 ? file.name : Array("\(number) ".utf8) + file.name.suffix(Limits.titleByteCount - 8)
    }

    /// True if an attachment has the content of a file, and its name, perhaps behind a number.
    private func isSame(_ entry: Entry, _ file: NewAttachment) throws -> Bool {
        let title = entry.overview.title
        let number = Int(String(decoding: title.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 1
        let isNamed = title == file.name || title == Self.name(file, number)
        return try isNamed && Int(entry.length) == file.content.count
            && vault.content(of: entry, limit: file.content.count) == file.content
    }

    /// Stores a record, unless it is there as it is; the entry that it has afterwards.
    private mutating func put(
        _ item: ImportItem, _ id: RecordID, _ kind: Entry.Kind, _ owner: RecordID?, _ content: [UInt8]
    ) throws -> Entry {
        let old = known[id]
        if let old,
            try old.kind == kind && old.parent == owner && old.overview == item.overview
                && Int(old.length) == content.count && vault.content(of: old, limit: content.count) == content
        {
            outcome.unchanged += 1
            return old
        }
        let times = item.created.flatMap { created in item.updated.map { (created, $0) } }
        try transaction.put(
            id, kind: kind, parent: owner, overview: item.overview, content: content, times: old == nil ? times : nil)
        if old == nil { outcome.added += 1 } else { outcome.changed += 1 }
        guard let entry = try transaction.entry(id) else { preconditionFailure("what was stored is there") }
        return entry
    }

    /// The card that says what an imported one says, in the vault, or in another program's format the same login; with what
    /// only the imported one has.
    private func twin(of card: Card, _ item: ImportItem) throws -> (entry: Entry, card: Card, isSame: Bool)? {
        let candidates = (item.isDeleted ? trashed : cards)[card.overview.title] ?? []
        for entry in candidates where entry.kind == card.schema.kind && !seen.contains(entry.id) {
            let other = try vault.card(entry)
            guard item.isForeign else {
                guard other.saysTheSame(as: card) else { continue }
                return (entry, other, true)
            }
            guard other.schema == card.schema, let joined = other.joined(with: card) else { continue }
            // The trash keeps what it has: whatever is more comes as a card of its own.
            guard try !item.isDeleted || joined == other && hasAll(item.attachments, of: entry) else { continue }
            return (entry, joined, joined == other)
        }
        return nil
    }
}

extension Vault {
    /// The cards in the trash with their attachments, if a batch has any for it.
    fileprivate func trashedCards(in batch: ImportBatch) throws -> [Entry] {
        guard batch.items.contains(where: \.isDeleted) else { return [] }
        return try allEntries().filter { $0.state == .trashed && ($0.isCard || $0.isAttachment) }
    }
}

/// The SHA-256 of bytes in hexadecimal.
func fingerprint(_ bytes: [UInt8]) throws -> String { hexText(try SHA256.hash(bytes.span)) }
