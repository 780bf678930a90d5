import Synchronization
public import VaultFormat

/// Writes records of a vault as files beneath a folder (Spec/reader.md, 6): never outside it, never through a
/// symbolic link, never over what is there unless asked; each file gets its name when it is whole.
public final class TreeExport {
    private let vault: Vault
    private let target: any Folder
    private let replacing: Bool
    private let report: (TreeProblem) -> Void
    /// The folder last written to: entries come folder by folder.
    private var current: (path: Path, folder: any Folder)?
    private var folderTimes: [(path: Path, time: Int64)] = []
    /// What was written.
    public private(set) var count = TreeCount()
    /// Told the bytes of content written so far, after each piece.
    public var progress: (UInt64) -> Void = { _ in }

    /// Writes beneath `target`, an existing folder.
    ///
    /// - Parameter replacing: whether files that are there may be replaced.
    public init(_ vault: Vault, to target: Path, replacing: Bool, report: @escaping (TreeProblem) -> Void) throws {
        (self.vault, self.replacing, self.report) = (vault, replacing, report)
        self.target = try vault.environment.files.openFolder(target)
    }

    /// Writes these entries under their paths, symbolic links last.
    ///
    /// - Throws: `IOError` when the disk is full; `VaultError.cancelled`. Records that are damaged, tampered with or
    ///   malformed are reported and the rest is written.
    public func write(_ entries: [(path: Path, entry: Entry)]) throws {
        var reader = try vault.reader()
        let sorted = entries.filter(isAcceptable).sorted { $0.path.precedesInTree($1.path) }
        var last: Path?
        for (path, entry) in sorted where entry.kind != Entry.Kind.symlink {
            // Two records with one path come one after the other.
            if path == last {
                report(TreeProblem(path: path, reason: .exists))
                continue
            }
            last = path
            try reporting(path) {
                let folder = try self.folder(path.parentInTree)
                if entry.kind == Entry.Kind.folder {
                    try writeFolder(path, entry, in: folder)
                } else {
                    try writeFile(path, entry, in: folder, &reader)
                }
            }
        }
        for (path, entry) in sorted where entry.kind == Entry.Kind.symlink {
            try reporting(path) { try writeSymlink(path, entry, in: folder(path.parentInTree), &reader) }
        }
        for (path, time) in folderTimes.reversed() {
            try reporting(path) { try folder(path.parentInTree).setModified(path.lastComponent, time) }
        }
    }

    private func isAcceptable(_ item: (path: Path, entry: Entry)) -> Bool {
        let reason: TreeProblem.Reason? =
            if !Entry.Kind.tree.contains(item.entry.kind) {
                .otherKind(item.entry.kind)
            } else if !TreeName.isValid(item.entry.overview.title) || !item.path.isPlain {
                .hostileName
            } else if item.path.bytes.count > Limits.pathByteCount {
                .tooDeep
            } else {
                nil
            }
        if let reason { report(TreeProblem(path: item.path, reason: reason)) }
        return reason == nil
    }

    /// Reports what concerns one name, and lets pass what concerns all: a full disk, a vault that cannot be read, the
    /// person's stop.
    private func reporting(_ path: Path, _ body: () throws -> Void) throws {
        do { try body() } catch let error as IOError where !error.isSpaceExhausted {
            report(TreeProblem(path: path, reason: error.isNameTaken ? .exists : .unwritable(error)))
        } catch let error as FormatError {
            report(TreeProblem(path: path, reason: .unreadableRecord(error)))
        }
    }

    private func folder(_ path: Path) throws -> any Folder {
        if path.bytes.isEmpty { return target }
        if let current, current.path == path { return current.folder }
        let folder = try openOrMake(path)
        current = (path, folder)
        return folder
    }

    /// Opens a folder beneath the target; one that is not among the entries is made.
    private func openOrMake(_ path: Path) throws -> any Folder {
        do { return try target.openBeneath(path) } catch let error as IOError where error.isMissing {
            try folder(path.parentInTree).makeFolder(path.lastComponent)
            return try target.openBeneath(path)
        }
    }

    private func writeFolder(_ path: Path, _ entry: Entry, in folder: any Folder) throws {
        guard entry.length == 0 else { throw FormatError(.malformed, "a folder with content", at: entry.place) }
        do { try folder.makeFolder(path.lastComponent) } catch let error as IOError where error.isNameTaken {
            guard try folder.status(of: path.lastComponent).kind == .folder else { throw error }
        }
        if let time = entry.overview.modified { folderTimes.append((path, time)) }
        count.folders += 1
    }

