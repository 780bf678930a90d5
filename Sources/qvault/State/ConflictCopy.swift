import VaultFormat
import VaultIO
import VaultStore

/// Copies of a vault that a program for synchronising folders left beside it, because two machines had changed it.
enum ConflictCopy {
    /// Words in their names: Syncthing, Dropbox and Nextcloud, ownCloud, Resilio.
    private static let marks = [".sync-conflict-", "conflicted copy", "_conflict-", ".Conflict"]

    /// Their paths; only copies of this vault, as their headers say.
    static func beside(_ vault: BytePath, _ vaultID: VaultID) -> [BytePath] {
        let stem = vault.lastComponent.prefix { $0 != UInt8(ascii: ".") }
        let entries = (try? Machine.store.files.openFolder(vault.parent).entries()) ?? []
        return entries.map(\.name).filter { name in
            let text = String(decoding: name, as: UTF8.self)
            return name.starts(with: stem) && name != vault.lastComponent && marks.contains { text.contains($0) }
        }.sorted { $0.lexicographicallyPrecedes($1) }.map { vault.parent.appending($0) }.filter { path in
            (try? LockedVault(path, in: Machine.store).header)?.vaultID == vaultID
        }
    }
}
