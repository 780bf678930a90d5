import CSystem
import VaultFormat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open folder.
final class SystemFolder: Folder {
    let descriptor: Int32
    let path: BytePath

    init(_ descriptor: Int32, _ path: BytePath) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func entries() throws -> [FolderEntry] {
        // fdopendir takes the descriptor over: give it one of its own.
        let own = qv_above_standard(unsafe openat(descriptor, ".", folderFlags))
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
        case Int(DT_CHR), Int(DT_BLK): .device
        case Int(DT_UNKNOWN): nil
        default: .other
        }
    }

    func status(of name: [UInt8]) throws -> FileStatus {
        var raw = stat()
        try unsafe systemCall("read", BytePath(name), shown: path.appending(name)) {
            unsafe fstatat(descriptor, $0, &raw, AT_SYMLINK_NOFOLLOW)
        }
        return FileStatus(raw)
    }

    func openFile(_ name: [UInt8], writing: Bool) throws -> any File {
        let flags = (writing ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let file = try unsafe systemDescriptor("open", BytePath(name), shown: path.appending(name)) {
            unsafe openat(descriptor, $0, flags)
        }
        return SystemFile(file, path, name)
    }

    func openFolder(_ name: [UInt8]) throws -> any Folder {
        let shown = path.appending(name)
        let folder = try unsafe systemDescriptor("open", BytePath(name), shown: shown) {
            unsafe openat(descriptor, $0, folderFlags | O_NOFOLLOW)
        }
        return SystemFolder(folder, shown)
    }

    func symlinkTarget(_ name: [UInt8]) throws -> [UInt8] {
        var target = [UInt8](repeating: 0, count: 4097)
        let count = unsafe BytePath(name).withCString { name in
            unsafe target.withUnsafeMutableBytes { buffer in
                unsafe readlinkat(
                    descriptor, name, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
            }
        }
        guard count >= 0 else { throw IOError("read", path.appending(name), code: errno) }
        return Array(target[..<count])
    }

    func openBeneath(_ relative: BytePath) throws -> any Folder {
        let shown = relative.components.reduce(path) { $0.appending($1) }
        let folder = try unsafe systemDescriptor("open", relative, shown: shown) {
            unsafe qv_open_beneath(descriptor, $0, folderFlags, 0)
        }
        return SystemFolder(folder, shown)
    }

    func makeFolder(_ name: [UInt8]) throws {
        try unsafe systemCall("create", BytePath(name), shown: path.appending(name)) {
            unsafe mkdirat(descriptor, $0, 0o700)
        }
    }

    func makeSymlink(_ name: [UInt8], target: [UInt8]) throws {
        try unsafe BytePath(target).withCString { target in
            try unsafe systemCall("create", BytePath(name), shown: path.appending(name)) {
                unsafe symlinkat(target, descriptor, $0)
            }
        }
    }

    func replace(_ name: [UInt8], withSymlinkTo target: [UInt8]) throws {
        let temporary = try TemporaryFiles.newName()
        try makeSymlink(temporary, target: target)
        try rename(temporary, to: name)
    }

    func removeFile(_ name: [UInt8]) throws {
        try unsafe systemCall("remove", BytePath(name), shown: path.appending(name)) {
            unsafe unlinkat(descriptor, $0, 0)
        }
    }

    func link(_ name: [UInt8], as new: [UInt8]) throws {
        try unsafe BytePath(name).withCString { name in
            try unsafe systemCall("create", BytePath(new), shown: path.appending(new)) {
                unsafe linkat(descriptor, name, descriptor, $0, 0)
            }
        }
    }

    func link(_ new: [UInt8], to name: [UInt8], in other: any Folder, replacing: Bool) throws {
        guard let other = other as? SystemFolder else { throw IOError("create", path.appending(new), code: EXDEV) }
        let made = replacing ? try TemporaryFiles.newName() : new
        try unsafe BytePath(name).withCString { name in
            try unsafe systemCall("create", BytePath(made), shown: path.appending(new)) {
                unsafe linkat(other.descriptor, name, descriptor, $0, 0)
            }
        }
        if replacing { try rename(made, to: new) }
    }

    /// Gives a temporary file or link its name, in the place of another; without success it is removed.
    private func rename(_ temporary: [UInt8], to name: [UInt8]) throws {
        // rename(2) does nothing where both are names of one file.
        defer { try? removeFile(temporary) }
        try unsafe BytePath(temporary).withCString { old in
            try unsafe systemCall("replace", BytePath(name), shown: path.appending(name)) {
                unsafe renameat(descriptor, old, descriptor, $0)
            }
        }
    }

    func attributes() throws -> FileAttributes {
        var raw = stat()
        guard unsafe fstat(descriptor, &raw) == 0 else { throw IOError("read", path, code: errno) }
        return try FileAttributes(of: descriptor, FileStatus(raw), path)
    }

    func apply(_ attributes: FileAttributes, withOwner: Bool) throws {
        try attributes.set(on: descriptor, path, withOwner: withOwner)
    }

    func setOwner(of name: [UInt8], _ owner: UInt32, _ group: UInt32) throws {
        try unsafe systemCall("keep the owner", BytePath(name), shown: path.appending(name)) {
            unsafe fchownat(descriptor, $0, owner, group, AT_SYMLINK_NOFOLLOW)
        }
    }

    func setModified(_ name: [UInt8], _ time: FileTime) throws {
        let times = [timespec(tv_sec: 0, tv_nsec: Int(UTIME_OMIT_)), timespec(time)]
        try unsafe systemCall("change", BytePath(name), shown: path.appending(name)) {
            unsafe utimensat(descriptor, $0, times, AT_SYMLINK_NOFOLLOW)
        }
    }

    func sync() throws {
        guard fsync(descriptor) == 0 else { throw IOError("sync", path, code: errno) }
    }
}
