import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let backup = Verb(
        name: "backup", summary: "write a consistent, read-only copy while others may write", operands: "[FILE]",
        operandCount: 0...1,
        options: [
            .vault, Option(.output, also: "-o", value: "OUT", help: "the file to write"),
            Option(.to, value: "DIR", help: "write it into this folder, with the time in its name"),
            Option(.keep, value: "N", help: "with --to: keep this vault's newest N there, and remove older ones"),
            Option(.noHistory, help: "only what is live, without older versions and the trash"), .noProgress,
        ] + Option.password,
        example: (
            "qvault backup documents.qvault --to /mnt/backups --keep 7", "the last seven; 'restore' brings one back"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments, operand: arguments.operands.first)
        guard arguments.has(.output) != arguments.has(.to) else {
            throw Failure(.usage, "backup: where to? give either -o OUT or --to DIR")
        }
        let keep = try arguments.number(.keep, in: 1...100_000)
        if keep != nil, !arguments.has(.to) { throw Failure(.usage, "backup: --keep goes with --to") }
        return try withVault(path) {
            let vault = try Session.open(path, arguments, isSource: true)
            let shelf = arguments.bytes(.to).map { Shelf(BytePath($0), path) }
            let target = try shelf?.newName() ?? arguments.output("backup", "OUT")
            let progress = Progress("copied", total: vault.byteCount, arguments)
            do {
                defer { progress.finish() }
                try vault.backUp(
                    to: target, withHistory: !arguments.has(.noHistory), progress: progress.update)
            }
            Messages.done("backed up save \(vault.sequence) to \(target)", arguments)
            if let keep { try shelf?.thin(out: vault, besides: target, keeping: keep, arguments) }
            return .done
        }
    }

    static let restore = Verb(
        name: "restore", summary: "put a backup in the place of a vault, after checking it",
        operands: "BACKUP [-f FILE]",
        operandCount: 1...1, options: [.vault, .wait, .noProgress] + Option.slotCredentials + Option.use,
        example: (
            "qvault restore /mnt/backups/documents-20260131T180000Z.qvault -f documents.qvault",
            "the file that it replaces is kept beside it"
        )
    ) { arguments in
        let backup = BytePath(arguments.operands[0])
        let target = try Session.vaultPath(arguments)
        let wait = try arguments.number(.wait, in: 0...86_400) ?? 10
        let credentials = try SlotCredentials(arguments)
        let retired = try Retirement(of: backup, target: target)
        // A retired master key comes back only if a person says so.
        let isRenewed = retired != nil && !arguments.has(.allowRollback)
        if !isRenewed, let option = Option.slotCredentials.first(where: { arguments.has($0.name) }) {
            throw Failure(
                .usage, "restore: \(option.name.rawValue) is for a backup from before a rotation, which this is not",
                hint: "the key slots come back as they were; 'qvault key remove' and 'qvault rekey' change them")
        }
        let key = try VaultSecret(backup, arguments, asksAgain: isRenewed)
        let vault = try withVault(backup) { try sound(backup, key, arguments) }
        let kept = try isRenewed ? credentials.keep(key, vault, arguments, backup) : nil
        return try withVault(target) {
            if !arguments.has(.vault) { try Machine.store.files.makeFolders(target.parent) }
            let progress = Progress("restored", total: vault.byteCount, arguments)
            let result: Restoration
            do {
                defer { progress.finish() }
                result = try vault.restore(
                    to: target, above: retired?.sequence ?? Machine.witnesses?.lastSeen(vault) ?? 0,
                    renewal: kept.map { kept in .init(after: retired?.epoch ?? 0) { try kept.slots($0, of: vault) } },
                    timeout: .seconds(wait), progress: progress.update)
            }
            Session.placed(result.vault, at: target)
            if kept != nil {
                try? Keyring.drop(vault.id)
                Messages.say(
                    "\(backup) is from before a rotation: the vault has a new master key, and opens with the secrets of that time"
                )
            }
            Messages.done("restored \(target) from \(backup), save \(result.vault.sequence)", arguments)
            if let replaced = result.replaced, !arguments.has(.quiet) {
                Messages.say("the file that was there is kept as \(replaced)")
            }
            return .done
        }
    }

    /// Opens a backup and checks every byte of it.
    private static func sound(_ backup: BytePath, _ key: VaultSecret, _ arguments: Arguments) throws -> Vault {
        let vault = try Session.open(backup, key, arguments, isSource: true)
        let progress = Progress("checked", total: vault.byteCount, arguments)
        defer { progress.finish() }
        var done: UInt64 = 0
        let check = try vault.verify() {
            done += $0
            progress.update(done)
        }
        guard let worst = check.worst else { return vault }
        throw Failure(
            worst.exitCode, "\(backup): the backup is not sound, and nothing was restored from it",
            hint: "'qvault verify --map' lists what is wrong; 'qvault salvage' gets out what can be read")
    }
}

