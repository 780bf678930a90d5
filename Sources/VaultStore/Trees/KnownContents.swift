import VaultCrypto
import VaultFormat
import VaultIO

/// The contents of files that the vault has, or that this import has stored: what a new file may share.
///
/// A hint leads to a content, and only bytes decide: what is stored is read and compared.
struct KnownContents: ~Copyable {
    private let writer: CommitWriter
    /// The files of the vault, by their hints; nil before somebody asked.
    private var stored: [UInt64: RecordID]?
    private var fresh: [ContentHint: StoredContent] = [:]

    init(_ writer: CommitWriter) { self.writer = writer }

    /// The stored record of a file with this hint and content.
    ///
    /// - Parameters:
    ///   - searchesVault: whether the files of the vault count too; all their entries are read once.
    ///   - read: fills the buffer with the file's bytes from an offset on, and says how many.
    mutating func content(
        _ hint: ContentHint, searchesVault: Bool, _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int
    ) throws -> StoredContent? {
        if let content = fresh[hint], try hint.coversAll || writer.holds(content, read) { return content }
        guard searchesVault, let vault = writer.changes.before else { return nil }
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

    /// Keeps a content that was stored.
    mutating func add(_ content: StoredContent, _ hint: ContentHint) { fresh[hint] = content }
}

extension Vault {
    /// True if a record has the very bytes that `read` gives. What cannot be read, of either, differs.
    func holds(_ entry: Entry, _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int) throws -> Bool {
        var reader = try reader()
        return try reader.holds({ try manifest.contents(of: entry, with: &$0) }) {
            try environment.checkCancellation()
            return try read($0, &$1)
        }
    }
}

extension CommitWriter {
    /// The same for what this save has stored.
    func holds(
        _ content: StoredContent, _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int
    ) throws -> Bool {
        var reader = try reader(of: content)
        return try reader.holds({ _ in [content] }, alone: true, read)
    }
}

extension RecordReader {
    /// True if these have, one behind the other, the very bytes that `read` gives. What cannot be read, of either, differs.
    fileprivate mutating func holds(
        _ contents: (inout RecordReader) throws -> [StoredContent], alone: Bool = false,
        _ read: (UInt64, inout MutableSpan<UInt8>) throws -> Int
    ) throws -> Bool {
        struct Differs: Error {}
        var offset: UInt64 = 0
        var bytes: [UInt8] = []
        defer { bytes.withMutableSlice(0..<bytes.count) { wipe(&$0) } }
        do {
            func compare(_ part: Span<UInt8>) throws {
                if bytes.count < part.count { bytes = [UInt8](repeating: 0, count: part.count) }
                let done = try bytes.withMutableSlice(0..<part.count) { try read(offset, &$0) }
                guard done == part.count, part.isEqual(to: bytes.span.extracting(0..<done)) else { throw Differs() }
                offset += UInt64(done)
            }
            for content in try contents(&self) {
                if alone { try readAlone(content, compare) } else { try self.read(content, compare) }
            }
            return true
        } catch  where error is Differs || error is IOError || error is FormatError || error is Fault {
            return false
        }
    }
}
