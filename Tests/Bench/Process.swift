import Glibc

/// One run of a command.
struct Run {
    /// Wall-clock time in seconds.
    let seconds: Double
    /// Largest resident set in KiB.
    let peakKiB: Int
}

/// A command that did not do what it was run for.
struct CommandFailed: Error, CustomStringConvertible {
    let words: [String]
    let status: Int32

    var description: String { "\(words.joined(separator: " ")) ended with status \(status)" }
}

/// Runs a command with its output thrown away and says what it cost; `input` becomes its standard input.
func run(_ words: [String], input: String = "/dev/null") throws -> Run {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
        unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child = pid_t()
    let start = ContinuousClock.now
    let spawned = unsafe posix_spawnp(&child, words[0], &actions, nil, &arguments, environ)
    guard spawned == 0 else { throw CommandFailed(words: words, status: spawned) }
    var (status, usage) = (Int32(0), rusage())
    guard unsafe wait4(child, &status, 0, &usage) == child, status == 0 else {
        throw CommandFailed(words: words, status: status)
    }
    return Run(seconds: start.duration(to: .now) / .seconds(1), peakKiB: usage.ru_maxrss)
}

/// True if a command is installed.
func isInstalled(_ name: String) -> Bool {
    (try? run(["sh", "-c", "command -v \(name)"])) != nil
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
