import VaultIO
import Synchronization
public import Values
import VaultFormat

/// Writes records of a vault as files beneath a folder (Spec/reader.md, 6): never outside it, never through a
/// symbolic link, never over what is there unless asked; each file gets its name when it is whole.
///
/// Folders come first, in order, then the files, folder by folder on all cores, then symbolic links, and last the
/// folders' times.
public final class TreeExport {
    /// Files that one thread writes before it looks for more.
    private static let longestRun = 1024

    private let vault: Vault
    private let target: any Folder
    private let replacing: Bool
    private let tally: ExportCounter
    /// True if modes, extended attributes and hard links that the vault has kept are made again.
    public var keepsModes = false
    /// True if owners and groups are set too, which takes the right to do so.
    public var setsOwners = false
    /// True if symbolic links are written that may lead outside the folder.
    public var writesAllLinks = false
    private var finishedFolders: [(path: BytePath, entry: Entry)] = []
    /// Folders that were not there before: nothing can be in the way in them.
    private var newFolders: Set<BytePath> = []
    /// The counts of what was written.
    public var count: TreeCount { tally.count }
    /// Told the bytes of content written so far, after each piece, by one thread at a time.
    public var progress: (UInt64) -> Void {
        get { tally.progress }
        set { tally.progress = newValue }
    }

    /// Writes beneath `target`, an existing folder.
    ///
    /// - Parameters:
    ///   - replacing: whether files that are there may be replaced.
    ///   - report: told what is left out, by one thread at a time.
    public init(_ vault: Vault, to target: BytePath, replacing: Bool, report: @escaping (TreeProblem) -> Void) throws {
        (self.vault, self.replacing, tally) = (vault, replacing, ExportCounter(report))
        self.target = try vault.environment.files.openFolder(target)
    }

    /// Writes these entries under their paths. Those that only serve others are passed over.
    ///
    /// - Throws: `IOError` when the disk is full; `VaultError.cancelled`. Records that are damaged, tampered with or
    ///   malformed are reported and the rest is written.
    public func write(_ entries: TreeListing) throws {
        let entries = acceptable(entries)
        let folders = FolderCache(target)
        for item in entries where item.entry.kind == .folder {
            try reporting(item.path) {
                try writeFolder(item.path, item.entry, in: folders.folder(item.path.parentInTree))
                return nil
            }
        }
        let files = entries.selecting { Self.isFile($1.kind) }
        let links = keepsModes ? files.hardLinks() : [:]
        let leaders = Set(links.values)
        try writeFiles(files.selecting { path, _ in links[path] == nil }, leaders)
        try writeHardLinks(files.selecting { path, _ in links[path] != nil }, links, folders)
        var reader = try vault.reader()
        for item in entries where item.entry.kind == .symlink {
            try reporting(item.path) {
                try writeSymlink(item.path, item.entry, in: folders.folder(item.path.parentInTree), &reader)
            }
        }
        for (path, entry) in finishedFolders.reversed() {
            try reporting(path) {
                let parent = try folders.folder(path.parentInTree)
                // A folder that was there is somebody's own, unless files may be replaced.
                let problem =
                    newFolders.contains(path) || replacing
                    ? try setAttributes(of: entry) {
                        try parent.openFolder(path.lastComponent).apply($0, withOwner: setsOwners)
                    } : nil
                if let time = entry.overview.modified { try parent.setModified(path.lastComponent, time) }
                return problem
            }
        }
    }

    /// Sets the kept attributes if `keepsModes`. A failure becomes a problem; the content stays.
    private func setAttributes(
        of entry: Entry, _ set: (FileAttributes) throws -> Void
    ) throws -> TreeProblem.Reason? {
        guard keepsModes else { return nil }
        do {
            if let kept = try entry.overview.kept { try set(kept.file) }
        } catch let error as IOError {
            return .withoutAttributes(error.message)
        } catch let error as FormatError {
            return .withoutAttributes(error.what)
        }
        return nil
    }

