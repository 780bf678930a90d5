import VaultFormat
import VaultStore

extension Verb {
    static let log = Verb(
        name: "log", summary: "what was done here in the last 30 days, without names", operands: "list|export",
        operandCount: 1...1,
        options: [
            Option(.since, value: "TIME", help: "from this date or time on (2026-01-31, 2026-01-31T12:00:00Z, 7d)"),
            Option(.until, value: "TIME", help: "before this date or time"),
            Option(.level, value: "LEVEL", help: "at least info, warning or error (info)"),
            Option(.output, also: "-o", value: "OUT", help: "export: the vault to make, which holds the log"), .json,
        ] + Option.newPassword,
        example: ("qvault log list --since 7d --level warning", "what went wrong in the last week")
    ) { arguments in
        let level = try level(arguments)
        let since = try time(.since, arguments) ?? ""
        let events = try EventLog.events(since: since, until: time(.until, arguments), level: level)
        switch String(decoding: arguments.operands[0], as: UTF8.self) {
        case "list":
            guard !arguments.has(.output) else { throw Failure(.usage, "log: -o goes with export") }
            for event in events {
                try StandardOutput.print((arguments.has(.json) ? event.line : text(event)) + "\n")
            }
            return .done
        case "export": return try export(events, arguments)
        case let other:
            throw Failure(.usage, "log: list or export, not '\(printable(other.utf8))'")
        }
    }

    private static func level(_ arguments: Arguments) throws -> EventLog.Level {
        guard let text = arguments.text(.level) else { return .info }
        guard let level = EventLog.Level(rawValue: text) else {
            throw Failure(.usage, "--level takes info, warning or error")
        }
        return level
    }

    /// The beginning of an RFC 3339 time, to compare with; `7d` is a week ago.
    private static func time(_ name: OptionName, _ arguments: Arguments) throws -> String? {
        guard let text = arguments.text(name) else { return nil }
        if text.hasSuffix("d"), let days = Int(text.dropLast()), (0...36_500).contains(days) {
            return EventLog.daysAgo(days) ?? ""
        }
        let shape = "0000-00-00T00:00:00Z"
        let isTime =
            [10, 20].contains(text.count)
            && zip(text, shape).allSatisfy { $1 == "0" ? $0.isASCII && $0.isNumber : $0 == $1 }
            && isDate(text.prefix(10))
        guard isTime else {
            throw Failure(
                .usage, "\(name.rawValue) takes a date like 2026-01-31, a time like 2026-01-31T12:00:00Z, or 7d")
        }
        return text
    }

    /// True if the calendar has such a day.
    private static func isDate(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return false }
        let isLeap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[parts[1] - 1]).contains(parts[2])
    }

    /// `2026-01-31T12:00:00Z  warning  ls  10`.
    private static func text(_ event: EventLog.Event) -> String {
        let (level, verb) = (padded(event.level.rawValue, 7), padded(event.verb, 16))
        return "\(event.time.prefix(19))Z  \(level)  \(verb)  \(event.status)"
    }

    /// The log leaves this machine only in a vault.
    private static func export(_ events: [EventLog.Event], _ arguments: Arguments) throws -> ExitCode {
        let path = try arguments.output("log", "OUT")
        let lines = Array(events.map { $0.line + "\n" }.joined().utf8)
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
            Messages.done("wrote \(path)", arguments)
            return .done
        }
    }
}
