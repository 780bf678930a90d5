package import VaultIO
import VaultCrypto
public import VaultFormat

/// An open vault: one state of it, which does not change however many saves follow. Takes no lock.
public final class Vault {
    let file: any File
    let environment: StoreEnvironment
    package let root: Root
    package let keys: Keys
    /// The commit whose state is shown: the newest, unless the one before it was asked for.
    package let record: CommitRecord
    package let privatePart: Core.PrivatePart
    package let manifest: Manifest
    /// The warnings for a person, although the vault opened.
    public let warnings: [Phrase]
    /// Why it must not be written to, if so.
    public let obstacle: VaultError.Obstacle?
    /// The versions of an earlier save, by id, where that is what is shown.
    private let shown: [RecordID: Entry]?

    /// The same vault, showing these versions as its records.
    init(_ vault: Vault, showing versions: [Entry]) {
        (file, environment, root, keys, record) = (vault.file, vault.environment, vault.root, vault.keys, vault.record)
        (privatePart, manifest) = (vault.privatePart, vault.manifest)
        (warnings, obstacle) = (vault.warnings, vault.obstacle)
        shown = Dictionary(versions.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// - Parameters:
    ///   - isLocked: no writer is at work, so that what one left can be judged.
    ///   - showsSaveBefore: the save before the newest is shown, which the older page names.
    init(_ locked: LockedVault, keys: Keys, isLocked: Bool = false, showsSaveBefore: Bool = false) throws {
        (file, environment, self.keys) = (locked.file, locked.environment, keys)
        // Without a key anybody can append a commit and a page that nothing but their tags tells from a writer's.
        let appended = (try? locked.root.page.authenticate(keys)) == nil ? locked.root.withoutEndPage() : nil
        root = appended ?? locked.root
        try root.page.authenticate(keys)
        let newest = try root.page.record()
        // With both pages lost only a check of the whole commit tells whether it was ever acknowledged.
        let isInDoubt = try isLocked && root.unsound.count == 2 && !newest.isWhole(in: file, environment)
        let damage =
            isInDoubt ? FormatError(.damaged, "both pages and the newest save") : try Self.damage(root, file, newest)
        shown = nil
        record = try showsSaveBefore ? Self.saveBefore(root, keys, newest.core) : newest
        try record.core.authenticate(keys)
        privatePart = try record.core.privatePart(keys: keys)
        let lost: FormatError?
        do {
            manifest = try Manifest(file, keys: keys, newest: privatePart.segment, of: record.core)
            lost = try Self.damage(of: manifest, Diagnosis(file, newest: newest))
        } catch let fault as Fault {
            throw try Diagnosis(file, newest: newest).error(for: fault)
        }
        var warnings = root.warnings + (damage.map { [$0.what] } ?? [])
        if let lost { warnings.append("part of save \(record.core.sequence) cannot be read (\(lost.what))") }
        let strayed = root.stray.flatMap { (try? $0.authenticate(keys)) == nil ? nil : Root.straying }
        self.warnings = warnings + (strayed.map { [$0] } ?? [])
        obstacle = Self.obstacle(root, damage ?? lost ?? strayed.map { FormatError(.damaged, $0) })
    }

    /// The reason why the live entries of the newest segment cannot be read; nil if they can.
    private static func damage(of manifest: Manifest, _ diagnosis: Diagnosis) throws -> FormatError? {
        do { try manifest.checkNewest() } catch let fault as Fault {
            let error = try diagnosis.error(for: fault)
            guard error.code == .damaged else { throw error }
            return error
        }
        return nil
    }

    /// The commit before the newest, which the older page names.
    ///
    /// - Throws: `VaultError.noSuchSave` where that page is not sound, or names another.
    private static func saveBefore(_ root: Root, _ keys: Keys, _ newest: Core) throws -> CommitRecord {
        guard let other = root.other, (try? other.authenticate(keys)) != nil, let record = try? other.record(),
            record.core.precedes(newest)
        else { throw VaultError.noSuchSave(nil, oldest: newest.sequence) }
        return record
    }

    /// Damage of the newest commit that is seen without reading it all.
    private static func damage(_ root: Root, _ file: any File, _ record: CommitRecord) throws -> FormatError? {
        let size = root.fileByteCount
        if size < record.core.end {
            return FormatError(.damaged, "the file ends \(record.core.end - size) bytes too early", at: size)
        }
        let isThere = try file.bytes(at: record.core.recordOffset, count: CommitRecord.byteCount) == record.bytes
        return isThere
            ? nil : FormatError(.repairable, "the newest commit record is damaged", at: record.core.recordOffset)
    }

    private static func obstacle(_ root: Root, _ damage: FormatError?) -> VaultError.Obstacle? {
        if let obstacle = root.header.obstacle { return obstacle }
        if root.mayLackSave { return .damaged(FormatError(.damaged, Root.lackingSave)) }
        return damage.map { .damaged($0) }
    }

    /// The header of the page that counts.
    public var header: Header { root.header }
    /// The key slots.
    public var keySlots: SlotArea { root.slots }
    /// True if pages A and B do not name the newest commit, but page T does: an interrupted save, or damage.
    var isAdopted: Bool { root.place == .t }
    /// The path at which the file was opened.
    public var path: BytePath { file.path }
    /// Its path for errors, where another vault is the one that the work is about.
    package var nameInErrors: BytePath?
    /// Names the vault for ever.
    public var id: VaultID { record.core.vaultID }
    /// Bytes of its file up to the end of the newest commit.
    public var byteCount: UInt64 { record.core.end }
    /// Bytes of its file up to the end of page T.
    public var fileByteCount: UInt64 { Self.fileByteCount(endingWith: record) }
    /// Bytes of a file with this newest commit, up to the end of page T.
    public static func fileByteCount(endingWith record: CommitRecord) -> UInt64 {
        record.core.end + UInt64(Layout.pageByteCount)
    }
    /// Sequence of the newest commit.
    public var sequence: UInt64 { record.core.sequence }
    /// When the newest commit was made, in microseconds since 1970.
    public var time: Timestamp { privatePart.time }

    /// True if an earlier save is shown.
    var isEarlier: Bool { shown != nil }

    /// The present state of every record: live, in the trash, or a tombstone.
    public func allEntries() throws -> [Entry] { try diagnosing { try manifest.entries() } }

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

    /// The present state of the records that are wanted, those in the trash too, in no order.
    ///
    /// - Throws: as `entries`.
    package func presentEntries(where isWanted: (Entry) -> Bool) throws -> [Entry] {
        if let shown { return shown.values.filter(isWanted) }
        return try diagnosing { try manifest.flatMap { $0.filter(isWanted) } }
    }

    /// The present state of a record, in the trash and tombstones included.
    package func presentEntry(_ id: RecordID) throws -> Entry? {
        if let shown { return shown[id] }
        return try diagnosing { try manifest.entry(id) }
    }

    /// The values that `body` makes of the live records, without those in the trash: of some at a time, on all cores;
    /// in no order.
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
        try presentEntry(id).flatMap { $0.state == .live ? $0 : nil }
    }

    /// The file, folder or symlink at a path of the vault's tree.
    public func entry(at path: BytePath) throws -> Entry? {
        var entry: Entry?
        for component in path.components {
            // A file may have the id that a folder elsewhere has as its inner id.
            if let entry, entry.kind != .folder { return nil }
            let id = try TreeName.id(component, in: entry?.innerID)
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

    /// The same for the part of the content that lies in `range`, of bytes counted from 0: its pieces alone are read.
    public func read(_ entry: Entry, in range: Range<UInt64>, _ body: (Span<UInt8>) throws -> Void) throws {
        var reader = try reader()
        try diagnosing {
            for (start, content) in try manifest.contents(of: entry, in: range, with: &reader) {
                let part = range.clamped(to: start..<start + content.length)
                try reader.read(content, in: part.lowerBound - start..<part.upperBound - start) {
                    try environment.checkCancellation()
                    try body($0)
                }
            }
        }
    }

    /// The same with a reader that serves for many records.
    package func read(_ entry: Entry, with reader: inout RecordReader, _ body: (Span<UInt8>) throws -> Void) throws {
        do {
            for content in try manifest.contents(of: entry, with: &reader) {
                try reader.read(content) {
                    try environment.checkCancellation()
                    try body($0)
                }
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
        do { return try body() } catch let fault as Fault {
            throw try diagnose(fault)
        } catch let error as FormatError { throw error.of(nameInErrors) }
    }

    func diagnose(_ fault: Fault) throws -> FormatError {
        try Diagnosis(file, newest: record).error(for: fault).of(nameInErrors)
    }

    /// The vault of this name as it is now.
    ///
    /// - Throws: `VaultError.replaced` where the keys of this one do not open it.
    package func reopened(in environment: StoreEnvironment? = nil) throws -> Vault {
        let locked = try LockedVault(file.path, in: environment ?? self.environment)
        guard locked.header.vaultID == id, locked.header.epoch == root.header.epoch else { throw VaultError.replaced }
        return try Vault(locked, keys: keys)
    }

    /// The line of an earlier commit in the manifest.
    func line(of sequence: UInt64) throws -> CommitLine? { try diagnosing { try manifest.line(sequence) } }

    /// The line of this commit in the next one's manifest.
    var line: CommitLine {
        CommitLine(
            sequence: sequence, time: time, recordOffset: record.core.recordOffset,
            fingerprint: record.core.fingerprint.prefix16)
    }
}
