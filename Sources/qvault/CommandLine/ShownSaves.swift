import VaultFormat
import VaultIO
import VaultStore

/// The saves of verbs that have nothing else to show: for `--json` and `-n`.
enum ShownSaves {
    /// Runs a verb, and prints its saves where `--json` asks for them: one line each, or one that says that there was none.
    static func run(_ verb: Verb, _ arguments: Arguments, _ run: () throws -> ExitCode) throws -> ExitCode {
        guard arguments.has(.json), verb.options.contains(where: \.isOfSaves) else { return try run() }
        Saving.show()
        do {
            let code = try run()
            for save in Saving.saves(isDry: arguments.has(.dryRun)) { try StandardOutput.print(save.json) }
            return code
        } catch {
            // What was saved before the failure is durable.
            if Saving.isDone { for save in Saving.saves(isDry: false) { try StandardOutput.print(save.json) } }
            throw error
        }
    }

    /// Says what a save would change, and notes it.
    static func plan(_ path: BytePath, _ changes: [RecordChange]) -> ExitCode {
        Saving.note(.init(path: path, number: nil, isDry: true, changes: changes))
        guard !Saving.isShown else { return .done }
        for change in changes where !change.entry.kind.isPart { Messages.say(change.plan) }
        return .done
    }
}

extension Saving.Outcome {
    fileprivate var json: JSON {
        JSON(
            joining: .path(path),
            ["save": number, "dry_run": isDry, "changes": changes.map { $0.change.json(of: $0.entry, at: $0.path) }])
    }
}

extension RecordChange {
    fileprivate var plan: Phrase {
        switch change {
        case .added: "would add: \(path)"
        case .changed: "would change: \(path)"
        case .trashed: "would move to the trash: \(path)"
        case .restored: "would bring back: \(path)"
        case .purged: "would purge: \(path)"
        case .moved: "would move: \(formerPath ?? path) to \(path)"
        }
    }
}
