import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let restore = Verb(
        name: "restore", summary: "put a backup in the place of a vault, after checking it",
        operands: "BACKUP [-f FILE]",
        options: [
            Option(.vault, also: "-f", value: "FILE", help: "the vault to make or replace; else the default vault"),
            Option(.output, also: "-o", value: "FILE", help: "the same as -f"),
            Option(
                .drill,
                help:
                    "only try: open and hash all of it, compare it with the live vault, and note the day in that; writes no file"
            ),
            Option(.sample, value: "N", help: "with --drill: N records, drawn at random"),
            .wait, .yes, .noProgress, .json,
        ] + Option.slotCredentials + Option.use,
        example: "qvault restore /mnt/backups/documents-20260131T180000Z.qvault -f documents.qvault",
        note: "the file that it replaces is kept beside it"
    ) { arguments in
        let backup = BytePath(arguments.operands[0])
        if arguments.has(.output), arguments.has(.vault) {
            throw Failure(.usage, "restore: -o or -f, not both: they mean the same")
        }
        if arguments.has(.drill) { return try drill(backup, arguments) }
        if arguments.has(.sample) { throw Failure(.usage, "restore: --sample goes with --drill") }
        let isNamed = arguments.has(.output) || arguments.has(.vault)
        let target = try arguments.bytes(.output).map(BytePath.init) ?? Session.vaultPath(arguments)
        if Machine.isOneFile(backup, target) { throw Failure(.usage, "\(backup) and \(target) are one file") }
        let wait = try arguments.wait()
        let credentials = try SlotCredentials(arguments)
        let retired = try Retirement(of: backup, target: target)
        // A retired master key comes back only if a person says so.
        let isRenewed = retired != nil && !arguments.has(.allowRollback)
        if !isRenewed, let option = Option.slotCredentials.first(where: { arguments.has($0.name) }) {
            throw Failure(
                .usage, "restore: \(option.name.word) is for a backup from before a rotation, which this is not",
                hint: "the key slots come back as they were; 'qvault key rm' and 'qvault rekey' change them")
        }
        let key = try VaultSecret(backup, arguments, asksAgain: isRenewed)
        let vault = try withVault(backup) { try sound(backup, key, arguments) }
        let kept = try isRenewed ? credentials.keep(key, vault, arguments, backup) : nil
        if let retired, retired.epoch > vault.header.epoch.counter {
            Messages.say(
                "\(backup) is signed with a master key that was replaced: whoever had that key, also somebody shut out since, may have written it"
            )
        }
        if !isRenewed { try tellOfSlots(of: vault, target, arguments) }
        return try withVault(target) {
            if !isNamed { try Machine.store.files.makeFolders(target.parent) }
            let result = try Progress.showing("restored", total: vault.byteCount, arguments) {
                try vault.restore(
                    to: target, above: retired?.sequence ?? Machine.witnesses?.lastSeen(vault) ?? 0,
                    renewal: kept.map { kept in .init(after: retired?.epoch ?? 0) { try kept.slots($0, of: vault) } },
                    timeout: wait, progress: $0, expecting: { Machine.witnesses?.expect($0, $1, at: target) })
            }
            Session.placed(result.vault, at: target)
            if kept != nil {
                try? Keyring.drop(vault.id)
                Messages.say(
                    "\(backup) is from before a rotation: the vault has a new master key, and opens with the secrets of that time"
                )
            }
            Upkeep.note(.drill, vault.id)
            try tell(result, of: backup, at: target, isRenewed: kept != nil, arguments)
            return .done
        }
    }

    /// Says what a restoration did.
    private static func tell(
        _ result: Restoration, of backup: BytePath, at target: BytePath, isRenewed: Bool, _ arguments: Arguments
    ) throws {
        try Messages.done(
            "restored \(target) from \(backup), save \(result.vault.sequence)", arguments,
            json: JSON(
                joining: .path(target), .path(backup, key: "backup"),
                [
                    "save": result.vault.sequence, "replaced": result.replaced?.description,
                    "new_master_key": isRenewed, "keeps_slots": result.keepsSlots,
                ]))
        if result.keepsSlots {
            Messages.note("the key slots stay as they were in \(target): those of the backup were others")
        }
        if let replaced = result.replaced, !arguments.has(.json) {
            Messages.note("the file that was there is kept as \(replaced)")
        }
    }

    /// Lists the key slots that come into force with a backup, unless those of the vault in its place stay; a person at a
    /// terminal is asked. A password that was removed since is among them.
    private static func tellOfSlots(of backup: Vault, _ target: BytePath, _ arguments: Arguments) throws {
        guard try backup.slotsInForce(at: target) == nil else { return }
        let day = timeText(backup.time, local: true)
        Messages.say("key slots of \(day) come into force; what was removed or changed since opens the vault again:")
        for (number, slot) in backup.keySlots.slots {
            let label = slot.knownKind == nil ? nil : try backup.label(of: slot)
            let made = label.map { timeText($0.created, local: true) } ?? "-"
            Messages.say("  \(number)  \(slot.kindName)  \(made)  \(printable((label?.text ?? "").utf8))")
        }
        Messages.hint("'qvault key list' shows them again; 'qvault key rm' and 'qvault rekey rotate' shut one out")
        let isReplaced = try Machine.store.files.exists(target)
        guard isReplaced, !arguments.has(.yes), isatty(STDIN_FILENO) == 1, Terminal.isPresent else { return }
        guard try Terminal.confirm("restore with these key slots?", standard: false) else {
            throw Failure(.refused, "nothing was restored")
        }
    }

    /// Opens a backup and checks every byte of it.
    private static func sound(_ backup: BytePath, _ key: VaultSecret, _ arguments: Arguments) throws -> Vault {
        let vault = try Session.open(backup, key, arguments, isSource: true)
        let check = try Progress.showing("checked", total: vault.byteCount, arguments) {
            try vault.verify(progress: $0)
        }
        guard let worst = check.worstBesidesParity else { return vault }
        throw Failure(
            worst.exitCode, "\(backup): the backup is not sound, and nothing was restored from it",
            hint: worst == .unsupported
                ? "use a newer qvault"
                : check.parity == nil
                    ? "'qvault verify --map' lists what is wrong; 'qvault salvage' gets out what can be read"
                    : "'qvault repair' makes a new file of it, as far as its parity reaches; 'qvault verify --map' lists what is wrong"
        )
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
        let replaced = try Self.header(at: target).flatMap { $0.vaultID == header.vaultID ? $0 : nil }
        let book = Machine.witnesses
        epoch = max(book?.lastEpoch(header.vaultID, at: target) ?? 0, replaced?.epoch.counter ?? 0)
        guard epoch > header.epoch.counter else { return nil }
        sequence = max(book?.lastSeen(header.vaultID) ?? 0, replaced?.sequence ?? 0)
    }

    /// The header of the vault at a path; nil where there is none, or what is there is no vault any more.
    ///
    /// - Throws: `Failure` `.io` of a file that cannot be read: nobody knows which master key is in force.
    private static func header(at target: BytePath) throws -> Header? {
        do { return try LockedVault(target, in: Machine.store).header } catch is FormatError { return nil } catch let
            error
            as IOError
        {
            if error.isMissing { return nil }
            throw Failure(
                .io, "\(target): \(error.message): which key slots are in force there is not known",
                hint: "move the file away, or restore to another path")
        }
    }
}
