import VaultIO
import VaultFormat

/// The vault file during an appending save. It checks before each write that the pages are unchanged since the save began.
/// This detects another writer where file locks do not work. A write between the check and our own write goes unnoticed.
final class GuardedFile: File {
    private let base: any File
    private let root: Root
    var path: BytePath { base.path }

    init(_ base: any File, _ root: Root) { (self.base, self.root) = (base, root) }

    private func checkPages() throws {
        guard try root.isUnchanged(in: base) else { throw VaultError.changedUnderneath }
    }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        try base.read(into: &buffer, at: offset)
    }

    func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int {
        try checkPages()
        return try base.write(bytes, at: offset)
    }

    func truncate(to length: UInt64) throws {
        try checkPages()
        try base.truncate(to: length)
    }

    func status() throws -> FileStatus { try base.status() }
    func allocate(_ range: Range<UInt64>) { base.allocate(range) }
    func sync() throws { try base.sync() }
    func lock() throws -> Bool { try base.lock() }
    func isLockedElsewhere() -> Bool { base.isLockedElsewhere() }
    func takeAccess(of old: any File) throws { try base.takeAccess(of: old) }
    func attributes() throws -> FileAttributes { try base.attributes() }
    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try base.apply(attributes, withOwner: withOwner)
    }
    func setAttributes(modified: FileTime?, isExecutable: Bool) throws {
        try base.setAttributes(modified: modified, isExecutable: isExecutable)
    }
}
