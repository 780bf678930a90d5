import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// Standard output: results, buffered.
struct StandardOutput: ~Copyable {
    private var buffer: [UInt8] = []

    /// Writes text for people, or JSON. Control characters from data are escaped, also where nobody escaped them before.
    mutating func write(_ text: String) throws { try write(raw: terminalSafe(text, keeping: ["\n", "\t"])) }

    /// Writes text as it is: values that were asked for by name, exports, and what draws on the terminal.
    mutating func write(raw text: String) throws {
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

extension StandardOutput {
    /// Writes what is made of many items: by all cores, a thousand items at a time, in their order.
    mutating func write<Items: RandomAccessCollection>(
        _ items: Items, _ text: (Items.SubSequence) -> [UInt8]
    ) throws where Items.Index == Int {
        let (step, wave) = (1024, 16)
        for start in stride(from: items.startIndex, to: items.endIndex, by: step * wave) {
            let end = min(start + step * wave, items.endIndex)
            let parts = try Parallel.map((end - start + step - 1) / step) { part in
                let first = start + part * step
                return text(items[first..<min(first + step, end)])
            }
            for part in parts { try write(part.span) }
        }
    }

    /// Writes a line for each of many items, as above; `write` puts it behind those before it.
    mutating func write<Items: RandomAccessCollection>(
        linesOf items: Items, _ write: (Items.Element, inout [UInt8]) -> Void
    ) throws where Items.Index == Int {
        try self.write(items) { part in
            var text: [UInt8] = []
            text.reserveCapacity(part.count * 96)
            for item in part {
                write(item, &text)
                text.append(UInt8(ascii: "\n"))
            }
            return text
        }
    }
}

/// Parts of lines, of which there may be very many: bytes are put where they belong.
extension [UInt8] {
    /// The first digits of an id's hexadecimal form.
    mutating func append(_ id: RecordID, digits: Int) {
        for index in 0..<digits {
            let digit = id.digit(index)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Text from the vault, as `printable` shows it.
    mutating func append(printable text: [UInt8]) {
        if isPrintable(text.span) { self += text } else { self += printable(text).utf8 }
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
            throw IOError("write", BytePath(name), code: errno)
        }
        done += count
    }
}

/// Standard error, for people: every line begins with the command's name.
enum Messages {
    static func say(_ phrase: Phrase) {
        let line = Array("qvault: \(phrase.line)\n".utf8)
        // Nobody is left to tell if even this fails.
        try? writeAll(line.span, to: STDERR_FILENO, named: "standard error")
    }

    static func hint(_ phrase: Phrase) { say("hint: \(phrase)") }

    static func say(_ failure: Failure) {
        say(failure.message)
        if let hint = failure.hint { self.hint(hint) }
    }

    /// Says the result to a person at a terminal.
    static func done(_ phrase: Phrase, _ arguments: Arguments) {
        if isatty(STDERR_FILENO) == 1, !arguments.has(.quiet) { say(phrase) }
    }

    /// Says the next step to a person at a terminal.
    static func advise(_ phrase: Phrase, _ arguments: Arguments) {
        if isatty(STDERR_FILENO) == 1, !arguments.has(.quiet) { hint(phrase) }
    }
}

/// Throws when the person pressed Ctrl-C, or the system asked to end.
@Sendable func checkInterrupts() throws {
    if qv_interrupted() != 0 { throw VaultError.cancelled }
}

/// The progress of a long piece of work, on a terminal, once it has taken a second: one line that is drawn anew, or with
/// `--plain` and on a dumb terminal a line now and then.
final class Progress {
    private let verb: Phrase
    private let total: UInt64?
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var isShown = false
    private let isEnabled: Bool
    private let isPlain: Bool

    init(_ verb: Phrase, total: UInt64? = nil, _ arguments: Arguments) {
        (self.verb, self.total) = (verb, total)
        isEnabled = isatty(STDERR_FILENO) == 1 && !arguments.has(.quiet) && !arguments.has(.noProgress)
        isPlain = arguments.has(.plain) || environment("TERM") ?? "dumb" == "dumb"
    }

    /// `done` bytes of the whole are finished.
    func update(_ done: UInt64) {
        guard isEnabled else { return }
        let now = ContinuousClock.now
        let pause: Duration = isPlain ? .seconds(5) : .milliseconds(200)
        guard start.duration(to: now) >= .seconds(1), last.duration(to: now) >= pause else { return }
        last = now
        let line = text(done, after: start.duration(to: now) / .seconds(1))
        guard !isPlain else { return Messages.say(line) }
        isShown = true
        let width = max(20, Int(qv_terminal_columns(STDERR_FILENO))) - 1
        put("\r\u{1B}[K" + clipped(line.line, width))
    }

    private func text(_ done: UInt64, after seconds: Double) -> Phrase {
        let rate = Double(done) / seconds
        let speed = sizeText(UInt64(rate))
        guard let total, rate > 0, done < total else { return "\(verb) \(sizeText(done)), \(speed)/s" }
        let left = Int(min(Double(total - done) / rate, 1e9)) + 1
        return "\(verb) \(sizeText(done)) of \(sizeText(total)), \(speed)/s, \(left) s left"
    }

    private func put(_ text: String) {
        try? writeAll(Array(text.utf8).span, to: STDERR_FILENO, named: "standard error")
    }

    /// Takes the line away.
    func finish() { if isShown { put("\r\u{1B}[K") } }
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

/// A variable of the environment as the bytes that it has, which need not be UTF-8; nil when it is not set or empty.
func environment(bytes name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name) else { return nil }
    let bytes = unsafe UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : bytes
}

/// A variable of the environment that holds words; nil when it is not set, empty, or not UTF-8.
func environment(_ name: String) -> String? {
    environment(bytes: name).flatMap { String(validating: $0, as: UTF8.self) }
}

/// A folder that a variable of the environment names by an absolute path; relative ones are ignored, as the XDG base
/// directory specification says.
func environment(folder name: String) -> BytePath? {
    environment(bytes: name).flatMap { $0.first == UInt8(ascii: "/") ? BytePath($0) : nil }
}

/// True if a program is where the shell looks for it.
func isInstalled(_ program: String) -> Bool {
    (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains {
        unsafe access("\($0)/\(program)", X_OK) == 0
    }
}

/// Base64 as text.
func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encoded(bytes.span), as: UTF8.self) }
