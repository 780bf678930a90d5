import CSystem
import Values
import VaultCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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

extension SystemFolder {
    func makeFile(replacing: Bool) throws -> any UnnamedFile { try SystemUnnamedFile(self, replacing: replacing) }
}
