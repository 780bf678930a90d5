import CSystem
import Glibc
import Portfolio
import VaultFormat
import VaultStore

/// A command of this machine's configuration that prints prices: it is told codes, and nothing else of the vault. What it
/// prints is anybody's text (Spec/product/portfolio.md, 8).
struct Feed {
    /// Why a feed gave nothing.
    struct Problem: Error {
        let what: Phrase
    }

    let command: String
    private let milliseconds: UInt64
    /// The folder in which it runs.
    private let folder: String
    /// What it may read besides the system's folders; nil where nothing keeps it from files.
    private let readable: [String]?

    /// Bytes of its output at most.
    private static let byteCount = 8 << 20

    /// - Parameter folder: nil for a command of the configuration; else the folder where a person typed it.
    /// - Throws: `Failure` where a setting is none.
    init(_ command: String, in folder: String? = nil) throws {
        (self.command, self.folder) = (command, folder ?? "/")
        milliseconds = try Config.milliseconds(.feedTimeout)
        let paths = try (Config.text(.feedPaths) ?? "").split(separator: ":").map { Self.expanded(String($0)) }
        let own = command.split { " \t\n;|&<>()'\"".contains($0) }.map { Self.expanded(String($0)) }
            .filter { $0.hasPrefix("/") }.map(Self.place)
        readable = try Config.flag(.feedSandbox, standard: true) ? paths + own + (folder.map { [$0] } ?? []) : nil
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

    /// The folder of a program, where its other files are; of one in the home folder the program alone.
    private static func place(_ path: String) -> String {
        let folder = path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let kind = try? Machine.store.files.status(BytePath(path)).kind
        return kind == .folder || folder.isEmpty || folder == environment("HOME") ? path : folder
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
        let input = try MemoryFile("codes")
        try input.write(Array(codes.map { $0 + "\n" }.joined().utf8).span)
        let home = environment("HOME").map { ["HOME=\($0)"] } ?? []
        let (output, process) = try input.start(
            command, in: folder, environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"] + home,
            readable: readable)
        var isWaitedFor = false
        defer {
            close(output)
            qv_end_apart(process)
            if !isWaitedFor { waitpid(process, nil, 0) }
        }
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        let bytes = try read(output, until: end)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WNOHANG) != process {
            try checkInterrupts()
            guard ContinuousClock.now < end else { throw Problem(what: "was not done in time") }
            qv_pause(5)
        }
        isWaitedFor = true
        guard status == 0 else {
            throw Problem(
                what: status & 0x7F != 0
                    ? "was ended by signal \(status & 0x7F)" : "failed with status \(status >> 8 & 0xFF)")
        }
        return bytes
    }

    private func read(_ output: Int32, until end: ContinuousClock.Instant) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try checkInterrupts()
            guard ContinuousClock.now < end else { throw Problem(what: "was not done in time") }
            var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&item, 1, 100) > 0 else { continue }
            let count = unsafe Glibc.read(output, &piece, piece.count)
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else { throw IOError("read", BytePath("a feed"), code: errno) }
            bytes += piece[..<max(0, count)]
            guard bytes.count <= Self.byteCount else { throw Problem(what: "printed more than 8 MiB") }
        }
    }
}
