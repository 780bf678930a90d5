import CSystem
import VaultCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file descriptor, closed when it goes.
class SystemFile: File {
    let descriptor: Int32
    private let folderPath: BytePath
    private let name: [UInt8]?

    init(_ descriptor: Int32, _ path: BytePath, _ name: [UInt8]? = nil) {
        self.descriptor = descriptor
        (folderPath, self.name) = (path, name)
    }

    // Put together when it is asked for, which of many files nobody does.
    var path: BytePath { name.map(folderPath.appending) ?? folderPath }

    deinit { close(descriptor) }

    func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBufferPointer {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(clamping: offset))
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw IOError("read", path, code: errno) }
        }
    }

    func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBufferPointer {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(clamping: offset))
            }
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { throw IOError("write", path, code: count == 0 ? EIO : errno) }
        }
    }

    func status() throws -> FileStatus {
        var raw = stat()
        guard unsafe fstat(descriptor, &raw) == 0 else { throw IOError("read", path, code: errno) }
        return FileStatus(raw)
    }

    func allocate(_ range: Range<UInt64>) {
        _ = qv_allocate(descriptor, off_t(range.lowerBound), off_t(range.count))
    }

    func truncate(to length: UInt64) throws {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw IOError("write", path, code: errno) }
    }

    func sync() throws {
        guard qv_sync_data(descriptor) == 0 else { throw IOError("sync", path, code: errno) }
    }

    func lock() throws -> Bool {
        if qv_lock_exclusive(descriptor) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw IOError("lock", path, code: errno) }
        return false
    }

    func isLockedElsewhere() -> Bool { qv_is_locked(descriptor) != 0 }

    func takeAccess(of old: any File) throws {
        let (mine, access) = (try status().access, try old.status().access)
        let permissions = mode_t(access.permissions)
        if mine.owner != access.owner, fchown(descriptor, access.owner, gid_t.max) != 0 {
            throw IOError("keep the owner", path, code: errno)
        }
        let keepsGroup = mine.group == access.group || fchown(descriptor, uid_t.max, access.group) == 0
        guard fchmod(descriptor, permissions) == 0 else { throw IOError("change", path, code: errno) }
        if let old = old as? SystemFile, qv_copy_attributes(old.descriptor, descriptor) != 0 {
            throw IOError("keep the access rights", path, code: errno)
        }
        // With an access control list, these bits are its mask.
        guard keepsGroup || fchmod(descriptor, permissions & ~0o070) == 0 else {
            throw IOError("change", path, code: errno)
        }
    }

    func setAttributes(modified: Int64?, isExecutable: Bool) throws {
        if isExecutable {
            guard fchmod(descriptor, 0o700) == 0 else { throw IOError("change", path, code: errno) }
        }
        guard let modified else { return }
        let times = [timespec(tv_sec: 0, tv_nsec: Int(UTIME_OMIT_)), timespec(nanoseconds: modified)]
        guard unsafe futimens(descriptor, times) == 0 else { throw IOError("change", path, code: errno) }
    }
}

/// A file that gets its name at the end: nameless in the kernel (`O_TMPFILE`) where that is possible and nothing is
/// to be replaced, so that not even a kill leaves it behind; under a temporary name elsewhere.
final class SystemUnnamedFile: SystemFile, UnnamedFile {
    private let folder: SystemFolder
    private var temporaryName: [UInt8]?

    init(_ folder: SystemFolder, replacing: Bool) throws {
        self.folder = folder
        let mode: mode_t = 0o600
        if !replacing, let nameless = SystemUnnamedFile.openNameless(folder, mode) {
            super.init(nameless, folder.path)
            return
        }
        while true {
            let name = try TemporaryFiles.newName()
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let new = try unsafe systemDescriptor("create", BytePath(name), shown: folder.path) {
                unsafe openat(folder.descriptor, $0, flags, mode)
            }
            // A writer that takes it for stale in this moment holds the lock, or has removed it. Where there are no
            // locks nobody does.
            var raw = stat()
            let isTaken = qv_lock_exclusive(new) != 0 && (errno == EAGAIN || errno == EACCES)
            guard !isTaken, unsafe fstat(new, &raw) != 0 || raw.st_nlink > 0 else {
                close(new)
                continue
            }
            temporaryName = name
            super.init(new, folder.path.appending(name))
            return
        }
    }

    private static func openNameless(_ folder: SystemFolder, _ mode: mode_t) -> Int32? {
        #if os(Linux)
            let new = qv_above_standard(unsafe openat(folder.descriptor, ".", O_RDWR | O_TMPFILE_ | O_CLOEXEC, mode))
            return new >= 0 ? new : nil
        #else
            return nil
        #endif
    }

    func publish(as name: [UInt8], replacing: Bool) throws {
        let target = BytePath(name)
        let shown = folder.path.appending(name)
        if let temporary = temporaryName.map(BytePath.init) {
            try unsafe temporary.withCString { old in
                try unsafe systemCall("create", target, shown: shown) { new in
                    replacing
                        ? unsafe renameat(folder.descriptor, old, folder.descriptor, new)
                        : unsafe qv_rename_noreplace(folder.descriptor, old, folder.descriptor, new)
                }
            }
            temporaryName = nil
        } else {
            try unsafe systemCall("create", target, shown: shown) {
                unsafe qv_name_file(descriptor, folder.descriptor, $0)
            }
        }
    }

    deinit {
        guard let temporaryName else { return }
        _ = unsafe BytePath(temporaryName).withCString { unsafe unlinkat(folder.descriptor, $0, 0) }
    }
}

// A macro that Swift does not import.
private var O_TMPFILE_: Int32 { 0o20000000 | O_DIRECTORY }
