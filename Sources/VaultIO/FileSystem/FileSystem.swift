// VaultStore: vaults in files.
//
// Opening, listing, reading, saving, creating and verifying a vault (Spec/store.md, Spec/reader.md), and carrying
// folders in and out. Regular files and folders are reached through the protocols of this file, so that a test can make
// any call fail; SystemFileSystem is the one implementation that asks the operating system. Time and random numbers
// come in through StoreEnvironment. A vault opens with a master key from whatever hands one over, so that nothing here
// knows about passwords.

public import VaultCrypto
public import VaultFormat

/// An entry of a folder.
public struct FolderEntry: Sendable {
    /// Its name.
    public let name: [UInt8]
    /// Its kind, if the folder says it; it may have changed since.
    public let kind: FileStatus.Kind?

    /// An entry of this name and kind.
    public init(name: [UInt8], kind: FileStatus.Kind?) { (self.name, self.kind) = (name, kind) }
}

/// An open file. Each method is one system call, continued when a signal interrupts it.
public protocol File: AnyObject {
    var path: BytePath { get }
    /// Reads at most `buffer.count` bytes from `offset`; 0 is the end of the file.
    func read(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int
    /// Writes some of `bytes`, at least one, at `offset`, and says how many.
    func write(_ bytes: Span<UInt8>, at offset: UInt64) throws -> Int
    func status() throws -> FileStatus
    /// The first offset from `offset` on where something may be written: all before it are zeros. `.max` if there is none.
    func nextData(from offset: UInt64) -> UInt64
    /// Asks for space for bytes in `range`: writing them is then faster. A wish; a full disk shows when they are
    /// written.
    func allocate(_ range: Range<UInt64>)
    func truncate(to length: UInt64) throws
    /// Makes what was written durable.
    func sync() throws
    /// Takes the exclusive lock; false when somebody else holds it.
    func lock() throws -> Bool
    /// True if somebody else holds the lock; false also where that cannot be told.
    func isLockedElsewhere() -> Bool
    /// Sets modification time and whether the owner may execute it.
    func setAttributes(modified: FileTime?, isExecutable: Bool) throws
    /// Gives it the owner, group, permissions, access control list, security label and other extended attributes of a
    /// file whose place it is to take. Where the group cannot be kept, no group has a right to it.
    ///
    /// - Throws: `IOError` where anything else cannot be kept: others could use the new file than could use the old.
    func takeAccess(of old: any File) throws
    /// Its attributes, without those that the system itself keeps for its content.
    ///
    /// - Throws: `IOError`.
    func attributes() throws -> FileAttributes
    /// Sets its attributes; the owner and the group with `withOwner` alone. Other extended attributes stay.
    ///
    /// - Throws: `IOError`; some may be set then.
    func apply(_ attributes: FileAttributes, withOwner: Bool) throws
}

extension File {
    /// `offset`: it is not known where holes are.
    public func nextData(from offset: UInt64) -> UInt64 { offset }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    public func readAll(into buffer: inout MutableSpan<UInt8>, at offset: UInt64) throws -> Int {
        var done = try read(into: &buffer, at: offset)
        while done < buffer.count {
            var rest = buffer._mutatingExtracting(done...)
            let more = try read(into: &rest, at: offset + UInt64(done))
            if more == 0 { break }
            done += more
        }
        return done
    }

    /// `count` bytes from `offset`; fewer at the end of the file.
    public func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        guard count > 0 else { return result }
        var span = result.mutableSpan
        let done = try readAll(into: &span, at: offset)
        result.removeLast(count - done)
        return result
    }

    /// Takes the exclusive lock, and waits in between for whoever holds it: a millisecond longer each time.
    ///
    /// - Returns: false if somebody else has it after all `attempts`.
    package func lock(attempts: Int, _ pause: (_ milliseconds: Int) -> Void) throws -> Bool {
        for attempt in 1...attempts {
            if try lock() { return true }
            pause(attempt)
        }
        return false
    }

    /// Writes all of `bytes` and makes them durable.
    package func writeDurably(_ bytes: [UInt8], at offset: UInt64) throws {
        try writeAll(bytes.span, at: offset)
        try sync()
    }

    /// Writes all of `bytes`.
    public func writeAll(_ bytes: Span<UInt8>, at offset: UInt64) throws {
        var done = 0
        while done < bytes.count { done += try write(bytes.extracting(done...), at: offset + UInt64(done)) }
    }
}

/// A new file that has no name yet. Dropped without `publish`, it leaves nothing behind.
public protocol UnnamedFile: File {
    /// Gives the finished file its name in its folder.
    ///
    /// - Throws: `IOError` with `EEXIST` when the name is taken and `replacing` is false.
    func publish(as name: [UInt8], replacing: Bool) throws
}