/// The rotation that retired the master key of a backup: one that this machine has seen, or that the vault in whose
/// place it goes has been through.
private struct Retirement {
    /// The counter of the newest epoch.
    let epoch: UInt64
    /// The newest sequence that is known of it.
    let sequence: UInt64

    init?(of backup: BytePath, target: BytePath) throws {
        let header = try withVault(backup) { try LockedVault(backup, in: Machine.store).header }
        let replaced = (try? LockedVault(target, in: Machine.store).header).flatMap {
            $0.vaultID == header.vaultID ? $0 : nil
        }
        let book = Machine.witnesses
        epoch = max(book?.lastEpoch(header.vaultID, at: target) ?? 0, replaced?.epoch.counter ?? 0)
        guard epoch > header.epoch.counter else { return nil }
        sequence = max(book?.lastSeen(header.vaultID) ?? 0, replaced?.sequence ?? 0)
    }
}

/// A folder of backups of one vault, each with the time in its name.
private struct Shelf {
    private let folder: BytePath
    private let stem: [UInt8]

    init(_ folder: BytePath, _ vault: BytePath) {
        let name = vault.lastComponent
        (self.folder, stem) = (folder, name.suffix(7) == Array(".qvault".utf8)[...] ? Array(name.dropLast(7)) : name)
    }

    /// `documents-20260131T180000Z.qvault`, in UTC.
    func newName() throws -> BytePath {
        let files = Machine.store.files
        if (try? files.status(folder)) == nil { try files.makeFolders(folder) }
        let time = timeText(microseconds: Machine.store.now() / 1_000_000 * 1_000_000).filter { $0 != "-" && $0 != ":" }
        for number in 1... {
            // Comes after the one without in every list.
            let mark = number == 1 ? "" : "_\(number)"
            let path = folder.appending(stem + Array("-\(time)\(mark).qvault".utf8))
            if (try? files.status(path)) == nil { return path }
        }
        return folder
    }

    /// Removes this vault's oldest backups.
    func thin(out vault: Vault, besides target: BytePath, keeping count: Int, _ arguments: Arguments) throws {
        let shelf = try Machine.store.files.openFolder(folder)
        // By what they hold, and not by a clock that may have been wrong.
        let mine = try shelf.entries().map(\.name).filter(isBackup).compactMap { name -> (UInt64, [UInt8])? in
            guard let locked = try? LockedVault(folder.appending(name), in: Machine.store), locked.header.isCopy,
                locked.header.vaultID == vault.id, let origin = locked.header.origin
            else { return nil }
            return (origin.sequence, name)
        }.sorted { $0.0 == $1.0 ? $0.1.lexicographicallyPrecedes($1.1) : $0.0 < $1.0 }
        for (_, name) in mine.dropLast(count) where name != target.lastComponent {
            try shelf.removeFile(name)
            Messages.done("removed \(folder.appending(name))", arguments)
        }
    }

    private func isBackup(_ name: [UInt8]) -> Bool {
        let shape = Array("-00000000T000000Z".utf8)
        let rest = name.dropFirst(stem.count)
        return name.starts(with: stem) && name.suffix(7) == Array(".qvault".utf8)[...]
            && rest.count >= shape.count + 7
            && zip(rest, shape).allSatisfy { $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 }
    }
}
