import Cards
import CSystem
import Glibc
import Portfolio
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let month = Verb.at(
        name: "month",
        summary: "one evening a month: balances, shares, premiums, a snapshot, a backup, and what changed",
        operands: "[NAME=ANSWER…]",
        options: [
            .vault,
            Option(.to, value: "DIR", help: "back up into this folder; else a stick that is plugged in is offered"),
            Option(.yes, also: "-y", help: "ask nothing: keep all values, take the snapshot, and back up to --to"),
            Option(.dryRun, also: "-n", help: "list what is asked, and save nothing"),
            .isPrivate, .noProgress, .wait, .savesAsJSON,
        ] + Option.use,
        example: "qvault month --to /media/stick",
        note:
            "Enter keeps a value; Ctrl-C in the middle saves what was answered; NAME=AMOUNT, NAME=SHARES@COST and NAME=paid ask nothing"
    ) { path, arguments in
        let key = try VaultSecret(path, arguments)
        let before = try Session.open(path, key, arguments)
        let given = try CardArguments.fields(arguments.operands)
        let isAsked = given.isEmpty && !arguments.has(.yes) && !arguments.has(.dryRun)
        guard !isAsked || Terminal.isPresent else {
            throw Failure(
                .usage, "month: a terminal that answers, NAME=ANSWER, or --yes",
                hint: "'qvault month --dry-run' lists what is asked")
        }
        guard given.isEmpty || !arguments.has(.dryRun) else {
            throw Failure(.usage, "month: --dry-run lists what is asked, and takes no answers")
        }
        let questions = try MonthQuestions(before)
        guard !questions.isOfNothing else {
            throw Failure(
                .invalid, "there is nothing to go through: no assets, holdings and policies",
                hint: "'qvault asset add' asks for them")
        }
        let figures = Figures(arguments)
        guard !arguments.has(.dryRun) else { return try questions.list(figures, arguments) }
        // Nobody answers for a folder that is not there.
        if let folder = arguments.bytes(.to) { try requireFolder(BytePath(folder)) }
        let (answers, isWhole) = try isAsked ? questions.asked(figures) : (questions.answers(given), true)
        // A person who answered nothing wants no save.
        guard isWhole || !answers.isEmpty else { throw VaultError.cancelled }
        let transaction = try Session.begin(path, arguments, key: key)
        let (snapshot, leftOut) = try transaction.store(answers, today: Machine.today, now: Machine.now)
        if !transaction.isEmpty { try Session.commit(transaction) }
        guard isWhole else {
            Messages.say("left in the middle: what was answered is saved; 'qvault month' begins anew")
            return .inPart
        }
        let change = MonthChange(snapshot, since: try Snapshot.all(in: before), figures)
        if arguments.has(.json) {
            try StandardOutput.print(change.json(answers))
        } else {
            try StandardOutput.show(change.text(answers))
        }
        if leftOut > 0 {
            Messages.say("answers about what somebody else removed or renewed meanwhile, left out: \(leftOut)")
        }
        let code = try backUp(Session.open(path, key, arguments), path, arguments, isAsked: isAsked)
        return leftOut > 0 ? .inPart : code
    }

    /// Backs up to the folder of `--to`, or to a stick where the person wants that.
    private static func backUp(
        _ vault: Vault, _ path: BytePath, _ arguments: Arguments, isAsked: Bool
    ) throws -> ExitCode {
        guard let folder = try arguments.bytes(.to).map({ BytePath($0) }) ?? (isAsked ? stick() : nil) else {
            Messages.advise("'qvault backup --to DIR' copies the vault to another place")
            return .done
        }
        try requireFolder(folder)
        let target = try BackupShelf(folder, of: path, in: Machine.store).newName()
        try write(vault, to: target, arguments)
        Upkeep.note(.backup, vault.id)
        return Messages.done("backed up save \(vault.sequence) to \(target)")
    }

    /// A stick that the person wants the backup on.
    private static func stick() throws -> BytePath? {
        try pluggedFolders().first { try Terminal.confirm("back up to \($0)?", standard: true) }
    }
}

/// What changed since about a month ago.
private struct MonthChange {
    private let now: Snapshot
    private let then: Snapshot?
    private let figures: Figures

    /// - Parameter snapshots: those before, by day.
    init(_ now: Snapshot, since snapshots: [Snapshot], _ figures: Figures) {
        (self.now, self.figures) = (now, figures)
        then = Snapshot.aMonthBefore(now.day, among: snapshots)
    }

    /// One line; amounts are texts, as `snapshot list` has them.
    func json(_ answers: MonthlyAnswers) -> String {
        let (snapshot, before) = (json(now), then.map(json))
        let json: JSON = [
            "values_changed": answers.changedCount, "premiums_paid": answers.paid.count, "snapshot": snapshot,
            "before": before,
        ]
        return json.line + "\n"
    }

    private func json(_ snapshot: Snapshot) -> JSON { Snapshot.line.texts(snapshot, isHidden: figures.isHidden) }

    func text(_ answers: MonthlyAnswers) -> String {
        let changed = answers.changedCount
        let head: Phrase = "values changed: \(changed), premiums paid: \(answers.paid.count)"
        guard let then else {
            let net = Phrase("net worth \(figures.amount(now.net)): the first snapshot, \(now.day.text)").said
            return "\(head.said)\n\(net)\n"
        }
        let rows = Snapshot.charted.compactMap { name -> [String]? in
            guard let figure = Snapshot.line.amount(name), let new = figure.value(now) else { return nil }
            let old = figure.value(then)
            let moved = old.map { figures.amount(new - $0, isSigned: true) } ?? ""
            return [figure.label.said, old.map { figures.amount($0) } ?? "", figures.amount(new), moved]
        }
        let table = inColumns([["", then.day.text, now.day.text, Phrase("change").said]] + rows) { $0 > 0 }
        return "\(head.said)\n" + table.map { $0 + "\n" }.joined()
    }
}

/// Folders of sticks and disks that are plugged in.
private func pluggedFolders() -> some Sequence<BytePath> {
    sequence(state: UInt32(0)) { place in
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        guard unsafe path.withUnsafeMutableBytes({ unsafe qv_plugged_folder(place, $0.baseAddress, $0.count) }) == 1
        else {
            return nil
        }
        place += 1
        return BytePath(Array(path.prefix { $0 != 0 }))
    }
}
