import CSystem
import VaultFormat

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

    func openFile(_ path: BytePath, writing: Bool) throws -> any File {
        // Without O_NONBLOCK a pipe in the place of a vault would hang the open.
        let flags = (writing ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK
        let file = SystemFile(try unsafe systemDescriptor("open", path) { unsafe open($0, flags) }, path)
        guard try file.status().kind == .regular else {
            throw IOError("open", path, code: try file.status().kind == .folder ? EISDIR : EINVAL)
        }
        return file
    }

    func openFolder(_ path: BytePath) throws -> any Folder {
        SystemFolder(try unsafe systemDescriptor("open", path) { unsafe open($0, folderFlags) }, path)
    }

    func status(_ path: BytePath) throws -> FileStatus {
        var raw = stat()
        try unsafe systemCall("read", path) { unsafe stat($0, &raw) }
        return FileStatus(raw)
    }

    func makeFolder(_ path: BytePath) throws { try unsafe systemCall("create", path) { unsafe mkdir($0, 0o700) } }

    func resolve(_ path: BytePath) throws -> BytePath {
        let resolved = unsafe path.withCString { unsafe realpath($0, nil) }
        guard let resolved = unsafe resolved else { throw IOError("open", path, code: errno) }
        defer { unsafe free(resolved) }
        return BytePath(unsafe bytes(of: resolved))
    }

    func medium(_ path: BytePath) -> Medium {
        switch unsafe path.withCString({ unsafe qv_medium($0) }) {
        case QV_MEMORY: .memory
        case QV_NETWORK: .network
        default: .device
        }
    }
}
