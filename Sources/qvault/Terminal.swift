import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// The person's terminal, whatever standard input and output are.
enum Terminal {
    static var isPresent: Bool {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Asks for a line.
    static func ask(_ prompt: Phrase) throws -> String {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw IOError("open", Path("/dev/tty"), code: errno) }
        defer { close(descriptor) }
        try writeAll(Array(prompt.said.utf8).span, to: descriptor, named: "/dev/tty")
        return try readLine(descriptor)
    }

    /// A line without its newline; the person's Ctrl-D at its beginning ends the work.
    private static func readLine(_ descriptor: Int32) throws -> String {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 {
                guard errno == EINTR else { throw IOError("read", Path("/dev/tty"), code: errno) }
                try checkInterrupts()
            } else if count == 0, line.isEmpty {
                throw VaultError.cancelled
            } else if count == 0 || byte == UInt8(ascii: "\n") {
                break
            } else {
                line.append(byte)
            }
        }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw Failure(.invalid, "'\(printable(line))' is not UTF-8")
        }
        return text
    }

    /// A value for standard output: as it is, unless that is a terminal, which control characters must not reach.
    static func shown(_ value: String) -> String {
        guard isatty(STDOUT_FILENO) == 1 else { return value }
        return value.split(separator: "\n", omittingEmptySubsequences: false).map { printable($0.utf8) }.joined(
            separator: "\n")
    }

    /// Writes to it, whatever standard output is.
    static func write(_ text: String) throws {
        let descriptor = unsafe open("/dev/tty", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw IOError("open", Path("/dev/tty"), code: errno) }
        defer { close(descriptor) }
        try writeAll(Array(text.utf8).span, to: descriptor, named: "/dev/tty")
    }

    /// Asks without echo.
    static func askPassword(_ prompt: Phrase) throws -> Secret {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw IOError("open", Path("/dev/tty"), code: errno) }
        defer { close(descriptor) }
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw IOError("read", Path("/dev/tty"), code: errno) }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ECHONL)
        func ask() throws {
            guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
                throw IOError("change", Path("/dev/tty"), code: errno)
            }
            try writeAll(Array(prompt.said.utf8).span, to: descriptor, named: "/dev/tty")
        }
        defer { unsafe tcsetattr(descriptor, TCSAFLUSH, &before) }
        try ask()
        do {
            // Back from Ctrl-Z the shell has switched the echo on again.
            return try readSecret(from: descriptor, named: "the terminal", stopAtNewline: true, afterSignal: ask)
        } catch {
            try? writeAll([0x0A].span, to: descriptor, named: "/dev/tty")
            throw error
        }
    }
}
