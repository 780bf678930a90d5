import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let unpack = Verb(
        name: "unpack", summary: "write everything, or what is named, as files",
        operands: "FILE -o DIR [NAME…]  or  -f FILE -o DIR [NAME…]", operandCount: 0...Int.max,
        options: [
            .vault, .moment,
            Option(.output, also: "-o", value: "DIR", help: "the folder to write into; made if missing"),
            .find, Option(.force, help: "replace files that are there"),
            Option(
                .keepModes,
                help: "restore the modes, extended attributes and hard links that the vault kept; as root, owners too"),
            Option(.allLinks, help: "also write symbolic links that lead outside DIR"), .noProgress, .json,
        ] + Option.password,
        example: "qvault unpack documents.qvault -o restored", note: "everything, under restored/; never outside it"
    ) { arguments in
        let target = try arguments.output("unpack", "DIR")
        let named =
            arguments.has(.vault) || arguments.operands.isEmpty
            ? arguments.operands[...] : arguments.operands.dropFirst()
        let path = try Session.vaultPath(arguments, operand: arguments.has(.vault) ? nil : arguments.operands.first)
        return try withVault(path) {
            // Everything at once is more than an unlocked vault suffices for.
            let vault = try Session.openAsOf(
                path, arguments, isSource: true, asksAgain: named.isEmpty || arguments.has(.find))
            let items = try Names.select(Array(named), arguments, in: vault).selecting { !$1.isPassedOver }
            let files = Machine.store.files
            if try !files.exists(target) { try files.makeFolder(target) }
            let report = ProblemReport()
            let work = try TreeExport(vault, to: target, replacing: arguments.has(.force), report: report.add)
            work.keepsModes = arguments.has(.keepModes)
            work.setsOwners = work.keepsModes && geteuid() == 0
            work.writesAllLinks = arguments.has(.allLinks)
            if work.keepsModes, !items.contains(where: { $0.entry.overview.attributes != nil }) {
                Messages.note(
                    "\(path): no modes or owners were kept; 'put --keep-modes' and 'pack --keep-modes' keep them")
            }
            try Progress.showing("unpacked", total: items.reduce(0) { $0 &+ $1.entry.length }, arguments) { update in
                work.progress = update
                try work.write(items)
            }
            try Messages.done(
                "unpacked \(describe(work.count)) into \(target)", arguments, json: work.count.json(target, report))
            return report.exitCode(hint: "what is left out stays in the vault; 'qvault verify' tells more of damage")
        }
    }
}
