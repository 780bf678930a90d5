import VaultCrypto
import VaultFormat
import VaultIO
import Values

/// Makes records of the files, folders and links of a tree: what the vault has is kept or shared, the rest is stored.
final class TreeRecords {
    let writer: CommitWriter
    private let environment: StoreEnvironment
    /// The counts of what was stored.
    var count = TreeCount()
    /// Told what becomes of each thing that does not stay as it is.
    var told: (TreeChange) -> Void = { _ in }
    /// True if a file may take the place of a folder, and a folder that of a file.
    var replacesKinds = false
    /// Told the bytes of content stored so far, after each piece.
    var progress: (UInt64) -> Void = { _ in }
    /// True while things of a folder come, of which there may be many.
    var isInFolder = false
    /// The contents that new files may share; nil until there is one.
    private var known: KnownContents?
    /// Cuts long contents; nil until there is one.
    private var pieces: PieceImport?
    private var beginning = [UInt8](repeating: 0, count: ContentHint.byteCount)

    init(_ writer: CommitWriter, _ environment: StoreEnvironment) {
        (self.writer, self.environment) = (writer, environment)
    }

    func makePieces() -> PieceImport {
        let made = pieces ?? PieceImport(writer)
        pieces = made
        return made
    }

    /// True if all entries of the vault are read for a content that may be in it already: for many files, or a file that takes
    /// longer than they.
    private func searchesVault(for length: UInt64) -> Bool {
        isInFolder || writer.changes.before.map { $0.manifest.byteCount <= length } ?? false
    }

    /// Stores the content of a file, or shares it with another one; false if it had another length than before.
    func store(
        _ file: SourceFile, _ title: [UInt8], in parent: RecordID?, _ overview: Overview, _ target: BytePath
    ) throws -> Bool {
        let size = file.status.size
        let headCount = try fromSource { try file.readBeginning(into: &beginning) }
        defer { beginning.withMutableSlice(0..<headCount) { wipe(&$0) } }
        let hint =
            headCount == 0 || !writer.isCompressing
            ? nil : try ContentHint(beginning.span.extracting(0..<headCount), length: size)
        if let hint {
            if known == nil { known = KnownContents(writer) }
            if let shared = try known?.content(hint, searchesVault: searchesVault(for: size), file.read) {
                try put(.file, title, in: parent, overview, shown: target, hint, sharing: shared) { _ in 0 }
                return true
            }
        }
        var offset: UInt64 = 0
        if hint != nil, Cutter.contents.contains(size) {
            let read: (inout MutableSpan<UInt8>) throws -> Int = {
                var room = $0._mutatingExtracting(first: Int(min(UInt64($0.count), size - offset)))
                do {
                    let done = try room.isEmpty ? 0 : file.read(offset, into: &room)
                    offset += UInt64(done)
                    return done
                } catch let error as IOError {
                    throw SourceFailure(error: error, wasPartlyRead: true)
                }
            }
            _ = makePieces().begin(read)
            return try storePieces(
                title, in: parent, overview, target, hint, searchesVault: searchesVault(for: size), read: read) == size
        }
        // A file that says how long it is gets no further, so that one that grows for ever comes to an end.
        let limit = size > 0 ? size : UInt64.max
        let stored = try put(.file, title, in: parent, overview, shown: target, hint) { buffer in
            do {
                var room = buffer._mutatingExtracting(first: Int(min(UInt64(buffer.count), limit - offset)))
                var rest = offset < UInt64(headCount) ? beginning[Int(offset)..<headCount] : []
                let done = try rest.isEmpty ? room.isEmpty ? 0 : file.read(offset, into: &room) : room.take(from: &rest)
                offset += UInt64(done)
                return done
            } catch let error as IOError {
                throw SourceFailure(error: error, wasPartlyRead: true)
            }
        }
        if let hint, stored.length == hint.length { known?.add(stored, hint) }
        return offset == size
    }

