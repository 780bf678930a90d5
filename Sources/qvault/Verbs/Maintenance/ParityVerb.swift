import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let parityAdd = Verb(
        name: "parity add", summary: "let a backup repair itself that was made without parity", operands: "BACKUP",
        options: [.parity, .wait, .noProgress, .json],
        example: "qvault parity add documents-20260131T180000Z.qvault",
        note: "no password is needed; damaged parity is made anew"
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        guard let percent = try arguments.parity() else {
            throw Failure(.usage, "parity add: 0% is none", hint: "'qvault parity rm' takes it away")
        }
        return try withVault(path) {
            let size = try Machine.store.files.status(path).size
            try Progress.showing("done", total: size, arguments) {
                try ParityTail.add(
                    to: path, percent: arguments.has(.parity) ? percent : nil, in: Machine.store,
                    timeout: arguments.wait(), progress: $0)
            }
            return try tell("added parity to \(path)", path, arguments)
        }
    }

    static let parityRemove = Verb(
        name: "parity rm", summary: "take the parity of a backup away: it is shorter then, and cannot be repaired",
        operands: "BACKUP", options: [.wait, .json] + Option.password,
        example: "qvault parity rm documents-20260131T180000Z.qvault",
        note: "takes the password, since the pages of the backup tell of its parity"
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        return try withVault(path) {
            let backup = try Session.open(path, arguments, isSource: true)
            try ParityTail.remove(from: backup, timeout: arguments.wait())
            return try tell("removed the parity of \(path)", path, arguments)
        }
    }

    private static func tell(_ phrase: Phrase, _ path: BytePath, _ arguments: Arguments) throws -> ExitCode {
        let locked = try LockedVault(path, in: Machine.store)
        let end = locked.header.logEnd + UInt64(Layout.pageByteCount)
        return try Messages.done(
            phrase, arguments,
            json: JSON(
                joining: .path(path),
                ["size": locked.fileByteCount, "parity_bytes": locked.fileByteCount - min(end, locked.fileByteCount)]))
    }
}
