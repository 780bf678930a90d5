import Foundation
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// A command that writes a vault. A new one joins every technique by its line in `all`.
struct WritingCommand: Sendable {
    let name: String
    let arguments: [String]
    /// Whether the vault is there before.
    var needsVault = true
    /// What was done to the vault before, beside making it.
    var damage = Damage.none
    /// Commands that were run before; `cp` copies a file.
    var before: [[String]] = []
    /// What it writes is a backup, to which nobody saves.
    var makesCopy = false

    /// Traces of an interrupted writer, which the command mends first.
    enum Damage: Sendable {
        case none, tornPage, wholeCommitBehind, bytesBehind, keyPage
    }

    static let all = [
        WritingCommand(name: "create", arguments: ["create", "v.qvault"], needsVault: false),
        WritingCommand(name: "pack", arguments: ["pack", "src", "-o", "v.qvault"], needsVault: false),
        WritingCommand(name: "put", arguments: ["put", "-f", "v.qvault", "b.txt"]),
        WritingCommand(name: "put over", arguments: ["put", "-f", "v.qvault", "changed/a.txt"]),
        WritingCommand(name: "put folder", arguments: ["put", "-f", "v.qvault", "src"]),
        WritingCommand(name: "put large", arguments: ["put", "-f", "v.qvault", "large"]),
        WritingCommand(name: "rm", arguments: ["rm", "-f", "v.qvault", "a.txt"]),
        WritingCommand(
            name: "undelete", arguments: ["undelete", "-f", "v.qvault", "a.txt"],
            before: [["rm", "-f", "v.qvault", "a.txt"]]),
        WritingCommand(
            name: "purge", arguments: ["purge", "-f", "v.qvault", "a.txt"],
            before: [["put", "-f", "v.qvault", "b.txt"]]),
        WritingCommand(
            name: "compact", arguments: ["compact", "-f", "v.qvault"],
            before: [["put", "-f", "v.qvault", "src"], ["put", "-f", "v.qvault", "changed/a.txt"]]),
        WritingCommand(
            name: "merge", arguments: ["merge", "-f", "v.qvault", "w.qvault"],
            before: [["cp", "v.qvault", "w.qvault"], ["put", "-f", "w.qvault", "b.txt", "changed/a.txt"]]),
        WritingCommand(
            name: "restore", arguments: ["restore", "w.qvault", "-f", "v.qvault"],
            before: [["backup", "v.qvault", "-o", "w.qvault"], ["put", "-f", "v.qvault", "b.txt"]]),
        WritingCommand(
            name: "restore anew", arguments: ["restore", "w.qvault", "-f", "v.qvault"], needsVault: false,
            before: WritingCommand.another),
        WritingCommand(
            name: "backup", arguments: ["backup", "w.qvault", "-o", "v.qvault"], needsVault: false,
            before: WritingCommand.another, makesCopy: true),
        WritingCommand(
            name: "backup of the present", arguments: ["backup", "w.qvault", "-o", "v.qvault", "--no-history"],
            needsVault: false, before: WritingCommand.another, makesCopy: true),
        WritingCommand(
            name: "salvage", arguments: ["salvage", "w.qvault", "-o", "v.qvault"], needsVault: false,
            before: WritingCommand.another),
        WritingCommand(name: "log export", arguments: ["log", "export", "-o", "v.qvault"], needsVault: false),
        WritingCommand(
            name: "put, torn page", arguments: ["put", "-f", "v.qvault", "b.txt"], damage: .tornPage),
        WritingCommand(
            name: "put, whole commit behind", arguments: ["put", "-f", "v.qvault", "b.txt"],
            damage: .wholeCommitBehind),
        WritingCommand(name: "put, bytes behind", arguments: ["put", "-f", "v.qvault", "b.txt"], damage: .bytesBehind),
        WritingCommand(name: "rm, page K", arguments: ["rm", "-f", "v.qvault", "a.txt"], damage: .keyPage),
    ]
}

