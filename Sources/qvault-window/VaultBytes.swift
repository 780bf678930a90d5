import CSystem
import Glibc
import Values

/// The encrypted file, as the page reads it. Nothing here can decrypt it.
struct VaultBytes {
    let path: String

    /// Bytes that are read at once, at most.
    private static let most: UInt64 = 1 << 22

    /// The state of the file: which one it is, how long, and a word that changes with it; nil while there is none.
    private struct State {
        let file: String, size: UInt64, version: String

        init?(_ status: stat) {
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            (file, size) = ("\(status.st_dev)-\(status.st_ino)", UInt64(max(0, status.st_size)))
            version = "\(file)-\(size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        }
    }

    private var state: State? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? State(status) : nil
    }

    /// The word that changes with the file; empty while there is none.
    var version: String { state?.version ?? "" }

    var name: String { String(path.split(separator: "/").last ?? "") }

    /// - Parameter room: bytes that the page may still send as files.
    func json(isUnlocked: Bool, room: UInt64) -> JSON {
        let state = state
        return [
            "name": name, "path": path, "file": state?.file, "size": state.map { Int64($0.size) },
            "version": state?.version ?? "",
            "is_unlocked": isUnlocked, "room": room,
        ]
    }

    /// Answers with a part of the file, as long as it is the one that the page has begun to read.
    func reply(to exchange: Exchange) {
        guard let offset = exchange.query("offset").flatMap(UInt64.init),
            let length = exchange.query("length").flatMap(UInt64.init),
            let file = exchange.query("file"), length <= Self.most
        else { return exchange.refuse(.malformed("offset, length, file")) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return exchange.refuse(.vaultGone) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, let state = State(status), state.file == file else {
            close(descriptor)
            return exchange.refuse(.vaultReplaced)
        }
        exchange.add("X-Size", "\(state.size)")
        let end = min(state.size, offset < UInt64.max - length ? offset + length : UInt64.max)
        guard offset < end else {
            close(descriptor)
            return exchange.reply(200, "", type: "application/octet-stream")
        }
        exchange.add("Content-Type", "application/octet-stream")
        exchange.reply(200, file: descriptor, offset: offset, length: end - offset)
    }
}
