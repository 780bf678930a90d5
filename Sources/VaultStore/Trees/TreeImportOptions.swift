public import VaultIO
public import Values

/// What an import leaves out of folders, and what it does about what they no longer hold.
public struct TreeImportOptions: Sendable {
    /// What is left out, by paths from the folder that is carried in.
    public var excluded = ExcludePatterns()
    /// True if of a folder with a tag of a cache (bford.info/cachedir) only the tag is stored.
    public var skipsCaches = false
    /// True if folders of other file systems are stored as empty ones.
    public var staysOnFileSystem = false
    /// True if what the vault has in a folder, and the folder has no more, is put into the trash. What is excluded stays.
    public var mirrors = false

    /// True if modes, owners, extended attributes and hard links are kept.
    public var keepsModes = false

    /// An import of the same folder to the same place, with the same options, that read all of it; nil to compare all contents.
    public var earlier: EarlierImport?

    /// Nothing is left out, and nothing goes.
    public init() {}
}

/// What an import does with one thing.
public struct TreeChange: Equatable, Sendable {
    /// What, and why.
    public enum Action: Equatable, Sendable {
        /// It is new, it has another content, another time or mode, or it is gone from its folder.
        case added, replaced, updated, trashed
        /// It is left out: by a pattern, as the content of a cache, as another file system's, as a socket or pipe.
        case excluded(pattern: [UInt8]), cache, otherFileSystem, socket
        /// It changed while it was read, and is stored as it was read.
        case changedMeanwhile
    }

    /// The path in the vault; of what is left out, and of what changed, that of the source.
    public let path: BytePath
    /// What, and why.
    public let action: Action

    package init(path: BytePath, action: Action) { (self.path, self.action) = (path, action) }
}
