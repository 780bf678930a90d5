import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// Reads a password to the end, and drops one newline there.
func readSecret(
    from descriptor: Int32, named name: String, stopAtNewline: Bool = false, afterSignal: () throws -> Void = {},
    wait: (() throws -> Void)? = nil
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
        if let wait { try wait() } else { try waitForInput(descriptor, named: name, afterSignal: afterSignal) }
        let filled = count
        let got = buffer.withMutableSpan { span in
            unsafe span.withUnsafeMutableBufferPointer {
                unsafe read(descriptor, $0.baseAddress! + filled, stopAtNewline ? 1 : $0.count - filled)
            }
        }
        if got < 0 {
            let error = errno
            guard error == EINTR || error == EAGAIN else { throw IOError("read", BytePath(name), code: error) }
            try checkInterrupts()
            if error == EINTR { try afterSignal() }
            continue
        }
        count += got
        // Ctrl-D at the beginning of a line, or the terminal is gone.
        if got == 0, count == 0, stopAtNewline { throw VaultError.cancelled }
        if got == 0 || (stopAtNewline && buffer.withSpan { $0[count - 1] } == 0x0A) { break }
    }
    if count > 0, buffer.withSpan({ $0[count - 1] }) == 0x0A { count -= 1 }
    guard count > 0 else { throw Failure.emptyPassword(name) }
    return try buffer.slice(0..<count)
}

extension Failure {
    /// A secret and data would both come from standard input.
    static let secretBesideData = Failure(
        .usage, "standard input cannot carry both the secret and the data")
}

extension BytePath {
    /// True of `-`, which stands for standard input, or output.
    var isStandardStream: Bool { bytes == [UInt8(ascii: "-")] }

    /// True of a path by which standard input is read: `-`, `/dev/stdin` and others. A file is read from its beginning by each.
    var isStandardInput: Bool {
        if isStandardStream { return true }
        var (mine, input) = (stat(), stat())
        let isThere = unsafe stat(description, &mine) == 0 && fstat(STDIN_FILENO, &input) == 0
        return isThere && (mine.st_dev, mine.st_ino) == (input.st_dev, input.st_ino)
            && mine.st_mode & S_IFMT != S_IFREG
    }
}

/// Reads a secret from a file; `-` is standard input. A file that other users can read is named.
///
/// - Throws: `Failure` `.invalid` where it is empty or too long; `IOError`.
func readSecret(fromFile path: BytePath) throws -> Secret {
    if path.isStandardStream { return try readSecret(from: STDIN_FILENO, named: "standard input") }
    let stream = try Descriptor(opening: path, O_RDONLY)
    var status = stat()
    if unsafe fstat(stream.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
        Messages.say("warning: \(path): other users can read this secret: 'chmod 600 \(path)' ends that")
    }
    return try readSecret(from: stream.number, named: "\(path)")
}

/// Runs a shell command without input and reads the password that it prints, past any buffer of the C library.
///
/// The command is not waited for once it has printed more than the longest password.
///
/// - Throws: `Failure` `.locked` when it fails, or takes longer than `milliseconds`; `.invalid` for what is no password.
func readSecret(fromCommand command: [UInt8], within milliseconds: UInt64) throws -> Secret {
    var process: pid_t = 0
    let output = unsafe (command.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
        unsafe qv_run_shell($0.baseAddress, &process)
    }
    guard output >= 0 else { throw IOError("run", BytePath("/bin/sh"), code: errno) }
    let deadline = Deadline(in: milliseconds)
    var isWaitedFor = false
    defer {
        close(output)
        if !isWaitedFor {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
    }
    func waitForOutput() throws {
        try deadline.wait { left in
            var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&item, 1, left) > 0
        }
    }
    let secret = Result { try Box(readSecret(from: output, named: "the password command", wait: waitForOutput)) }
    // An empty password may be that of a command that failed: its status says why. All else ends here.
    if case .failure(let error) = secret, (error as? Failure)?.isOfEmptyPassword != true { throw error }
    var status: Int32 = 0
    try deadline.wait { _ in
        if unsafe waitpid(process, &status, WNOHANG) == process { return true }
        qv_pause(1)
        return false
    }
    isWaitedFor = true
    let hint: Phrase = "run it by hand to see why"
    guard status & 0x7F == 0 else {
        throw Failure(.locked, "the password command was ended by signal \(status & 0x7F)", hint: hint)
    }
    guard status == 0 else {
        throw Failure(.locked, "the password command failed with status \(status >> 8 & 0xFF)", hint: hint)
    }
    let box = try secret.get()
    return try box.value.slice(0..<box.value.byteCount)
}

