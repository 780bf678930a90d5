public import VaultIO
import VaultCrypto
public import Values
import VaultFormat

/// Carries files and folders into a vault: structure, names as they are, contents, modification times, the executable
/// bit, empty folders, symbolic links as such. Hard links become files of their own. What the vault already holds as
/// it is, content compared, is not stored again.
public final class TreeImport {
    private let records: TreeRecords
    private let environment: StoreEnvironment
    private let vaultFile: (device: UInt64, inode: UInt64)
    private let report: (TreeProblem) -> Void
    /// What is left out, and what goes.
    public var options = TreeImportOptions() {
        didSet { records.replacesKinds = options.mirrors }
    }
    /// Told what becomes of each thing that does not stay as it is.
    public var told: (TreeChange) -> Void {
        get { records.told }
        set { records.told = newValue }
    }
    /// The counts of what was stored.
    public var count: TreeCount { records.count }
    /// Told the bytes of content stored so far, after each piece.
    public var progress: (UInt64) -> Void {
        get { records.progress }
        set { records.progress = newValue }
    }

    private var levels: [FolderLevel] = [] {
        didSet { records.isInFolder = !levels.isEmpty }
    }
    /// The contents of files with several names that this import has seen, with their lengths and times then.
    private var linked: [KeptAttributes.Link: (status: FileStatus, content: StoredContent)] = [:]
    /// The number of folders around the one that is carried in, and its device.
    private var root = (depth: 0, device: UInt64(0))

    init(
        _ writer: CommitWriter, _ environment: StoreEnvironment, vaultFile: (device: UInt64, inode: UInt64),
        report: @escaping (TreeProblem) -> Void
    ) {
        records = TreeRecords(writer, environment)
        (self.environment, self.vaultFile, self.report) = (environment, vaultFile, report)
    }

    /// Stores what is at `source`, with everything beneath it, under the path `target` of the vault. A symbolic link
    /// is stored as such, unless a slash stands behind its name.
    ///
    /// - Returns: the system's refusal if `source` itself cannot be read; nothing is stored then. What lies beneath and
    ///   cannot be stored is reported instead.
    /// - Throws: `VaultError` `.invalidName`, `.kindConflict`, `.duplicateName`, `.cancelled`; whatever writing the
    ///   vault throws.
    @discardableResult public func add(_ source: BytePath, as target: BytePath) throws -> IOError? {
        try checkName(target)
        let isFolderByName = source.bytes.last == 0x2F || [[0x2E], [0x2E, 0x2E]].contains(source.lastComponent)
        do {
            if isFolderByName {
                let folder = try fromSource { try environment.files.openFolder(source) }
                let status = try fromSource { try environment.files.status(source) }
                root = (target.components.count, status.device)
                try enter(folder, status, title: target.lastComponent, in: makeParents(of: target), target)
            } else {
                let folder = try fromSource { try environment.files.openFolder(source.parent) }
                let status = try fromSource { try folder.status(of: source.lastComponent) }
                root = (target.components.count, status.device)
                try add(
                    source.lastComponent, status, of: folder, title: target.lastComponent, in: makeParents(of: target),
                    target)
            }
        } catch let failure as SourceFailure {
            guard failure.wasPartlyRead else { return failure.error }
            report(TreeProblem(path: source, reason: failure.reason))
        }
        while !levels.isEmpty { try addNext() }
        return nil
    }

    /// Stores a stream of unknown length as a file under the path `target`.
    ///
    /// - Parameter read: fills as much of the buffer as it can; less means the end.
    public func addStream(as target: BytePath, read: (inout MutableSpan<UInt8>) throws -> Int) throws {
        try checkName(target)
        let parent = try makeParents(of: target)
        let (title, overview) = (target.lastComponent, Overview(title: target.lastComponent))
        // The length is known when the beginning was read.
        let pieces = records.writer.isCompressing ? records.makePieces() : nil
        let isLong = pieces?.begin { buffer in
            try environment.checkCancellation()
            return try read(&buffer)
        }
        if isLong == true {
            _ = try records.storePieces(title, in: parent, overview, target, nil, searchesVault: false, read: read)
        } else {
            try records.put(.file, title, in: parent, overview, shown: target) {
                try pieces?.read(into: &$0) ?? read(&$0)
            }
        }
        records.count.files += 1
    }

    private func checkName(_ target: BytePath) throws {
        guard target.isTreePath else { throw VaultError.invalidName(target) }
    }

