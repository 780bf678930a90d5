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

    init(_ file: any File, _ environment: Environment) throws {
        (self.file, self.environment) = (file, environment)
        root = try Root(file, environment)
    }

    /// The header of the page that counts.
    public var header: Header { root.page.header }
    /// Its key slots.
    public var slots: SlotArea { root.page.slots }
    /// The newest commit record, as the page has it and not authenticated.
    ///
    /// - Throws: `FormatError.malformed` where the page contradicts itself.
    public func record() throws -> CommitRecord { try root.page.record() }
    /// Bytes of the file.
    public var fileByteCount: UInt64 { root.fileByteCount }

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
        try Vault(self, keys: Keys(master: master, vaultID: header.vaultID))
    }
}

/// An open vault: one state of it, which does not change however many saves follow. Takes no lock.
public final class Vault {
    let file: any File
    let environment: Environment
    package let root: Root
    package let keys: Keys
    package let record: CommitRecord
    package let privatePart: Core.PrivatePart
    package let manifest: Manifest
    /// What a person should be told although the vault opened: damage that hides nothing.
    public let warnings: [Phrase]

    init(_ locked: LockedVault, keys: Keys) throws {
        (file, environment, root, self.keys) = (locked.file, locked.environment, locked.root, keys)
        try root.page.authenticate(keys)
        record = try root.page.record()
        try record.core.authenticate(keys)
        privatePart = try record.core.privatePart(keys: keys)
        warnings = try Self.warnings(root, file, record)
        do {
            manifest = try Manifest(file, keys: keys, newest: privatePart.segment, of: record.core)
        } catch let fault as Fault {
            throw try Diagnosis(file, newest: record).error(for: fault)
        }
    }

    private static func warnings(_ root: Root, _ file: any File, _ record: CommitRecord) throws -> [Phrase] {
        var warnings = root.unsoundPage.map { [$0] } ?? []
        let logEnd = root.page.header.logEnd
        if root.fileByteCount < logEnd {
            warnings.append("the file ends \(logEnd - root.fileByteCount) bytes too early")
        } else if try file.bytes(at: record.core.recordOffset, count: CommitRecord.byteCount) != record.bytes {
            warnings.append("the newest commit record is damaged")
        }
        if root.fileByteCount > logEnd {
            let bytes = root.fileByteCount - logEnd
            warnings.append(
                root.other == nil
                    ? "\(bytes) bytes stand behind the newest readable save: a newer one may be lost"
                    : "\(bytes) bytes of an unfinished save stand at the end")
        }
        return warnings
    }

    /// Sequence of the newest commit.
    public var sequence: UInt64 { record.core.sequence }
    /// When the newest commit was made, in microseconds since 1970.
    public var time: UInt64 { privatePart.time }

    /// All live records by id, without those in the trash.
    ///
    /// - Throws: `FormatError` `.damaged`, `.tampered`, `.malformed`; `IOError`.
    public func entries() throws -> [Entry] {
        let entries = try diagnosing { try manifest.entries() }
        return entries.allSatisfy { $0.state == .live } ? entries : entries.filter { $0.state == .live }
    }

    /// The live record with this id.
    public func entry(_ id: RecordID) throws -> Entry? {
        try diagnosing { try manifest.entry(id) }.flatMap { $0.state == .live ? $0 : nil }
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
        var reader = try RecordReader(file, keys: keys, logEnd: root.page.header.logEnd)
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
        try RecordReader(file, keys: keys, logEnd: root.page.header.logEnd)
    }

    private func diagnosing<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let fault as Fault { throw try diagnose(fault) }
    }

    func diagnose(_ fault: Fault) throws -> FormatError { try Diagnosis(file, newest: record).error(for: fault) }

    /// How the next commit's manifest remembers this one.
    var line: CommitLine {
        CommitLine(
            sequence: sequence, time: time, recordOffset: record.core.recordOffset,
            ownerTag: record.core.tags.owner.prefix16)
    }
}
