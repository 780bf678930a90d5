import CSystem
import Synchronization
import VaultCrypto
import VaultFormat
import VaultIO

/// A local log of what was done and how it ended: no names, values or paths, one file a day, kept for 30 days. It
/// never stands in the way: where it cannot be written, nothing is said.
enum EventLog {
    static let keptDays = 30

    /// The severity of an event.
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

    /// One event, as it stands in the log, and as `--json` prints it (Spec/product/json.md).
    struct Event {
        let json: JSON
        let time: String
        let level: Level
        let verb: String
        /// The exit code; 128 and the signal's number for a verb that was stopped.
        let status: Int64
        /// Why a part of it was not done.
        var reasons: [String] { json["reasons"]?.items?.compactMap(\.text) ?? [] }

        /// - Returns: nil for what is none: a kill or a full disk leaves halves of lines.
        init?(_ json: JSON) {
            guard let time = json["time"]?.text, let level = json["level"]?.text.flatMap(Level.init),
                let verb = json["verb"]?.text, let status = json["exit_code"]?.number,
                json["milliseconds"]?.number != nil, json["version"]?.text != nil, json["derivations"]?.number != nil
            else { return nil }
            (self.json, self.time, self.level, self.verb, self.status) = (json, time, level, verb, status)
        }
    }

    /// Why parts of what the verb does are not done: what it asked, and how that failed; no names, values, codes or paths.
    private static let reasons = Mutex<[String]>([])
    /// Reasons of one verb at most.
    private static let reasonCount = 20

    /// Notes a reason for the event of the verb that runs.
    static func explain(_ reason: Phrase) {
        reasons.withLock { if $0.count < reasonCount { $0.append(reason.description) } }
    }

    /// Nil without a home.
    private static var folder: StateFolder? { Machine.state("log") }

    /// Writes down that a verb ended.
    static func note(_ verb: Verb, _ code: ExitCode, since start: ContinuousClock.Instant) {
        let reasons = reasons.withLock { $0 }
        let level = reasons.isEmpty ? Level(code) : max(Level(code), .warning)
        let least = environment("QVAULT_LOG").map { Level(rawValue: $0) } ?? .info
        guard let least, level >= least, verb.isLogged, let folder else { return }
        let now = Machine.store.now().text
        // Derivations are computations of PBKDF2: none for a verb that found the vault unlocked.
        let facts: JSON = [
            "time": now, "level": level.rawValue, "verb": verb.name,
            "exit_code": qv_interrupted() == 0 ? code.rawValue : 128 + qv_interrupted(),
            "milliseconds": Int(start.duration(to: .now) / .milliseconds(1)), "derivations": PasswordHash.count,
            "version": Program.version,
        ]
        let event = JSON(joining: facts, reasons.isEmpty ? [:] : ["reasons": reasons.json])
        try? append(Array((event.line + "\n").utf8), to: folder, day: String(now.prefix(10)))
    }

    private static func append(_ line: [UInt8], to folder: StateFolder, day: String) throws {
        let name = Array("\(day).jsonl".utf8)
        if try folder.open(name, writing: false) == nil {
            dropOld(folder)
            do { return try folder.make(name, line) } catch let error as IOError where error.isNameTaken {}
        }
        guard let file = try folder.open(name, writing: true) else { return }
        // Other programs append too. Each needs the lock for a moment; one that keeps it costs this line.
        for _ in 0..<100 {
            if try file.lock() { return try file.writeAll(line.span, at: file.status().size) }
            qv_pause(1)
        }
    }

    private static func dropOld(_ folder: StateFolder) {
        guard let last = daysAgo(keptDays) else { return }
        for name in days(folder) where name.lexicographicallyPrecedes("\(last).jsonl".utf8) { folder.remove(name) }
    }

    /// Removes all of it.
    static func clear() {
        guard let folder else { return }
        for name in days(folder) { folder.remove(name) }
    }

    /// The date so many days ago, in UTC.
    static func daysAgo(_ days: Int) -> String? {
        let now = Machine.store.now().microseconds
        let past = UInt64(days) * TimeSpan.day * 1000
        return now > past ? String(timeText(Timestamp(microseconds: now - past)).prefix(10)) : nil
    }

    /// The names of the log's files, oldest first.
    private static func days(_ folder: StateFolder) -> [[UInt8]] {
        folder.names().filter { $0.count == 16 && $0.suffix(6) == Array(".jsonl".utf8)[...] }
    }

    /// Events from `since` up to but not at `until` (beginnings of RFC 3339 times), at least as grave as `level`.
    static func events(since: String, until: String?, level: Level) throws -> [Event] {
        guard let folder else { return [] }
        return days(folder).flatMap { name in
            (folder.read(name, count: 1 << 24) ?? []).split(separator: 0x0A).compactMap {
                (try? JSON(parsing: Array($0))).flatMap(Event.init)
            }
        }.filter { event in event.time >= since && (until.map { event.time < $0 } ?? true) && event.level >= level }
    }
}
