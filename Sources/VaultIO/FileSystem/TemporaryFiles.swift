package import Values
import VaultCrypto

/// Files that writers make beside a vault under a name of their own, where the system cannot make them without one
/// (Spec/store.md, 4). Each is locked by its maker.
package enum TemporaryFiles {
    /// The prefix of their names; 16 hexadecimal digits follow.
    static let prefix = Array(".qvault-tmp-".utf8)

    /// A name that no other file has.
    static func newName() throws -> [UInt8] {
        var random = SystemRandom()
        return prefix + (try random.bytes(8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Removes those that nobody has locked: their maker is gone. A courtesy, which may fail.
    ///
    /// - Parameter vault: the vault that the caller has locked; a temporary name of that one is stale as well.
    package static func removeStale(in path: BytePath, _ files: any FileSystem, besides vault: FileStatus? = nil) {
        guard let folder = try? files.openFolder(path), let entries = try? folder.entries() else { return }
        for entry in entries where isTemporary(entry.name) {
            guard let status = try? folder.status(of: entry.name), status.kind == .regular else { continue }
            if vault.map({ ($0.device, $0.inode) == (status.device, status.inode) }) != true {
                guard let file = try? folder.openFile(entry.name, writing: true), (try? file.lock()) == true,
                    let now = try? folder.status(of: entry.name), now.inode == (try? file.status().inode)
                else { continue }
            }
            try? folder.removeFile(entry.name)
        }
    }

    private static func isTemporary(_ name: [UInt8]) -> Bool {
        name.starts(with: prefix) && name.count == prefix.count + 16
            && name[prefix.count...].allSatisfy { digits.contains($0) }
    }
}
