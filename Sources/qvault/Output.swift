import CSystem
import Glibc
import VaultStore

/// Standard output: results, buffered, bytes as they are.
struct StandardOutput: ~Copyable {
    private var buffer: [UInt8] = []

    mutating func write(_ text: String) throws {
        buffer += text.utf8
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes content without copying it.
    mutating func write(_ bytes: Span<UInt8>) throws {
        try flush()
        try writeAll(bytes, to: STDOUT_FILENO, named: "standard output")
    }

    mutating func flush() throws {
        try writeAll(buffer.span, to: STDOUT_FILENO, named: "standard output")
        buffer.removeAll(keepingCapacity: true)
    }
}

func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32, named name: String) throws {
    var done = 0
    while done < bytes.count {
        let count = unsafe bytes.extracting(done...).withUnsafeBufferPointer {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0 {
            if errno == EINTR {
                try checkInterrupts()
                continue
            }
            throw IOError("write", Path(name), code: errno)
        }
        done += count
    }
}

/// Standard error, for people: every line begins with the command's name.
enum Messages {
    static func say(_ text: String) {
        let line = Array("qvault: \(text)\n".utf8)
        // Nobody is left to tell if even this fails.
        try? writeAll(line.span, to: STDERR_FILENO, named: "standard error")
    }

    static func hint(_ text: String) { say("hint: \(text)") }

    /// What was done, for a person at a terminal.
    static func done(_ text: String, _ arguments: Arguments) {
        if isatty(STDERR_FILENO) == 1, !arguments.has(.quiet) { say(text) }
    }
}

/// Throws when the person pressed Ctrl-C, or the system asked to end.
@Sendable func checkInterrupts() throws {
    if qv_interrupted() != 0 { throw VaultError.cancelled }
}

/// How far a long piece of work is, on a terminal, once it has taken a second.
final class Progress {
    private let verb: String
    private let total: UInt64?
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var isShown = false
    private let isEnabled: Bool

    init(_ verb: String, total: UInt64? = nil, _ arguments: Arguments) {
        (self.verb, self.total) = (verb, total)
        isEnabled =
            isatty(STDERR_FILENO) == 1 && !arguments.has(.quiet) && !arguments.has(.noProgress)
            && environment("TERM") != "dumb"
    }

    /// `done` bytes of the whole are finished.
    func update(_ done: UInt64) {
        guard isEnabled else { return }
        let now = ContinuousClock.now
        guard start.duration(to: now) >= .seconds(1), last.duration(to: now) >= .milliseconds(200) else { return }
        last = now
        isShown = true
        let seconds = start.duration(to: now) / .seconds(1)
        let rate = Double(done) / seconds
        var line = "\(verb) \(sizeText(done)), \(sizeText(UInt64(rate)))/s"
        if let total, rate > 0, done < total { line += ", \(Int(min(Double(total - done) / rate, 1e9)) + 1) s left" }
        try? writeAll(Array("\r\u{1B}[K\(line)".utf8).span, to: STDERR_FILENO, named: "standard error")
    }

    /// Takes the line away.
    func finish() {
        if isShown { try? writeAll(Array("\r\u{1B}[K".utf8).span, to: STDERR_FILENO, named: "standard error") }
    }
}

/// A size for people: `17 B`, `1.2 KiB`.
func sizeText(_ bytes: UInt64) -> String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var (value, unit) = (Double(bytes) / 1024, 0)
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while value >= 999.95, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
}

/// `1 file`, `2 files`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// A time of nanoseconds since 1970: RFC 3339 in UTC, or for people in local time.
func timeText(nanoseconds: Int64, local: Bool = false) -> String {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return remainder < 0
        ? timeText(seconds: quotient - 1, fraction: remainder + 1_000_000_000, local: local)
        : timeText(seconds: quotient, fraction: remainder, local: local)
}

/// The same of microseconds.
func timeText(microseconds: UInt64, local: Bool = false) -> String {
    timeText(
        seconds: Int64(microseconds / 1_000_000), fraction: Int64(microseconds % 1_000_000) * 1000, local: local)
}

private func timeText(seconds whole: Int64, fraction: Int64, local: Bool) -> String {
    var seconds = time_t(whole)
    var parts = unsafe tm()
    guard unsafe (local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts)) != nil else { return "?" }
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let day = unsafe "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    if local { return unsafe "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min))" }
    let time = unsafe "\(day)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    guard fraction != 0 else { return time + "Z" }
    let digits = String(1_000_000_000 + fraction).dropFirst()
    return "\(time).\(digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count))Z"
}

/// A variable of the environment; nil when it is not set or empty.
func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}
