import Synchronization
import VaultFormat
import VaultIO
import VaultStore

/// What this machine remembers: vaults as it saw them last, attempts to unlock them.
extension Machine {
    /// The witnesses of this machine; nil without a home.
    static var witnesses: WitnessBook? {
        state("witness").map { WitnessBook($0.path, store, report: tellOfLostGuard) }
    }

    /// A folder in that one; nil without a home.
    static func state(_ name: String) -> StateFolder? {
        stateFolder.map { StateFolder($0.appending(Array(name.utf8)), store.files, report: tellOfLostGuard) }
    }

    private static let isTold = Atomic(false)

    /// Warns, once, that the guards which need this machine's memory are not there.
    private static func tellOfLostGuard(_ error: IOError) {
        guard !isTold.exchange(true, ordering: .relaxed), let folder = stateFolder else { return }
        Messages.say(
            "warning: \(error.path): \(error.message): an old copy in a vault's place may go unnoticed, and so may guessed passwords"
        )
        Messages.hint(
            error.isSpaceExhausted
                ? "free some space in \(folder)"
                : "\(folder) must be yours, to read and to write: 'sudo chown -R \"$USER\" \(shellWord(folder.bytes))' makes it so"
        )
    }
}
