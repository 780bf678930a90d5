package import Values
package import VaultIO
import VaultFormat

/// A new file that gets its name when it is whole. Without `publish` nothing is left of it.
package struct AtomicFile {
    /// Its content.
    package let file: any UnnamedFile
    private let target: BytePath
    private let folder: any Folder
    private let isReplacing: Bool

    /// Makes it in the folder of its name.
    ///
    /// - Parameter replacing: a file that has the name already is replaced.
    /// - Throws: `VaultError.exists` if the name is taken and `replacing` is false; `IOError`.
    package init(_ target: BytePath, _ files: any FileSystem, replacing: Bool = false) throws {
        folder = try files.openFolder(target.parent)
        isReplacing = try folder.exists(target.lastComponent)
        if isReplacing && !replacing { throw VaultError.exists(target) }
        file = try folder.makeFile(replacing: isReplacing)
        self.target = target
    }

    /// Gives it its name.
    ///
    /// - Throws: `VaultError.exists` if another program took the name first; `IOError`.
    package func publish() throws { try file.publish(as: target, replacing: isReplacing) }

    /// Gives it its name, and makes the name durable (Spec/store.md, 4). The content is durable already.
    ///
    /// - Throws: as `publish()`.
    package func publishDurably() throws {
        // A vault: nobody saves into it before its name is durable. Without locks nobody can save at all.
        _ = try? file.lock()
        try publish()
        try folder.sync()
    }
}

extension UnnamedFile {
    /// Gives the finished file its name in its folder.
    ///
    /// - Throws: `VaultError.exists` if the name is taken and `replacing` is false; `IOError`.
    package func publish(as target: BytePath, replacing: Bool) throws {
        do {
            try publish(as: target.lastComponent, replacing: replacing)
        } catch let error as IOError where error.isNameTaken {
            throw VaultError.exists(target)
        }
    }
}
