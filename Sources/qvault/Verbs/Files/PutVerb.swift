import Cards
import VaultFormat
import VaultStore

extension Verb {
    static let put = Verb.at(
        name: "put", summary: "add files and folders, or replace them", operands: "FILE…",
        options: [
            .vault, .storedName,
            Option(.mirror, help: "put into the trash what a folder no longer has; what is excluded stays"),
            Option(
                .checksum, help: "read all files, also those that have not changed since the last put of their folder"),
            .dryRun, .wait, .noProgress, .json,
        ] + Sources.options + Option.use,
        example: "qvault put -f documents.qvault letter.pdf --as Documents/letter.pdf",
        note: "costs the change, not the vault"
    ) { path, arguments in
        var sources = try Sources(arguments)
        let transaction = try Session.begin(path, arguments, readsInput: sources.readsInput)
        let report = ProblemReport()
        if sources.options.keepsModes { try transaction.keepModes() }
        sources.options.keepsModes = try sources.options.keepsModes || transaction.before.keepsModes()
        let work = try transaction.treeImport(report: report.add)
        var stored = StoredFolders(of: transaction.before.id)
        let began = FileTime(Machine.now)
        if !arguments.has(.checksum) {
            for (source, target) in sources.folders {
                sources.earlier[target] = try stored.last(
                    source, as: target, sources.options, in: transaction.before, now: began)
            }
        }
        try sources.add(to: work, report, arguments)
        let isDryRun = arguments.has(.dryRun)
        let save = transaction.isEmpty || isDryRun ? nil : transaction.before.sequence + 1
        let record = try save.map { _ in try Session.commit(transaction) } ?? transaction.before.record
        if !isDryRun, report.count == 0 {
            stored.note(sources.folders, sources.options, began: began, record.core)
        }
        let counts = work.count.json(path, save: save, isDry: isDryRun, report)
        guard let save else {
            let what: Phrase = transaction.isEmpty ? "nothing to store" : "would store"
            if isDryRun, !arguments.has(.json) {
                Messages.say("\(what): \(describe(work.count))")
            } else {
                try Messages.done("\(what): \(describe(work.count))", arguments, json: counts)
            }
            return report.exitCode()
        }
        try Messages.done("stored \(describe(work.count)) in \(path), save \(save)", arguments, json: counts)
        Compaction.offer(transaction.before)
        return report.exitCode()
    }
}
