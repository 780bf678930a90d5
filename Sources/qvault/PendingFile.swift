import VaultStore

/// A file for its owner that has its bytes and no name yet; without `publish` nothing is left of it.
struct PendingFile {
    private let file: any UnnamedFile
    private let target: Path
    private let isReplacing: Bool

    /// - Throws: `VaultError.exists` if the name is taken and `replacing` is false; `IOError`.
    init(_ bytes: [UInt8], at target: Path, replacing: Bool) throws {
        let folder = try Session.world.files.openFolder(target.parent)
        isReplacing = (try? folder.status(of: target.lastComponent)) != nil
        if isReplacing, !replacing { throw VaultError.exists(target) }
        file = try folder.makeFile(replacing: isReplacing)
        self.target = target
        try file.writeAll(bytes.span, at: 0)
        try file.sync()
    }

    /// Gives it its name.
    ///
    /// - Throws: `VaultError.exists` if somebody took it meanwhile; `IOError`.
    func publish() throws {
        do { try file.publish(as: target.lastComponent, replacing: isReplacing) } catch let error as IOError
            where error.isNameTaken
        { throw VaultError.exists(target) }
    }
}
