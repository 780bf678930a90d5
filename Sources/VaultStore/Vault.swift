public import VaultCrypto
public import VaultFormat

/// A vault as anybody sees it: its pages, without a key.
public struct LockedVault {
    let file: any File
    let environment: Environment
    package let root: Root

    /// Opens the file and reads its pages.
    ///
    /// - Throws: `IOError`; `FormatError` `.notAVault`, `.damaged`, `.unsupported`.
    public init(_ path: Path, in environment: Environment) throws {
        let file = try environment.files.openFile(path, writing: false)
        try self.init(file, environment)
    }

    /// - Parameter isLocked: no writer is at work, so that a torn page stays torn.
    init(_ file: any File, _ environment: Environment, isLocked: Bool = false) throws {
        (self.file, self.environment) = (file, environment)
        root = try Root(file, environment, attempts: isLocked ? 0 : Root.attempts)
    }

    /// The header of the page that counts; page K's with both lost.
    public var header: Header { root.header }
    /// Its key slots.
    public var slots: SlotArea { root.slots }
    /// The newest commit record, not authenticated.
    ///
    /// - Throws: `FormatError` `.malformed` where the page contradicts itself; `.damaged` when both pages are lost and
    ///   no commit is found.
    public func record() throws -> CommitRecord { try state().record }
    /// Bytes of the file.
    public var fileByteCount: UInt64 { root.fileByteCount }

    func state() throws -> State {
        try State(root, file, keys: nil, checkCancellation: environment.checkCancellation)
    }

    /// What keeps writers out, as its header says it.
    public var obstacle: VaultError.Obstacle? { Vault.obstacle(header) }

    /// What a person should be told of its pages.
    public var warnings: [Phrase] { root.unsoundPage.map { [$0] } ?? [] }

    /// The commits of the log, newest first, as far as they can be found without a key.
    public func commits() throws -> [Core] {
        var log = try CommitLog(file, newest: record())
        var cores: [Core] = []
        while let item = try log.pop() { cores.append(item.core) }
        return cores
    }

    /// Opens with a master key (Spec/reader.md, 3.4 to 3.7 and 4.1 to 4.3).
    ///
    /// - Throws: `FormatError` `.tampered`, `.malformed`, `.damaged`, `.unsupported`; `IOError`.
    public func open(master: consuming Secret) throws -> Vault {
        try open(Keys(master: master, vaultID: header.vaultID))
    }

    /// Opens a copy of a vault that is open, with its keys; nil where it is another, or under another master key.
    public func open(like vault: Vault) throws -> Vault? {
        header.vaultID == vault.id && header.epoch == vault.root.header.epoch ? try open(vault.keys) : nil
    }

    private func open(_ keys: Keys) throws -> Vault {
        // A person may have typed a password meanwhile, and others may have saved.
        let now = try LockedVault(file, environment)
        let isSame = now.header.vaultID == header.vaultID && now.header.epoch == header.epoch
        return try Vault(isSame ? now : self, keys: keys)
    }
}

/// An open vault: one state of it, which does not change however many saves follow. Takes no lock.
public final class Vault {
    let file: any File
    let environment: Environment
    package let root: Root
    package let keys: Keys
    package let state: State
    package let privatePart: Core.PrivatePart
    package let manifest: Manifest
    /// What a person should be told although the vault opened.
    public let warnings: [Phrase]
    /// Why it must not be written to, if so.
    public let obstacle: VaultError.Obstacle?
    /// The versions of an earlier save, by id, where that is what is shown.
    private let shown: [RecordID: Entry]?

