public import VaultIO
public import VaultFormat

/// Something that was not stored as it is, or not written out, and why; the rest goes on.
public struct TreeProblem: Equatable, Sendable {
    /// Why.
    public enum Reason: Equatable, Sendable {
        // Carrying in.
        /// A device.
        case device
        /// The system refused to read it.
        case unreadable(IOError)
        /// It stopped in the middle; what was read is in the vault's trash.
        case cutShort(IOError)
        /// It stopped in the middle; the version that the vault had stays.
        case cutShortBesideOld(IOError)
        /// It was modified before 1677 or after 2262: stored with the nearest time that the format holds.
        case farTime
        /// The vault itself, or what it is being written to.
        case vaultItself
        /// Its extended attributes are more than an entry holds: stored without them.
        case attributesTooLong
        /// Deeper than `Limits.treeDepth`, or its path longer than `Limits.pathByteCount`.
        case tooDeep

        // Carrying out.
        /// Damaged, tampered with or malformed: it, or the rest of it, was not written.
        case unreadableRecord(FormatError)
        /// A name that no file may have.
        case hostileName
        /// A symbolic link that would lead out of the target folder.
        case leadsOutside(target: [UInt8])
        /// Something of this name is there.
        case exists
        /// Not a file, folder or symlink.
        case otherKind(Entry.Kind)
        /// Written, but not with all of its attributes.
        case withoutAttributes(Phrase)
        /// The system refused to write it.
        case unwritable(IOError)
    }

    /// The source file, or the path in the vault.
    public let path: BytePath
    /// Why.
    public let reason: Reason

    package init(path: BytePath, reason: Reason) { (self.path, self.reason) = (path, reason) }
}

/// The counts of what was carried in or out.
public struct TreeCount: Equatable, Sendable {
    /// Files stored or written.
    public var files = 0
    /// Folders stored or written.
    public var folders = 0
    /// Symbolic links stored or written.
    public var symlinks = 0
    /// Files and symbolic links that the vault already held as they are.
    public var unchanged = 0
    /// Records that were put into the trash, since their files are gone.
    public var trashed = 0
    /// Things that were passed over: what is excluded, sockets and pipes.
    public var skipped = 0
    /// Bytes of content stored or written.
    public var bytes: UInt64 = 0

    /// Nothing of any kind.
    public init() {}
}
