import VaultFormat
import VaultStore

extension Machine {
    /// Clears what this machine remembers of a vault, and locks it.
    static func forget(_ vaultID: VaultID) throws {
        witnesses?.forget(vaultID)
        UnlockThrottle.forget(vaultID)
        Upkeep.forget(vaultID)
        PushedCopies.forget(vaultID)
        StoredFolders.forget(vaultID)
        StateNumbers.forget("copy", vaultID)
        try Keyring.drop(vaultID)
    }
}
