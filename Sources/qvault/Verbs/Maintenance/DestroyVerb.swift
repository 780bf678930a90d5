import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let destroy = Verb(
        name: "destroy", summary: "overwrite a vault's key slots and remove the file, for good", operands: "FILE",
        operandCount: 1...1, options: [Option(.yes, help: "do not ask"), .wait],
        example: (
            "qvault destroy old.qvault",
            "asks first; copies, backups, snapshots and the disk itself may keep the old bytes"
        )
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        let wait = try arguments.number(.wait, in: 0...86_400) ?? 10
        return try withVault(path) {
            if !arguments.has(.yes) {
                guard Terminal.isPresent else {
                    throw Failure(.refused, "\(path): nobody is there to ask", hint: "--yes destroys it without asking")
                }
                let word = try Terminal.ask("destroy \(path) for good? type yes: ")
                guard word == "yes" else { throw Failure(.refused, "\(path): left as it is") }
            }
            let places = Machine.witnesses?.places(path) ?? []
            let id = try Vault.destroy(at: path, in: Machine.store, timeout: .seconds(wait))
            // The vault may live on at another path.
            if let id, Machine.witnesses?.forget(id, at: places) == true { try Machine.forget(id) }
            Messages.done("destroyed \(path)", arguments)
            if !arguments.has(.quiet) {
                Messages.say(
                    "note: backups, other copies, snapshots and the disk itself may still hold the old bytes, and who has the key can read them there"
                )
            }
            return .done
        }
    }

    static let forget = Verb(
        name: "forget", summary: "clear what this machine remembers of a vault, or of all", operands: "[FILE]",
        operandCount: 0...1, options: [.vault, Option(.all, help: "of every vault, and the log")],
        example: (
            "qvault forget --all", "no vault is touched; older copies are no longer noticed here until it is seen again"
        )
    ) { arguments in
        if arguments.has(.all) {
            guard arguments.operands.isEmpty, !arguments.has(.vault) else {
                throw Failure(.usage, "forget: name a vault, or give --all")
            }
            Machine.witnesses?.forgetAll()
            UnlockThrottle.forget()
            _ = try Keyring.dropAll()
            EventLog.clear()
            Messages.done("forgot all vaults, and the log", arguments)
            return .done
        }
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        return try withVault(path) {
            let locked = try LockedVault(path, in: Machine.store)
            try Machine.forget(locked.header.vaultID)
            Messages.done("forgot \(path)", arguments)
            return .done
        }
    }
}

extension Machine {
    /// Clears what this machine remembers of a vault, and locks it.
    fileprivate static func forget(_ vaultID: VaultID) throws {
        witnesses?.forget(vaultID)
        UnlockThrottle.forget(vaultID)
        try Keyring.drop(vaultID)
    }
}
