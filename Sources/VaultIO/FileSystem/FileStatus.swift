public import Values
import VaultFormat

/// The attributes of a file.
public struct FileStatus: Equatable, Sendable {
    /// Kinds of files; `other` is a socket or pipe.
    public enum Kind: Equatable, Sendable {
        case regular, folder, symlink
        case device, other
    }

    /// Its kind.
    public var kind: Kind
    /// Length in bytes.
    public var size: UInt64
    /// When it was modified; the nearest that there is for a time before 1677 or after 2262.
    public var modified: FileTime
    /// Someone may execute it.
    public var isExecutable: Bool
    /// The file system it is on.
    public var device: UInt64
    /// Its number there; with `device` it names the file.
    public var inode: UInt64
    /// Whose it is, and who may do what with it.
    public var access: Access
    /// Names that lead to it; 0 once the last is removed.
    public var linkCount: UInt64
    /// True if it takes less space than its length: it may have holes.
    public var isSparse: Bool
    /// The bits of set-user-ID, set-group-ID and the sticky bit, in their places: 0 … 0o7000.
    public var specialBits: UInt32 = 0
    /// When its content or its attributes were changed last. The system keeps this by itself, and no program can set it.
    public var changed: FileTime = .max

    /// Owner, group, and the nine permission bits.
    public struct Access: Equatable, Sendable {
        /// The user's number.
        public var owner: UInt32
        /// The group's number.
        public var group: UInt32
        /// As `chmod` has them, 0 … 0o777.
        public var permissions: UInt32

        /// An owner, a group and permissions.
        public init(owner: UInt32 = 0, group: UInt32 = 0, permissions: UInt32 = 0o600) {
            (self.owner, self.group, self.permissions) = (owner, group, permissions)
        }
    }

    /// True if the modification time is beyond the range of 64-bit nanoseconds.
    public var hasFarTime: Bool { modified == .min || modified == .max }

    /// True if both are of one file, whatever its names are.
    public func isOfSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }

    /// A status with these parts.
    public init(
        kind: Kind, size: UInt64, modified: FileTime, isExecutable: Bool, device: UInt64, inode: UInt64,
        access: Access = Access(), linkCount: UInt64 = 1, isSparse: Bool = false
    ) {
        (self.kind, self.size, self.modified) = (kind, size, modified)
        (self.isExecutable, self.device, self.inode, self.access) = (isExecutable, device, inode, access)
        (self.linkCount, self.isSparse) = (linkCount, isSparse)
    }
}

/// The attributes of a file or folder that a status does not have in full: mode, owner, group and extended attributes.
public struct FileAttributes: Equatable, Sendable {
    /// The permissions and the bits for set-user-ID, set-group-ID and the sticky bit, 0 … 0o7777.
    public var mode: UInt32
    /// The user's number.
    public var owner: UInt32
    /// The group's number.
    public var group: UInt32
    /// The extended attributes, access control lists among them, by name.
    public var extended: [[UInt8]: [UInt8]]

    /// Attributes of these parts.
    public init(mode: UInt32, owner: UInt32, group: UInt32, extended: [[UInt8]: [UInt8]] = [:]) {
        (self.mode, self.owner, self.group, self.extended) = (mode, owner, group, extended)
    }

    /// The attributes that a status has, without extended ones.
    package init(_ status: FileStatus) {
        self.init(
            mode: status.specialBits | status.access.permissions, owner: status.access.owner,
            group: status.access.group)
    }
}
