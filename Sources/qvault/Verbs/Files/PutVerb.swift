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
            try Session.commit(transaction)
            Messages.done(
                "stored \(describe(work.count)) in \(path), save \(transaction.before.sequence + 1)", arguments)
            Compaction.offer(transaction.before, arguments)
            return report.exitCode()
        }
    }
}
