import Foundation
package import VaultFormat
package import VaultIO

/// A file system in memory, whose every call can be watched or made to fail.
package final class MemoryFileSystem: FileSystem, @unchecked Sendable {
    // The store may call from several threads: every call passes the lock in `note`, contents have one of their own.
    private let lock = NSLock()
    let contents = NSRecursiveLock()
    /// One call that may fail.
    package struct Call: Equatable {
        package let operation: String
        package let path: BytePath
        package var offset: UInt64 = 0
        package var count = 0
    }

    package final class Node {
        package var kind: FileStatus.Kind
        package var content: [UInt8] = []
        package var children: [[UInt8]: Node] = [:]
        package var modified: FileTime = 0
        package var isExecutable = false
        package var device: UInt64 = 1
        /// The ranges that the file system calls holes, with or without reason.
        package var holes: [Range<UInt64>] = []
        package var isLocked = false
        package var access = FileStatus.Access()
        package let inode: UInt64

        init(_ kind: FileStatus.Kind, inode: UInt64) { (self.kind, self.inode) = (kind, inode) }
    }

    package private(set) var root = Node(.folder, inode: 1)
    private var inodes: UInt64 = 1
    /// Sees every call before it is carried out; what it throws is thrown.
    package var beforeCall: (Call) throws -> Void = { _ in }
    /// True if folders give the kinds of their entries.
    package var tellsKinds = true
    /// At most this many bytes go into one write.
    package var longestWrite = Int.max
    /// All calls so far.
    package private(set) var calls: [Call] = []

    /// True if locks keep anybody out. On some network file systems they do not.
    package var locksWork = true
    /// Runs once before a call, counted from when it was set: 0 is the next one. It may call this file system.
    package var interlude: (calls: Int, body: () -> Void)?

    func note(_ call: Call) throws {
        let body = try lock.withLock {
            calls.append(call)
            try beforeCall(call)
            guard let (left, body) = interlude else { return nil as (() -> Void)? }
            interlude = left > 0 ? (left - 1, body) : nil
            return left > 0 ? nil : body
        }
        body?()
    }

    package init() {}

    package func forgetCalls() { calls = [] }

    func makeNode(_ kind: FileStatus.Kind) -> Node {
        contents.withLock {
            inodes += 1
            return Node(kind, inode: inodes)
        }
    }

    /// The node at a path, for a test to look at or to change.
    package func node(_ path: BytePath) -> Node? {
        path.components.filter { $0 != [0x2E] }.reduce(root as Node?) { node, name in node?.children[name] }
    }

    /// Puts a file there.
    @discardableResult
    package func write(_ path: BytePath, _ content: [UInt8], kind: FileStatus.Kind = .regular) -> Node {
        var folder = root
        for name in path.components.dropLast() {
            if folder.children[name] == nil { folder.children[name] = makeNode(.folder) }
            folder = folder.children[name]!
        }
        let node = makeNode(kind)
        node.content = content
        folder.children[path.lastComponent] = node
        return node
    }

    private func existing(_ path: BytePath, _ operation: String) throws -> Node {
        try note(Call(operation: operation, path: path))
        guard let node = node(path) else { throw IOError(operation, path, code: 2) }
        return node
    }

    package func openFile(_ path: BytePath, writing: Bool) throws -> any File {
        let node = try existing(path, "open")
        guard node.kind == .regular else { throw IOError("open", path, code: 21) }
        return MemoryFile(self, node, path)
    }

    package func openFolder(_ path: BytePath) throws -> any Folder {
        MemoryFolder(self, try existing(path, "open"), path)
    }
    package func status(_ path: BytePath) throws -> FileStatus { try existing(path, "read").status }
    package func makeFolder(_ path: BytePath) throws { write(path, [], kind: .folder) }
    /// Follows a symbolic link at the end of the path, once.
    package func resolve(_ path: BytePath) throws -> BytePath {
        guard let link = node(path), link.kind == .symlink else { return path }
        return BytePath(link.content)
    }
    package func medium(_ path: BytePath) -> Medium { .memory }
}

