import VaultIO
import Glibc
import VaultFormat
import Cards
import Exchange
import VaultStore

extension Verb {
    static let importing = Verb.at(
        name: "import", summary: "take over cards and more from an export, or from another program",
        operands: "DIR|FILE|-",
        options: [
            .vault, Option(.format, value: "FORMAT", help: "\(ImportFormat.names); else told by what is in it"),
            Option(.kind, value: "KIND", help: "the kind of all cards, where a CSV file does not say it"),
            Option(.group, value: "NAME", help: "the group of cards that come without one"),
            Option(.tag, value: "TAG", help: "a tag for every card; may be given more than once", repeats: true),
            Option(.sourcePasswordFile, value: "FILE", help: "the password of a .kdbx file; else it is asked for"),
            Option(.sourceKeyfile, value: "FILE", help: "the keyfile of a .kdbx file"),
            Option(.report, value: "FILE", help: "write counts and hashes of all that was taken, as JSON"),
            Option(.dryRun, also: "-n", help: "say what would be done, and save nothing"), .wait, .noProgress, .json,
        ] + Option.use,
        example: "qvault import passwords.xml --dry-run",
        note: "what cannot be taken is listed, the rest is; 'undelete' and 'history' undo"
    ) { path, arguments in
        let source = BytePath(arguments.operands[0])
        try checkFree([.report], arguments)
        let isPiped = source.bytes == Array("-".utf8)
        let key = try VaultSecret(path, arguments, readsInput: isPiped)
        let input = try ImportInput(source, isPiped: isPiped, arguments)
        var batch = try input.batch(arguments)
        try batch.label(as: arguments)
        try input.noteOthers(besides: &batch)
        let transaction = try Session.begin(path, arguments, key: key)
        let limit = try Config.attachmentLimit()
        let outcome = try transaction.store(&batch, limit: limit) { try input.file($0, limit: limit) }
        let report = ProblemReport()
        let files = try input.storeFiles(in: transaction, report)
        for notice in batch.notices { Messages.say("\(source): \(notice.place): \(notice.what)") }
        for problem in batch.problems { Messages.say("\(source): \(problem.place): left out: \(problem.what)") }
        let isDryRun = arguments.has(.dryRun)
        if !isDryRun, !transaction.isEmpty { try Session.commit(transaction) }
        if arguments.has(.json) || arguments.has(.report) {
            let report = try ImportReport(input.format.rawValue, input.bytes, batch, outcome, isDryRun: isDryRun)
            if let target = arguments.bytes(.report) {
                let new = try AtomicFile(BytePath(target), Machine.store.files)
                try new.file.writeAll(Array((report.line + "\n").utf8).span, at: 0)
                try new.publish()
            }
            if arguments.has(.json) { try StandardOutput.print(report.line + "\n") }
        }
        if isDryRun || !Messages.isQuiet, !arguments.has(.json) {
            let (added, changed, unchanged) = (outcome.added + files, outcome.changed, outcome.unchanged)
            let skipped = batch.problems.count
            Messages.say(
                isDryRun
                    ? "would add \(added), change \(changed), leave unchanged \(unchanged), skip \(skipped)"
                    : "added \(added), changed \(changed), unchanged \(unchanged), skipped \(skipped)")
            if outcome.deleted > 0 { Messages.say("of these in the trash, as in the source: \(outcome.deleted)") }
        }
        if !isDryRun { Messages.advise("the source stays where it is, unencrypted") }
        return batch.problems.isEmpty ? report.exitCode() : .inPart
    }
}

extension ImportBatch {
    /// Gives all cards the group and tags that the options name.
    fileprivate mutating func label(as arguments: Arguments) throws {
        let group = try arguments.name(.group)
        let tags = try Card.tags(arguments.texts(.tag), "--tag")
        guard group != nil || !tags.isEmpty else { return }
        try changeCards { overview in
            if overview.group == nil { overview.group = group }
            overview.tags = try Card.tags(tags, "--tag", besides: overview.tags)
        }
    }
}
