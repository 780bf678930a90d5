public import VaultIO
public import VaultFormat

extension Vault {
    /// Ends a vault: overwrites all three pages, makes that durable, and removes the file. Without the key slots nobody
    /// can open what is left of it (Spec/store.md, 14).
    ///
    /// - Returns: the vault's id, where a page could be read.
    /// - Throws: `FormatError.notAVault` where the file shows no page of a vault; `VaultError` `.busy`, `.outcomeUnknown`,
    ///   `.notRemoved`; `IOError`.
    public static func destroy(at path: BytePath, in environment: StoreEnvironment, timeout: Duration = .seconds(10))
        throws
        -> VaultID?
    {
        let path = try environment.files.resolve(path)
        let file = try VaultLock.open(path, environment, timeout: timeout)
        guard try file.isVault() else {
            throw FormatError(.notAVault, "it does not begin as a QuickVault file does")
        }
        let id = (try? LockedVault(file, environment, isLocked: true))?.header.vaultID
        do { try file.overwritePages(environment) } catch let error as IOError {
            throw VaultError.outcomeUnknown(error)
        }
        do {
            let folder = try environment.files.openFolder(path.parent)
            try folder.removeFile(path.lastComponent)
            try folder.sync()
        } catch let error as IOError {
            throw VaultError.notRemoved(error)
        }
        return id
    }
}
