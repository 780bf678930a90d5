// The only file of the library that talks to the operating system's file calls.

import CSystem
import VaultCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files of the operating system.
struct SystemFileSystem: FileSystem {
    init() {}

    func openFile(_ path: Path, writing: Bool) throws -> any File {
        // Without O_NONBLOCK a pipe in the place of a vault would hang the open.
        let flags = (writing ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK
        let file = SystemFile(try unsafe descriptor("open", path) { unsafe open($0, flags) }, path)
        guard try file.status().kind == .regular else {
            throw IOError("open", path, code: try file.status().kind == .folder ? EISDIR : EINVAL)
        }
        return file
    }

    func openFolder(_ path: Path) throws -> any Folder {
        SystemFolder(try unsafe descriptor("open", path) { unsafe open($0, folderFlags) }, path)
    }

    func status(_ path: Path) throws -> FileStatus {
        var raw = stat()
        try unsafe call("read", path) { unsafe stat($0, &raw) }
        return FileStatus(raw)
    }

    func makeFolder(_ path: Path) throws { try unsafe call("create", path) { unsafe mkdir($0, 0o700) } }

    func resolve(_ path: Path) throws -> Path {
        let resolved = unsafe path.withCString { unsafe realpath($0, nil) }
        guard let resolved = unsafe resolved else { throw IOError("open", path, code: errno) }
        defer { unsafe free(resolved) }
        return Path(unsafe bytes(of: resolved))
    }

    func medium(_ path: Path) -> Medium {
        switch unsafe path.withCString({ unsafe qv_medium($0) }) {
        case QV_MEMORY: .memory
        case QV_NETWORK: .network
        default: .device
        }
    }
}

private var folderFlags: Int32 { O_RDONLY | O_DIRECTORY | O_CLOEXEC }

/// An open file descriptor, closed when it goes.
private class SystemFile: File {
    let descriptor: Int32
    private let folderPath: Path
    private let name: [UInt8]?

    init(_ descriptor: Int32, _ path: Path, _ name: [UInt8]? = nil) {
        self.descriptor = descriptor
        (folderPath, self.name) = (path, name)
    }

    // Put together when it is asked for, which of many files nobody does.
    var path: Path { name.map(folderPath.appending) ?? folderPath }

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
private final class SystemUnnamedFile: SystemFile, UnnamedFile {
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
            var random = SystemRandom()
            let suffix = try random.bytes(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let name = TemporaryFiles.prefix + Array(suffix.utf8)
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let new = try unsafe VaultStore.descriptor("create", Path(name), shown: folder.path) {
                unsafe openat(folder.descriptor, $0, flags, mode)
            }
            // A writer that took it for stale in this moment has removed it; where there are no locks nobody does.
            var raw = stat()
            guard unsafe (qv_lock_exclusive(new) != 0 || fstat(new, &raw) != 0 || raw.st_nlink > 0) else {
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
            let new = unsafe openat(folder.descriptor, ".", O_RDWR | O_TMPFILE_ | O_CLOEXEC, mode)
            return new >= 0 ? new : nil
        #else
            return nil
        #endif
    }

    func publish(as name: [UInt8], replacing: Bool) throws {
        let target = Path(name)
        let shown = folder.path.appending(name)
        if let temporary = temporaryName.map(Path.init) {
            try unsafe temporary.withCString { old in
                try unsafe call("create", target, shown: shown) { new in
                    replacing
                        ? unsafe renameat(folder.descriptor, old, folder.descriptor, new)
                        : unsafe qv_rename_noreplace(folder.descriptor, old, folder.descriptor, new)
                }
            }
            temporaryName = nil
        } else {
            try unsafe call("create", target, shown: shown) { unsafe qv_name_file(descriptor, folder.descriptor, $0) }
        }
    }

    deinit {
        guard let temporaryName else { return }
        _ = unsafe Path(temporaryName).withCString { unsafe unlinkat(folder.descriptor, $0, 0) }
    }
}

/// An open folder.
private final class SystemFolder: Folder {
    let descriptor: Int32
    let path: Path

    init(_ descriptor: Int32, _ path: Path) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func entries() throws -> [FolderEntry] {
        // fdopendir takes the descriptor over: give it one of its own.
        let own = unsafe openat(descriptor, ".", folderFlags)
        guard own >= 0 else { throw IOError("read", path, code: errno) }
        guard let stream = unsafe fdopendir(own) else {
            close(own)
            throw IOError("read", path, code: errno)
        }
        defer { unsafe closedir(stream) }
        var entries: [FolderEntry] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe bytes(of: $0) }
            }
            if name != [0x2E], name != [0x2E, 0x2E] {
                entries.append(FolderEntry(name: name, kind: unsafe kind(of: entry.pointee.d_type)))
            }
            errno = 0
        }
        guard errno == 0 else { throw IOError("read", path, code: errno) }
        return entries
    }

    private func kind(of type: UInt8) -> FileStatus.Kind? {
        switch Int(type) {
        case Int(DT_REG): .regular
        case Int(DT_DIR): .folder
        case Int(DT_LNK): .symlink
        case Int(DT_UNKNOWN): nil
        default: .other
        }
    }

