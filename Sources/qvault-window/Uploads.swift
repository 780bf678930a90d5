import Glibc
import Synchronization

/// Files that the page has sent and that no command has taken yet. They are in memory, and have numbers.
final class Uploads: Sendable {
    /// Bytes of all of them at most.
    static let limit: UInt64 = 1 << 30

    private let files = Mutex<(next: Int, kept: [Int: Int32])>((1, [:]))

    /// Bytes that are still free.
    var room: UInt64 {
        files.withLock { files in
            let used = files.kept.values.reduce(0) { $0 + byteCountOf($1) }
            return used < Self.limit ? Self.limit - used : 0
        }
    }

    /// Files at once at most: as many as a command gets, with its secrets.
    private static let most = 24

    /// Keeps a file; its number. Nil where there is no descriptor for it, or too many wait already.
    func keep(_ descriptor: Int32) -> Int? {
        guard descriptor >= 0 else { return nil }
        return files.withLock { files in
            guard files.kept.count < Self.most else {
                close(descriptor)
                return nil
            }
            files.kept[files.next] = descriptor
            files.next += 1
            return files.next - 1
        }
    }

    /// Gives files out by their numbers, separated by commas; nil where one of them is not there. They are the caller's then.
    func take(_ numbers: String) -> [Int32]? {
        files.withLock { files in
            let wanted = numbers.split(separator: ",").map { Int($0) ?? 0 }
            guard wanted.allSatisfy({ files.kept[$0] != nil }), Set(wanted).count == wanted.count else { return nil }
            return wanted.compactMap { files.kept.removeValue(forKey: $0) }
        }
    }

    func dropAll() {
        files.withLock { files in
            files.kept.values.forEach { close($0) }
            files.kept = [:]
        }
    }
}
