import Synchronization
import VaultStore

/// This machine, as the verbs use it: its files, the command's own folders on it, and what it has seen of vaults.
enum Machine {
    /// The files, clock and random numbers of this machine. Ctrl-C ends what uses them.
    static var store: StoreEnvironment { .system(checkCancellation: checkInterrupts) }

    /// The folder `quickvault` in the one that a variable names, else at a place beneath $HOME; nil without a home.
    static func folder(_ variable: String, else place: String) -> BytePath? {
        let home = environment(folder: "HOME")
        return (environment(folder: variable) ?? home?.appending(Array(place.utf8)))?.appending(
            Array("quickvault".utf8))
    }

    /// The witnesses of this machine; nil without a home.
    static var witnesses: WitnessBook? { state("witness").map { WitnessBook($0.path, store) } }

    /// `$XDG_STATE_HOME/quickvault`; nil without a home.
    static var stateFolder: BytePath? { folder("XDG_STATE_HOME", else: ".local/state") }

    /// A folder in that one; nil without a home.
    static func state(_ name: String) -> StateFolder? {
        stateFolder.map { StateFolder($0.appending(Array(name.utf8)), store.files) }
    }

    private static let durable = Atomic(false)

    /// True if this process has saved to a vault or made one.
    static var hasSaved: Bool { durable.load(ordering: .relaxed) }

    /// Notes that a save is durable.
    static func noteSave() { durable.store(true, ordering: .relaxed) }
}