    /// The inner id of the folder that `target` lies in; missing ones are made.
    func makeParents(of target: BytePath) throws -> RecordID? {
        var parent: RecordID?
        var path = BytePath("")
        for component in target.components.dropLast() {
            path = path.appending(component)
            parent = try records.makeFolder(
                component, in: parent, Overview(title: component), shown: path, keeping: true)
        }
        return parent
    }

    /// Stores the next entry of the innermost folder, or leaves that.
    private func addNext() throws {
        try environment.checkCancellation()
        guard let entry = levels[levels.count - 1].entries.popLast() else {
            levels.removeLast()
            return
        }
        let (level, name) = (levels[levels.count - 1].place, entry.name)
        let target = level.target.appending(name)
        guard level.depth < Limits.treeDepth, target.bytes.count <= Limits.pathByteCount else {
            return report(TreeProblem(path: level.folder.path.appending(name), reason: .tooDeep))
        }
        do {
            let known = level.known[name]
            // A regular file is opened at once, which gives the same attributes.
            let status =
                entry.kind == .regular && known == nil ? nil : try fromSource { try level.folder.status(of: name) }
            if let known, let status, isUnchanged(known, status) {
                records.count.unchanged += 1
                return
            }
            try add(name, status, of: level.folder, title: name, in: level.id, target)
        } catch let failure as SourceFailure {
            report(TreeProblem(path: level.folder.path.appending(name), reason: failure.reason))
        }
    }

    /// True if a file or symbolic link is as an earlier import left it, by its status alone. A file system of another machine may be
    /// mounted in the folder, with another clock.
    private func isUnchanged(_ old: Entry, _ status: FileStatus) -> Bool {
        guard let earlier = options.earlier, status.device == root.device else { return false }
        return earlier.left(old, status, keepsModes: options.keepsModes)
            && !records.writer.changes.hasChanged(old.id)
    }

    /// Stores one thing; without a status it is taken for a file.
    private func add(
        _ name: [UInt8], _ status: FileStatus?, of folder: any Folder, title: [UInt8], in parent: RecordID?,
        _ target: BytePath
    ) throws {
        guard let status, status.kind != .regular else { return try addFile(name, of: folder, title, parent, target) }
        switch status.kind {
        case .regular: break
        case .symlink: try addSymlink(name, of: folder, status, title, parent, target)
        case .folder:
            let inner = try fromSource { try folder.openFolder(name) }
            try enter(inner, status, title: title, in: parent, target)
        case .device: report(TreeProblem(path: folder.path.appending(name), reason: .device))
        case .other: skip(folder.path.appending(name), .socket)
        }
    }

    /// Stores a folder and puts what is in it on the list.
    private func enter(
        _ folder: any Folder, _ status: FileStatus, title: [UInt8], in parent: RecordID?, _ target: BytePath
    ) throws {
        if status.hasFarTime { report(TreeProblem(path: folder.path, reason: .farTime)) }
        let entries = try fromSource { try folder.entries() }
        var overview = Overview(title: title, modified: status.modified)
        overview.attributes = try kept(of: folder.path, status) { try folder.attributes() }
        let id = try records.makeFolder(title, in: parent, overview, shown: target, keeping: false)
        if options.staysOnFileSystem, status.device != root.device { return skip(folder.path, .otherFileSystem) }
        let before = try options.mirrors || options.earlier != nil ? entriesBefore(in: id) : []
        let known = options.earlier == nil ? [] : before
        let place = FolderLevel.Place(
            folder: folder, id: id, target: target, depth: target.components.count,
            known: Dictionary(known.map { ($0.overview.title, $0) }, uniquingKeysWith: { first, _ in first }))
        let path = Array(target.components.dropFirst(root.depth))
        let tag = options.skipsCaches ? try CacheTag.entry(among: entries, of: folder) : nil
        if tag != nil, entries.count > 1 { skip(folder.path, .cache) }
        let chosen = try tag.map { [$0] } ?? chosen(among: entries, of: folder, path)
        if options.mirrors, tag == nil { try removeOthers(than: Set(entries.map(\.name)), among: before, target, path) }
        levels.append(FolderLevel(place: place, entries: chosen.sorted { $1.name.lexicographicallyPrecedes($0.name) }))
    }

    /// What of a folder is carried in; the rest is told.
    ///
    /// - Parameter path: that of the folder from the one that is carried in.
    private func chosen(
        among entries: [FolderEntry], of folder: any Folder, _ path: [[UInt8]]
    ) throws -> [FolderEntry] {
        guard !options.excluded.isEmpty else { return entries }
        return try entries.filter { entry in
            let kind = try entry.kind ?? fromSource { try folder.status(of: entry.name) }.kind
            let pattern = options.excluded.pattern(leavingOut: path + [entry.name], isFolder: kind == .folder)
            if let pattern { skip(folder.path.appending(entry.name), .excluded(pattern: pattern)) }
            return pattern == nil
        }
    }

