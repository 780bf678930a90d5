import CSystem
import Glibc
import VaultCrypto
import VaultRecords
import VaultStore

/// A local log of what was done and how it ended: no names, values or paths, one file a day, kept for 30 days. It
/// never stands in the way: where it cannot be written, nothing is said.
enum EventLog {
    static let keptDays = 30

    /// How much an event matters.
    enum Level: String, CaseIterable, Comparable {
        case info, warning, error

        init(_ code: ExitCode) {
            switch code {
            case .done: self = .info
            case .repairable, .lost, .tampered, .older, .notAVault, .io: self = .error
            default: self = .warning
            }
        }

        static func < (left: Level, right: Level) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    /// One event.
    struct Event {
        let time: String
        let level: Level
        let verb: String
        /// The exit code; 128 and the signal's number for a verb that was stopped.
        let status: Int32
        let milliseconds: Int64
        /// PBKDF2 computations: none for a verb that found the vault unlocked.
        let derivations: Int
        let version: String

        /// As it stands in the log, and as `--json` prints it (Spec/json.md).
        var line: String {
            JSON.object([
                ("time", .text(time)), ("level", .text(level.rawValue)), ("verb", .text(verb)),
                ("exit_code", .integer(Int64(status))), ("milliseconds", .integer(milliseconds)),
                ("derivations", .integer(Int64(derivations))), ("version", .text(version)),
            ]).line
        }
    }

    /// Nil without a home.
    static var folder: String? { Session.stateFolder.map { $0 + "/log" } }

    /// Writes down that a verb ended.
    static func note(_ verb: Verb, _ code: ExitCode, since start: ContinuousClock.Instant) {
        let level = Level(code)
        let least = environment("QVAULT_LOG").map { Level(rawValue: $0) } ?? .info
        guard let least, level >= least,
            ![Verb.log, .forget, .completion, .manual].contains(where: { $0.name == verb.name }),
            let folder
        else { return }
        let now = timeText(microseconds: qv_now_microseconds())
        let event = Event(
            time: now, level: level, verb: verb.name,
            status: qv_interrupted() == 0 ? code.rawValue : 128 + qv_interrupted(),
            milliseconds: Int64(start.duration(to: .now) / .milliseconds(1)),
            derivations: PasswordHash.count, version: Command.version)
        append(event.line + "\n", to: folder, day: String(now.prefix(10)))
    }

    private static func append(_ line: String, to folder: String, day: String) {
        let path = "\(folder)/\(day).jsonl"
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        var file = unsafe open(path, flags)
        if file < 0 {
            makeFolders(folder)
            file = unsafe open(path, flags | O_CREAT, 0o600)
            dropOld(folder)
        }
        guard file >= 0 else { return }
        defer { close(file) }
        try? writeAll(Array(line.utf8).span, to: file, named: path)
    }

    private static func makeFolders(_ folder: String) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            unsafe mkdir(path, 0o700)
        }
    }

    private static func dropOld(_ folder: String) {
        guard let last = daysAgo(keptDays) else { return }
        for name in files(folder) where name < "\(last).jsonl" { unsafe unlink("\(folder)/\(name)") }
    }

    /// Removes all of it.
    static func clear() {
        guard let folder else { return }
        for name in files(folder) { unsafe unlink("\(folder)/\(name)") }
    }

    /// The date so many days ago, in UTC.
    static func daysAgo(_ days: Int) -> String? {
        let microseconds = qv_now_microseconds()
        let past = UInt64(days) * 86_400_000_000
        return microseconds > past ? String(timeText(microseconds: microseconds - past).prefix(10)) : nil
    }

    /// The log's files, oldest first.
    private static func files(_ folder: String) -> [String] {
        let entries = (try? Session.world.files.openFolder(Path(folder)).entries()) ?? []
        return entries.map { String(decoding: $0.name, as: UTF8.self) }
            .filter { $0.count == 16 && $0.hasSuffix(".jsonl") }.sorted()
    }

    /// Events from `since` up to but not at `until` (beginnings of RFC 3339 times), at least as grave as `level`.
    static func events(since: String, until: String?, level: Level) throws -> [Event] {
        guard let folder else { return [] }
        return try files(folder).flatMap { name in
            let file = try Session.world.files.openFile(Path("\(folder)/\(name)"), writing: false)
            let bytes = try file.bytes(at: 0, count: Int(min(file.status().size, 1 << 28)))
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { event(String($0)) }
        }.filter { event in
            event.time >= since && (until.map { event.time < $0 } ?? true) && event.level >= level
        }
    }

    /// A line as `Event.line` writes it. What is not such a line is passed over: a kill or a full disk leaves halves.
    private static func event(_ line: String) -> Event? {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        let names = ["time", "level", "verb", "exit_code", "milliseconds", "derivations", "version"]
        guard line.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }), parts.count == 23,
            [1, 5, 9, 13, 15, 17, 19].map({ parts[$0] }) == names, let level = Level(rawValue: parts[7]),
            let status = Int32(parts[14].filter { $0 != ":" && $0 != "," }),
            let milliseconds = Int64(parts[16].filter { $0 != ":" && $0 != "," }),
            let derivations = Int(parts[18].filter { $0 != ":" && $0 != "," })
        else { return nil }
        return Event(
            time: parts[3], level: level, verb: parts[11], status: status, milliseconds: milliseconds,
            derivations: derivations, version: parts[21])
    }
}
