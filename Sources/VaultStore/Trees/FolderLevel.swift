import Values
import VaultFormat
import VaultIO

/// An open folder whose entries are still to be stored. A list of them takes the place of the call stack, which a deep tree
/// would overflow.
struct FolderLevel {
    let place: Place
    /// In reverse order. Apart from the place, so that the list is never copied.
    var entries: [FolderEntry]

    struct Place {
        let folder: any Folder
        /// The inner id of the folder in the vault.
        let id: RecordID
        let target: BytePath
        let depth: Int
        /// The records that the vault has in it, by title; empty without an earlier import.
        let known: [[UInt8]: Entry]
    }
}
