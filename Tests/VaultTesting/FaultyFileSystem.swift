import Synchronization
package import Values
import VaultFormat
package import VaultIO

/// A file system over another, whose n-th call fails, once or from then on, and which writes down what would change the
/// disk.
package final class FaultyFileSystem: FileSystem {
    /// The fault of a call.
    package enum Fault: Sendable, Equatable {
        /// The system refuses, with this error number.
        case error(Int32)
        /// A write takes in half of what it is given; other calls are left alone.
        case shortWrite
        /// A write is acknowledged and never reaches the disk; other calls are left alone.
        case lostWrite
        /// A write reaches the disk 4,096 bytes behind where it belongs; other calls are left alone.
        case misdirectedWrite
        /// A read gets what stood there before the last write to the file; other calls are left alone.
        case staleRead
        /// A read gets the bytes of 4,096 bytes behind its place; other calls are left alone.
        case misdirectedRead
    }

    /// Which calls fail.
    package struct Plan: Sendable {
        package let first: Int
        package let isForEver: Bool
        package let fault: Fault

        package init(first: Int, isForEver: Bool, fault: Fault) {
            (self.first, self.isForEver, self.fault) = (first, isForEver, fault)
        }
    }

    fileprivate let base: any FileSystem
    private let plan: Plan?
    private let state = Mutex(State())

    private struct State {
        var calls = 0
        var trace: [Trace.Operation] = []
        /// By file: the place of the last write, and what stood there before it.
        var overwritten: [UInt64: (offset: UInt64, bytes: [UInt8])] = [:]
    }

    package init(_ base: any FileSystem, plan: Plan? = nil) { (self.base, self.plan) = (base, plan) }

    fileprivate var hasStaleReads: Bool { plan?.fault == .staleRead }
    fileprivate func overwritten(in inode: UInt64) -> (offset: UInt64, bytes: [UInt8])? {
        state.withLock { $0.overwritten[inode] }
    }
    fileprivate func note(overwritten bytes: [UInt8], at offset: UInt64, in inode: UInt64) {
        state.withLock { $0.overwritten[inode] = (offset, bytes) }
    }

    /// Calls so far.
    package var callCount: Int { state.withLock { $0.calls } }
    /// The writes so far, in order.
    package var trace: [Trace.Operation] { state.withLock { $0.trace } }

    /// Counts a call; says what it is to suffer.
    fileprivate func fault() -> Fault? {
        let index = state.withLock { state in
            defer { state.calls += 1 }
            return state.calls
        }
        guard let plan, index == plan.first || plan.isForEver && index > plan.first else { return nil }
        return plan.fault
    }

    fileprivate func check(_ operation: String, _ path: BytePath) throws {
        if case .error(let code) = fault() { throw IOError(operation, path, code: code) }
    }

    fileprivate func note(_ operation: Trace.Operation) { state.withLock { $0.trace.append(operation) } }

    package func openFile(_ path: BytePath, writing: Bool) throws -> any File {
        try check("open", path)
        return FaultyFile(self, try base.openFile(path, writing: writing))
    }

    package func openFolder(_ path: BytePath) throws -> any Folder {
        try check("open", path)
        return FaultyFolder(self, try base.openFolder(path))
    }

    package func status(_ path: BytePath) throws -> FileStatus {
        try check("read", path)
        return try base.status(path)
    }

    package func makeFolder(_ path: BytePath) throws {
        try check("create", path)
        try base.makeFolder(path)
    }

    package func resolve(_ path: BytePath) throws -> BytePath {
        try check("open", path)
        return try base.resolve(path)
    }

    package func medium(_ path: BytePath) -> Medium { base.medium(path) }
}

private class FaultyFile: File {
    let system: FaultyFileSystem
    private let base: any File
    let inode: UInt64
    var path: BytePath { base.path }

    init(_ system: FaultyFileSystem, _ base: any File) {
        (self.system, self.base) = (system, base)
        inode = (try? base.status().inode) ?? 0
    }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        let fault = system.fault()
        if case .error(let code) = fault { throw IOError("read", path, code: code) }
        let count = try base.read(into: &buffer, at: fault == .misdirectedRead ? offset + 4096 : offset)
        guard fault == .staleRead, let overwritten = system.overwritten(in: inode) else { return count }
        for (index, byte) in overwritten.bytes.enumerated() {
            let place = overwritten.offset + UInt64(index)
            if place >= offset, place < offset + UInt64(count) { buffer[Int(place - offset)] = byte }
        }
        return count
    }

    func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int {
        let fault = system.fault()
        if case .error(let code) = fault { throw IOError("write", path, code: code) }
        if fault == .lostWrite { return bytes.count }
        let taken = fault == .shortWrite ? (bytes.count + 1) / 2 : bytes.count
        let place = fault == .misdirectedWrite ? offset + 4096 : offset
        if system.hasStaleReads {
            let old = try base.bytes(at: place, count: taken)
            system.note(overwritten: old + [UInt8](repeating: 0, count: taken - old.count), at: place, in: inode)
        }
        let count = try base.write(bytes.extracting(..<taken), at: place)
        let written = (0..<count).map { bytes[$0] }
        system.note(.write(file: inode, offset: place, bytes: written))
        return count
    }

    func status() throws -> FileStatus {
        try system.check("read", path)
        return try base.status()
    }

    func allocate(_ range: Range<UInt64>) { base.allocate(range) }

    func truncate(to length: UInt64) throws {
        try system.check("write", path)
        try base.truncate(to: length)
        system.note(.truncate(file: inode, length: length))
    }

    func sync() throws {
        do { try system.check("sync", path) } catch {
            system.note(.failedSync(file: inode))
            throw error
        }
        try base.sync()
        system.note(.sync(file: inode))
    }

    func lock() throws -> Bool {
        try system.check("lock", path)
        return try base.lock()
    }

    func isLockedElsewhere() -> Bool { base.isLockedElsewhere() }

    func takeAccess(of old: any File) throws {
        try system.check("change", path)
        try base.takeAccess(of: (old as? FaultyFile)?.base ?? old)
    }

    func attributes() throws -> FileAttributes {
        try system.check("read", path)
        return try base.attributes()
    }

    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try system.check("change", path)
        try base.apply(attributes, withOwner: withOwner)
    }

    func setAttributes(modified: FileTime?, isExecutable: Bool) throws {
        try system.check("change", path)
        try base.setAttributes(modified: modified, isExecutable: isExecutable)
    }
}

