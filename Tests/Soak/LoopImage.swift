import Foundation
import VaultTesting

/// Makes `fdatasync` fail: an ext4 on an image that has no space left for what is written back. The error comes once,
/// and then the kernel says that all is well; the command must not believe it.
func failSyncs(_ kit: SoakRun) throws {
    let folder = try kit.folder()
    guard let image = LoopImage(folder) else { return kit.note("skipped: loop devices are not allowed here") }
    defer { image.remove() }
    let command = WritingCommand(name: "put", arguments: ["put", "-f", "v.qvault", "large"])
    for round in 0..<kit.size(4, 60) {
        try image.mount()
        let bench = try CommandFixture(kit, command, at: image.mounted)
        image.sync()
        image.fill()
        let status = try bench.run()
        let told = status == 0
        image.free()
        // The data that only the kernel had is lost now.
        try image.unmount()
        try image.mount()
        kit.count(told ? "saves that went through" : "failed syncs")
        if ![0, 13].contains(status) { kit.violate("round \(round): status \(status)") }
        guard let before = bench.vaultBefore else { throw CommandFixture.Failure(what: "no vault") }
        let new = try bench.content(before).merging(["large": pattern(1_700_000, 9)]) { $1 }
        let judge = InvariantChecker(master: try bench.master(of: before), states: [try bench.content(before), new])
        if let violation = try judge.violation(bench.vault(), isAcknowledged: told) {
            kit.violate("round \(round), status \(status): \(violation)")
        }
        try image.unmount()
    }
    if kit.counted("failed syncs") == 0 { kit.violate("no sync failed") }
}

/// A file system in a sparse image on a small tmpfs, which can be filled up.
private struct LoopImage {
    private let folder: String
    var mounted: String { "\(folder)/mounted" }
    private var memory: String { "\(folder)/memory" }

    /// Nil where the system does not allow it.
    init?(_ folder: String) {
        self.folder = folder
        for name in ["memory", "mounted"] {
            try? FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", memory) == 0 else { return nil }
        // Without a journal, which would give up on the first error.
        guard Self.run("truncate", "-s", "64m", "\(memory)/image") == 0,
            Self.run("mkfs.ext4", "-q", "-O", "^has_journal", "\(memory)/image") == 0, (try? mount()) != nil
        else {
            Self.run("umount", memory)
            return nil
        }
        try? unmount()
    }

    func mount() throws {
        guard Self.run("mount", "-o", "loop", "\(memory)/image", mounted) == 0 else {
            throw CommandFixture.Failure(what: "cannot mount")
        }
        // Blocks of what is removed go back to the image, so that each round finds it as empty.
        Self.run("fstrim", mounted)
    }

    func unmount() throws {
        guard Self.run("umount", mounted) == 0 else { throw CommandFixture.Failure(what: "cannot unmount") }
    }

    func sync() { Self.run("sync") }

    /// Takes all the space there is.
    func fill() { Self.run("dd", "if=/dev/zero", "of=\(memory)/ballast", "bs=64k", "status=none") }

    func free() { try? FileManager.default.removeItem(atPath: "\(memory)/ballast") }

    func remove() {
        Self.run("umount", "-l", mounted)
        Self.run("umount", "-l", memory)
    }

    @discardableResult
    private static func run(_ words: String...) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
