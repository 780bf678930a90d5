import VaultFormat
import VaultStore

extension Verb {
    static let log = Verb(
        name: "log", summary: "what was done here in the last 30 days, without names", operands: "list|export",
        options: [
            Option(.since, value: "TIME", help: "from this date or time on (2026-01-31, 2026-01-31T12:00:00Z, 7d)"),
            Option(.until, value: "TIME", help: "before this date or time"),
            Option(.level, value: "LEVEL", help: "at least info, warning or error (info)"),
            Option(.output, also: "-o", value: "OUT", help: "export: the vault to make, which holds the log"), .json,
        ] + Option.newPassword,
        example: "qvault log list --since 7d --level warning", note: "what went wrong in the last week"
    ) { arguments in
        let level: EventLog.Level? = try arguments.value(.level, or: "--level takes info, warning or error")
        let since = try time(.since, arguments) ?? ""
        let events = try EventLog.events(since: since, until: time(.until, arguments), level: level ?? .info)
        switch arguments.words[0] {
        case "list":
            guard !arguments.has(.output) else { throw Failure(.usage, "log: -o goes with export") }
            return try StandardOutput.list(events, arguments, json: \.json, text: text)
        case "export": return try export(events, arguments)
        case let other: throw Failure(.usage, "log: list or export, not '\(printable(other.utf8))'")
        }
    }

    /// A time in RFC 3339, to compare with.
    private static func time(_ name: OptionName, _ arguments: Arguments) throws -> String? {
        try arguments.value(
            name, or: "\(name.word) takes a day like 2026-01-31, a time like 2026-01-31T12:00:00Z, or 7d"
        ) { TimeArgument.time($0, isStart: true).map { timeText($0) } }
    }

    /// `2026-01-31T12:00:00Z  warning  ls  10`.
    private static func text(_ event: EventLog.Event) -> String {
        let (level, verb) = (padded(event.level.rawValue, 7), padded(event.verb, 16))
        let line = "\(event.time.prefix(19))Z  \(level)  \(verb)  \(event.status)"
        return event.reasons.isEmpty
            ? line : line + "  " + event.reasons.map { printable($0.utf8) }.joined(separator: "; ")
    }

    /// The log leaves this machine only in a vault.
    private static func export(_ events: [EventLog.Event], _ arguments: Arguments) throws -> ExitCode {
        let path = try arguments.output("log", "OUT")
        let lines = Array(events.map { $0.json.line + "\n" }.joined().utf8)
        return try withVault(path) {
            var done = 0
            try Session.create(path, arguments) { creation, _ in
                try creation.treeImport { _ in }.addStream(as: BytePath("log.jsonl")) { buffer in
                    let count = min(buffer.count, lines.count - done)
                    for i in 0..<count { buffer[i] = lines[done + i] }
                    done += count
                    return count
                }
                try Session.commit(creation)
            }
            return Messages.done("wrote \(path)")
        }
    }
}
