import Foundation
import Synchronization
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// A folder in which a command is run again and again from the same beginning.
final class CommandFixture: @unchecked Sendable {
    // The mutable state is guarded, or belongs to the thread that runs the command.
    private static let passwords = ["correct horse battery staple", "another battery staple"]
    /// The recipient of the identity with the bytes 0 to 31.
    static let recipient =
        "qvr18f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285ffa00402c"
    /// The content of `a.txt` before it is replaced.
    static let firstVersion = pattern(5000)
    let folder: String
    private let late = pattern(3000, 7)
    /// A gray PNG of 100 by 80 pixels.
    private static let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAGQAAABQCAAAAADKYo8zAAAANklEQVR4nO3NMQEAAAwCIKMb3RZ7BgVID0QikUgkEolEIpFI"
        + "JBKJRCKRSCQSiUQikUgkkl/JAJMdoOJH+OMlAAAAAElFTkSuQmCC"
    private let kit: SoakRun
    private let command: WritingCommand
    /// The vault as every run finds it; nil where there is none.
    private(set) var vaultBefore: [UInt8]?
    private let masters = Mutex<[[UInt8]: (master: [UInt8], password: Int)]>([:])

    convenience init(_ kit: SoakRun, _ command: WritingCommand, _ name: String = "work") throws {
        try self.init(kit, command, at: kit.folder(name))
    }