    /// Puts into the trash what the vault has in a folder and these names do not have, but for what is excluded.
    private func removeOthers(
        than names: Set<[UInt8]>, among before: [Entry], _ target: BytePath, _ path: [[UInt8]]
    ) throws {
        for entry in before {
            let title = entry.overview.title
            guard !names.contains(title), !records.writer.changes.hasChanged(entry.id),
                options.excluded.pattern(leavingOut: path + [title], isFolder: entry.kind == .folder) == nil
            else { continue }
            try records.trash(entry, target.appending(title))
        }
    }

    /// The live records that the vault had in a folder before the save.
    private func entriesBefore(in inner: RecordID) throws -> [Entry] {
        guard let vault = records.writer.changes.before else { return [] }
        return try vault.diagnosing { try vault.manifest.entries(in: inner) }.filter { $0.state == .live }
    }

    private func skip(_ path: BytePath, _ action: TreeChange.Action) {
        records.count.skipped += 1
        told(TreeChange(path: path, action: action))
    }

    private func addFile(
        _ name: [UInt8], of folder: any Folder, _ title: [UInt8], _ parent: RecordID?, _ target: BytePath
    ) throws {
        let file = try fromSource { try SourceFile(folder.openFile(name)) }
        let status = file.status
        guard status.kind == .regular else {
            if status.kind == .other { return skip(file.path, .socket) }
            return report(TreeProblem(path: file.path, reason: .device))
        }
        if (status.device, status.inode) == vaultFile {
            return report(TreeProblem(path: file.path, reason: .vaultItself))
        }
        if status.hasFarTime { report(TreeProblem(path: file.path, reason: .farTime)) }
        var overview = Overview(title: title, modified: status.modified, isExecutable: status.isExecutable)
        overview.attributes = try kept(of: file.path, status, file.attributes)
        let link = options.keepsModes && status.linkCount > 1 ? KeptAttributes.Link(status) : nil
        if let link, let known = linked[link],
            (known.status.size, known.status.modified) == (status.size, status.modified)
        {
            records.count.files += try records.share(known.content, title, in: parent, overview, target)
            return
        }
        var isWhole = true
        if let old = try records.stored(.file, title, in: parent, length: status.size, file.read) {
            records.count.files += try records.update(old, overview, target)
        } else {
            isWhole = try records.store(file, title, in: parent, overview, target)
            records.count.files += 1
        }
        if let link, let content = try records.content(title, in: parent) { linked[link] = (status, content) }
        if !isWhole || file.hasChanged() { told(TreeChange(path: file.path, action: .changedMeanwhile)) }
    }

    /// The encoded attributes of a file, folder or link; nil without `keepsModes`.
    private func kept(
        of path: BytePath, _ status: FileStatus, _ attributes: () throws -> FileAttributes
    ) throws -> [UInt8]? {
        guard options.keepsModes else { return nil }
        let (kept, isWhole) = try fromSource { try KeptAttributes.of(status, attributes) }
        if !isWhole { report(TreeProblem(path: path, reason: .attributesTooLong)) }
        return kept.encoded
    }

    private func addSymlink(
        _ name: [UInt8], of folder: any Folder, _ status: FileStatus, _ title: [UInt8], _ parent: RecordID?,
        _ target: BytePath
    ) throws {
        let link = try fromSource { try folder.symlinkTarget(name) }
        guard (1...Limits.symlinkByteCount).contains(link.count) else {
            return report(TreeProblem(path: folder.path.appending(name), reason: .tooDeep))
        }
        if status.hasFarTime { report(TreeProblem(path: folder.path.appending(name), reason: .farTime)) }
        var overview = Overview(title: title, modified: status.modified)
        overview.attributes = try kept(of: folder.path.appending(name), status) {
            FileAttributes(status)
        }
        let content: (UInt64, inout MutableSpan<UInt8>) throws -> Int = { offset, buffer in
            let length = min(buffer.count, link.count - Int(offset))
            for i in 0..<length { buffer[i] = link[Int(offset) + i] }
            return length
        }
        if let old = try records.stored(Entry.Kind.symlink, title, in: parent, length: UInt64(link.count), content) {
            return try records.count.symlinks += records.update(old, overview, target)
        }
        var offset: UInt64 = 0
        try records.put(Entry.Kind.symlink, title, in: parent, overview, shown: target) { buffer in
            let done = try content(offset, &buffer)
            offset += UInt64(done)
            return done
        }
        records.count.symlinks += 1
    }
}
