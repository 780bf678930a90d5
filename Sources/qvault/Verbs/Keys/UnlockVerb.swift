import Portfolio
import VaultCrypto
import VaultFormat
import VaultStore

extension Verb {
    static let unlock = Verb.at(
        name: "unlock", summary: "ask once, and keep the vault open for a while", operands: "[FILE]",
        options: [
            .vault,
            Option(.timeout, value: "TIME", help: "lock after so long without use: 30s, 15m, 2h, at most 24h (15m)"),
            Option(.max, value: "TIME", help: "lock after this time even while it is used: 1h, 8h, at most 24h (12h)"),
            .json,
        ] + Option.use,
        example: "qvault unlock -f family.qvault --timeout 1h",
        note: "the key stays in the kernel's keyring, never on a disk; 'qvault lock' ends it"
    ) { path, arguments in
        let range = 1000...Keyring.longest
        let (timeout, longest) = (
            try arguments.milliseconds(.timeout, in: range), try arguments.milliseconds(.max, in: range)
        )
        let milliseconds = try timeout ?? Config.milliseconds(.sessionTimeout)
        let most = try longest ?? Config.milliseconds(.sessionMax)
        let vault = try Session.open(path, arguments, asksAgain: true)
        try Keyring.store(vault.keys.master, vault.header, milliseconds: milliseconds, most: most)
        try Messages.done(
            "unlocked \(path); it locks after \(TimeSpan.text(min(milliseconds, most))) without use, and after \(TimeSpan.text(most)) in any case",
            arguments,
            json: JSON(
                joining: .path(path),
                ["seconds_unused": min(milliseconds, most) / 1000, "seconds_at_most": most / 1000]))
        sayDue(in: vault)
        return .done
    }

    /// What is due, in one line a day.
    private static func sayDue(in vault: Vault) {
        var upkeep = Upkeep(vault.id)
        guard !Messages.isQuiet, upkeep.isFirst(onDay: Machine.today) else { return }
        // Damage is for 'due' to tell: the vault is unlocked all the same.
        guard let items = try? Due.today(in: vault, within: 30), !items.isEmpty else { return }
        Messages.say("due: \(items.counts); 'qvault due' lists them")
    }

    static let lock = Verb(
        name: "lock", summary: "end what 'unlock' began", operands: "[FILE]",
        options: [.vault, Option(.all, help: "every vault"), .json],
        example: "qvault lock --all", note: "nothing is lost: whoever wants in is asked again"
    ) { arguments in
        try forAll("lock", arguments) {
            let count = try Keyring.dropAll()
            try Messages.done("locked vaults: \(count)", arguments, json: ["path": JSON.null])
        } else: { path in
            try Keyring.drop(LockedVault(path, in: Machine.store).header.vaultID)
            try Messages.done("locked \(path)", arguments, json: .path(path))
        }
    }

    /// Does something for all vaults where `--all` is given, else for the one that is named.
    static func forAll(
        _ verb: String, _ arguments: Arguments, _ all: () throws -> Void, else one: (BytePath) throws -> Void
    ) throws -> ExitCode {
        if !arguments.has(.all) {
            let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
            try withVault(path) { try one(path) }
        } else if arguments.operands.isEmpty, !arguments.has(.vault) {
            try all()
        } else {
            throw Failure(.usage, "\(verb): name a vault, or give --all")
        }
        return .done
    }

    static let status = Verb.at(
        name: "status", summary: "whether a vault is unlocked, and for how long", operands: "[FILE]",
        options: [.vault, .json],
        example: "qvault status family.qvault", note: "asks for nothing, and does not renew the time"
    ) { path, arguments in
        let header = try LockedVault(path, in: Machine.store).header
        let left = Keyring.timeLeft(header).map { $0 / 1000 }
        let pause = try [true, false].compactMap { isTyped in
            var book = UnlockThrottle(header.vaultID, isTyped: isTyped)
            return try book.pause()
        }.max()
        let state: Phrase =
            if let left { "unlocked, \(left) s left" } else if let pause {
                "locked; wrong passwords, next attempt in \(pause) s"
            } else { "locked" }
        return try StandardOutput.list([state], arguments) { _ in
            JSON(
                joining: .path(path, key: "file"),
                ["unlocked": left != nil, "seconds_left": left, "seconds_refused": pause])
        } text: {
            "\(path): \($0.said)"
        }
    }
}
