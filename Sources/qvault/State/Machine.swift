import VaultFormat
import VaultIO

/// This machine, as the verbs use it: its files, the command's own folders on it, and what it has seen of vaults.
enum Machine {
    /// The files, clock and random numbers of this machine. Ctrl-C ends what uses them.
    static var store: StoreEnvironment { .system(checkCancellation: checkInterrupts) }

    /// The time by the clock of this machine.
    static var now: Timestamp { store.now() }

    /// Today, by the calendar of this place.
    static var today: Day { LocalTime.day(of: now) }

    /// The folder `quickvault` in the one that a variable names, else at a place beneath $HOME; nil without a home.
    static func folder(_ variable: String, else place: String) -> BytePath? {
        let home = environment(folder: "HOME")
        return (environment(folder: variable) ?? home?.appending(Array(place.utf8)))?.appending(
            Array("quickvault".utf8))
    }

    /// True if two paths lead to one file.
    static func isOneFile(_ path: BytePath, _ other: BytePath) -> Bool {
        guard let mine = try? store.files.status(path), let theirs = try? store.files.status(other) else {
            return false
        }
        return mine.isOfSameFile(as: theirs)
    }

    /// A folder for files that go again: `$TMPDIR` if it is there, else `/tmp`.
    static var scratchFolder: BytePath {
        let named = environment(folder: "TMPDIR").flatMap { path in
            (try? store.files.status(path).kind) == .folder ? path : nil
        }
        return named ?? BytePath("/tmp")
    }

    /// `$XDG_STATE_HOME/quickvault`; nil without a home.
    static var stateFolder: BytePath? { folder("XDG_STATE_HOME", else: ".local/state") }
}