    /// The same vault, showing these versions as its records.
    init(_ vault: Vault, showing versions: [Entry]) {
        (file, environment, root, keys, state) = (vault.file, vault.environment, vault.root, vault.keys, vault.state)
        (privatePart, manifest) = (vault.privatePart, vault.manifest)
        (warnings, obstacle) = (vault.warnings, vault.obstacle)
        shown = Dictionary(versions.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// - Parameter isLocked: no writer is at work, so that what one left can be judged.
    init(_ locked: LockedVault, keys: Keys, isLocked: Bool = false) throws {
        (file, environment, root, self.keys) = (locked.file, locked.environment, locked.root, keys)
        state = try State(
            root, file, keys: keys, isLocked: isLocked, checkCancellation: environment.checkCancellation)
        let record = state.record
        try record.core.authenticate(keys)
        privatePart = try record.core.privatePart(keys: keys)
        let damage = try Self.damage(root, file, state)
        warnings = (root.unsoundPage.map { [$0] } ?? []) + Self.warnings(root, state) + (damage.map { [$0.what] } ?? [])
        obstacle = Self.obstacle(root, state, damage)
        shown = nil
        do {
            manifest = try Manifest(file, keys: keys, newest: privatePart.segment, of: record.core)
        } catch let fault as Fault {
            throw try Diagnosis(file, newest: record).error(for: fault)
        }
    }

    /// Damage of the newest commit that is seen without reading it all.
    private static func damage(_ root: Root, _ file: any File, _ state: State) throws -> FormatError? {
        let record = state.record
        if state.fileByteCount < record.core.end {
            return FormatError(
                .damaged, "the file ends \(record.core.end - state.fileByteCount) bytes too early",
                at: state.fileByteCount)
        }
        let isThere = try file.bytes(at: record.core.recordOffset, count: CommitRecord.byteCount) == record.bytes
        return isThere
            ? nil : FormatError(.repairable, "the newest commit record is damaged", at: record.core.recordOffset)
    }

    private static func warnings(_ root: Root, _ state: State) -> [Phrase] {
        var warnings: [Phrase] = []
        if root.page == nil {
            warnings.append("a newer save than save \(state.record.core.sequence) may be lost")
            if let hash = try? root.slots.hash(), hash != state.record.core.slotHash {
                warnings.append("page K is old")
            }
        } else if let doubt = doubt(state) {
            warnings.append(doubt)
        }
        return warnings
    }

    /// What may be a save that was acknowledged, and cannot be read.
    private static func doubt(_ state: State) -> Phrase? {
        guard case .unexplained(let count) = state.rest else { return nil }
        return "\(count) bytes stand behind the newest readable save: a newer one may be lost"
    }

    /// What keeps writers out, as the header says it.
    static func obstacle(_ header: Header) -> VaultError.Obstacle? {
        if header.isCopy { return .copy }
        return header.writeFeatures == 0 ? nil : .writeFeatures(header.writeFeatures)
    }

    private static func obstacle(_ root: Root, _ state: State, _ damage: FormatError?) -> VaultError.Obstacle? {
        if let obstacle = obstacle(root.header) { return obstacle }
        if root.page == nil { return .damaged(FormatError(.damaged, "both pages are damaged")) }
        if let damage { return .damaged(damage) }
        return doubt(state).map { .damaged(FormatError(.damaged, $0)) }
    }

    /// The header of the page that counts.
    public var header: Header { root.header }
    /// The key slots.
    public var keySlots: SlotArea { root.slots }
    /// The newest commit record.
    package var record: CommitRecord { state.record }
    /// Names the vault for ever.
    public var id: VaultID { record.core.vaultID }
    /// Bytes of its file up to the end of the newest commit.
    public var byteCount: UInt64 { record.core.end }
    /// Sequence of the newest commit.
    public var sequence: UInt64 { record.core.sequence }
    /// When the newest commit was made, in microseconds since 1970.
    public var time: UInt64 { privatePart.time }

    /// All live records by id, without those in the trash.
    ///
    /// - Throws: `FormatError` `.damaged`, `.tampered`, `.malformed`; `IOError`.
    public func entries() throws -> [Entry] {
        if let shown { return shown.values.filter { $0.state == .live }.sorted { $0.id < $1.id } }
        return try allEntries().filtered { $0.state == .live }
    }

    /// The live records that are wanted, in no order.
    ///
    /// - Throws: as `entries`.
    package func entries(where isWanted: (Entry) -> Bool) throws -> [Entry] {
        try flatMapEntries { $0.filtered(isWanted) }
    }

    /// What `body` makes of the live records, without those in the trash: of a piece of them at a time, on all cores; in
    /// no order.
    ///
    /// - Throws: as `entries`; what `body` throws.
    func flatMapEntries<Value>(_ body: ([Entry]) throws -> [Value]) throws -> [Value] {
        if shown != nil {
            return try Parallel.flatMapPieces(of: entries()) { try body(Array($0)) }
        }
        return try diagnosing {
            try manifest.flatMap { entries in
                try body(entries.filtered { $0.state == .live })
            }
        }
    }

    /// The live record with this id.
    public func entry(_ id: RecordID) throws -> Entry? {
        let entry = if let shown { shown[id] } else { try diagnosing { try manifest.entry(id) } }
        return entry.flatMap { $0.state == .live ? $0 : nil }
    }

    /// The file, folder or symlink at a path of the vault's tree.
    public func entry(at path: Path) throws -> Entry? {
        var entry: Entry?
        for component in path.components {
            let id = try TreeName.id(component, in: entry?.id)
            entry = try self.entry(id)
            guard let found = entry else { return nil }
            guard try found.hasDerivedID() else {
                throw FormatError(.malformed, "an id that is not the name's", at: found.place)
            }
        }
        return entry
    }

    /// Reads the content of a record, piece by piece, each handed out once it is authenticated.
    public func read(_ entry: Entry, _ body: (Span<UInt8>) throws -> Void) throws {
        var reader = try RecordReader(file, keys: keys, logEnd: record.core.end)
        try read(entry, with: &reader, body)
    }

    /// The same with a reader that serves for many records.
    package func read(_ entry: Entry, with reader: inout RecordReader, _ body: (Span<UInt8>) throws -> Void) throws {
        do {
            try reader.read(entry) {
                try environment.checkCancellation()
                try body($0)
            }
        } catch let fault as Fault {
            throw try diagnose(fault)
        }
    }

    /// A reader for many records of this vault.
    package func reader() throws -> RecordReader {
        try RecordReader(file, keys: keys, logEnd: record.core.end)
    }

    func diagnosing<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let fault as Fault { throw try diagnose(fault) }
    }

    func diagnose(_ fault: Fault) throws -> FormatError { try Diagnosis(file, newest: record).error(for: fault) }

    /// The vault of this name as it is now.
    package func reopened(in environment: Environment? = nil) throws -> Vault {
        try Vault(LockedVault(file.path, in: environment ?? self.environment), keys: keys)
    }

    /// What the manifest says of an earlier commit.
    func line(of sequence: UInt64) throws -> CommitLine? { try diagnosing { try manifest.line(sequence) } }

    /// How the next commit's manifest remembers this one.
    var line: CommitLine {
        CommitLine(
            sequence: sequence, time: time, recordOffset: record.core.recordOffset,
            ownerTag: record.core.tags.owner.prefix16)
    }
}

extension [Entry] {
    /// Those that are wanted; mostly that is all.
    func filtered(_ isWanted: (Entry) -> Bool) -> [Entry] {
        indices.allSatisfy { isWanted(self[$0]) } ? self : filter(isWanted)
    }
}