    func status(of name: [UInt8]) throws -> FileStatus {
        var raw = stat()
        try unsafe call("read", Path(name), shown: path.appending(name)) {
            unsafe fstatat(descriptor, $0, &raw, AT_SYMLINK_NOFOLLOW)
        }
        return FileStatus(raw)
    }

    func openFile(_ name: [UInt8]) throws -> any File {
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let file = try unsafe VaultStore.descriptor("open", Path(name), shown: path.appending(name)) {
            unsafe openat(descriptor, $0, flags)
        }
        return SystemFile(file, path, name)
    }

    func openFolder(_ name: [UInt8]) throws -> any Folder {
        let shown = path.appending(name)
        let folder = try unsafe VaultStore.descriptor("open", Path(name), shown: shown) {
            unsafe openat(descriptor, $0, folderFlags | O_NOFOLLOW)
        }
        return SystemFolder(folder, shown)
    }

    func symlinkTarget(_ name: [UInt8]) throws -> [UInt8] {
        var target = [UInt8](repeating: 0, count: 4097)
        let count = unsafe Path(name).withCString { name in
            unsafe target.withUnsafeMutableBytes { buffer in
                unsafe readlinkat(
                    descriptor, name, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
            }
        }
        guard count >= 0 else { throw IOError("read", path.appending(name), code: errno) }
        return Array(target[..<count])
    }

    func openBeneath(_ relative: Path) throws -> any Folder {
        let shown = relative.components.reduce(path) { $0.appending($1) }
        let folder = try unsafe VaultStore.descriptor("open", relative, shown: shown) {
            unsafe qv_open_beneath(descriptor, $0, folderFlags, 0)
        }
        return SystemFolder(folder, shown)
    }

    func makeFolder(_ name: [UInt8]) throws {
        try unsafe call("create", Path(name), shown: path.appending(name)) { unsafe mkdirat(descriptor, $0, 0o700) }
    }

    func makeSymlink(_ name: [UInt8], target: [UInt8]) throws {
        try unsafe Path(target).withCString { target in
            try unsafe call("create", Path(name), shown: path.appending(name)) {
                unsafe symlinkat(target, descriptor, $0)
            }
        }
    }

    func removeFile(_ name: [UInt8]) throws {
        try unsafe call("remove", Path(name), shown: path.appending(name)) { unsafe unlinkat(descriptor, $0, 0) }
    }

    func makeFile(replacing: Bool) throws -> any UnnamedFile { try SystemUnnamedFile(self, replacing: replacing) }

    func setModified(_ name: [UInt8], _ time: Int64) throws {
        let times = [timespec(tv_sec: 0, tv_nsec: Int(UTIME_OMIT_)), timespec(nanoseconds: time)]
        try unsafe call("change", Path(name), shown: path.appending(name)) {
            unsafe utimensat(descriptor, $0, times, AT_SYMLINK_NOFOLLOW)
        }
    }

    func sync() throws {
        guard fsync(descriptor) == 0 else { throw IOError("sync", path, code: errno) }
    }
}

// Macros that Swift does not import.
private var UTIME_OMIT_: Int { (1 << 30) - 2 }
private var O_TMPFILE_: Int32 { 0o20000000 | O_DIRECTORY }

extension timespec {
    fileprivate init(nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
    }
}

extension FileStatus {
    fileprivate init(_ raw: stat) {
        let kind: Kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symlink
            default: .other
            }
        #if canImport(Darwin)
            let time = raw.st_mtimespec
        #else
            let time = raw.st_mtim
        #endif
        let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        self.init(
            kind: kind, size: UInt64(raw.st_size), modified: overflow ? 0 : seconds &+ Int64(time.tv_nsec),
            isExecutable: kind == .regular && raw.st_mode & 0o111 != 0, device: UInt64(raw.st_dev),
            inode: UInt64(raw.st_ino))
    }
}

extension Path {
    fileprivate func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
        try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { terminated in
            for (i, byte) in bytes.enumerated() { unsafe terminated[i] = CChar(bitPattern: byte) }
            unsafe terminated[bytes.count] = 0
            return try unsafe body(terminated.baseAddress!)
        }
    }
}

private func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
}

/// Runs a call that returns 0 or -1. A path with a NUL inside names nothing.
private func call(
    _ operation: String, _ path: Path, shown: @autoclosure () -> Path? = nil, _ body: (UnsafePointer<CChar>) -> Int32
) throws {
    _ = try unsafe descriptor(operation, path, shown: shown(), body)
}

/// Runs a call that returns a descriptor or -1.
private func descriptor(
    _ operation: String, _ path: Path, shown: @autoclosure () -> Path? = nil, _ body: (UnsafePointer<CChar>) -> Int32
) throws -> Int32 {
    guard !path.bytes.contains(0) else { throw IOError(operation, shown() ?? path, code: ENOENT) }
    while true {
        let result = unsafe path.withCString { unsafe body($0) }
        if result >= 0 { return result }
        guard errno == EINTR else { throw IOError(operation, shown() ?? path, code: errno) }
    }
}
