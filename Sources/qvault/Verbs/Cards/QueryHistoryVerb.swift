import Cards
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let queryHistory = Verb.at(
        name: "query history", summary: "the searches that are kept, the most frequent first; on, off or clear",
        operands: "[on|off|clear]", options: [.vault, .wait, .savesAsJSON] + Option.use,
        example: "qvault query history on",
        note: "off unless it is asked for; each search is then a save of its own"
    ) { path, arguments in
        guard let word = arguments.words.first else {
            guard let kept = try Session.open(path, arguments).keptQueries() else {
                throw Failure(.notFound, "searches are not kept", hint: "'qvault query history on' keeps the last 50")
            }
            return try StandardOutput.list(kept, arguments) {
                ["query": $0.text, "count": $0.count, "time": $0.time]
            } text: {
                "\(padded("\($0.count)", 4, left: true))  \(timeText($0.time, local: true))  \(printable($0.text.utf8))"
            }
        }
        let transaction = try Session.begin(path, arguments)
        let isOn = try transaction.before.keptQueries() != nil
        switch word {
        case "on" where isOn, "off" where !isOn: return Messages.done("nothing to change: it is set so")
        case "on": try transaction.keepQueries()
        case "clear" where isOn: try transaction.keepQueries()
        case "off": _ = try transaction.forgetQueries()
        case "clear": throw Failure(.notFound, "searches are not kept")
        default: throw Failure(.usage, "query history: on, off or clear")
        }
        try Session.commit(transaction)
        guard word != "on" else { return Messages.done("the last 50 searches are kept from now on") }
        return Messages.done("older versions hold what was kept: 'qvault purge find.history' takes them away")
    }
}

/// Keeps what was searched for, where the vault is to keep it.
enum SearchMemory {
    /// - Parameter text: what was looked for.
    static func keep(_ text: String, in vault: Vault, _ arguments: Arguments) throws {
        guard !arguments.has(.at), try vault.keptQueries() != nil else { return }
        do {
            let transaction = try Session.begin(vault.path, arguments)
            if try transaction.keep(query: text, at: Machine.now) { try Session.commit(transaction) }
        } catch VaultError.busy {
            Messages.say("the search is not kept: another program writes into the vault")
        } catch VaultError.readOnly {
            // A backup is searched like a vault, and stays as it is.
        } catch let error as IOError {
            Messages.say("the search is not kept: \(error.message)")
        }
    }
}
