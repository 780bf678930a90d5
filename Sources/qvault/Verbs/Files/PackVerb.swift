import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let pack = Verb(
        name: "pack", summary: "make a vault from folders and files", operands: "SOURCE… -o OUT",
        options: [
            Option(.output, also: "-o", value: "OUT", help: "the vault to make"), .storedName, .noProgress, .json,
            .compression,
        ] + Sources.options + Option.derivation + Option.newPassword,
        example: "qvault pack ~/Documents -o documents.qvault",
        note: "everything in the folder, under the name Documents"
    ) { arguments in
        let path = try arguments.output("pack", "OUT")
        return try withVault(path) {
            let sources = try Sources(arguments)
            let report = ProblemReport()
            try Session.create(path, arguments, readsInput: sources.readsInput) { creation, _ in
                let work = try creation.treeImport(report: report.add)
                try sources.add(to: work, report, arguments)
                try Session.commit(creation)
                try Messages.done(
                    "packed \(describe(work.count)) into \(path)", arguments,
                    json: work.count.json(path, save: 1, report))
            }
            return report.exitCode()
        }
    }
}
