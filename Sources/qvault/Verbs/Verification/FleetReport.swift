import VaultFormat
import VaultIO
import VaultStore

/// What `verify` says of all files together: lines for people or programs as they come, or one answer for a monitor.
final class FleetReport {
    private enum Format { case lines, nagios, prometheus }

    private let arguments: Arguments
    private let format: Format
    private let start = ContinuousClock.now
    private var out = StandardOutput()
    private var outcomes: [VerifyOutcome] = []
    private var faults: [FleetExpectation.Fault] = []
    private var recent: [(path: BytePath, sound: UInt64)] = []
    private var notBegunCount = 0

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        switch arguments.text(.format) {
        case nil: format = .lines
        case "nagios": format = .nagios
        case "prometheus": format = .prometheus
        case let other?:
            throw Failure(.usage, "verify: '\(printable(other.utf8))' is no format: nagios or prometheus")
        }
        if arguments.has(.output), format != .prometheus {
            throw Failure(.usage, "verify: -o goes with --format prometheus")
        }
        if arguments.has(.json), format != .lines { throw Failure(.usage, "verify: --json or --format, not both") }
    }

    /// A file that was checked.
    func add(_ outcome: VerifyOutcome) throws {
        outcomes.append(outcome)
        guard format == .lines else { return }
        if arguments.has(.json) {
            try out.write(outcome.json.line + "\n")
        } else if !Messages.isQuiet || outcome.code != .done {
            try out.show(outcome.text(arguments))
            try out.flush()
            outcome.sayNextStep(arguments)
        }
        try out.flush()
    }

    /// What is wrong with what was expected.
    func add(_ more: [FleetExpectation.Fault]) throws {
        faults += more
        guard format == .lines else { return }
        for fault in more {
            if arguments.has(.json) { try out.write(fault.json.line + "\n") } else { Messages.say(fault.message) }
        }
        try out.flush()
    }

    /// What a person should know, and a monitor need not.
    func note(_ phrase: Phrase) { if format == .lines { Messages.note(phrase) } }

    /// Files that were found sound not long ago, and when, in seconds since 1970.
    func leftOut(_ files: [(path: BytePath, sound: UInt64)]) {
        recent = files
        if !files.isEmpty { note("found sound within --max-age, and left out: \(files.count)") }
    }

    /// Files for which the time was not enough.
    func notBegun(_ count: Int) {
        notBegunCount = count
        note("not begun, since --max-duration is over: \(count)")
    }

    /// Runs the checks, and gives the answer as a whole; a monitor gets one also where they fail.
    func answering(_ body: () throws -> Void) throws -> ExitCode {
        do { try body() } catch VaultError.cancelled { throw VaultError.cancelled } catch {
            guard format == .nagios else { throw error }
            return try print(monitor.nagios(failing: failure(for: error, vault: nil)))
        }
        switch format {
        case .lines: return code
        case .nagios: return try print(monitor.nagios)
        case .prometheus:
            try write(monitor.metrics)
            return code
        }
    }

    private var monitor: MonitorText {
        MonitorText(
            outcomes: outcomes, recent: recent, notBegunCount: notBegunCount, faults: faults, start: start)
    }

    private func print(_ answer: (line: String, status: Int32)) throws -> ExitCode {
        try StandardOutput.print(answer.line + "\n")
        // Of a monitor the numbers count, and not what the command calls them.
        return ExitCode(rawValue: answer.status) ?? .failure
    }

    /// Writes metrics into their file, which is replaced at once, or to standard output.
    private func write(_ metrics: String) throws {
        guard let path = arguments.bytes(.output).map(BytePath.init) else {
            try StandardOutput.print(metrics)
            return
        }
        let new = try AtomicFile(path, Machine.store.files, replacing: true)
        try new.file.writeAll(Array(metrics.utf8).span, at: 0)
        try new.file.sync()
        try new.publish()
    }

    private var code: ExitCode { ExitCode.worst(outcomes.map(\.code) + faults.map(\.code)) }
}
