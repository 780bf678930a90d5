import CSystem
import Synchronization
import VaultFormat
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
    private let isLocked = Atomic(false)

    init(_ descriptor: Int32, _ path: BytePath, _ name: [UInt8]? = nil) {
        self.descriptor = descriptor
        (folderPath, self.name) = (path, name)
    }

    // Put together when it is asked for, which of many files nobody does.
    var path: BytePath { name.map(folderPath.appending) ?? folderPath }

    deinit {
        // A process that was forked a moment ago has the descriptor too, and would keep the lock.
        if isLocked.load(ordering: .relaxed) { qv_unlock(descriptor) }
        close(descriptor)
    }

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

    func nextData(from offset: UInt64) -> UInt64 {
        UInt64(qv_next_data(descriptor, off_t(clamping: offset), .max))
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
        if qv_lock_exclusive(descriptor) == 0 {
            isLocked.store(true, ordering: .relaxed)
            return true
        }
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

    func attributes() throws -> FileAttributes {
        try FileAttributes(of: descriptor, status(), path)
    }

    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try attributes.set(on: descriptor, path, withOwner: withOwner)
    }

    func setAttributes(modified: FileTime?, isExecutable: Bool) throws {
        if isExecutable {
            guard fchmod(descriptor, 0o700) == 0 else { throw IOError("change", path, code: errno) }
        }
        guard let modified else { return }
        let times = [timespec(tv_sec: 0, tv_nsec: Int(UTIME_OMIT_)), timespec(modified)]
        guard unsafe futimens(descriptor, times) == 0 else { throw IOError("change", path, code: errno) }
    }
}
