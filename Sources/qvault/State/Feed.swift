import CSystem
import Glibc
import Portfolio
import VaultFormat
import VaultIO

/// A command of this machine's configuration that prints prices: it is told codes, and nothing else of the vault. What it
/// prints is anybody's text (Spec/product/portfolio.md, 8).
struct Feed {
    /// Why a feed gave nothing.
    struct Problem: Error { let what: Phrase }

    let command: String
    private let milliseconds: UInt64
    /// The folder in which it runs.
    private let folder: String
    /// What it may read besides the system's folders; nil where nothing keeps it from files.
    private let readable: [String]?

    /// Bytes of its output at most.
    private static let byteCount = 8 << 20

    /// - Parameter folder: nil for a command of the configuration; else the folder where a person typed it.
    init(_ command: String, in folder: String? = nil) throws {
        (self.command, self.folder) = (command, folder ?? "/")
        milliseconds = try Config.milliseconds(.feedTimeout)
        let paths = try (Config.text(.feedPaths) ?? "").split(separator: ":").map { Self.expanded(String($0)) }
        let words = command.split { " \t\n;|&<>()'\"".contains($0) }.map { Self.expanded(String($0)) }
        let own = words.filter { ($0.hasPrefix("/") || folder != nil) && Self.isFile($0) }
        readable = try Config.flag(.feedSandbox) ? paths + own : nil
        for path in own where try Machine.store.files.status(BytePath(path)).access.permissions & 0o002 != 0 {
            throw Failure(.refused, "\(path): everybody may change it, so it is not run", hint: "chmod o-w \(path)")
        }
    }

    /// Another command that may do what this one may.
    func running(_ command: String) -> Feed { Feed(command, like: self) }

    private init(_ command: String, like other: Feed) {
        (self.command, milliseconds, folder, readable) = (command, other.milliseconds, other.folder, other.readable)
    }

    /// A path with the home folder in the place of `~`.
    private static func expanded(_ path: String) -> String {
        path.hasPrefix("~/") ? (environment("HOME") ?? "") + path.dropFirst(1) : path
    }

    private static func isFile(_ path: String) -> Bool {
        (try? Machine.store.files.status(BytePath(path)).kind) == .regular
    }

    /// Its output, asked up to three times, two seconds apart.
    ///
    /// - Throws: `Problem` of the last try; `VaultError.cancelled`.
    func output(for codes: [String]) throws -> [UInt8] {
        for _ in 1...2 {
            do { return try outputOnce(for: codes) } catch is Problem {}
            for _ in 0..<20 {
                try checkInterrupts()
                qv_pause(100)
            }
        }
        return try outputOnce(for: codes)
    }

    private func outputOnce(for codes: [String]) throws -> [UInt8] {
        guard readable == nil || qv_sandbox_layers() == 3 else {
            throw Problem(
                what:
                    "takes a sandbox, and this kernel has no Landlock or no seccomp: feed-sandbox no runs it all the same"
            )
        }
        let input = try MemoryFile("codes")
        try input.write(Array(codes.map { $0 + "\n" }.joined().utf8).span)
        let home = environment("HOME").map { ["HOME=\($0)"] } ?? []
        let (output, process) = try input.start(
            command, in: folder, environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"] + home,
            readable: readable)
        defer {
            close(output)
            qv_end_apart(process)
        }
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        var (bytes, status) = ([UInt8](), Int32(0))
        var (isDone, isAtEnd) = (false, false)
        while !isDone || !isAtEnd {
            try checkInterrupts()
            guard ContinuousClock.now < end else { throw Problem(what: "was not done in time") }
            if isAtEnd { qv_pause(5) } else { isAtEnd = try !read(output, into: &bytes) }
            guard !isDone, unsafe waitpid(process, &status, WNOHANG) == process else { continue }
            // What it left behind would hold its output open.
            isDone = true
            qv_end_apart(process)
        }
        guard status == 0 else {
            throw Problem(
                what: status & 0x7F != 0
                    ? "was ended by signal \(status & 0x7F)" : "failed with status \(status >> 8 & 0xFF)")
        }
        return bytes
    }

    /// Takes what is there, and waits for it 20 ms at most.
    ///
    /// - Returns: false at the end.
    private func read(_ output: Int32, into bytes: inout [UInt8]) throws -> Bool {
        var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&item, 1, 20) > 0 else { return true }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.read(output, &piece, piece.count)
        guard count >= 0 || errno == EINTR else { throw IOError("read", BytePath("a feed"), code: errno) }
        bytes += piece[..<max(0, count)]
        guard bytes.count <= Self.byteCount else { throw Problem(what: "printed more than 8 MiB") }
        return count != 0
    }
}