    /// The same in a folder that is there; what an earlier one left is taken away.
    init(_ kit: SoakRun, _ command: WritingCommand, at folder: String) throws {
        (self.kit, self.command, self.folder) = (kit, command, folder)
        for name in ["v.qvault", "w.qvault", "v-replaced-1.qvault", "state", "sheet"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        try write("password", Array(Self.passwords[0].utf8))
        try write("new", Array(Self.passwords[1].utf8))
        try write("a.txt", Self.firstVersion)
        try write("b.txt", pattern(70_000, 2))
        try write("changed/a.txt", pattern(6000, 3))
        for number in 0..<5 { try write("src/\(number)/f", pattern(number * 999, UInt8(number))) }
        // Frames, a frame table, and a content that two files share, with the bytes that `secrets` looks for.
        let line = Array("2026-11-26 10:00 something happened on the way to the archive\n".utf8)
        let text = [[UInt8]](repeating: line, count: 20_000).flatMap(\.self) + Self.firstVersion
        for number in 5..<7 { try write("src/\(number)/log", text) }
        try write("late", late)
        try write("large", pattern(1_700_000, 9))
        try write("scan.pdf", Array("%PDF-1.7\n".utf8) + Self.firstVersion)
        let picture = Data(base64Encoded: Self.picture) ?? Data()
        try write("plain.png", [UInt8](picture))
        try write("cards.csv", Array("kind,title,text\nnote,c1,x\ntext,c2,y\n".utf8))
        if command.needsVault {
            try expect(run(["create", "v.qvault"]))
            try expect(run(["put", "-f", "v.qvault", "a.txt"]))
        }
        for words in command.before {
            if words[0] == "cp" {
                try FileManager.default.copyItem(atPath: "\(folder)/\(words[1])", toPath: "\(folder)/\(words[2])")
            } else {
                try expect(run(words))
            }
        }
        try inflict(command.damage)
        vaultBefore = try vault()
    }

    private func expect(_ status: Int32) throws {
        if status != 0 { throw Failure(what: "preparing '\(command.name)' ended with \(status)") }
    }

    struct Failure: Error { let what: String }

    private func inflict(_ damage: WritingCommand.Damage) throws {
        guard damage != .none, let whole = try vault() else { return }
        var bytes = whole
        switch damage {
        case .none: break
        case .tornPage: bytes[65_536 + 2048] ^= 0xFF
        case .bytesBehind: bytes += pattern(10_000, 5)
        case .endPage: bytes[bytes.count - 4096 + 700] ^= 1
        case .wholeCommitBehind:
            // Stopped between the commit and its page: the page of before, with the commit behind.
            try expect(run(["put", "-f", "v.qvault", "late"]))
            bytes = try vault() ?? []
            for page in [0, 65_536] { bytes.replaceSubrange(page..<page + 4096, with: whole[page..<page + 4096]) }
        }
        try write("v.qvault", bytes)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// The vault's bytes; nil if there is none.
    func vault() throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: "\(folder)/v.qvault") else { return nil }
        return [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/v.qvault")))
    }

    /// Everything as before the first run.
    func reset() throws {
        for name in try strayFiles() { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        for name in ["v.qvault", "v-replaced-1.qvault", "state", "sheet"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        if let vaultBefore { try write("v.qvault", vaultBefore) }
    }

    /// The content of a vault that the command made.
    func content(_ bytes: [UInt8]) throws -> Content { try Image(bytes, master: master(of: bytes)).open().content() }

    /// Judges what a run leaves, given the vault that an undisturbed one made.
    func judge(_ written: [UInt8]) throws -> InvariantChecker {
        let (old, new) = (try vaultBefore.map(content), try content(written))
        var states = [old, new]
        if command.damage == .wholeCommitBehind { states.insert(old?.merging(["late": late]) { $1 }, at: 1) }
        // A vault that was made anew has a key of its own.
        return InvariantChecker(
            master: try master(of: written), states: states, wasSound: command.damage == .none,
            isCopy: command.makesCopy)
    }

    /// The violation in the keys: the slots are the old or the new, and the new once the change was acknowledged,
    /// also on the page that stands in when both others are lost.
    func keyViolation(_ bytes: [UInt8]?, written: [UInt8], isAcknowledged: Bool) throws -> String? {
        guard let bytes else { return nil }
        let (now, new) = (try keys(bytes), try keys(written))
        guard try now == new || vaultBefore.map(keys) == now else { return "key slots that nobody wrote: \(now)" }
        guard isAcknowledged else { return nil }
        let spare = try keys(without([Layout.pageAOffset, Layout.pageBOffset], bytes))
        return now == new && spare == new ? nil : "an acknowledged key change is lost"
    }

    /// The key slots, which password opens them, and the master key's number.
    private func keys(_ bytes: [UInt8]) throws -> String {
        let locked = try LockedVault(Image.path, in: Image(bytes, master: []).environment)
        let slots = locked.slots.slots.map {
            "\($0.number): kind \($0.slot.kind), \($0.slot.derivation?.text.description ?? "")"
        }
        return "\(slots), password \(try opened(bytes).password), master key \(locked.header.epoch.counter)"
    }

    /// The master key, by the password and once for each slot area.
    func master(of bytes: [UInt8]) throws -> [UInt8] { try opened(bytes).master }

    private func opened(_ bytes: [UInt8]) throws -> (master: [UInt8], password: Int) {
        let locked = try LockedVault(Image.path, in: Image(bytes, master: []).environment)
        if let known = masters.withLock({ $0[locked.slots.bytes] }) { return known }
        for (index, text) in Self.passwords.enumerated() {
            let password = Array(text.utf8)
            do {
                let master = try locked.slots.unlock(
                    with: Credential(password: Secret(copying: password.span)), of: locked.header)
                let found = (master.withSpan { span in (0..<span.count).map { span[$0] } }, index)
                masters.withLock { $0[locked.slots.bytes] = found }
                return found
            } catch let error as FormatError where error.code == .wrongKey { continue }
        }
        throw Failure(what: "no password opens the vault")
    }

    /// The files that should not be in the folder.
    func strayFiles() throws -> [String] {
        let known = [
            "password", "a.txt", "b.txt", "changed", "src", "large", "late", "v.qvault", "state", "trace", "w.qvault",
            "v-replaced-1.qvault", "new", "sheet", "scan.pdf", "plain.png", "cards.csv",
        ]
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !known.contains($0) }
    }

    /// Runs the command under test, behind `prefix`; the exit status, or minus the signal that ended it.
    @discardableResult
    func run(prefix: [String] = []) throws -> Int32 { try run(command.arguments, prefix: prefix) }

    private var errorFile: String { "\(folder)-stderr" }

    /// True if the last command said these words.
    func hasSaid(_ words: String) throws -> Bool {
        try text(ofFile: errorFile).contains(words)
    }

    /// Runs a command that reads the vault.
    func runReader() throws -> Int32 { try run(["ls", "-f", "v.qvault"], password: password()) }

    /// Runs any command that reads, while others may change the password.
    func runReader(_ words: [String]) throws -> Int32 { try run(words, password: "password") }

    /// Runs the command once more on what is there; whether it did its work.
    func rewriteAgain() throws -> Bool {
        if command.name == "key remove" {
            // A slot comes and goes beside the one that readers use.
            return try run(["key", "add", "-f", "v.qvault", "--new-password-file", "new"]) == 0
                && run(["key", "remove", "2", "-f", "v.qvault"]) == 0
        }
        if command.name == "purge" {
            return try run(["put", "-f", "v.qvault", "b.txt"]) == 0 && run(["purge", "-f", "v.qvault", "b.txt"]) == 0
        }
        let status = try run(command.arguments)
        try? FileManager.default.removeItem(atPath: "\(folder)/v-replaced-1.qvault")
        return status == 0
    }

    /// Runs a command that saves.
    func runWriter() throws -> Int32 { try run(["put", "-f", "v.qvault", "late"], password: password()) }

    /// The file with the password that opens the vault now.
    private func password() throws -> String {
        try vault().map { try opened($0).password } == 1 ? "new" : "password"
    }

    /// The secrets: passwords, master keys, and the content of the vault.
    func secrets() throws -> [Needle] {
        var needles = Self.passwords.map { Needle(name: "a password", bytes: Array($0.utf8), isPlaintext: false) }
        for bytes in [vaultBefore, try vault()] {
            guard let bytes else { continue }
            needles.append(Needle(name: "a master key", bytes: try master(of: bytes), isPlaintext: false))
        }
        needles.append(Needle(name: "plaintext", bytes: Array(pattern(5000)[1000..<1064]), isPlaintext: true))
        return needles
    }

    /// A file that the command made, but for what it was told to write, with a secret in it.
    func writtenFile(holding needles: [Needle]) throws -> String? {
        let made = ["v.qvault", "v-replaced-1.qvault", "state"].map { "\(folder)/\($0)" }
        let strays = try strayFiles().map { "\(folder)/\($0)" }
        for top in made + strays {
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: top)) ?? []
            for path in [top] + names.map({ "\(top)/\($0)" }) {
                guard let content = FileManager.default.contents(atPath: path) else { continue }
                if needles.contains(where: { content.range(of: Data($0.bytes)) != nil }) { return path }
            }
        }
        return nil
    }