    private func writeFile(_ path: Path, _ entry: Entry, in folder: any Folder, _ reader: inout RecordReader) throws {
        let isTaken = (try? folder.status(of: path.lastComponent)) != nil
        if isTaken {
            guard replacing, try folder.status(of: path.lastComponent).kind != .folder else {
                return report(TreeProblem(path: path, reason: .exists))
            }
        }
        let file = try folder.makeFile(replacing: isTaken)
        try vault.write(entry, to: file, with: &reader) {
            count.bytes += $0
            progress(count.bytes)
        }
        try file.setAttributes(modified: entry.overview.modified, isExecutable: entry.overview.isExecutable)
        try file.publish(as: path.lastComponent, replacing: isTaken)
        count.files += 1
    }

    private func writeSymlink(_ path: Path, _ entry: Entry, in folder: any Folder, _ reader: inout RecordReader) throws
    {
        let link = try vault.symlinkTarget(entry, with: &reader)
        guard Self.staysBeneath(link, at: path.parentInTree) else {
            return report(TreeProblem(path: path, reason: .leadsOutside(target: link)))
        }
        try folder.makeSymlink(path.lastComponent, target: link)
        if let time = entry.overview.modified { try folder.setModified(path.lastComponent, time) }
        count.symlinks += 1
    }

    /// Whether a link in `folder` can only lead to something beneath the target (Spec/reader.md, 6).
    package static func staysBeneath(_ link: [UInt8], at folder: Path) -> Bool {
        guard let first = link.first, first != 0x2F, !link.contains(0) else { return false }
        // `..` behind a name could climb out of what the name leads to, if that is a link itself.
        let components = Path(link).components
        let up = components.prefix { $0 == [0x2E, 0x2E] }.count
        return up <= folder.components.count && !components.dropFirst(up).contains([0x2E, 0x2E])
    }
}

extension Vault {
    /// Writes the content of a record to a new file.
    ///
    /// - Parameter progress: is told the bytes of each piece, by one thread at a time.
    func write(
        _ entry: Entry, to file: any File, with reader: inout RecordReader, progress: (UInt64) -> Void
    ) throws {
        if entry.length > Layout.chunkByteCount { file.allocate(0..<entry.length) }
        let turn = Mutex(())
        do {
            try reader.readInAnyOrder(entry) { offset, piece in
                try environment.checkCancellation()
                try file.writeAll(piece, at: offset)
                turn.withLock { _ in progress(UInt64(piece.count)) }
            }
        } catch let fault as Fault {
            throw try diagnose(fault)
        }
    }

    /// Where a symbolic link leads.
    ///
    /// - Throws: `FormatError.malformed` if the target is empty, too long or has a NUL.
    func symlinkTarget(_ entry: Entry, with reader: inout RecordReader) throws -> [UInt8] {
        guard (1...UInt64(Limits.symlinkByteCount)).contains(entry.length) else {
            throw FormatError(.malformed, "the target of a symlink", at: entry.place)
        }
        var target: [UInt8] = []
        try read(entry, with: &reader) { target += Array(copying: $0) }
        guard !target.contains(0) else { throw FormatError(.malformed, "the target of a symlink", at: entry.place) }
        return target
    }

    /// Writes one record to a file of its own, which gets its name when it is whole.
    ///
    /// - Throws: `VaultError.exists` if the name is taken and `replacing` is false; all that reading and writing
    ///   throws.
    public func export(_ entry: Entry, to target: Path, replacing: Bool) throws {
        let folder = try environment.files.openFolder(target.parent)
        let isTaken = (try? folder.status(of: target.lastComponent)) != nil
        if isTaken && !replacing { throw VaultError.exists(target) }
        let file = try folder.makeFile(replacing: isTaken)
        var reader = try reader()
        try write(entry, to: file, with: &reader) { _ in }
        try file.setAttributes(modified: entry.overview.modified, isExecutable: entry.overview.isExecutable)
        do {
            try file.publish(as: target.lastComponent, replacing: isTaken)
        } catch let error as IOError where error.isNameTaken {
            throw VaultError.exists(target)
        }
    }
}

extension Path {
    /// The folder of a path within a tree; empty at the top.
    var parentInTree: Path {
        guard let slash = bytes.lastIndex(of: 0x2F) else { return Path("") }
        return Path(Array(bytes[..<slash]))
    }

    /// Whether it can only lead downwards: valid names with one slash between them. A folder's title may hold slashes
    /// of its own, also at its front.
    var isPlain: Bool {
        bytes.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy { TreeName.isValid(Array($0)) }
    }

    /// The first `count` bytes.
    func cut(to count: Int) -> Path { bytes.count > count ? Path(Array(bytes[..<count])) : self }

    /// The order that lists a folder right before what is in it.
    public func precedesInTree(_ other: Path) -> Bool {
        bytes.lexicographicallyPrecedes(other.bytes) { ($0 == 0x2F ? 0 : $0) < ($1 == 0x2F ? 0 : $1) }
    }
}