extension WritingCommand {
    /// Makes another vault, from which the command makes one.
    fileprivate static let another = [
        ["create", "w.qvault"], ["put", "-f", "w.qvault", "a.txt"],
        ["put", "-f", "w.qvault", "b.txt", "changed/a.txt"],
    ]
}

/// A folder in which a command is run again and again from the same beginning.
final class Bench {
    private static let password = "correct horse battery staple"
    let folder: String
    private let late = pattern(3000, 7)
    private let kit: Kit
    private let command: WritingCommand
    /// The vault as every run finds it; nil where there is none.
    private(set) var vaultBefore: [UInt8]?
    private var masters: [VaultID: [UInt8]] = [:]

    convenience init(_ kit: Kit, _ command: WritingCommand, _ name: String = "work") throws {
        try self.init(kit, command, at: kit.folder(name))
    }

    /// The same in a folder that is there; what an earlier one left is taken away.
    init(_ kit: Kit, _ command: WritingCommand, at folder: String) throws {
        (self.kit, self.command, self.folder) = (kit, command, folder)
        for name in ["v.qvault", "w.qvault", "v-replaced-1.qvault", "state"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        try write("password", Array(Self.password.utf8))
        try write("a.txt", pattern(5000))
        try write("b.txt", pattern(70_000, 2))
        try write("changed/a.txt", pattern(6000, 3))
        for number in 0..<5 { try write("src/\(number)/f", pattern(number * 999, UInt8(number))) }
        try write("late", late)
        try write("large", pattern(1_700_000, 9))
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
        case .keyPage: bytes[131_072 + 700] ^= 1
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
        for name in ["v.qvault", "v-replaced-1.qvault", "state"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        if let vaultBefore { try write("v.qvault", vaultBefore) }
    }

    /// What is in a vault that the command made.
    func content(_ bytes: [UInt8]) throws -> Content { try Image(bytes, master: master(of: bytes)).open().content() }

    /// Judges what a run leaves, given the vault that an undisturbed one made.
    func judge(_ written: [UInt8]) throws -> Judge {
        let (old, new) = (try vaultBefore.map(content), try content(written))
        var states = [old, new]
        if command.damage == .wholeCommitBehind { states.insert(old?.merging(["late": late]) { $1 }, at: 1) }
        // A vault that was made anew has a key of its own.
        return Judge(
            master: try master(of: written), states: states, wasSound: command.damage == .none,
            isCopy: command.makesCopy)
    }

    /// The master key, by the password and once a vault.
    func master(of bytes: [UInt8]) throws -> [UInt8] {
        let files = MemoryFileSystem()
        files.write(Image.path, bytes)
        let locked = try LockedVault(Image.path, in: testWorld(files))
        if let master = masters[locked.header.vaultID] { return master }
        let password = Array(Self.password.utf8)
        let master = try locked.slots.unlock(
            with: Credential(password: Secret(copying: password.span)), vaultID: locked.header.vaultID)
        let copy = master.withSpan { span in (0..<span.count).map { span[$0] } }
        masters[locked.header.vaultID] = copy
        return copy
    }

    /// Whether nothing but what is meant to be there is left in the folder.
    func strayFiles() throws -> [String] {
        let known = [
            "password", "a.txt", "b.txt", "changed", "src", "large", "late", "v.qvault", "state", "trace", "w.qvault",
            "v-replaced-1.qvault",
        ]
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !known.contains($0) }
    }

    /// Runs the command under test, behind `prefix`; the exit status, or minus the signal that ended it.
    @discardableResult
    func run(prefix: [String] = []) throws -> Int32 { try run(command.arguments, prefix: prefix) }

    /// Runs a command that reads the vault.
    func runReader() throws -> Int32 { try run(["ls", "-f", "v.qvault"]) }

    /// Runs a command that saves.
    func runWriter() throws -> Int32 { try run(["put", "-f", "v.qvault", "late"]) }

    private func run(_ arguments: [String], prefix: [String] = []) throws -> Int32 {
        let process = Process()
        let words = prefix + [kit.qvault] + arguments
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging([
            "QVAULT_PASSWORD_FILE": "\(folder)/password", "XDG_STATE_HOME": "\(folder)/state",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
