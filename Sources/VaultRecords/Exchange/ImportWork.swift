import VaultCrypto
import VaultFormat
public import VaultStore

/// The result of an import.
public struct ImportOutcome: Equatable, Sendable {
    /// Records that are new.
    public var added = 0
    /// Records that got a new version.
    public var changed = 0
    /// Records that were there as they are.
    public var unchanged = 0
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
    public func store(_ batch: inout ImportBatch, limit: UInt64 = .max, read: @escaping (BytePath) throws -> [UInt8])
        throws
        -> ImportOutcome
    {
        var work = ImportWork(self, try before.entries(), limit, read)
        // A record comes after its owner.
        for depth in 0...2 {
            for item in batch.items where item.depth == depth {
                do { try work.store(item, &batch.problems) } catch let error as ImportFileError {
                    batch.problems.append(ImportProblem(item.place, error.what))
                } catch let error as FormatError where error.code == .invalid {
                    batch.problems.append(ImportProblem(item.place, error.what))
                }
            }
        }
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
    /// Cards by title: what says the same is looked for among them.
    private let cards: [[UInt8]: [Entry]]
    private let seedID: RecordID?
    private var seen: Set<RecordID> = []
    var outcome = ImportOutcome()

    init(
        _ transaction: VaultTransaction, _ entries: [Entry], _ limit: UInt64,
        _ read: @escaping (BytePath) throws -> [UInt8]
    ) {
        (self.transaction, vault, self.read, self.entries) = (transaction, transaction.before, read, entries)
        self.limit = limit
        known = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        cards = Dictionary(grouping: entries.filter(\.isCard), by: \.overview.title)
        seedID = try? Vault.seedRecordID()
    }

    mutating func store(_ item: ImportItem, _ problems: inout [ImportProblem]) throws {
        if let id = item.id, !seen.insert(id).inserted {
            return problems.append(ImportProblem(item.place, "its id came before"))
        }
        if let id = item.id, let old = known[id], old.kind != item.kind {
            return problems.append(ImportProblem(item.place, "another kind of record has its id here"))
        }
        switch item.content {
        case .card(let card):
            if item.id == nil, try hasTwin(card) { return outcome.unchanged += 1 }
            let id = try item.id ?? transaction.makeID()
            let owner = try put(item, id, card.schema.kind, nil, card.fields.bytes)
            for file in item.attachments { _ = try transaction.attach(file, to: owner, among: []) }
        case .setting(let setting):
            // The name alone says which setting it is.
            let id = try Setting.id(String(decoding: item.overview.title, as: UTF8.self))
            guard item.id == id || seen.insert(id).inserted else {
                return problems.append(ImportProblem(item.place, "its name came before"))
            }
            _ = try put(item, id, Entry.Kind.setting, nil, setting.bytes)
        case .other(Entry.Kind.watermarkSeed, _, _) where item.id.flatMap({ known[$0] }) != nil:
            outcome.unchanged += 1  // marks here stand where this vault's own seed says
        case .other(Entry.Kind.watermark, _, let owner), .other(Entry.Kind.share, _, let owner):
            guard try owner.flatMap({ try transaction.entry($0) })?.isAttachment == true, item.id != seedID else {
                return problems.append(ImportProblem(item.place, "the record that it belongs to is not there"))
            }
            guard case .other(let kind, let bytes, _) = item.content else { return }
            _ = try put(item, item.id ?? transaction.makeID(), kind, owner, bytes)
        case .other(let kind, let bytes, let owner):
            guard try owner.map({ try $0 != item.id && transaction.entry($0) != nil }) ?? true else {
                return problems.append(ImportProblem(item.place, "the record that it belongs to is not there"))
            }
            _ = try put(item, item.id ?? transaction.makeID(), kind, owner, bytes)
        case .attachment(let source, let owner): try store(item, source, owner, &problems)
        }
    }

    private mutating func store(
        _ item: ImportItem, _ source: ImportItem.AttachmentSource, _ owner: RecordID?, _ problems: inout [ImportProblem]
    ) throws {
        let content: [UInt8]
        switch source {
        case .bytes(let bytes):
            guard UInt64(bytes.count) <= limit else { throw ImportFileError("is larger than an attachment may be") }
            content = bytes
        case .file(let path, let hash):
            content = try read(path)
            if let hash, try fingerprint(content) != hash {
                return problems.append(ImportProblem(item.place, "\(path): is not what was exported"))
            }
        }
        guard let owner = try owner.flatMap({ try transaction.entry($0) }) else {
            return problems.append(ImportProblem(item.place, "the record that it belongs to is not there"))
        }
        let file = NewAttachment(name: item.overview.title, content: content, modified: item.overview.modified)
        guard let file else { return problems.append(ImportProblem(item.place, "is no JPEG, PNG, HEIC or PDF")) }
        let id = try item.id ?? transaction.makeID()
        let before = outcome.unchanged
        _ = try put(item, id, Entry.Kind.attachment, owner.id, content)
        if outcome.unchanged == before {
            try transaction.putThumbnail(of: file, id, among: entries)
        }
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

    private func hasTwin(_ card: Card) throws -> Bool {
        for entry in cards[card.overview.title] ?? [] where entry.kind == card.schema.kind {
            let other = try vault.card(entry)
            if other.fields == card.fields, other.overview == card.overview { return true }
        }
        return false
    }
}

/// The SHA-256 of bytes in hexadecimal.
func fingerprint(_ bytes: [UInt8]) throws -> String { hexText(try SHA256.hash(bytes.span)) }
