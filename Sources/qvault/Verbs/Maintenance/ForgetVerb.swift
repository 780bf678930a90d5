import VaultFormat
import VaultStore

extension Verb {
    static let forget = Verb(
        name: "forget", summary: "clear what this machine remembers of a vault, or of all", operands: "[FILE]",
        options: [.vault, Option(.all, help: "of every vault, and the log"), .json],
        example: "qvault forget --all",
        note: "no vault is touched; older copies are no longer noticed here until it is seen again"
    ) { arguments in
        try forAll("forget", arguments) {
            Machine.witnesses?.forgetAll()
            UnlockThrottle.forget()
            Upkeep.forget()
            PushedCopies.forget()
            StoredFolders.forget()
            StateNumbers.forget("copy", nil)
            _ = try Keyring.dropAll()
            EventLog.clear()
            try Messages.done("forgot all vaults, and the log", arguments, json: ["path": JSON.null])
        } else: { path in
            try Machine.forget(LockedVault(path, in: Machine.store).header.vaultID)
            try Messages.done("forgot \(path)", arguments, json: .path(path))
        }
    }
}
