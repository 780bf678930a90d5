import VaultFormat
import VaultIO
import VaultStore

/// Folders of the state in which each vault has a file, called by its id in hexadecimal digits.
extension StateFolder {
    /// The name of a vault's file.
    static func name(of vaultID: VaultID) -> [UInt8] { Array(hexText(vaultID.bytes).utf8) }

    /// Puts a file in the place of the one that is there, if any.
    ///
    /// - Throws: `IOError`.
    func replace(_ name: [UInt8], _ bytes: [UInt8]) throws {
        try Machine.store.files.makeFolders(path)
        let new = try AtomicFile(path.appending(name), Machine.store.files, replacing: true)
        try new.file.writeAll(bytes.span, at: 0)
        try new.file.sync()
        try new.publish()
    }

    /// Removes the file of a vault, or those of all.
    func forget(_ vaultID: VaultID?) {
        for name in vaultID.map({ [Self.name(of: $0)] }) ?? names() { remove(name) }
    }
}
