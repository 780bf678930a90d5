import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// What monitors read of a check: a line of a Nagios plugin, or metrics of Prometheus. Both are English, whatever the
/// person speaks.
struct MonitorText {
    let outcomes: [VerifyOutcome]
    /// Files that were found sound not long ago, and left out.
    let recent: [(path: BytePath, sound: UInt64)]
    /// Files for which the time was not enough.
    let notBegunCount: Int
    let faults: [FleetExpectation.Fault]
    /// When the check began.
    let start: ContinuousClock.Instant

    // MARK: Nagios

    /// The states of a plugin, by the exit status.
    private static let states = ["OK", "WARNING", "CRITICAL", "UNKNOWN"]

    private static func state(_ code: ExitCode) -> Int {
        switch code {
        case .done: 0
        case .repairable: 1
        case .lost, .tampered, .older: 2
        default: 3
        }
    }

    /// One line with performance data. 0: all is well; 1: something can be repaired, is stale, or has another name; 2: something
    /// is lost, altered, older or missing; 3: not known.
    var nagios: (line: String, status: Int32) {
        let troubled = outcomes.filter { $0.code != .done }
        let texts =
            faults.map(\.message.description)
            + troubled.map { $0.failure?.message.description ?? "\($0.path): \($0.name)" }
        let states =
            outcomes.map { Self.state($0.code) } + faults.map { [.stale, .renamed].contains($0.problem) ? 1 : 2 }
        // What is certain to be bad counts before what is not known.
        let worst = states.contains(2) ? 2 : states.max() ?? (recent.isEmpty ? 3 : 0)
        let first = texts.first.map { texts.count > 1 ? "\($0); and \(texts.count - 1) more" : $0 }
        var rest = recent.isEmpty ? "" : ", found sound not long ago: \(recent.count)"
        if notBegunCount > 0 { rest += ", not begun: \(notBegunCount)" }
        return line(first ?? "vaults checked: \(outcomes.count)\(rest)", worst)
    }

    /// The same where nothing could be checked.
    func nagios(failing failure: Failure) -> (line: String, status: Int32) { line(failure.message.description, 3) }

    private func line(_ text: String, _ state: Int) -> (line: String, status: Int32) {
        let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
        let bytes = outcomes.reduce(0) { $0 + ($1.file?.size ?? 0) }
        let oldest = outcomes.filter { $0.file != nil }.map { Int64(time(nil)) - $0.newestTime }.max() ?? 0
        let bad = outcomes.filter { $0.code != .done }.count
        let missing = faults.filter { $0.problem == .missing }.count
        // A bar begins the performance data, and a newline ends the line.
        var plain = ""
        for scalar in text.unicodeScalars {
            plain.unicodeScalars.append(scalar == "|" || scalar.properties.isWhitespace ? " " : scalar)
        }
        let data =
            "vaults=\(outcomes.count) bad=\(bad);0;0 missing=\(missing);0;0 left=\(notBegunCount) size=\(bytes)B oldest=\(max(0, oldest))s time=\(milliseconds)ms"
        return ("QVAULT \(Self.states[state]) - \(plain) | \(data)", Int32(state))
    }

    // MARK: Prometheus

    /// The metrics of each file, and a line for each fault of what was expected. Attempts and successes are apart: a file that
    /// is not sound has the one and not the other.
    var metrics: String {
        var text = ""
        func metric(_ name: String, _ help: String, _ value: (VerifyOutcome) -> String?) {
            text += "# HELP qvault_\(name) \(help)\n# TYPE qvault_\(name) gauge\n"
            var seen: Set<BytePath> = []
            for outcome in outcomes where seen.insert(outcome.path).inserted {
                guard let value = value(outcome) else { continue }
                text += "qvault_\(name){\(file(outcome.path))} \(value)\n"
            }
        }
        func file(_ path: BytePath) -> String { "file=\"\(Self.escaped(path.description))\"" }
        let now = "\(time(nil))"
        metric("verify_exit_code", "What verify ends with for this file; 0 is sound.") { "\($0.code.rawValue)" }
        metric("verify_attempt_timestamp_seconds", "When it was checked.") { _ in now }
        metric("verify_success_timestamp_seconds", "When it was checked, if it was sound.") {
            $0.code == .done ? now : nil
        }
        for (path, sound) in recent {
            text += "qvault_verify_success_timestamp_seconds{\(file(path))} \(sound)\n"
        }
        metric("verify_duration_seconds", "How long the check took.") { "\($0.duration / .seconds(1))" }
        metric("save_timestamp_seconds", "When its newest save was made; without a key, when the file was written.") {
            "\($0.newestTime)"
        }
        metric("save_sequence", "The number of its newest save.") { $0.result?.newest.map { "\($0.sequence)" } }
        metric("size_bytes", "The length of the file.") { $0.file.map { "\($0.size)" } }
        text += "# HELP qvault_expected_fault A vault that is missing, stale, renamed or another.\n"
        text += "# TYPE qvault_expected_fault gauge\n"
        for fault in faults {
            let labels = "name=\"\(Self.escaped(fault.name))\",problem=\"\(fault.problem.rawValue)\""
            text += "qvault_expected_fault{\(labels)} 1\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            if scalar == "\\" || scalar == "\"" { escaped += "\\" }
            escaped += scalar == "\n" ? "\\n" : String(scalar)
        }
    }
}
