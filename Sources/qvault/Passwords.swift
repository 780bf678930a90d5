import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// Where a password comes from, in the order of the contract; the first that is given counts.
enum PasswordSource {
    case descriptor(Int32)
    case file(Path)
    case command(String)
    case terminal

    /// - Parameter readsInput: whether data comes from standard input, which then cannot carry the password too.
    /// - Throws: `Failure` `.usage`; `.locked` when there is neither a source nor a terminal.
    init(_ arguments: Arguments, readsInput: Bool) throws {
        if let number = try arguments.number("--password-fd", in: 0...65_535) {
            if number == 0 && readsInput {
                throw Failure(.usage, "standard input cannot carry both the password and the data")
            }
            self = .descriptor(Int32(number))
        } else if let file = arguments.bytes("--password-file") {
            self = .file(Path(file))
        } else if let command = arguments.text("--password-command") {
            self = .command(command)
        } else if let file = environment("QVAULT_PASSWORD_FILE") {
            self = .file(Path(file))
        } else if let command = environment("QVAULT_PASSWORD_COMMAND") {
            self = .command(command)
        } else if Terminal.isPresent {
            self = .terminal
        } else {
            throw Failure(
                .locked, "locked: no password source and no terminal",
                hint: "set QVAULT_PASSWORD_COMMAND, or give --password-file")
        }
    }

    /// The password of a vault that exists.
    func read(for vault: Path) throws -> Secret {
        if case .terminal = self { return try Terminal.askPassword("password for \(vault): ") }
        return try readFromSource()
    }

    /// A password to set: asked for twice on a terminal, and long enough.
    func readNew(for vault: Path) throws -> Secret {
        let secret: Secret
        if case .terminal = self {
            secret = try Terminal.askPassword("new password for \(vault): ")
            try Self.checkLength(secret)
            let again = try Terminal.askPassword("the same again: ")
            guard secret.isEqual(to: again) else { throw Failure(.invalid, "the two passwords differ") }
        } else {
            secret = try readFromSource()
            try Self.checkLength(secret)
        }
        return secret
    }

    /// At least 8 characters, counted as Unicode scalars. When opening a vault any length will do.
    private static func checkLength(_ password: borrowing Secret) throws {
        let characters = password.withSpan { bytes in
            bytes.indices.reduce(0) { $0 + (bytes[$1] & 0xC0 == 0x80 ? 0 : 1) }
        }
        guard characters >= 8 else {
            throw Failure(
                .invalid, "the password has \(characters) characters; a new one needs at least 8",
                hint: "four or five random words are easy to remember and hard to guess")
        }
        if password.withSpan({ bytes in bytes.indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7F } }) {
            Messages.say("warning: the password holds a control character, perhaps a carriage return: it is part of it")
        }
    }

    private func readFromSource() throws -> Secret {
        switch self {
        case .descriptor(let number): return try readSecret(from: number, named: "descriptor \(number)")
        case .file(let path):
            let descriptor = unsafe (path.bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
                unsafe open($0.baseAddress!, O_RDONLY | O_CLOEXEC)
            }
            guard descriptor >= 0 else { throw IOError("open", path, code: errno) }
            defer { close(descriptor) }
            return try readSecret(from: descriptor, named: "\(path)")
        case .command(let command): return try run(command)
        case .terminal: return try Terminal.askPassword("password: ")
        }
    }

    /// Runs a shell command without input and reads its output, past any buffer of the C library.
    private func run(_ command: String) throws -> Secret {
        guard let stream = unsafe popen("(\(command)\n) </dev/null", "re") else {
            throw IOError("run", Path("/bin/sh"), code: errno)
        }
        let output = Result { try SecretBox(readSecret(from: unsafe fileno(stream), named: "the password command")) }
        let status = unsafe pclose(stream)
        guard status == 0 else {
            throw Failure(
                .locked, "the password command failed with status \(status >> 8 & 0xFF)",
                hint: "run it by hand to see why")
        }
        return try output.get().take()
    }
}

/// Carries a secret, which cannot be copied, through a `Result`.
private final class SecretBox {
    private var secret: Secret?

    init(_ secret: consuming Secret) { self.secret = consume secret }

    func take() throws -> Secret {
        guard let secret = secret.take() else { throw Failure(.failure, "a password was read twice") }
        return secret
    }
}

/// Reads a password to the end, and drops one newline there.
///
/// - Throws: `Failure` `.invalid` when it is empty or too long; `IOError`.
func readSecret(
    from descriptor: Int32, named name: String, stopAtNewline: Bool = false, afterSignal: () throws -> Void = {}
) throws -> Secret {
    let limit = Limits.passwordByteCount + 2
    var buffer = try Secret(byteCount: 4096)
    var count = 0
    while true {
        if count == buffer.byteCount {
            guard count < limit else {
                throw Failure(.invalid, "\(name): the password is longer than \(Limits.passwordByteCount) bytes")
            }
            let old = buffer
            buffer = try Secret(byteCount: min(limit, count * 4)) { out in
                old.withSpan { for i in $0.indices { out[i] = $0[i] } }
            }
        }
        let filled = count
        let got = buffer.withMutableSpan { span in
            unsafe span.withUnsafeMutableBufferPointer {
                unsafe read(descriptor, $0.baseAddress! + filled, stopAtNewline ? 1 : $0.count - filled)
            }
        }
        if got < 0 {
            guard errno == EINTR else { throw IOError("read", Path(name), code: errno) }
            try checkInterrupts()
            try afterSignal()
            continue
        }
        count += got
        if got == 0 || (stopAtNewline && buffer.withSpan { $0[count - 1] } == 0x0A) { break }
    }
    if count > 0, buffer.withSpan({ $0[count - 1] }) == 0x0A { count -= 1 }
    guard count > 0 else { throw Failure(.invalid, "\(name): the password is empty") }
    return try buffer.slice(0..<count)
}

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
        let line = try readSecret(from: descriptor, named: "the terminal", stopAtNewline: true) {}
        return line.withSpan { String(decoding: Array(copying: $0), as: UTF8.self) }
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