/// An open folder. Names are single components; nothing here follows a symbolic link in its last component.
public protocol Folder: AnyObject {
    var path: BytePath { get }
    /// Its entries, in no order, without `.` and `..`.
    func entries() throws -> [FolderEntry]
    func status(of name: [UInt8]) throws -> FileStatus
    func openFile(_ name: [UInt8], writing: Bool) throws -> any File
    func openFolder(_ name: [UInt8]) throws -> any Folder
    func symlinkTarget(_ name: [UInt8]) throws -> [UInt8]
    /// Opens a folder by a relative path without leaving this one and without following any symbolic link.
    func openBeneath(_ relative: BytePath) throws -> any Folder
    /// A new folder that only its owner can enter.
    func makeFolder(_ name: [UInt8]) throws
    func makeSymlink(_ name: [UInt8], target: [UInt8]) throws
    /// Puts a symbolic link in the place of a file or link, at once.
    func replace(_ name: [UInt8], withSymlinkTo target: [UInt8]) throws
    func removeFile(_ name: [UInt8]) throws
    /// Gives a file a second name, which must be free.
    func link(_ name: [UInt8], as new: [UInt8]) throws
    /// A new file that only its owner can read; `replacing` tells whether it will take the place of another. It is
    /// locked wherever it has a name already.
    func makeFile(replacing: Bool) throws -> any UnnamedFile
    /// Makes a hard link `new` here to the file `name` of `other`, on the same file system.
    ///
    /// - Throws: `IOError`, with `EEXIST` where `new` exists and `replacing` is false.
    func link(_ new: [UInt8], to name: [UInt8], in other: any Folder, replacing: Bool) throws
    /// The attributes of the folder itself, as those of a file.
    ///
    /// - Throws: `IOError`.
    func attributes() throws -> FileAttributes
    /// Sets the attributes of the folder itself, as those of a file.
    ///
    /// - Throws: `IOError`; some may be set then.
    func apply(_ attributes: FileAttributes, withOwner: Bool) throws
    /// Sets owner and group of what has this name, a symlink's own.
    ///
    /// - Throws: `IOError`.
    func setOwner(of name: [UInt8], _ owner: UInt32, _ group: UInt32) throws
    /// Sets the modification time of what has this name, a symlink's own included.
    func setModified(_ name: [UInt8], _ time: FileTime) throws
    /// Makes its entries durable.
    func sync() throws
}

extension Folder {
    /// Opens a file for reading.
    package func openFile(_ name: [UInt8]) throws -> any File { try openFile(name, writing: false) }
}

/// The operating system's files, or a test's.
public protocol FileSystem: Sendable {
    func openFile(_ path: BytePath, writing: Bool) throws -> any File
    func openFolder(_ path: BytePath) throws -> any Folder
    /// Follows symbolic links.
    func status(_ path: BytePath) throws -> FileStatus
    func makeFolder(_ path: BytePath) throws
    /// The path without symbolic links, `.` or `..`; all of it must exist.
    func resolve(_ path: BytePath) throws -> BytePath
    /// The medium of a folder's files.
    func medium(_ path: BytePath) -> Medium
}

/// The kinds of media, as far as they matter for durability (Spec/store.md, 1).
public enum Medium: Sendable {
    /// A device of this machine.
    case device
    /// Memory: nothing outlives the power.
    case memory
    /// Another machine, or a program: what they give cannot be told from here.
    case network
}

/// The services of the system that the store uses.
public struct StoreEnvironment: Sendable {
    /// Files.
    public var files: any FileSystem
    /// The clock.
    public var now: @Sendable () -> Timestamp
    /// Random bytes.
    public var random: any RandomSource & Sendable
    /// Waits about `milliseconds`.
    public var pause: @Sendable (_ milliseconds: Int) -> Void
    /// Throws when the person wants to stop.
    public var checkCancellation: @Sendable () throws -> Void
    /// The writer's name in each commit: at most 32 bytes of UTF-8, for people only.
    package var writer = Program.writer

    /// An environment of these parts.
    public init(
        files: any FileSystem, now: @escaping @Sendable () -> Timestamp, random: any RandomSource & Sendable,
        pause: @escaping @Sendable (Int) -> Void, checkCancellation: @escaping @Sendable () throws -> Void = {}
    ) {
        (self.files, self.now, self.random, self.pause) = (files, now, random, pause)
        self.checkCancellation = checkCancellation
    }
}

extension FileSystem {
    /// True if something is at a path.
    ///
    /// - Throws: `IOError` where the system does not say.
    package func exists(_ path: BytePath) throws -> Bool { try IOError.isThere { _ = try status(path) } }
}

extension Folder {
    /// True if something in it has a name.
    ///
    /// - Throws: `IOError` where the system does not say.
    package func exists(_ name: [UInt8]) throws -> Bool { try IOError.isThere { _ = try status(of: name) } }
}

extension IOError {
    /// False if a call says that there is nothing.
    fileprivate static func isThere(_ call: () throws -> Void) throws -> Bool {
        do { try call() } catch let error as IOError where error.isMissing { return false }
        return true
    }
}