/// When a password command has to be done.
private struct Deadline {
    private let milliseconds: UInt64
    private let end: ContinuousClock.Instant

    init(in milliseconds: UInt64) {
        self.milliseconds = milliseconds
        end = .now + .milliseconds(milliseconds)
    }

    /// Waits for `isReady`, asked with the milliseconds that are left.
    func wait(_ isReady: (Int32) -> Bool) throws {
        while true {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else {
                throw Failure(
                    .locked, "the password command was not done after \(milliseconds / 1000) s",
                    hint: "run it by hand to see why; 'password-command-timeout' in the configuration gives it longer")
            }
            if isReady(Int32(min(left, 1e9)) + 1) { return }
            try checkInterrupts()
        }
    }
}

extension Failure {
    fileprivate static func emptyPassword(_ name: String) -> Failure {
        var failure = Failure(.invalid, "\(name): the password is empty")
        failure.isOfEmptyPassword = true
        return failure
    }
}

/// SHA-256 of a keyfile.
func keyfileDigest(_ path: BytePath) throws -> [UInt8] {
    let status = try Machine.store.files.status(path)
    guard status.kind == .regular else {
        throw Failure(.invalid, "\(path): a keyfile is a file; this is a folder or a device")
    }
    guard 1...UInt64(Limits.keyfileByteCount) ~= status.size else {
        throw Failure(.invalid, "\(path): a keyfile has 1 to \(Limits.keyfileByteCount) bytes; this has \(status.size)")
    }
    let file = try Machine.store.files.openFile(path, writing: false)
    if try file.isVault() { throw Failure(.invalid, "\(path): a vault changes with each save, so it is no keyfile") }
    var hash = try SHA256()
    var buffer = try Secret(byteCount: 1 << 16)
    for offset in stride(from: 0, to: status.size, by: buffer.byteCount) {
        let count = try buffer.withMutableSpan { try file.readAll(into: &$0, at: offset) }
        try buffer.withSpan { try hash.update($0.extracting(..<count)) }
    }
    return try hash.finish()
}

/// SHA-256 of a keyfile that is to be asked for from now on. Where there is none, one is made of random bytes.
///
/// - Parameter written: the file is added if it was made.
func newKeyfileDigest(_ path: BytePath, written: inout [BytePath]) throws -> [UInt8] {
    if try !Machine.store.files.exists(path) {
        var random = SystemRandom()
        try writePrivately(random.secret(byteCount: 64), to: path)
        written.append(path)
        Messages.note("made the keyfile \(path): without it the password opens nothing, so keep a copy elsewhere")
    }
    return try keyfileDigest(path)
}

/// Writes a secret to a file of its own that only its owner can read; it appears when it is whole and durable.
func writePrivately(_ secret: borrowing Secret, to path: BytePath) throws {
    let new = try AtomicFile(path, Machine.store.files)
    try secret.withSpan { try new.file.writeAll($0, at: 0) }
    try new.file.sync()
    try new.publishDurably()
}

/// Writes files of secrets and then saves what they open; where that fails the files go again. Where it is unknown
/// whether it failed they stay.
///
/// - Parameter body: adds the files that it wrote to the list.
func withdrawingOnFailure<R: ~Copyable>(_ body: (inout [BytePath]) throws -> R) throws -> R {
    var written: [BytePath] = []
    do { return try body(&written) } catch {
        if case VaultError.outcomeUnknown = error { throw error }
        for path in written {
            guard (try? Machine.store.files.openFolder(path.parent).removeFile(path.lastComponent)) != nil else {
                continue
            }
            Messages.note("removed \(path) again, since nothing was saved")
        }
        throw error
    }
}

/// Reads a file of secrets; what is wrong with its content is said of the file, and not of the vault.
func naming<R: ~Copyable>(_ file: BytePath, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as FormatError where error.code == .invalid {
        throw Failure(.invalid, "\(file): \(error.what)")
    }
}

/// - Throws: `VaultError.exists` where an output would overwrite something: nobody is asked for a password in vain.
func checkFree(_ options: [OptionName], _ arguments: Arguments) throws {
    for path in options.compactMap({ arguments.bytes($0).map(BytePath.init) })
    where try Machine.store.files.exists(path) { throw VaultError.exists(path) }
}
