public import VaultCrypto
import VaultFormat

extension LockedVault {
    /// Opens with a master key (Spec/reader.md, 3.4 to 3.7 and 4.1 to 4.3).
    ///
    /// - Parameter showsSaveBefore: the save before the newest is shown, where the newest cannot be read and a person asks
    ///   for an earlier one.
    /// - Throws: `FormatError` `.tampered`, `.malformed`, `.damaged`, `.unsupported`; `IOError`; `VaultError.noSuchSave`.
    public func open(master: consuming Secret, showsSaveBefore: Bool = false) throws -> Vault {
        try open(Keys(master: master, vaultID: header.vaultID, epoch: header.epoch), showsSaveBefore: showsSaveBefore)
    }

    /// Opens a copy of a vault that is open, with its keys; nil where it is another, or under another master key.
    public func open(like vault: Vault) throws -> Vault? {
        header.vaultID == vault.id && header.epoch == vault.root.header.epoch ? try open(vault.keys) : nil
    }

    private func open(_ keys: Keys, showsSaveBefore: Bool = false) throws -> Vault {
        // A person may have typed a password meanwhile, and others may have saved.
        let now = try LockedVault(file, environment)
        let isSame = now.header.vaultID == header.vaultID && now.header.epoch == header.epoch
        return try Vault(isSame ? now : self, keys: keys, showsSaveBefore: showsSaveBefore)
    }
}