    /// Stores a long content in pieces; returns its length.
    func storePieces(
        _ title: [UInt8], in parent: RecordID?, _ overview: Overview, _ target: BytePath, _ hint: ContentHint?,
        searchesVault: Bool, read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> UInt64 {
        let id = try TreeName.id(title, in: parent)
        try checkFree(id, .file, target)
        let old = try writer.changes.before?.entry(id)
        let stored = try makePieces().add(after: old?.content, searchesVault: searchesVault) { buffer in
            try environment.checkCancellation()
            return try read(&buffer)
        } progress: { length in
            count.bytes += UInt64(length)
            progress(count.bytes)
        }
        let list = stored.list.pieces.isEmpty ? nil : stored
        try put(.file, title, in: parent, overview, shown: target, hint, pieces: list) { _ in
            if let failure = stored.failure { throw failure }
            return 0
        }
        return stored.list.length
    }

    /// Gives a record whose content is the same another time or mode; returns 1, or 0 where it is unchanged.
    func update(_ old: Entry, _ overview: Overview, _ target: BytePath) throws -> Int {
        var version = old
        version.overview = overview.keepingLabels(of: old.overview)
        guard version.overview != old.overview else {
            count.unchanged += 1
            return 0
        }
        try writer.changes.reinstate(version)
        told(TreeChange(path: target, action: .updated))
        return 1
    }

    /// The content that a file has under a name as this save will leave it.
    func content(_ title: [UInt8], in parent: RecordID?) throws -> StoredContent? {
        try writer.changes.entry(TreeName.id(title, in: parent)).flatMap { $0.state == .live ? $0.content : nil }
    }

    /// Gives a file the content of another name of it; returns 1, or 0 where it is unchanged.
    func share(
        _ content: StoredContent, _ title: [UInt8], in parent: RecordID?, _ overview: Overview, _ target: BytePath
    ) throws -> Int {
        let id = try TreeName.id(title, in: parent)
        if let old = try writer.changes.before?.entry(id), old.kind == .file, old.content == content,
            !writer.changes.hasChanged(id)
        {
            return try update(old, overview, target)
        }
        try put(.file, title, in: parent, overview, shown: target, sharing: content) { _ in 0 }
        return 1
    }

    /// The record that the vault holds under a name, if it has this very content, compared byte by byte.
    func stored(
        _ kind: Entry.Kind, _ title: [UInt8], in parent: RecordID?, length: UInt64,
        _ content: (UInt64, inout MutableSpan<UInt8>) throws -> Int
    ) throws -> Entry? {
        let id = try TreeName.id(title, in: parent)
        guard let vault = writer.changes.before, let old = try vault.entry(id), old.kind == kind, old.length == length,
            !writer.changes.hasChanged(id)
        else { return nil }
        // Files of the system say that they are empty, and are not.
        var probe: [UInt8] = [0]
        guard try length > 0 || fromSource({ try probe.withMutableSlice(0..<1) { try content(0, &$0) } }) == 0 else {
            return nil
        }
        // If one of the two cannot be read, storing it again meets the error and reports it.
        return try vault.holds(old, content) ? old : nil
    }

    /// Makes a folder, or takes the one that is there, which with `keeping` stays as it is; returns its inner id.
    func makeFolder(
        _ title: [UInt8], in parent: RecordID?, _ overview: Overview, shown: BytePath, keeping: Bool
    ) throws -> RecordID {
        let id = try TreeName.id(title, in: parent)
        if let old = try writer.changes.entry(id), old.state == .live,
            old.kind == .folder || keeping || !replacesKinds
        {
            guard old.kind == .folder else { throw VaultError.kindConflict(shown) }
            let isSame = overview.keepingLabels(of: old.overview) == old.overview
            if keeping || isSame || writer.changes.hasChanged(id) {
                return old.innerID
            }
        }
        try put(Entry.Kind.folder, title, in: parent, overview, shown: shown) { _ in 0 }
        if !keeping { count.folders += 1 }
        return try writer.changes.entry(id)?.innerID ?? id
    }

    /// The live record of that id, in whose place one of a kind can come.
    ///
    /// - Throws: `VaultError` `.duplicateName`, `.kindConflict`.
    @discardableResult private func checkFree(
        _ id: RecordID, _ kind: Entry.Kind, _ shown: BytePath
    ) throws -> Entry? {
        if writer.changes.hasChanged(id) { throw VaultError.duplicateName(shown) }
        let old = try writer.changes.entry(id).flatMap { $0.state == .live ? $0 : nil }
        if let old, (old.kind == .folder) != (kind == .folder) {
            // What lies in a folder that was moved would have no folder to come back to: its inner id is not that of its name.
            guard replacesKinds, old.kind != .folder || old.innerID == id else { throw VaultError.kindConflict(shown) }
        }
        return old
    }

    /// Puts a record into the trash, and of a folder all that lies in it.
    func trash(_ entry: Entry, _ target: BytePath) throws {
        if entry.kind == .folder { try trashContents(of: entry, target) }
        try writer.changes.trash(entry)
        count.trashed += 1
        told(TreeChange(path: target, action: .trashed))
    }

    private func trashContents(of folder: Entry, _ target: BytePath) throws {
        guard let vault = writer.changes.before else { return }
        var waiting = [(folder, target)]
        while let (folder, target) = waiting.popLast() {
            for entry in try vault.diagnosing({ try vault.manifest.entries(in: folder.innerID) })
            where entry.state == .live && !writer.changes.hasChanged(entry.id) {
                let path = target.appending(entry.overview.title)
                if entry.kind == .folder { waiting.append((entry, path)) }
                try writer.changes.trash(entry)
                count.trashed += 1
                told(TreeChange(path: path, action: .trashed))
            }
        }
    }

    @discardableResult func put(
        _ kind: Entry.Kind, _ title: [UInt8], in parent: RecordID?, _ overview: Overview, shown: BytePath,
        _ hint: ContentHint? = nil, sharing shared: StoredContent? = nil,
        pieces: (list: PieceList, failure: (any Error)?)? = nil,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws -> StoredContent {
        let id = try TreeName.id(title, in: parent)
        let old = try checkFree(id, kind, shown)
        // Tags, group, pin and unknown pairs are kept in the new version.
        let overview = old.map { overview.keepingLabels(of: $0.overview) } ?? overview
        do {
            let stored = try writer.put(
                id, kind: kind, parent: parent, overview: overview, hint: hint, sharing: shared, pieces: pieces
            ) { buffer in
                let done = try read(&buffer)
                count.bytes += UInt64(done)
                progress(count.bytes)
                return done
            }
            if let old, old.kind == .folder, kind != .folder { try trashContents(of: old, shown) }
            let isUpdate = kind == .folder && old?.kind == .folder
            told(TreeChange(path: shown, action: old == nil ? .added : isUpdate ? .updated : .replaced))
            return stored
        } catch var failure as SourceFailure {
            failure.keepsOld = old != nil
            throw failure
        }
    }
}
