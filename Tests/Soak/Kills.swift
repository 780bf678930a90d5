import Foundation
import VaultTesting

/// Kills every command that writes at every system call: what is left opens, is the old state or the new, and nothing
/// else lies about. The short run takes every other call that makes something durable or that changes a name; `crash`
/// has the states between two writes.
func killEverywhere(_ kit: SoakRun) throws {
    let telling = ["fdatasync", "fsync", "linkat", "renameat", "unlinkat"]
    try inject(kit, "signal=KILL", at: { kit.isFull || telling.contains($0) }, suffixes: [""]) { status, _ in
        status == 0 || status == -9
    }
}

/// Every system call of every command that writes is refused, once and from then on: an error is reported, by an exit
/// code of the contract.
func refuseEverySystemCall(_ kit: SoakRun) throws {
    let calls = [
        "openat", "pread64", "pwrite64", "ftruncate", "fdatasync", "fsync", "linkat", "fallocate", "unlinkat", "fcntl",
        "fstat", "newfstatat", "getdents64", "statfs", "read", "getrandom", "clone3", "mkdir",
    ]
    let short = ["fdatasync", "linkat", "renameat"]
    let filling = ["pwrite64", "ftruncate", "fallocate", "linkat", "openat", "mkdir"]
    for (error, calls) in kit.isFull ? [("EIO", calls), ("ENOSPC", filling)] : [("EIO", short)] {
        try inject(kit, "error=\(error)", at: { calls.contains($0) }, suffixes: ["", "+"]) { status, log in
            // 127 is the loader's. Without its stack's bounds the language's runtime ends the process before it begins,
            // and Dispatch without the state of its threads: both read files of /proc that no disk holds.
            let isOfRuntime = log.split(separator: "\n").contains { $0.contains("(INJECTED)") && $0.contains("/proc/") }
            return (0...15).contains(status) || status == 127 || isOfRuntime
        }
    }
}

/// Runs each command once for each of its system calls, with `what` done to that call.
private func inject(
    _ kit: SoakRun, _ what: String, at isWanted: @Sendable (String) -> Bool, suffixes: [String],
    isLegal: @Sendable (Int32, String) -> Bool
) throws {
    kit.each(WritingCommand.all.count) { index in
        let command = WritingCommand.all[index]
        let bench = try CommandFixture(kit, command, "\(index)")
        let counts = try callCounts(bench)
        guard let written = try bench.vault() else { return kit.violate("\(command.name) wrote no vault") }
        let judge = try bench.judge(written)
        for (thread, calls) in [("main", counts.main), ("other", counts.others)] {
            // These commands work on a few small files: only a loop that does not end in time makes so many calls.
            for (call, number) in calls where number > 400 {
                kit.violate("\(command.name), \(thread) thread: \(number) calls of \(call)")
            }
            for (call, number) in calls.filter({ isWanted($0.key) }).sorted(by: { $0.key < $1.key }) {
                // The short run takes every other call and the last.
                for point in 1...number where kit.isFull || point == number || (point + index) % 2 == 0 {
                    // A thread that the system refuses for ever, having given one, is waited for for ever.
                    // The short run takes one of the ways for each command, in turn.
                    let ways = kit.isFull ? suffixes : [suffixes[index % suffixes.count]]
                    for suffix in ways where call != "clone3" || suffix.isEmpty || point == 1 {
                        let spell = "\(call):\(what):when=\(point)\(suffix)"
                        try bench.reset()
                        let status = try bench.run(
                            prefix: Strace.injecting(spell, call, everyThread: thread == "other"))
                        let log = try text(ofFile: "\(bench.folder)/trace")
                        kit.count(
                            log.contains("(INJECTED)") || status == -9 ? "runs" : "runs whose point was not reached")
                        if let violation = try violation(
                            bench, status, isLegal(status, log), judge, written)
                        {
                            kit.violate("\(command.name), \(thread) thread, \(spell), status \(status): \(violation)")
                        }
                    }
                }
            }
        }
    }
}

private func violation(
    _ bench: CommandFixture, _ status: Int32, _ isLegal: Bool, _ judge: InvariantChecker, _ written: [UInt8]
) throws -> String? {
    // glibc ends a process that gets no random bytes for expat, by which fontconfig reads its settings.
    let isOfLibrary = try status == -SIGABRT && bench.hasSaid("cannot get entropy for arc4random")
    guard isLegal || isOfLibrary else { return "ended so" }
    let isUnknown = try bench.hasSaid("outcome unknown")
    let strays = try bench.strayFiles()
    // The file that was to take the vault's place, until somebody saves.
    let isTemporary = strays.allSatisfy { $0.hasPrefix(".qvault-tmp-") } && status == -SIGKILL
    guard strays.isEmpty || isTemporary else { return "left \(strays)" }
    let bytes = try bench.vault()
    if !strays.isEmpty {
        guard try bench.runWriter() == 0, try bench.strayFiles().isEmpty else { return "left \(strays) after a save" }
    }
    if let violation = try bench.keyViolation(bytes, written: written, isAcknowledged: status == 0) {
        return violation
    }
    // The state that this machine remembers must not be ahead of the vault.
    if bytes != nil, try bench.runReader() != 0 { return "'ls' fails afterwards" }
    // A vault that was made anew has another key each time.
    let master = try bytes.map(bench.master) ?? judge.master
    var states: [Content?] = (judge.mayBeMissing ? [nil] : []) + judge.states
    // Done in part, or salvaged in part: what could not be read is listed, and the rest is there. So it may be where the
    // save was not acknowledged.
    if [1, 5].contains(status) || status == 13 && isUnknown, let bytes {
        let found = try bench.content(bytes)
        let isPart = found.allSatisfy { path, bytes in
            // For a version that cannot be read, salvage gives the one before.
            judge.states.contains { $0[path] == bytes }
                || status == 5 && path == "a.txt" && bytes == CommandFixture.firstVersion
        }
        if isPart, !states.contains(found) { states.append(found) }
    }
    return try InvariantChecker(master: master, states: states, wasSound: judge.wasSound, isCopy: judge.isCopy)
        .violation(
            bytes, isAcknowledged: status == 0)
}

/// The number of each system call in an undisturbed run: of its first thread, and of the busiest other one. (strace
/// counts for each thread by itself.)
func callCounts(_ bench: CommandFixture) throws -> (main: [String: Int], others: [String: Int]) {
    try bench.reset()
    let file = "\(bench.folder)/trace"
    try bench.run(prefix: [Strace.path, "-f", "-o", file])
    var counts: [Substring: [String: Int]] = [:]
    var first: Substring?
    for line in try text(ofFile: file).split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, let call = words[1].split(separator: "(").first, words[1].contains("("),
            call.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { continue }
        first = first ?? words[0]
        counts[words[0], default: [:]][String(call), default: 0] += 1
    }
    // The call that ends the process comes when all is said.
    for thread in counts.keys { counts[thread]?["exit_group"] = nil }
    let main = first.flatMap { counts.removeValue(forKey: $0) } ?? [:]
    return (main, counts.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) })
}
