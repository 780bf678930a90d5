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

    /// Bytes of its output at most.
    private static let byteCount = 8 << 20

    init(_ command: String, in folder: String = "/", milliseconds: UInt64) {
        (self.command, self.folder, self.milliseconds) = (command, folder, milliseconds)
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
            command, in: folder, environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"] + home)
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
