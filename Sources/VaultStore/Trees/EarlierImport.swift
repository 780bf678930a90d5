public import Values
import VaultFormat
import VaultIO

/// An import of a folder that came before.
public struct EarlierImport: Equatable, Sendable {
    /// When it began, by the clock of the file system.
    public var began: FileTime
    /// The vault's newest save after it.
    public var save: UInt64

    /// Nanoseconds by which the time of a change may be too early: a program that writes through a mapping of the file moves it with
    /// the first write after the system has stored the page, which it does within half a minute.
    private static let grain: Int64 = 60_000_000_000

    /// An import that began then, and led to this save.
    public init(began: FileTime, save: UInt64) { (self.began, self.save) = (began, save) }

    /// True if a file or symbolic link is as this import left it, by its status alone. The system sets the time of the last
    /// change with each write and each change of attributes, also where a program sets the modification time back.
    ///
    /// - Parameters:
    ///   - old: its record in the vault.
    ///   - keepsModes: true if attributes are to be kept.
    func left(_ old: Entry, _ status: FileStatus, keepsModes: Bool) -> Bool {
        let (latest, isFar) = began.nanoseconds.subtractingReportingOverflow(Self.grain)
        // A version with an origin may be of a later save than it says.
        guard !isFar, status.changed.nanoseconds < latest, old.first <= save, old.origin == nil,
            old.kind == (status.kind == .symlink ? .symlink : .file), [.regular, .symlink].contains(status.kind)
        else { return false }
        let overview = old.overview
        // Files of the system say that they are empty, and are not.
        return status.size > 0 && old.length == status.size && overview.modified == status.modified
            && overview.isExecutable == (status.kind == .regular && status.isExecutable)
            && (overview.attributes != nil) == keepsModes
    }
}
