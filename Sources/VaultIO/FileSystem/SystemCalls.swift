// Functions that all files with system calls share.

import CSystem
import VaultFormat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How a folder is opened.
var folderFlags: Int32 { O_RDONLY | O_DIRECTORY | O_CLOEXEC }

// A macro that Swift does not import.
var UTIME_OMIT_: Int { (1 << 30) - 2 }

extension timespec {
    init(_ time: FileTime) {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
    }
}

extension FileTime {
    /// The nearest that there is for a time before 1677 or after 2262.
    init(_ time: timespec) {
        let (seconds, isFar) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, isTooFar) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        self = isFar || isTooFar ? (time.tv_sec < 0 ? .min : .max) : FileTime(nanoseconds: nanoseconds)
    }
}

extension FileStatus {
    init(_ raw: stat) {
        let kind: Kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symlink
            case S_IFCHR, S_IFBLK: .device
            default: .other
            }
        #if canImport(Darwin)
            let (modified, changed) = (raw.st_mtimespec, raw.st_ctimespec)
        #else
            let (modified, changed) = (raw.st_mtim, raw.st_ctim)
        #endif
        self.init(
            kind: kind, size: UInt64(raw.st_size), modified: FileTime(modified),
            isExecutable: kind == .regular && raw.st_mode & 0o111 != 0, device: UInt64(raw.st_dev),
            inode: UInt64(raw.st_ino),
            access: Access(owner: raw.st_uid, group: raw.st_gid, permissions: UInt32(raw.st_mode & 0o777)),
            linkCount: UInt64(raw.st_nlink), isSparse: raw.st_blocks < raw.st_size / 512)
        specialBits = UInt32(raw.st_mode & 0o7000)
        self.changed = FileTime(changed)
    }
}

extension BytePath {
    func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
        try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { terminated in
            for (i, byte) in bytes.enumerated() { unsafe terminated[i] = CChar(bitPattern: byte) }
            unsafe terminated[bytes.count] = 0
            return try unsafe body(terminated.baseAddress!)
        }
    }
}

func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
}

/// Runs a call that returns 0 or -1, again after each EINTR. A path that holds NUL is answered with ENOENT.
func systemCall(
    _ operation: String, _ path: BytePath, shown: @autoclosure () -> BytePath? = nil,
    _ body: (UnsafePointer<CChar>) -> Int32
) throws {
    guard !path.bytes.contains(0) else { throw IOError(operation, shown() ?? path, code: ENOENT) }
    while unsafe path.withCString({ unsafe body($0) }) < 0 {
        guard errno == EINTR else { throw IOError(operation, shown() ?? path, code: errno) }
    }
}

/// Runs a call that opens a descriptor. The descriptor is never a standard one: a program that starts with one of
/// those closed would write its messages into the file.
func systemDescriptor(
    _ operation: String, _ path: BytePath, shown: @autoclosure () -> BytePath? = nil,
    _ body: (UnsafePointer<CChar>) -> Int32
) throws -> Int32 {
    var descriptor: Int32 = -1
    try unsafe systemCall(operation, path, shown: shown()) { path in
        descriptor = qv_above_standard(unsafe body(path))
        return descriptor
    }
    return descriptor
}