extension MemoryFileSystem.Node {
    var status: FileStatus {
        FileStatus(
            kind: kind, size: UInt64(content.count), modified: modified, isExecutable: isExecutable, device: device,
            inode: inode, access: access, isSparse: !holes.isEmpty)
    }
}

class MemoryFile: File {
    let system: MemoryFileSystem
    let node: MemoryFileSystem.Node
    let path: BytePath
    private var holdsLock = false

    init(_ system: MemoryFileSystem, _ node: MemoryFileSystem.Node, _ path: BytePath) {
        (self.system, self.node, self.path) = (system, node, path)
    }

    deinit { if holdsLock { node.isLocked = false } }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        try system.note(.init(operation: "read", path: path, offset: offset, count: buffer.count))
        system.contents.lock()
        defer { system.contents.unlock() }
        guard offset < UInt64(node.content.count) else { return 0 }
        let count = min(buffer.count, node.content.count - Int(offset))
        unsafe buffer.withUnsafeMutableBytes {
            unsafe $0.copyBytes(from: node.content[Int(offset)..<Int(offset) + count])
        }
        return count
    }

    func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int {
        try system.note(.init(operation: "write", path: path, offset: offset, count: bytes.count))
        system.contents.lock()
        defer { system.contents.unlock() }
        let count = min(bytes.count, system.longestWrite)
        let end = Int(offset) + count
        if node.content.count < end { node.content += [UInt8](repeating: 0, count: end - node.content.count) }
        unsafe bytes.withUnsafeBufferPointer {
            unsafe node.content.replaceSubrange(Int(offset)..<end, with: $0[..<count])
        }
        return count
    }

    func status() throws -> FileStatus {
        try system.note(.init(operation: "status", path: path))
        return node.status
    }

    func nextData(from offset: UInt64) -> UInt64 {
        guard let hole = node.holes.first(where: { $0.contains(offset) }) else { return offset }
        return hole.upperBound < node.content.count ? hole.upperBound : .max
    }

    func allocate(_ range: Range<UInt64>) {}

    func truncate(to length: UInt64) throws {
        try system.note(.init(operation: "truncate", path: path, offset: length))
        if node.content.count > Int(length) { node.content.removeLast(node.content.count - Int(length)) }
        if node.content.count < Int(length) {
            node.content += [UInt8](repeating: 0, count: Int(length) - node.content.count)
        }
    }

    func sync() throws { try system.note(.init(operation: "sync", path: path)) }

    func lock() throws -> Bool {
        try system.note(.init(operation: "lock", path: path))
        if node.isLocked, system.locksWork { return false }
        (node.isLocked, holdsLock) = (true, true)
        return true
    }

    func isLockedElsewhere() -> Bool { node.isLocked && !holdsLock && system.locksWork }

    func takeAccess(of old: any File) throws {
        try system.note(.init(operation: "change", path: path))
        node.access = try old.status().access
    }

    func attributes() throws -> FileAttributes {
        try system.note(.init(operation: "read", path: path))
        return FileAttributes(mode: node.access.permissions, owner: node.access.owner, group: node.access.group)
    }

    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try system.note(.init(operation: "change", path: path))
        node.access.permissions = attributes.mode & 0o777
        if withOwner { (node.access.owner, node.access.group) = (attributes.owner, attributes.group) }
    }

    func setAttributes(modified: FileTime?, isExecutable: Bool) throws {
        (node.modified, node.isExecutable) = (modified ?? node.modified, isExecutable)
    }
}

final class MemoryUnnamedFile: MemoryFile, UnnamedFile {
    private let folder: MemoryFileSystem.Node

    init(_ system: MemoryFileSystem, in folder: MemoryFileSystem.Node, _ path: BytePath) {
        self.folder = folder
        super.init(system, system.makeNode(.regular), path)
    }

    func publish(as name: [UInt8], replacing: Bool) throws {
        try system.note(.init(operation: "publish", path: path.appending(name)))
        try system.contents.withLock {
            guard replacing || folder.children[name] == nil else { throw IOError("create", path, code: 17) }
            folder.children[name] = node
        }
    }
}

extension MemoryFileSystem {
    /// The main witness in the folder `state`.
    package var witness: Node? { node("state")?.children.first { $0.key.count == 32 }?.value }
}
