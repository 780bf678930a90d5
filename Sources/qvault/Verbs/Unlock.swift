import VaultCrypto
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let unlock = Verb(
        name: "unlock", summary: "ask once, and keep the vault open for a while", operands: "[FILE]",
        operandCount: 0...1,
        options: [
            .vault,
            Option("--timeout", value: "TIME", help: "lock after so long without use: 30s, 15m, 2h, at most 24h (15m)"),
        ] + Option.use,
        example: (
            "qvault unlock -f family.qvault --timeout 1h",
            "the key stays in the kernel's keyring, never on a disk; 'qvault lock' ends it"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        let timeout = try arguments.text("--timeout").map { text in
            guard let time = Moments.milliseconds(text), 1000...Keyring.longest ~= time else {
                throw Failure(.usage, "--timeout takes a time from 1s to 24h, like 30s, 15m or 2h")
            }
            return time
        }
        return try withVault(path) {
            let milliseconds =
                try timeout ?? Config.milliseconds(.sessionTimeout, else: 900_000, in: 1000...Keyring.longest)
            let locked = try LockedVault(path, in: Session.world)
            let key = try Session.Key(path, arguments, asksAgain: true)
            let vault = try Session.pass(locked.open(master: key.unlock(locked)), path, arguments, isSource: false)
            try Keyring.store(vault, milliseconds: milliseconds)
            Messages.done("unlocked \(path), until it is not used for \(milliseconds / 1000) s", arguments)
            return .done
        }
    }

    static let lock = Verb(
        name: "lock", summary: "end what 'unlock' began", operands: "[FILE]", operandCount: 0...1,
        options: [.vault, Option("--all", help: "every vault")],
        example: ("qvault lock --all", "nothing is lost: whoever wants in is asked again")
    ) { arguments in
        if arguments.has("--all") {
            guard arguments.operands.isEmpty, !arguments.has(.vault) else {
                throw Failure(.usage, "lock: name a vault, or give --all")
            }
            Messages.done("locked vaults: \(try Keyring.dropAll())", arguments)
            return .done
        }
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        return try withVault(path) {
            try Keyring.drop(LockedVault(path, in: Session.world).header.vaultID)
            Messages.done("locked \(path)", arguments)
            return .done
        }
    }

    static let status = Verb(
        name: "status", summary: "whether a vault is unlocked, and for how long", operands: "[FILE]",
        operandCount: 0...1, options: [.vault, .json],
        example: ("qvault status family.qvault", "asks for nothing, and does not renew the time")
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        return try withVault(path) {
            let header = try LockedVault(path, in: Session.world).header
            let left = Keyring.timeLeft(header)
            var book = UnlockBook(header.vaultID)
            let pause = try book.pause()
            guard !arguments.has(.json) else {
                try Command.print(
                    JSON.object(
                        JSON.path(path, key: "file") + [
                            ("unlocked", .bool(left != nil)),
                            ("seconds_left", left.map { .unsigned($0 / 1000) } ?? .null),
                            ("seconds_refused", pause.map { .unsigned($0) } ?? .null),
                        ]
                    ).line + "\n")
                return .done
            }
            let state: Phrase =
                if let left { "unlocked, \(left / 1000) s left" } else if let pause {
                    "locked; wrong passwords, next attempt in \(pause) s"
                } else { "locked" }
            try Command.print("\(path): \(state.said)\n")
            return .done
        }
    }
}
