import Portfolio
import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let unlock = Verb(
        name: "unlock", summary: "ask once, and keep the vault open for a while", operands: "[FILE]",
        operandCount: 0...1,
        options: [
            .vault,
            Option(.timeout, value: "TIME", help: "lock after so long without use: 30s, 15m, 2h, at most 24h (15m)"),
            Option(
                .max, value: "TIME", help: "lock after this time even while it is used: 1h, 8h, at most 24h (12h)"),
        ] + Option.use,
        example: (
            "qvault unlock -f family.qvault --timeout 1h",
            "the key stays in the kernel's keyring, never on a disk; 'qvault lock' ends it"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        let range = 1000...Keyring.longest
        let timeout = try arguments.milliseconds(.timeout, in: range)
        let most = try arguments.milliseconds(.max, in: range)
        return try withVault(path) {
            let milliseconds =
                try timeout ?? Config.milliseconds(.sessionTimeout)
            let most = try most ?? Config.milliseconds(.sessionMax)
            let vault = try Session.open(path, arguments, asksAgain: true)
            try Keyring.store(vault, milliseconds: milliseconds, most: most)
            Messages.done(
                "unlocked \(path); it locks after \(TimeArgument.text(min(milliseconds, most))) without use, and after \(TimeArgument.text(most)) in any case",
                arguments)
            sayDue(in: vault, arguments)
            return .done
        }
    }

    /// What is due, in one line a day.
    private static func sayDue(in vault: Vault, _ arguments: Arguments) {
        var upkeep = Upkeep(vault.id)
        guard !arguments.has(.quiet), upkeep.isFirst(onDay: Machine.today) else { return }
        // Damage is for 'due' to tell: the vault is unlocked all the same.
        guard let items = try? Due.today(in: vault, within: 30), !items.isEmpty
        else { return }
        Messages.say("due: \(items.counts); 'qvault due' lists them")
    }

    static let lock = Verb(
        name: "lock", summary: "end what 'unlock' began", operands: "[FILE]", operandCount: 0...1,
        options: [.vault, Option(.all, help: "every vault")],
        example: ("qvault lock --all", "nothing is lost: whoever wants in is asked again")
    ) { arguments in
        if arguments.has(.all) {
            guard arguments.operands.isEmpty, !arguments.has(.vault) else {
                throw Failure(.usage, "lock: name a vault, or give --all")
            }
            Messages.done("locked vaults: \(try Keyring.dropAll())", arguments)
            return .done
        }
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        return try withVault(path) {
            try Keyring.drop(LockedVault(path, in: Machine.store).header.vaultID)
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
            let header = try LockedVault(path, in: Machine.store).header
            let left = Keyring.timeLeft(header)
            let pause = try [true, false].compactMap { isTyped in
                var book = UnlockThrottle(header.vaultID, isTyped: isTyped)
                return try book.pause()
            }.max()
            guard !arguments.has(.json) else {
                try StandardOutput.print(
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
            try StandardOutput.print("\(path): \(state.said)\n")
            return .done
        }
    }
}
