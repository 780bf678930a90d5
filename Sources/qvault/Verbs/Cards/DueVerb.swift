import Glibc
import VaultFormat
import VaultRecords
import VaultStore

extension Verb {
    static let due = Verb(
        name: "due", summary: "cards that end soon, or have ended", operands: "", operandCount: 0...0,
        options: [
            .vault, .moment, Option(.within, value: "TIME", help: "how far to look ahead: 7d, 4w, 1y (30d)"), .json,
            Option(.format, value: "ics", help: "a calendar file, which is not encrypted"),
            Option(.exitCode, help: "exit with 1 if something has ended, or ends within 7 days"),
        ] + Option.use,
        example: ("qvault due --within 1y", "passports, bank cards, licences; the earliest first")
    ) { arguments in
        let path = try Session.vaultPath(arguments)
        return try withVault(path) {
            let limit = try days(arguments.text(.within) ?? "30d")
            guard ["ics", nil].contains(arguments.text(.format)) else {
                throw Failure(.usage, "due: --format takes ics")
            }
            let vault = try Session.openAsOf(path, arguments)
            let report = ProblemReport()
            let dates = try vault.dueDates(today: today(), within: limit) { entry, error in
                report.add(TreeProblem(path: BytePath(entry.overview.title), reason: .unreadableRecord(error)))
            }
            var out = StandardOutput()
            if arguments.has(.format) {
                try out.write(raw: Calendar.text(dates))
            } else if arguments.has(.json) {
                for date in dates { try out.write(date.json.line + "\n") }
            } else {
                for row in table(dates) { try out.write(row + "\n") }
            }
            try out.flush()
            let code = report.exitCode(hint: "'qvault verify' tells more of damage")
            guard code == .done else { return code }
            if dates.isEmpty { Messages.done("nothing ends within \(limit) days", arguments) }
            return arguments.has(.exitCode) && dates.contains { $0.level == .urgent } ? .failure : .done
        }
    }

    private static func days(_ text: String) throws -> Int64 {
        guard let seconds = TimeArgument.seconds(text), seconds >= 86_400 else {
            throw Failure(.usage, "due: --within takes a time of a day or more, like 7d, 4w or 1y")
        }
        return Int64(seconds / 86_400)
    }

    /// Days since 1970, by the calendar of this place.
    private static func today() -> Int64 {
        let now = timeText(Machine.store.now(), local: true)
        return String(now.prefix(10)).dayNumber ?? 0
    }

    private static func table(_ dates: [DueDate]) -> [String] {
        let levels = dates.map { $0.levelName.said }
        let counts = dates.map { Phrase("\($0.days) days").said }
        let labels = dates.map { $0.line.label?.said ?? printable($0.line.key.utf8) }
        let widths = [levels, counts, labels].map { $0.map(columns).max() ?? 0 }
        return dates.indices.map { index in
            let date = dates[index]
            return [
                padded(levels[index], widths[0]), padded(counts[index], widths[1], left: true), date.date,
                padded(labels[index], widths[2]), "\(date.kindName) \(printable(date.entry.overview.title))",
            ].joined(separator: "  ")
        }
    }
}

extension DueDate {
    fileprivate var kindName: String { Schema.of(entry.kind)?.label.said ?? "" }

    fileprivate var levelName: Phrase {
        switch level {
        case .urgent: days < 0 ? "ended" : "urgent"
        case .soon: "soon"
        case .later: "later"
        }
    }

    fileprivate var json: JSON {
        .object([
            ("level", .text(level.rawValue)), ("days", .integer(days)), ("date", .text(date)),
            ("field", .text(line.key)), ("id", .text(hexText(entry.id.bytes))),
            ("kind", .text(Names.kindName(entry.kind))),
            ("title", .text(String(decoding: entry.overview.title, as: UTF8.self))),
        ])
    }
}

/// A calendar (RFC 5545): a day for each date, whose identity stays, so that a calendar that reads it again changes its
/// entries and adds none.
private enum Calendar {
    static func text(_ dates: [DueDate]) -> String {
        let stamp = timeText(FileTime(nanoseconds: Machine.store.now().seconds * 1_000_000_000))
            .filter { $0 != "-" && $0 != ":" }
        let events = dates.flatMap { date in
            [
                "BEGIN:VEVENT", "UID:\(hexText(date.entry.id.bytes))-\(escaped(date.line.key))", "DTSTAMP:\(stamp)",
                "DTSTART;VALUE=DATE:\(date.date.filter { $0 != "-" })",
                "SUMMARY:\(escaped("\(date.line.label?.said ?? date.line.key): \(date.kindName) \(title(date))"))",
                "TRANSP:TRANSPARENT", "END:VEVENT",
            ]
        }
        let lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//QuickVault//qvault//EN"] + events + ["END:VCALENDAR"]
        return lines.map { folded($0) + "\r\n" }.joined()
    }

    private static func title(_ date: DueDate) -> String { String(decoding: date.entry.overview.title, as: UTF8.self) }

    /// Text as a value (RFC 5545, 3.3.11).
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "\\;,".contains(character) { result.append("\\") }
            result += character.isNewline ? "\\n" : String(character)
        }
    }

    /// In lines of at most 75 bytes (RFC 5545, 3.1).
    private static func folded(_ line: String) -> String {
        var (result, count) = ("", 0)
        for scalar in line.unicodeScalars {
            let size = UTF8.width(scalar)
            if count + size > 75 { (result, count) = (result + "\r\n ", 1) }
            result.unicodeScalars.append(scalar)
            count += size
        }
        return result
    }
}
