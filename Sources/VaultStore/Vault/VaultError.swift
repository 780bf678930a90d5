public import VaultIO
public import VaultFormat

/// Errors of a vault in a file, besides `FormatError` (the bytes), `IOError` (the system) and
/// `CryptoError` (libcrypto).
public enum VaultError: Error, Equatable, Sendable {
    /// A file stands where a new one was to be made.
    case exists(BytePath)
    /// Another writer holds the lock.
    case busy
    /// The vault may be read and not written, and why.
    case readOnly(Obstacle)
    /// No live record of this name.
    case noSuchRecord(BytePath)
    /// No save of this number, or none at the time asked for, or one whose old versions are gone; the oldest save that
    /// can be shown.
    case noSuchSave(UInt64?, oldest: UInt64)
    /// A folder stands where a file should go, or the other way round.
    case kindConflict(BytePath)
    /// A name that cannot be stored: empty, `.`, `..`, with NUL, or too long.
    case invalidName(BytePath)
    /// Two things to store have one name.
    case duplicateName(BytePath)
    /// One folder has this path here and another in the vault to merge.
    case movedApart(BytePath, there: BytePath)
    /// Something is at the path that a record was to be moved to: live, or in the trash.
    case taken(BytePath, inTrash: Bool)
    /// The root could not be made durable: only a fresh open tells whether the save is there.
    case outcomeUnknown(IOError)
    /// It is not what this machine has seen last (Spec/store.md, 8).
    case rollback(Freshness)
    /// Another file took the vault's place while it was read, under other keys.
    case replaced
    /// Another writer saved although this one held the lock; nothing was saved (Spec/store.md, 2).
    case changedUnderneath
    /// Another writer saved while the vault was written anew, although this one held the lock; its save is in the file at
    /// this path.
    case savedUnderneath(BytePath)
    /// The vault is destroyed, and its file is still there.
    case notRemoved(IOError)
    /// The person stopped the work.
    case cancelled

    /// Why a vault is not written to.
    public enum Obstacle: Equatable, Sendable {
        /// A backup: restore it instead.
        case copy
        /// Written by a newer program.
        case writeFeatures(UInt32)
        /// The damage; the rest can be read.
        case damaged(FormatError)
    }
}

extension Header {
    /// The reason why it forbids writing; nil if it does not.
    var obstacle: VaultError.Obstacle? {
        if isCopy { return .copy }
        return writeFeatures == 0 ? nil : .writeFeatures(writeFeatures)
    }
}

extension VaultError: CustomStringConvertible {
    /// A line for a person: what is wrong, without the path of the vault.
    public var message: Phrase {
        switch self {
        case .exists(let path): "\(path): exists and would be overwritten"
        case .busy: "another program is writing to the vault"
        case .readOnly(.copy): "a backup, which is read-only"
        case .readOnly(.writeFeatures(let bits)):
            "made by a newer program (write features \(bits)): it can be read only"
        case .readOnly(.damaged(let error)): "damaged (\(error.what)): it can be read, and is not written to"
        case .noSuchRecord(let name): "no record '\(name)'"
        case .noSuchSave(let sequence?, let oldest):
            "save \(sequence) cannot be shown; the oldest that can is \(oldest)"
        case .noSuchSave(nil, let oldest): "there was no save yet at that time; the oldest is \(oldest)"
        case .kindConflict(let path): "'\(path)' is a folder in one place and a file in the other"
        case .invalidName(let path): "'\(path)' is no name to store under"
        case .duplicateName(let path): "two sources are called '\(path)'"
        case .taken(let path, inTrash: false): "'\(path)' is there already"
        case .taken(let path, inTrash: true): "'\(path)' is in the trash"
        case .movedApart(let path, let there): "the folder '\(path)' is '\(there)' in the other vault"
        case .outcomeUnknown(let error): "outcome unknown: \(error.message)"
        case .rollback(let freshness): freshness.message ?? "not what this machine has seen"
        case .notRemoved(let error):
            "destroyed, so no secret opens it; but its file could not be removed: \(error.message)"
        case .replaced: "the vault's file was replaced while it was being read"
        case .changedUnderneath:
            "another program saved although this one holds the lock; this command saved nothing"
        case .savedUnderneath(let path):
            "another program saved while the vault was written anew, although this one holds the lock: its save is in \(path)"
        case .cancelled: "stopped; nothing was changed"
        }
    }

    /// The message in English.
    public var description: String { message.description }
}