    /// Stops the command at a system call of its first thread, shows the process to `body`, and lets it go on; nil if it
    /// did not come to that call.
    func stopped<R>(at point: Int, of call: String, _ body: (pid_t) throws -> R) throws -> R? {
        let spell = "\(call):signal=SIGSTOP:when=\(point)"
        try? FileManager.default.removeItem(atPath: "\(folder)/trace")
        let process = try start(
            command.arguments, prefix: Strace.injecting(spell, call, everyThread: false), password: "password")
        var result: R?
        let children = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
        while process.isRunning {
            let log = (try? String(contentsOfFile: "\(folder)/trace", encoding: .utf8)) ?? ""
            guard log.contains("stopped by SIGSTOP") else {
                usleep(2000)
                continue
            }
            let child = try String(contentsOfFile: children, encoding: .utf8).split(separator: " ").first
            guard let child = child.flatMap({ pid_t($0) }) else { break }
            result = try body(child)
            kill(child, SIGCONT)
            break
        }
        process.waitUntilExit()
        return result
    }

    private func run(
        _ arguments: [String], prefix: [String] = [], password: String = "password"
    ) throws -> Int32 {
        let process = try start(arguments, prefix: prefix, password: password)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    private func start(_ arguments: [String], prefix: [String], password: String) throws -> Process {
        let process = Process()
        let words = prefix + [kit.qvault] + arguments
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging([
            "QVAULT_PASSWORD_FILE": "\(folder)/\(password)", "XDG_STATE_HOME": "\(folder)/state",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: errorFile)
        try process.run()
        return process
    }
}

/// The text of a file. Libraries may print bytes that are no UTF-8 where their own files cannot be read.
func text(ofFile path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
}
