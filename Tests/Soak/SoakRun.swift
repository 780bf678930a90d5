import Foundation
import Synchronization
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// The state of a technique: sizes, a folder, and the counts of what held.
final class SoakRun: Sendable {
    let name: String
    /// The command under test.
    let qvault: String
    let isFull: Bool
    private let stopsAtFirst: Bool
    private let root: String
    private let found = Mutex(Found())

    private struct Found {
        var counts: [(String, Int)] = []
        var violations = 0
        var notes: [String] = []
    }

    init(_ name: String, qvault: String, folder: String, size: String) {
        (self.name, self.qvault) = (name, qvault)
        (isFull, stopsAtFirst) = (size == "full", size == "first")
        root = folder
    }

    /// A number for the short and one for the full run.
    func size(_ short: Int, _ full: Int) -> Int { isFull ? full : short }

    /// Adds to what is counted under `what`.
    func count(_ what: String, _ number: Int = 1) {
        found.withLock { found in
            if let index = found.counts.firstIndex(where: { $0.0 == what }) {
                found.counts[index].1 += number
            } else {
                found.counts.append((what, number))
            }
        }
    }

    /// The count under `what` so far.
    func counted(_ what: String) -> Int { found.withLock { $0.counts.first { $0.0 == what }?.1 ?? 0 } }

    /// Something that must not be; the first ones are printed.
    func violate(_ what: String) {
        let number = found.withLock { found in
            found.violations += 1
            return found.violations
        }
        if stopsAtFirst {
            say("\(name): \(what)")
            exit(1)
        }
        if number <= 20 { say("  \(name): VIOLATION: \(what)") }
    }

    /// Something to print beside the counts.
    func note(_ what: String) { found.withLock { $0.notes.append(what) } }

    /// Prints a line; says whether anything did not hold.
    func finish(after time: Duration) -> Bool {
        let (counts, violations, notes) = found.withLock { ($0.counts, $0.violations, $0.notes) }
        let text = counts.map { "\(grouped($0.1)) \($0.0)" } + ["\(violations) violations"] + notes
        say("\(name): \(text.joined(separator: ", ")) (\(Int(time / .seconds(1))) s)")
        // Nothing looked at proves nothing.
        return violations > 0 || counts.isEmpty && notes.isEmpty
    }

    private func grouped(_ number: Int) -> String {
        var digits = String(number)
        var parts: [String] = []
        while digits.count > 3 {
            parts.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + parts).joined(separator: ",")
    }

    /// A new, empty folder.
    func folder(_ name: String = "work") throws -> String {
        let path = "\(root)/\(self.name)-\(name)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Runs `body` for 0 … count − 1 on all cores.
    func each(_ count: Int, _ body: @Sendable (Int) throws -> Void) {
        DispatchQueue.concurrentPerform(iterations: count) { index in
            do { try body(index) } catch { violate("case \(index): \(error)") }
        }
    }
}

/// Prints a line at once, whoever listens.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Random numbers that come again with the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Everything that is in a vault: content by path.
typealias Content = [BytePath: [UInt8]]

extension Vault {
    /// All of it, each byte authenticated, and what lists show of it besides the name.
    func content() throws -> Content {
        let entries = try entries()
        var tree = VaultTree(entries)
        var content: Content = [:]
        for entry in entries where entry.kind != .folder {
            var bytes: [UInt8] = []
            try read(entry) { piece in for i in piece.indices { bytes.append(piece[i]) } }
            var (path, labels) = (try tree.path(of: entry), entry.overview)
            // Parts of one attachment have one title; what hangs from random ids differs from bench to bench.
            let isPart = entry.kind.isPart
            if isPart { path = path.appending(Array("kind \(entry.kind.rawValue)".utf8)) }
            content[path] = isPart && entry.kind != .watermark ? [] : bytes
            guard !labels.tags.isEmpty || labels.group != nil || labels.isPinned else { continue }
            content[path.appending(Array("labels".utf8))] = Array(
                "\(labels.tags) \(labels.group ?? "-") \(labels.isPinned)".utf8)
        }
        return content
    }
}

/// A vault file in memory, opened with its key.
struct Image {
    static let path: BytePath = "v.qvault"
    let files = MemoryFileSystem()
    let master: [UInt8]
    var environment: StoreEnvironment { testEnvironment(files) }

    init(_ bytes: [UInt8], master: [UInt8]) {
        self.master = master
        files.write(Self.path, bytes)
    }

    var bytes: [UInt8] { files.node(Self.path)?.content ?? [] }

    func open() throws -> Vault {
        try LockedVault(Self.path, in: environment).open(master: Secret(copying: master.span))
    }

    func keyless() throws -> Verification { try LockedVault(Self.path, in: environment).verify() }

    /// Saves a record as a writer that comes by would.
    func put(_ path: BytePath, _ bytes: [UInt8], seed: UInt64) throws {
        var environment = environment
        environment.random = CountingRandom(seed: seed)
        let save = try VaultTransaction(Self.path, in: environment, timeout: .zero) { _ in
            try Secret(copying: master.span)
        }
        try save.treeImport { _ in }.addStream(as: path, read: reading(bytes))
        try save.commit()
    }

    /// Mends as a writer does that comes by and has nothing to save.
    func repair() throws {
        _ = try VaultTransaction(Self.path, in: environment, timeout: .zero) { _ in try Secret(copying: master.span) }
    }
}

/// The class of what was found or thrown, in the words of Spec/reader.md, 1.
func outcome(_ body: () throws -> FormatError.Code?) -> String {
    do { return try body()?.rawValue ?? "ok" } catch let error as FormatError {
        return error.code.rawValue
    } catch VaultError.readOnly(.damaged(let error)) {
        return error.code.rawValue
    } catch { return "\(error)" }
}