    /// Makes the hard links; writes a separate file where the system refuses one.
    private func writeHardLinks(
        _ files: TreeListing, _ links: [BytePath: BytePath], _ folders: FolderCache
    ) throws {
        guard !files.isEmpty else { return }
        var reader = try vault.reader()
        let others = FolderCache(target)
        for (path, entry) in files {
            try reporting(path) {
                let folder = try folders.folder(path.parentInTree)
                let name = path.lastComponent
                let status = try? folder.status(of: name)
                if let status, !replacing || status.kind == .folder { return .exists }
                if let leader = links[path], tally.isWritten(leader: leader) {
                    do {
                        let other = try others.folder(leader.parentInTree)
                        try folder.link(name, to: leader.lastComponent, in: other, replacing: status != nil)
                        tally.countFile()
                        return nil
                    } catch is IOError {
                        // The file system may have no hard links, or no room for another one.
                    }
                }
                return try writeFile(path, entry, in: folder, &reader)
            }
        }
    }

    /// The records that can be written; the first of those with one path.
    private func acceptable(_ entries: TreeListing) -> TreeListing {
        var last: BytePath?
        return entries.selecting { !$1.isPassedOver && isAcceptable($0, $1) }.selecting { path, _ in
            defer { last = path }
            if path == last { tally.report([TreeProblem(path: path, reason: .exists)]) }
            return path != last
        }
    }

    /// True if its content is that of a file.
    private static func isFile(_ kind: Entry.Kind) -> Bool { kind == .file || kind == .attachment }

    private func isAcceptable(_ path: BytePath, _ entry: Entry) -> Bool {
        let reason: TreeProblem.Reason? =
            if !entry.kind.isInTree, !Self.isFile(entry.kind) {
                .otherKind(entry.kind)
            } else if !TreeName.isValid(entry.overview.title) || !path.isPlain {
                .hostileName
            } else if path.bytes.count > Limits.pathByteCount {
                .tooDeep
            } else {
                nil
            }
        if let reason { tally.report([TreeProblem(path: path, reason: reason)]) }
        return reason == nil
    }

    /// Reports what concerns one name, and lets pass what concerns all: a full disk, a vault that cannot be read, the
    /// person's stop.
    private func reporting(_ path: BytePath, _ body: () throws -> TreeProblem.Reason?) throws {
        if let reason = try reason(body) { tally.report([TreeProblem(path: path, reason: reason)]) }
    }

    /// The reason why `body` left something out, whether it returned or threw it.
    private func reason(_ body: () throws -> TreeProblem.Reason?) throws -> TreeProblem.Reason? {
        do { return try body() } catch let error as IOError where !error.isSpaceExhausted {
            return error.isNameTaken ? .exists : .unwritable(error)
        } catch let error as FormatError {
            return .unreadableRecord(error)
        }
    }

    private func writeFolder(_ path: BytePath, _ entry: Entry, in folder: any Folder) throws {
        guard entry.length == 0 else { throw FormatError(.malformed, "a folder with content", at: entry.place) }
        do {
            try folder.makeFolder(path.lastComponent)
            newFolders.insert(path)
        } catch let error as IOError where error.isNameTaken {
            guard try folder.status(of: path.lastComponent).kind == .folder else { throw error }
        }
        finishedFolders.append((path, entry))
        tally.count.folders += 1
    }

