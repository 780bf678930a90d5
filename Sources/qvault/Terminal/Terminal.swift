import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// The person's terminal, whatever standard input and output are.
enum Terminal {
    static var isPresent: Bool {
        do { _ = try open() } catch { return false }
        return true
    }

    static let path = BytePath("/dev/tty")

    static func open() throws -> Descriptor { try Descriptor(opening: path, O_RDWR) }

    /// The terminal for what is typed. A read there does not wait: Ctrl-C drops what was typed before, also between the look that
    /// finds it and the read.
    static func openForInput() throws -> Descriptor { try Descriptor(opening: path, O_RDONLY | O_NONBLOCK) }

    /// A value for standard output: as it is, unless that is a terminal, which control characters must not reach.
    static func shown(_ value: String) -> String {
        guard isatty(STDOUT_FILENO) == 1 else { return value }
        return value.split(separator: "\n", omittingEmptySubsequences: false).map { printable($0.utf8) }.joined(
            separator: "\n")
    }

    /// Writes a line to it.
    static func say(_ phrase: Phrase) throws { try write(phrase.line + "\n") }

    /// Writes to it, whatever standard output is.
    static func write(_ text: String) throws {
        let terminal = try open()
        try writeAll(Array(text.utf8).span, to: terminal.number, named: "/dev/tty")
    }

    /// Asks without echo.
    static func askPassword(_ prompt: Phrase) throws -> Secret {
        let terminal = try open()
        let input = try openForInput()
        let descriptor = terminal.number
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw IOError("read", path, code: errno) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        func ask() throws {
            guard setTerminal(descriptor, TCSAFLUSH, silent) else {
                throw IOError("change", path, code: errno)
            }
            try writeAll(Array(prompt.line.utf8).span, to: descriptor, named: "/dev/tty")
        }
        defer { setTerminal(descriptor, TCSAFLUSH, before) }
        try ask()
        do {
            // Back from Ctrl-Z the shell has switched the echo on again.
            return try readSecret(from: input.number, named: "the terminal", stopAtNewline: true, afterSignal: ask)
        } catch {
            try? writeAll([0x0A].span, to: descriptor, named: "/dev/tty")
            throw error
        }
    }

    /// Asks for what opens a vault: a password, or a recovery key. Who types the first line of one is asked for the
    /// others, each checked at once; all four may be typed as one.
    static func askCredential(_ prompt: Phrase, keyfileDigest: [UInt8]? = nil) throws -> Credential {
        let first = try askPasswordAgain(prompt)
        if keyfileDigest == nil, let lines = try RecoveryKey.unfolded(first) {
            // A password may look like one; then its checks do not hold.
            do { return Credential(recoveryKey: try RecoveryKey.parse(lines)) } catch is FormatError {}
        }
        guard keyfileDigest == nil, (try? RecoveryKey.check(first, isLine: 1)) != nil else {
            return try Credential(password: first, keyfileDigest: keyfileDigest)
        }
        var text = first
        for line in 2...RecoveryKey.lineCount { text = try text.followed(by: askLine(line)) }
        return Credential(recoveryKey: try RecoveryKey.parse(text))
    }

    /// Asks again, twice, where nothing was typed.
    private static func askPasswordAgain(_ prompt: Phrase) throws -> Secret {
        for _ in 0..<2 {
            do { return try askPassword(prompt) } catch let failure as Failure where failure.isOfEmptyPassword {
                try say("nothing was typed")
            }
        }
        do { return try askPassword(prompt) } catch let failure as Failure where failure.isOfEmptyPassword {
            throw Failure(
                .invalid, "no password was typed", hint: "a recovery key may be typed in its place, in one line")
        }
    }

    private static func askLine(_ line: Int) throws -> Secret {
        while true {
            do {
                let text = try askPassword("line \(line) of the recovery key: ")
                try RecoveryKey.check(text, isLine: line)
                return text
            } catch let error as FormatError where error.code == .invalid { Messages.say("\(error.what)") }
        }
    }
}

/// Changes the settings of a terminal, also where the process is stopped meanwhile and goes on; false with errno.
@discardableResult func setTerminal(_ descriptor: Int32, _ how: Int32, _ settings: termios) -> Bool {
    var settings = settings
    while unsafe tcsetattr(descriptor, how, &settings) != 0 { guard errno == EINTR else { return false } }
    return true
}

extension Secret {
    /// Both, as two lines.
    fileprivate consuming func followed(by other: borrowing Secret) throws -> Secret {
        let count = byteCount
        return try Secret(byteCount: count + 1 + other.byteCount) { out in
            withSpan { for index in $0.indices { out[index] = $0[index] } }
            out[count] = 0x0A
            other.withSpan { for index in $0.indices { out[count + 1 + index] = $0[index] } }
        }
    }
}
