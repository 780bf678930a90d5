import VaultCrypto
import VaultFormat
import VaultIO

/// The contents of files that the vault has, or that this import has stored: what a new file may share.
///
/// A hint leads to a content, and only bytes decide: those of the vault are read and compared, those of this import have a
/// tag of all their bytes under a key that nobody else knows.
struct KnownContents: ~Copyable {
    private let vault: Vault?
    /// The files of the vault, by their hints; nil before somebody asked.
    private var stored: [UInt64: RecordID]?
    private var fresh: [UInt64: (content: StoredContent, tag: Bytes16)] = [:]
    private var tags: GMAC

    init(_ vault: Vault?) throws {
        var random = SystemRandom()
        self.vault = vault
        tags = try GMAC(key: random.secret(byteCount: 32))
    }

    /// The stored record of a file with this hint and content.
    ///
    /// - Parameters:
    ///   - searchesVault: whether the files of the vault count too; all their entries are read once.
    ///   - read: fills the buffer with the file's bytes from an offset on, and says how many.
    mutating func content(
        _ hint: ContentHint, searchesVault: Bool, _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int
    ) throws -> StoredContent? {
        if let known = fresh[hint.value] {
            guard known.content.length == hint.length else { return nil }
            return try tag(hint.length, read) == known.tag ? known.content : nil
        }
        guard searchesVault, let vault else { return nil }
        if stored == nil { stored = try Self.files(of: vault) }
        guard let id = stored?[hint.value], let entry = try vault.entry(id), entry.kind == .file,
            entry.length == hint.length
        else { return nil }
        return try vault.holds(entry, read) ? entry.content : nil
    }

    private static func files(of vault: Vault) throws -> [UInt64: RecordID] {
        let found = try vault.flatMapEntries { entries in
            entries.compactMap { entry in entry.kind == .file ? entry.hint.map { ($0, entry.id) } : nil }
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// The tag of a content; nil where it cannot be read, or is shorter.
    private mutating func tag(
        _ length: UInt64, _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int
    ) throws -> Bytes16? {
        var buffer = [UInt8](repeating: 0, count: Layout.chunkByteCount)
        defer { buffer.withMutableSlice(0..<buffer.count) { wipe(&$0) } }
        try begin()
        var offset: UInt64 = 0
        while offset < length {
            let wanted = Int(min(length - offset, UInt64(buffer.count)))
            do {
                let done = try buffer.withMutableSlice(0..<wanted) { try read(offset, &$0) }
                guard done == wanted else { return nil }
            } catch is IOError { return nil }
            try tags.update(buffer.span.extracting(0..<wanted))
            offset += UInt64(wanted)
        }
        return try finish()
    }

    /// Begins with a content that is stored now.
    mutating func begin() throws { try tags.begin() }

    /// Goes on with bytes of it.
    mutating func update(_ bytes: Span<UInt8>) throws { try tags.update(bytes) }

    private mutating func finish() throws -> Bytes16 { Bytes16(try tags.finish()) }

    /// Keeps the content that was stored, all of which `update` has seen.
    mutating func add(_ content: StoredContent, _ hint: ContentHint) throws {
        fresh[hint.value] = (content, try finish())
    }
}

extension Vault {
    /// True if a record has the very bytes that `read` gives. What cannot be read, of either, differs.
    func holds(_ entry: Entry, _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int) throws -> Bool {
        struct Differs: Error {}
        var offset: UInt64 = 0
        var bytes: [UInt8] = []
        defer { bytes.withMutableSlice(0..<bytes.count) { wipe(&$0) } }
        do {
            try self.read(entry) { piece in
                if bytes.count < piece.count { bytes = [UInt8](repeating: 0, count: piece.count) }
                let done = try bytes.withMutableSlice(0..<piece.count) { try read(offset, &$0) }
                guard done == piece.count, piece.isEqual(to: bytes.span.extracting(0..<done)) else {
                    throw Differs()
                }
                offset += UInt64(done)
            }
            return true
        } catch  where error is Differs || error is IOError || error is FormatError {
            return false
        }
    }
}
