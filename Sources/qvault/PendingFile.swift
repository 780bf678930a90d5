import VaultFormat
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
        if isReplacing {
            if !replacing { throw VaultError.exists(target) }
            try Self.checkReplaceable(target)
        }
        file = try folder.makeFile(replacing: isReplacing)
        self.target = target
        try file.writeAll(bytes.span, at: 0)
        try file.sync()
    }

    /// What is no file, and what is a vault, is never replaced by what comes out of one.
    ///
    /// - Throws: `Failure` `.refused`.
    static func checkReplaceable(_ target: Path) throws {
        guard let status = try? Session.world.files.status(target) else { return }
        guard status.kind == .regular else {
            throw Failure(.refused, "\(target): is no file that can be replaced")
        }
        // One that cannot be read is none of this person's vaults.
        guard (try? Session.world.files.openFile(target, writing: false).isVault()) != true else {
            throw Failure(.refused, "\(target): is a vault, and is not replaced", hint: "write to another file")
        }
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
