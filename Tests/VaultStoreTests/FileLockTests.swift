import Foundation
import Testing
import Values
import VaultIO
import VaultStore

/// Locks of files of the system.
struct FileLockTests {
    /// A process that was forked has all descriptors for a moment; a lock ends with its owner all the same.
    @Test func aLockEndsWithItsOwner() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
        try Data([1]).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let files = StoreEnvironment.system().files
        let path = BytePath(url.path)
        var owner: (any File)? = try files.openFile(path, writing: true)
        #expect(try owner?.lock() == true)
        let inherited = try #require(try Self.copies(of: url).first)
        defer { close(inherited) }
        let other = try files.openFile(path, writing: true)
        #expect(try !other.lock() && other.isLockedElsewhere())
        owner = nil
        #expect(try other.lock())
    }

    /// Copies of the descriptors that a file is open by, as a forked process has them.
    private static func copies(of url: URL) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            guard target == url.resolvingSymlinksInPath().path else { return nil }
            return Int32(name).map { dup($0) }
        }
    }
}
