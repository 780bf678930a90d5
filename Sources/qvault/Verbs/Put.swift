import VaultFormat
import VaultStore

extension Verb {
    static let put = Verb(
        name: "put", summary: "add files and folders, or replace them", operands: "FILE…", operandCount: 1...Int.max,
        options: [.vault, .storedName, .wait, .noProgress] + Option.use,
        example: (
            "qvault put -f documents.qvault letter.pdf --as Documents/letter.pdf", "costs the change, not the vault"
        )
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let sources = try Sources(arguments)
            let transaction = try Session.begin(path, arguments, readsInput: sources.readsInput)
            let report = ProblemReport()
            let work = try transaction.treeImport(report: report.add)
            try sources.add(to: work, report, arguments)
            guard !transaction.isEmpty else {
                Messages.done("nothing to store: \(describe(work.count))", arguments)
                return report.exitCode()
            }
            try Session.commit(transaction, arguments)
            Messages.done(
                "stored \(describe(work.count)) in \(path), save \(transaction.before.sequence + 1)", arguments)
            return report.exitCode()
        }
    }

    static let remove = Verb(
        name: "rm", summary: "put records into the trash", operands: "NAME…", operandCount: 1...Int.max,
        options: [.vault, Option("-r", "--recursive", help: "folders with what is in them"), .wait] + Option.use,
        example: ("qvault rm -f documents.qvault Documents/letter.pdf", "its bytes stay in the vault's history")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let transaction = try Session.begin(path, arguments)
            let doomed = try Session.select(arguments.operands, in: transaction.before)
            if !arguments.has("--recursive"), let folder = doomed.first(where: { $0.entry.kind == Entry.Kind.folder }) {
                throw Failure(.invalid, "'\(folder.path)' is a folder", hint: "-r removes folders with what is in them")
            }
            for (_, entry) in doomed { try transaction.trash(entry) }
            try Session.commit(transaction, arguments)
            Messages.done("records moved to the trash: \(doomed.count)", arguments)
            return .done
        }
    }
}
