import Foundation
import VaultFormat
import VaultIO

final class MemoryFolder: Folder {
    private let system: MemoryFileSystem
    private let node: MemoryFileSystem.Node
    let path: BytePath

    init(_ system: MemoryFileSystem, _ node: MemoryFileSystem.Node, _ path: BytePath) {
        (self.system, self.node, self.path) = (system, node, path)
    }

    private func child(_ name: [UInt8], _ operation: String) throws -> MemoryFileSystem.Node {
        try system.note(.init(operation: operation, path: path.appending(name)))
        guard let child = system.contents.withLock({ node.children[name] }) else {
            throw IOError(operation, path.appending(name), code: 2)
        }
        return child
    }

    func entries() throws -> [FolderEntry] {
        try system.note(.init(operation: "list", path: path))
        let children = system.contents.withLock { node.children }
        return children.map { FolderEntry(name: $0.key, kind: system.tellsKinds ? $0.value.kind : nil) }
    }

    func status(of name: [UInt8]) throws -> FileStatus { try child(name, "read").status }

    func openFile(_ name: [UInt8], writing: Bool) throws -> any File {
        MemoryFile(system, try child(name, "open"), path.appending(name))
    }

    func openFolder(_ name: [UInt8]) throws -> any Folder {
        MemoryFolder(system, try child(name, "open"), path.appending(name))
    }

    func symlinkTarget(_ name: [UInt8]) throws -> [UInt8] { try child(name, "readlink").content }

    func openBeneath(_ relative: BytePath) throws -> any Folder {
        system.contents.lock()
        defer { system.contents.unlock() }
        var folder = node
        for name in relative.components {
            guard let next = folder.children[name], next.kind == .folder else {
                throw IOError("open", relative, code: folder.children[name] == nil ? 2 : 40)
            }
            folder = next
        }
        return MemoryFolder(system, folder, path.appending(relative.bytes))
    }

    private func make(_ name: [UInt8], _ kind: FileStatus.Kind, _ content: [UInt8] = []) throws {
        try system.note(.init(operation: "create", path: path.appending(name)))
        system.contents.lock()
        defer { system.contents.unlock() }
        guard node.children[name] == nil else { throw IOError("create", path.appending(name), code: 17) }
        let new = system.makeNode(kind)
        new.content = content
        node.children[name] = new
    }

    func removeFile(_ name: [UInt8]) throws {
        _ = try child(name, "remove")
        system.contents.withLock { node.children[name] = nil }
    }

    func link(_ name: [UInt8], as new: [UInt8]) throws {
        let file = try child(name, "create")
        try system.contents.withLock {
            guard node.children[new] == nil else { throw IOError("create", path.appending(new), code: 17) }
            node.children[new] = file
        }
    }

    func link(_ new: [UInt8], to name: [UInt8], in other: any Folder, replacing: Bool) throws {
        guard let other = other as? MemoryFolder else { throw IOError("create", path.appending(new), code: 18) }
        let file = try other.child(name, "create")
        try system.contents.withLock {
            guard replacing || node.children[new] == nil else {
                throw IOError("create", path.appending(new), code: 17)
            }
            node.children[new] = file
        }
    }

    func attributes() throws -> FileAttributes {
        FileAttributes(mode: node.access.permissions, owner: node.access.owner, group: node.access.group)
    }

    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try system.note(.init(operation: "change", path: path))
        node.access.permissions = attributes.mode & 0o777
        if withOwner { (node.access.owner, node.access.group) = (attributes.owner, attributes.group) }
    }

    func setOwner(of name: [UInt8], _ owner: UInt32, _ group: UInt32) throws {
        (try child(name, "change").access.owner, try child(name, "change").access.group) = (owner, group)
    }

    func makeFolder(_ name: [UInt8]) throws { try make(name, .folder) }
    func makeSymlink(_ name: [UInt8], target: [UInt8]) throws { try make(name, .symlink, target) }

    func replace(_ name: [UInt8], withSymlinkTo target: [UInt8]) throws {
        try removeFile(name)
        try makeSymlink(name, target: target)
    }

    func makeFile(replacing: Bool) throws -> any UnnamedFile {
        try system.note(.init(operation: "create", path: path))
        return MemoryUnnamedFile(system, in: node, path)
    }

    func setModified(_ name: [UInt8], _ time: FileTime) throws { try child(name, "change").modified = time }
    func sync() throws { try system.note(.init(operation: "sync", path: path)) }
}
