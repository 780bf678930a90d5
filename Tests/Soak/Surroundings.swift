import Foundation
import VaultTesting

/// Runs every command that writes in surroundings that a careless or hostile parent leaves: closed descriptors, outputs
/// that are full, an ignored SIGCHLD, odd things in the place of what this machine remembers. The vault holds the old state
/// or the new; the status is one of the contract; nothing hangs.
func runInOddSurroundings(_ kit: SoakRun) throws {
    kit.each(WritingCommand.all.count) { index in
        let command = WritingCommand.all[index]
        let bench = try CommandFixture(kit, command, "\(index)")
        guard try bench.run() == 0, let written = try bench.vault() else {
            return kit.violate("\(command.name) fails")
        }
        let judge = try bench.judge(written)
        for (number, surrounding) in Surrounding.all.enumerated()
        // The short run spreads them over the commands.
        where kit.isFull || surrounding.isAlwaysTried || number % 5 == index % 5 {
            try bench.reset()
            try surrounding.prepare(bench)
            let status = try bench.run(prefix: ["/usr/bin/timeout", "60", "/bin/sh", "-c", surrounding.script, "sh"])
            kit.count("runs")
            if let violation = try violation(bench, status, surrounding, judge, written) {
                kit.violate("\(command.name), \(surrounding.name), status \(status): \(violation)")
            }
        }
    }
}

/// The surroundings of a command.
private struct Surrounding: Sendable {
    let name: String
    /// Runs the command, "$@".
    let script: String
    /// Statuses beside 0.
    var statuses: Set<Int32> = []
    var isAlwaysTried = false
    var prepare: @Sendable (CommandFixture) throws -> Void = { _ in }

    static let all: [Surrounding] =
        closed + full + state + [
            Surrounding(name: "SIGCHLD ignored", script: #"trap '' CHLD; exec "$@""#, isAlwaysTried: true)
        ]

    /// Each pattern of closed standard descriptors.
    private static var closed: [Surrounding] {
        (1...7).map { pattern in
            let closed = (0...2).filter { pattern >> $0 & 1 == 1 }
            let words = closed.map { $0 == 0 ? "<&-" : "\($0)>&-" }.joined(separator: " ")
            return Surrounding(
                name: "closed: \(words)", script: #"exec "$@" "# + words,
                // Results cannot be printed.
                statuses: closed.contains(1) ? [13] : [], isAlwaysTried: pattern == 3 || pattern == 7)
        }
    }

    private static var full: [Surrounding] {
        [
            Surrounding(
                name: "a full output", script: #"exec "$@" > /dev/full"#, statuses: [13], isAlwaysTried: true),
            Surrounding(name: "full messages", script: #"exec "$@" 2> /dev/full"#),
        ]
    }

    /// Odd things where this machine keeps what it remembers.
    private static var state: [Surrounding] {
        let today = "$(date -u +%F).jsonl"
        let scripts = [
            ("a file in the place of the state", ": > state"),
            ("a link to nowhere in its place", "ln -s nowhere state"),
            ("a pipe in the place of the log", "mkdir -p state/quickvault/log; mkfifo state/quickvault/log/\(today)"),
            ("a folder in its place", "mkdir -p state/quickvault/log/\(today)"),
            (
                "a link in its place",
                "mkdir -p state/quickvault/log; ln -s ../../../b.txt state/quickvault/log/\(today)"
            ),
            ("a pipe in the place of the witnesses", "mkdir -p state/quickvault; mkfifo state/quickvault/witness"),
            ("a file in the place of the attempts", "mkdir -p state/quickvault; : > state/quickvault/unlock"),
        ]
        return scripts.map { name, script in
            Surrounding(
                name: name, script: #"exec "$@""#,
                prepare: { bench in
                    let process = Process()
                    process.executableURL = URL(filePath: "/bin/sh")
                    process.arguments = ["-c", "rm -rf state; \(script)"]
                    process.currentDirectoryURL = URL(filePath: bench.folder)
                    try process.run()
                    process.waitUntilExit()
                })
        }
    }
}

private func violation(
    _ bench: CommandFixture, _ status: Int32, _ surrounding: Surrounding, _ judge: InvariantChecker, _ written: [UInt8]
) throws -> String? {
    guard status == 0 || surrounding.statuses.contains(status) else { return "ended so" }
    guard try bench.strayFiles().isEmpty else { return "left \(try bench.strayFiles())" }
    let bytes = try bench.vault()
    if let violation = try bench.keyViolation(bytes, written: written, isAcknowledged: status == 0) {
        return violation
    }
    // A vault that was made anew has another key each time.
    let master = try bytes.map(bench.master) ?? judge.master
    return try judge.with(master: master).violation(bytes, isAcknowledged: status == 0)
}
