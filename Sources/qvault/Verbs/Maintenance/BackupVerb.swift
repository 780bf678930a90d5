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
            Option(.noHistory, help: "only what is live, without older versions and the trash"), .dryRun, .noProgress,
            .json,
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
            let shelf = arguments.bytes(.to).map { BackupShelf(BytePath($0), path) }
            if arguments.has(.dryRun) {
                if let keep, let contents = try shelf?.contents(vault) {
                    for path in contents.outdated(keeping: keep - 1) { Messages.say("would remove \(path)") }
                    tellOfOthers(contents, arguments)
                }
                Messages.say("would back up save \(vault.sequence)")
                return .done
            }
            let target = try shelf?.newName() ?? arguments.output("backup", "OUT")
            let progress = Progress("copied", total: vault.byteCount, arguments)
            do {
                defer { progress.finish() }
                try vault.backUp(
                    to: target, withHistory: !arguments.has(.noHistory), progress: progress.update)
            }
            Upkeep.note(.backup, vault.id)
            var removed: [BytePath] = []
            if let keep, let shelf {
                let contents = try shelf.contents(vault)
                removed = try shelf.thin(contents, besides: target, keeping: keep)
                tellOfOthers(contents, arguments)
            }
            try Messages.done(
                "backed up save \(vault.sequence) to \(target)", arguments,
                json: JSON.path(target) + [
                    ("save", .unsigned(vault.sequence)),
                    ("removed", .list(removed.map { .text($0.description) })),
                ])
            if !arguments.has(.json) { for path in removed { Messages.done("removed \(path)", arguments) } }
            return .done
        }
    }

    private static func tellOfOthers(_ contents: BackupShelf.Contents, _ arguments: Arguments) {
        for (path, reason) in contents.others {
            Messages.say("warning: \(path): left where it is, and not counted: \(reason)")
        }
    }
}
