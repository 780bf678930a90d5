import Values
import VaultIO
import Synchronization

/// A file for a dry run: it takes what is written and keeps none of it. Reading from it ends at once.
final class ForgetfulFile: UnnamedFile {
    let path: BytePath
    private let size = Atomic<UInt64>(0)

    init(_ path: BytePath) { self.path = path }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int { 0 }

    func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int {
        size.max(offset + UInt64(bytes.count), ordering: .relaxed)
        return bytes.count
    }

    func status() throws -> FileStatus {
        FileStatus(
            kind: .regular, size: size.load(ordering: .relaxed), modified: FileTime(nanoseconds: 0),
            isExecutable: false, device: 0,
            inode: 0)
    }

    func allocate(_ range: Range<UInt64>) {}
    func truncate(to length: UInt64) throws { size.store(length, ordering: .relaxed) }
    func sync() throws {}
    func lock() throws -> Bool { true }
    func isLockedElsewhere() -> Bool { false }
    func setAttributes(modified: FileTime?, isExecutable: Bool) throws {}
    func takeAccess(of old: any File) throws {}
    func attributes() throws -> FileAttributes { FileAttributes(try status()) }
    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {}
    func publish(as name: [UInt8], replacing: Bool) throws {
        preconditionFailure("a dry run names no file")
    }
}