private final class FaultyUnnamedFile: FaultyFile, UnnamedFile {
    private let unnamed: any UnnamedFile
    private let folder: BytePath

    init(_ system: FaultyFileSystem, _ base: any UnnamedFile, in folder: BytePath) {
        (unnamed, self.folder) = (base, folder)
        super.init(system, base)
    }

    func publish(as name: [UInt8], replacing: Bool) throws {
        try system.check("create", path)
        try unnamed.publish(as: name, replacing: replacing)
        system.note(.name(file: inode, folder.appending(name)))
    }
}

private final class FaultyFolder: Folder {
    private let system: FaultyFileSystem
    private let base: any Folder
    var path: BytePath { base.path }

    init(_ system: FaultyFileSystem, _ base: any Folder) { (self.system, self.base) = (system, base) }

    private func checked<R>(_ operation: String, _ name: [UInt8] = [], _ body: () throws -> R) throws -> R {
        try system.check(operation, name.isEmpty ? path : path.appending(name))
        return try body()
    }

    func entries() throws -> [FolderEntry] { try checked("list") { try base.entries() } }
    func status(of name: [UInt8]) throws -> FileStatus { try checked("read", name) { try base.status(of: name) } }
    func openFile(_ name: [UInt8], writing: Bool) throws -> any File {
        try checked("open", name) { FaultyFile(system, try base.openFile(name, writing: writing)) }
    }
    func openFolder(_ name: [UInt8]) throws -> any Folder {
        try checked("open", name) { FaultyFolder(system, try base.openFolder(name)) }
    }
    func symlinkTarget(_ name: [UInt8]) throws -> [UInt8] {
        try checked("read", name) { try base.symlinkTarget(name) }
    }
    func openBeneath(_ relative: BytePath) throws -> any Folder {
        try checked("open", relative.bytes) { FaultyFolder(system, try base.openBeneath(relative)) }
    }
    func makeFolder(_ name: [UInt8]) throws { try checked("create", name) { try base.makeFolder(name) } }
    func makeSymlink(_ name: [UInt8], target: [UInt8]) throws {
        try checked("create", name) { try base.makeSymlink(name, target: target) }
    }
    func replace(_ name: [UInt8], withSymlinkTo target: [UInt8]) throws {
        try checked("replace", name) { try base.replace(name, withSymlinkTo: target) }
    }
    func removeFile(_ name: [UInt8]) throws {
        try checked("remove", name) { try base.removeFile(name) }
        system.note(.remove(path.appending(name)))
    }
    func link(_ name: [UInt8], as new: [UInt8]) throws {
        try checked("create", new) { try base.link(name, as: new) }
        system.note(.name(file: try base.status(of: name).inode, path.appending(new)))
    }
    func makeFile(replacing: Bool) throws -> any UnnamedFile {
        try checked("create") { FaultyUnnamedFile(system, try base.makeFile(replacing: replacing), in: path) }
    }
    func link(_ new: [UInt8], to name: [UInt8], in other: any Folder, replacing: Bool) throws {
        let other = (other as? FaultyFolder)?.base ?? other
        try checked("create", new) { try base.link(new, to: name, in: other, replacing: replacing) }
        system.note(.name(file: try base.status(of: new).inode, path.appending(new)))
    }
    func attributes() throws -> FileAttributes { try checked("read") { try base.attributes() } }
    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try checked("change") { try base.apply(attributes, withOwner: withOwner) }
    }
    func setOwner(of name: [UInt8], _ owner: UInt32, _ group: UInt32) throws {
        try checked("change", name) { try base.setOwner(of: name, owner, group) }
    }
    func setModified(_ name: [UInt8], _ time: FileTime) throws {
        try checked("change", name) { try base.setModified(name, time) }
    }
    func sync() throws {
        try checked("sync") { try base.sync() }
        system.note(.syncFolder)
    }
}
