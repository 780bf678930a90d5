import Cards
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    /// Tries a backup, and notes in the live vault that it was tried.
    static func drill(_ backup: BytePath, _ arguments: Arguments) throws -> ExitCode {
        let path = try Session.vaultPath(arguments)
        if Machine.isOneFile(backup, path) { throw Failure(.usage, "\(backup) and \(path) are one file") }
        let sample = try arguments.number(.sample, in: 1...1_000_000_000)
        return try withVault(path) {
            let live = try Session.open(path, arguments)
            let copy = try Session.openOther(backup, beside: live, arguments)
            copy.nameInErrors = backup
            if sample == nil {
                let check = try Progress.showing("checked", total: copy.byteCount, arguments) {
                    try copy.verify(progress: $0)
                }
                if let worst = check.worstBesidesParity {
                    throw Failure(
                        worst.exitCode, "\(backup): the backup is not sound",
                        hint: "'qvault verify --map \(backup)' lists what is wrong")
                }
            }
            let found = try Progress.showing("opened", total: copy.byteCount, arguments) {
                try Drill(of: copy, against: live, sample: sample, progress: $0)
            }
            guard let drill = found else {
                throw Failure(
                    .older, "\(backup): it holds a save that \(path) does not know",
                    hint: "'qvault diff' shows what differs; is it a backup of another copy?")
            }
            for entry in drill.differing.prefix(20) {
                Messages.say(
                    "\(backup): differs from \(path) at save \(drill.save): \(printable(entry.overview.title))")
            }
            if drill.comparedCount == 0, drill.recordCount > 0 {
                Messages.note("\(path): it cannot show save \(drill.save) any more, so nothing was compared with it")
            }
            let isSound = drill.differing.isEmpty
            if isSound { try note(drill, of: backup, path, arguments) }
            try StandardOutput.list([drill], arguments) { drill in
                JSON(
                    joining: .path(backup, key: "backup"), .path(path),
                    [
                        "save": drill.save, "records": drill.recordCount, "bytes": drill.byteCount,
                        "compared": drill.comparedCount, "differing": drill.differing.count,
                    ])
            } text: { drill in
                let opened: Phrase = "records opened: \(drill.recordCount), \(sizeText(drill.byteCount))"
                let result: Phrase =
                    "\(backup): save \(drill.save), \(opened); compared: \(drill.comparedCount), differing: \(drill.differing.count)"
                return result.said
            }
            return isSound ? .done : .lost
        }
    }

    /// Remembers the trial, on this machine and in the vault.
    private static func note(_ drill: Drill, of backup: BytePath, _ path: BytePath, _ arguments: Arguments) throws {
        let transaction = try Session.begin(path, arguments)
        let name = String(decoding: backup.lastComponent, as: UTF8.self)
        try transaction.noteDrill(at: Machine.now, "\(name): save \(drill.save), records \(drill.recordCount)")
        try Session.commit(transaction)
        Upkeep.note(.drill, transaction.before.id)
    }
}
