import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// What earlier checks saw at each path: a text file that one `verify` at a time uses.
struct FleetMemory {
    private static let title = "qvault-verify 1"

    private struct Line {
        var id = ""
        var sequence: UInt64 = 0
        var fingerprint = ""
        /// Seconds since 1970 of the last check, and of the last that found it sound.
        var checked: UInt64 = 0, sound: UInt64 = 0
        /// The file as it was then: its length, when it was written, in nanoseconds, and its number.
        var state = ""

        static func state(_ file: FileStatus?) -> String {
            file.map { "\($0.size)/\($0.modified.nanoseconds)/\($0.inode)" } ?? ""
        }
    }

    private var lines: [BytePath: Line] = [:]

    /// Reads the file, and writes it again after the work, also after one that fails.
    ///
    /// - Throws: `Failure` `.busy` while another program uses it; what `body` throws; `IOError`, also where it cannot be written.
    static func using<R>(_ path: BytePath, _ body: (inout FleetMemory) throws -> R) throws -> R {
        let files = Machine.store.files
        if try !files.exists(path) {
            let new = try AtomicFile(path, files)
            do { try new.publish() } catch VaultError.exists {}
        }
        let file = try files.openFile(path, writing: true)
        guard try file.lock(attempts: 44, Machine.store.pause) else {
            throw Failure(.busy, "\(path): another check uses it")
        }
        let bytes = try file.bytes(at: 0, count: Int(min(file.status().size, 1 << 30)))
        var memory = FleetMemory()
        if !bytes.isEmpty, !memory.read(bytes) {
            Messages.say("\(path): damaged, or none of this program's: what it does not say counts as not checked")
        }
        let result = Result { try body(&memory) }
        try memory.write(to: file)
        return try result.get()
    }

    /// - Returns: false of a file that is not whole.
    private mutating func read(_ bytes: [UInt8]) -> Bool {
        let rows = bytes.split(separator: UInt8(ascii: "\n"))
        guard rows.first.map(Array.init) == Array(Self.title.utf8) else { return false }
        for row in rows.dropFirst() {
            let parts = row.split(separator: UInt8(ascii: "\t"), maxSplits: 6, omittingEmptySubsequences: false)
            guard parts.count == 7 else { continue }
            let words = parts[..<6].map { String(decoding: $0, as: UTF8.self) }
            guard let sequence = UInt64(words[1]), let checked = UInt64(words[3]), let sound = UInt64(words[4]) else {
                continue
            }
            lines[BytePath(Array(parts[6]))] = Line(
                id: words[0], sequence: sequence, fingerprint: words[2], checked: checked, sound: sound, state: words[5]
            )
        }
        return rows.last.map(Array.init) == Array("end \(lines.count)".utf8)
    }

    private func write(to file: any File) throws {
        let rows = lines.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }.flatMap { path, line in
            let words =
                "\(line.id)\t\(line.sequence)\t\(line.fingerprint)\t\(line.checked)\t\(line.sound)\t\(line.state)\t"
            return Array(words.utf8) + path.bytes + [UInt8(ascii: "\n")]
        }
        let text = Array("\(Self.title)\n".utf8) + rows + Array("end \(lines.count)\n".utf8)
        try file.writeAll(text.span, at: 0)
        try file.truncate(to: UInt64(text.count))
        try file.sync()
    }

    /// When a file was last found sound, in seconds since 1970.
    func lastSound(_ path: BytePath) -> UInt64 { lines[Self.key(path)]?.sound ?? 0 }

    /// However a path is spelt, it is one.
    private static func key(_ path: BytePath) -> BytePath { (try? Machine.store.files.resolve(path)) ?? path }

    /// The files in the order in which they are due, the longest ago first; and those found sound within `maxAge`.
    func order(_ paths: [BytePath], _ maxAge: UInt64?) -> (due: [BytePath], recent: [BytePath]) {
        let now = UInt64(max(0, Glibc.time(nil)))
        func isRecent(_ path: BytePath) -> Bool {
            guard let maxAge, let line = lines[Self.key(path)] else { return false }
            // A file that was written since is another one.
            let isSame = line.state == Line.state(try? Machine.store.files.status(path))
            return isSame && line.sound >= now - min(now, maxAge / 1000)
        }
        let due = paths.filter { !isRecent($0) }.enumerated().sorted {
            (lines[Self.key($0.element)]?.checked ?? 0, $0.offset)
                < (lines[Self.key($1.element)]?.checked ?? 0, $1.offset)
        }
        return (due.map(\.element), paths.filter(isRecent))
    }

    /// Holds a file against what was seen at its path, and remembers it. What is older or has another history is not
    /// remembered: it is told until somebody removes its line.
    mutating func note(_ outcome: inout VerifyOutcome) {
        let path = Self.key(outcome.path)
        guard !path.bytes.contains(UInt8(ascii: "\n")) else { return }
        var line = lines[path] ?? Line()
        let now = UInt64(max(0, Glibc.time(nil)))
        line.checked = now
        if let result = outcome.result, let newest = result.newest, let id = outcome.vaultID.map({ hexText($0.bytes) })
        {
            let isKnown = result.cores.contains { hexText($0.fingerprint.bytes) == line.fingerprint }
            // A log that was written anew does not have the save any more.
            let isRewritten = (result.cores.last?.sequence ?? 0) > line.sequence
            outcome.isStranger = !line.id.isEmpty && line.id != id
            outcome.isBehind = line.id == id && !isKnown && !(isRewritten && newest.sequence > line.sequence)
            if !outcome.isBehind, !outcome.isStranger {
                (line.id, line.sequence) = (id, newest.sequence)
                line.fingerprint = hexText(newest.fingerprint.bytes)
            }
            if outcome.code == .done { (line.sound, line.state) = (now, Line.state(outcome.file)) }
        }
        lines[path] = line
    }
}