    /// Writes files in runs: neighbours in one folder, so that two threads seldom want the same one.
    ///
    /// - Parameter leaders: those that have further names.
    private func writeFiles(_ files: TreeListing, _ leaders: Set<BytePath>) throws {
        var runs: [Range<Int>] = []
        for (index, file) in files.enumerated() {
            if let run = runs.last, run.count < Self.longestRun, files[run.lowerBound].path.isBeside(file.path) {
                runs[runs.count - 1] = run.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        let threads = try (0..<min(runs.count, Parallel.threadCount)).map { _ in
            FileThread(folders: FolderCache(target), reader: try vault.reader())
        }
        try Parallel.forEach(runs.count) { thread, run in
            var problems: [TreeProblem] = []
            defer { tally.report(problems, ofRun: run) }
            for (path, entry) in files[runs[run]] {
                let reason = try reason {
                    let folder = try threads[thread].folders.folder(path.parentInTree)
                    let problem = try writeFile(path, entry, in: folder, &threads[thread].reader)
                    if leaders.contains(path), problem != .exists { tally.note(leader: path) }
                    return problem
                }
                if let reason { problems.append(TreeProblem(path: path, reason: reason)) }
            }
        }
    }

    /// The buffers and cipher of one thread.
    private final class FileThread {
        let folders: FolderCache
        var reader: RecordReader

        init(folders: FolderCache, reader: consuming RecordReader) {
            self.folders = folders
            self.reader = reader
        }
    }

    private func writeFile(
        _ path: BytePath, _ entry: Entry, in folder: any Folder, _ reader: inout RecordReader
    ) throws -> TreeProblem.Reason? {
        let name = path.lastComponent
        let status = newFolders.contains(path.parentInTree) ? nil : try? folder.status(of: name)
        if let status, !replacing || status.kind == .folder { return .exists }
        let file = try folder.makeFile(replacing: status != nil)
        try vault.write(entry, to: file, with: &reader, progress: tally.add)
        try file.setAttributes(modified: entry.overview.modified, isExecutable: entry.overview.isExecutable)
        let problem = try setAttributes(of: entry) { try file.apply($0, withOwner: setsOwners) }
        try file.publish(as: name, replacing: status != nil)
        tally.countFile()
        return problem
    }

    private func writeSymlink(
        _ path: BytePath, _ entry: Entry, in folder: any Folder, _ reader: inout RecordReader
    ) throws -> TreeProblem.Reason? {
        let link = try vault.symlinkTarget(entry, with: &reader)
        guard writesAllLinks || Self.staysBeneath(link, at: path.parentInTree) else {
            return .leadsOutside(target: link)
        }
        do { try folder.makeSymlink(path.lastComponent, target: link) } catch let error as IOError
            where error.isNameTaken && replacing
        {
            let isFolder = try folder.status(of: path.lastComponent).kind == .folder
            guard !isFolder else { return .exists }
            try folder.replace(path.lastComponent, withSymlinkTo: link)
        }
        let problem =
            setsOwners
            ? try setAttributes(of: entry) { try folder.setOwner(of: path.lastComponent, $0.owner, $0.group) } : nil
        if let time = entry.overview.modified { try folder.setModified(path.lastComponent, time) }
        tally.count.symlinks += 1
        return problem
    }

    /// True if a link in `folder` can only lead to something beneath the target (Spec/reader.md, 6).
    package static func staysBeneath(_ link: [UInt8], at folder: BytePath) -> Bool {
        guard let first = link.first, first != 0x2F, !link.contains(0) else { return false }
        // `..` behind a name could climb out of what the name leads to, if that is a link itself.
        let components = BytePath(link).components.filter { $0 != [0x2E] }
        let up = components.prefix { $0 == [0x2E, 0x2E] }.count
        return up <= folder.components.count && !components.dropFirst(up).contains([0x2E, 0x2E])
    }
}

/// The folder last used: entries come folder by folder.
private final class FolderCache {
    private let target: any Folder
    private var current: (path: BytePath, folder: any Folder)?

    init(_ target: any Folder) { self.target = target }

    func folder(_ path: BytePath) throws -> any Folder {
        if path.bytes.isEmpty { return target }
        if let current, current.path == path { return current.folder }
        let folder = try openOrMake(path)
        current = (path, folder)
        return folder
    }

    /// Opens a folder beneath the target; one that is not among the entries is made.
    private func openOrMake(_ path: BytePath) throws -> any Folder {
        do { return try target.openBeneath(path) } catch let error as IOError where error.isMissing {
            let parent = try folder(path.parentInTree)
            // Another thread may be quicker.
            do { try parent.makeFolder(path.lastComponent) } catch let error as IOError where error.isNameTaken {}
            return try target.openBeneath(path)
        }
    }
}

extension Entry {
    /// True if an extraction passes over it and says nothing (Spec/reader.md, 6): it only serves others, or is a setting that is
    /// about the vault.
    package var isPassedOver: Bool {
        kind.isPart || kind == .setting && Self.vaultSettings.contains(overview.title)
    }

    /// The name of the setting that says whether contents are compressed.
    package static let compressionSetting = "compression"
    /// The name of the setting that says whether modes and owners are kept.
    package static let modesSetting = "keep-modes"
    /// The titles of the settings that are about the vault.
    private static let vaultSettings = [compressionSetting, modesSetting].map { Array($0.utf8) }
}
