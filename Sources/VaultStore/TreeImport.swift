import VaultFormat

/// Something that was not stored as it is, or not written out, and why; the rest goes on.
public struct TreeProblem: Equatable, Sendable {
    /// Why.
    public enum Reason: Equatable, Sendable {
        // Carrying in.
        /// A device, socket or pipe.
        case special
        /// The system refused to read it.
        case unreadable(IOError)
        /// It stopped in the middle; what was read is in the vault's trash.
        case cutShort(IOError)
        /// It changed while it was read; what was read is stored.
        case changed
        /// The vault itself, or what it is being written to.
        case vaultItself
        /// Deeper than `Limits.treeDepth`, or its path longer than `Limits.pathByteCount`.
        case tooDeep

        // Carrying out.
        /// A name that no file may have.
        case hostileName
        /// A symbolic link that would lead out of the target folder.
        case leadsOutside(target: [UInt8])
        /// Something of this name is there.
        case exists
        /// Not a file, folder or symlink.
        case otherKind(UInt16)
        /// The system refused to write it.
        case unwritable(IOError)
    }

    /// The source file, or the path in the vault.
    public let path: Path
    /// Why.
    public let reason: Reason

    package init(path: Path, reason: Reason) { (self.path, self.reason) = (path, reason) }
}

/// Carries files and folders into a vault: structure, names as they are, contents, modification times, the
/// executable bit, empty folders, symbolic links as such. Hard links become files of their own.
public final class TreeImport {
    private let writer: CommitWriter
    private let environment: Environment
    private let vaultFile: (device: UInt64, inode: UInt64)
    private let report: (TreeProblem) -> Void
    /// The folders on the way to where the work is, outermost first: a deep tree must not use up the stack.
    private var levels: [Level] = []
    /// What was stored.
    public private(set) var count = (files: 0, folders: 0, symlinks: 0, bytes: UInt64(0))
    /// Told the bytes of content stored so far, after each piece.
    public var progress: (UInt64) -> Void = { _ in }

    init(
        _ writer: CommitWriter, _ environment: Environment, vaultFile: (device: UInt64, inode: UInt64),
        report: @escaping (TreeProblem) -> Void
    ) {
        (self.writer, self.environment, self.vaultFile, self.report) = (writer, environment, vaultFile, report)
    }

    /// Stores what is at `source`, with everything beneath it, under the path `target` of the vault.
    ///
    /// - Throws: `IOError` if `source` itself cannot be read; `VaultError` `.invalidName`, `.kindConflict`,
    ///   `.duplicateName`, `.cancelled`;
    ///   whatever writing the vault throws. What lies beneath and cannot be stored is reported instead.
    public func add(_ source: Path, as target: Path) throws {
        defer { levels = [] }
        let parent = try makeParents(of: target)
        let depth = target.components.count
        let resolved =
            [[], [0x2E], [0x2E, 0x2E]].contains(source.lastComponent) ? try environment.files.resolve(source) : source
        if resolved.lastComponent.isEmpty {
            try addFolder(
                environment.files.openFolder(resolved), nil, title: target.lastComponent, in: parent, shown: target,
                depth: depth)
        } else {
            let folder = try environment.files.openFolder(resolved.parent)
            try add(
                resolved.lastComponent, of: folder, title: target.lastComponent, in: parent, target, depth: depth,
                isTop: true)
        }
        while let level = levels.last {
            guard let name = level.names.first else {
                levels.removeLast()
                continue
            }
            levels[levels.count - 1].names.removeFirst()
            try add(
                name, of: level.folder, title: name, in: level.id, level.path.appending(name), depth: level.depth + 1,
                isTop: false)
        }
    }

    /// A folder, and what of it is still to come.
    private struct Level {
        let folder: any Folder
        let id: RecordID
        let path: Path
        let depth: Int
        var names: ArraySlice<[UInt8]>
    }

    /// Stores a stream of unknown length as a file under the path `target`.
    ///
    /// - Parameter read: fills as much of the buffer as it can; less means the end.
    public func addStream(as target: Path, read: (inout MutableSpan<UInt8>) throws -> Int) throws {
        let parent = try makeParents(of: target)
        let overview = Overview(title: target.lastComponent)
        try put(Entry.Kind.file, target.lastComponent, in: parent, overview, shown: target, read: read)
        count.files += 1
    }

    /// The folder that `target` lies in; missing ones are made.
    private func makeParents(of target: Path) throws -> RecordID? {
        let components = target.components
        guard !components.isEmpty, components.allSatisfy(TreeName.isValid), target.bytes.count <= Limits.pathByteCount,
            components.count <= Limits.treeDepth
        else { throw VaultError.invalidName(target) }
        var parent: RecordID?
        var path = Path("")
        for component in components.dropLast() {
            path = path.appending(component)
            parent = try makeFolder(component, in: parent, Overview(title: component), shown: path, keeping: true)
        }
        return parent
    }

