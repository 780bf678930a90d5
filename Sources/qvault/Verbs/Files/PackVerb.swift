import Cards
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let pack = Verb(
        name: "pack", summary: "make a vault from folders and files", operands: "SOURCE… -o OUT",
        options: [
            Option(.output, also: "-o", value: "OUT", help: "the vault to make; - is standard output"), .storedName,
            .dryRun, .noProgress, .json, .compression, .packParity,
        ] + Sources.options + Option.derivation + Option.newPassword,
        example: "qvault pack ~/Documents -o documents.qvault",
        note: "everything in the folder, under the name Documents"
    ) { arguments in
        let output = try arguments.output("pack", "OUT", mayStream: true)
        return try withVault(output) {
            try StreamedFile.making(output) { try pack(arguments, to: $0, shownAs: output) }
        }
    }

    private static func pack(
        _ arguments: Arguments, to path: BytePath, shownAs output: BytePath
    ) throws -> ExitCode {
        let sources = try Sources(arguments)
        let parity = try arguments.parity(standard: nil)
        let report = ProblemReport()
        let isStreamed = output.isStandardStream
        guard !arguments.has(.dryRun) else {
            let creation = try Session.dryCreation(path, arguments)
            let work = try creation.treeImport(report: report.add)
            try sources.add(to: work, report, arguments)
            if arguments.has(.json) {
                try StandardOutput.print(work.count.json(output, save: nil, isDry: true, report))
            } else {
                Messages.say("would pack: \(describe(work.count))")
            }
            return report.exitCode()
        }
        try Session.create(path, arguments, readsInput: sources.readsInput, isStreamed: isStreamed) { creation, _ in
            creation.parityPercent = parity
            if sources.options.keepsModes { try creation.keepModes() }
            let work = try creation.treeImport(report: report.add)
            try sources.add(to: work, report, arguments)
            try Session.commit(creation)
            try Messages.done(
                "packed \(describe(work.count)) into \(output)", arguments,
                json: work.count.json(output, save: 1, isDry: false, report))
        }
        return report.exitCode()
    }
}