    private func add(
        _ name: [UInt8], of folder: any Folder, title: [UInt8], in parent: RecordID?, _ target: Path, depth: Int,
        isTop: Bool
    ) throws {
        try environment.checkCancellation()
        let source = folder.path.appending(name)
        guard depth <= Limits.treeDepth, target.bytes.count <= Limits.pathByteCount else {
            return report(TreeProblem(path: source, reason: .tooDeep))
        }
        do {
            let status = try fromSource { try folder.status(of: name) }
            if (status.device, status.inode) == vaultFile {
                return report(TreeProblem(path: source, reason: .vaultItself))
            }
            switch status.kind {
            case .regular: try addFile(name, of: folder, status, title, parent, target)
            case .symlink: try addSymlink(name, of: folder, status, title, parent, target)
            case .folder:
                let inner = try fromSource { try folder.openFolder(name) }
                try addFolder(inner, status, title: title, in: parent, shown: target, depth: depth)
            case .other: report(TreeProblem(path: source, reason: .special))
            }
        } catch let failure as SourceFailure {
            if isTop && count == (0, 0, 0, 0) && !failure.wasPartlyRead { throw failure.error }
            report(
                TreeProblem(
                    path: source, reason: failure.wasPartlyRead ? .cutShort(failure.error) : .unreadable(failure.error))
            )
        }
    }

    /// Stores the folder itself; what is in it comes when its level's turn comes.
    private func addFolder(
        _ folder: any Folder, _ status: FileStatus?, title: [UInt8], in parent: RecordID?, shown target: Path,
        depth: Int
    ) throws {
        let names = try fromSource { try folder.names() }.sorted { $0.lexicographicallyPrecedes($1) }
        let overview = Overview(title: title, modified: status?.modified)
        let id = try makeFolder(title, in: parent, overview, shown: target, keeping: false)
        levels.append(Level(folder: folder, id: id, path: target, depth: depth, names: names[...]))
    }

    private func addFile(
        _ name: [UInt8], of folder: any Folder, _ status: FileStatus, _ title: [UInt8], _ parent: RecordID?,
        _ target: Path
    ) throws {
        let file = try fromSource { try folder.openFile(name) }
        let before = try fromSource { try file.status() }
        guard before.kind == .regular else {
            return report(TreeProblem(path: file.path, reason: .special))
        }
        var offset: UInt64 = 0
        let overview = Overview(title: title, modified: before.modified, isExecutable: before.isExecutable)
        try put(Entry.Kind.file, title, in: parent, overview, shown: target) { buffer in
            do {
                let done = try file.readAll(into: &buffer, at: offset)
                offset += UInt64(done)
                return done
            } catch let error as IOError {
                throw SourceFailure(error: error, wasPartlyRead: true)
            }
        }
        count.files += 1
        let after = try? file.status()
        if after?.modified != before.modified || after?.size != before.size || offset != before.size {
            report(TreeProblem(path: file.path, reason: .changed))
        }
    }

    private func addSymlink(
        _ name: [UInt8], of folder: any Folder, _ status: FileStatus, _ title: [UInt8], _ parent: RecordID?,
        _ target: Path
    ) throws {
        let link = try fromSource { try folder.symlinkTarget(name) }
        guard (1...Limits.symlinkByteCount).contains(link.count) else {
            return report(TreeProblem(path: folder.path.appending(name), reason: .tooDeep))
        }
        let overview = Overview(title: title, modified: status.modified)
        try put(Entry.Kind.symlink, title, in: parent, overview, shown: target, content: link)
        count.symlinks += 1
    }

    /// Makes a folder, or takes the one that is there; with `keeping` it stays as it is.
    private func makeFolder(
        _ title: [UInt8], in parent: RecordID?, _ overview: Overview, shown: Path, keeping: Bool
    ) throws -> RecordID {
        let id = try TreeName.id(title, in: parent)
        if let old = try writer.entry(id), old.state == .live {
            guard old.kind == Entry.Kind.folder else { throw VaultError.kindConflict(shown) }
            if keeping || old.overview.modified == overview.modified { return id }
        }
        try put(Entry.Kind.folder, title, in: parent, overview, shown: shown, content: [])
        if !keeping { count.folders += 1 }
        return id
    }

    private func put(
        _ kind: UInt16, _ title: [UInt8], in parent: RecordID?, _ overview: Overview, shown: Path, content: [UInt8]
    ) throws {
        var offset = 0
        try put(kind, title, in: parent, overview, shown: shown) { buffer in
            let length = min(buffer.count, content.count - offset)
            for i in 0..<length { buffer[i] = content[offset + i] }
            offset += length
            return length
        }
    }

    private func put(
        _ kind: UInt16, _ title: [UInt8], in parent: RecordID?, _ overview: Overview, shown: Path,
        read: (inout MutableSpan<UInt8>) throws -> Int
    ) throws {
        let id = try TreeName.id(title, in: parent)
        if writer.hasChanged(id) { throw VaultError.duplicateName(shown) }
        if let old = try writer.entry(id), old.state == .live,
            (old.kind == Entry.Kind.folder) != (kind == Entry.Kind.folder)
        {
            throw VaultError.kindConflict(shown)
        }
        try writer.put(id, kind: kind, parent: parent, overview: overview) { buffer in
            let done = try read(&buffer)
            count.bytes += UInt64(done)
            progress(count.bytes)
            return done
        }
    }

    /// An error of the source, to be told from one of the vault.
    private struct SourceFailure: Error {
        let error: IOError
        var wasPartlyRead = false
    }

    private func fromSource<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as IOError { throw SourceFailure(error: error) }
    }
}
