import Foundation
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Copies a vault while it is written: each copy opens as a state that was saved, or is called damaged.
func copyWhileWriting(_ kit: SoakRun) throws {
    // Anew from time to time, so that the vault stays small.
    for round in 0..<kit.size(1, 10) { try copyWhileWriting(kit, try kit.folder("\(round)")) }
}

private func copyWhileWriting(_ kit: SoakRun, _ folder: String) throws {
    let vault = try SharedVault(folder, ballast: 6_000_000)
    let writer = try vault.startWriter(1, count: 1_000_000, pause: 4)
    defer {
        writer.terminate()
        writer.waitUntilExit()
    }
    let target = "\(folder)/copy"
    for _ in 0..<kit.size(10, 25) {
        try judge(kit, vault, "cp") { try run("/usr/bin/cp", [vault.path.description, target], target) }
        try judge(kit, vault, "rsync") {
            try run("/usr/bin/rsync", ["--inplace", "--ignore-times", vault.path.description, target], target)
        }
        // rclone refuses a file that changes while it is read, and removes the old copy.
        do {
            try judge(kit, vault, "rclone") {
                let words = ["--config", "", "-q", "--retries", "1", "copyto", vault.path.description, target]
                return try run("/usr/bin/rclone", words, target, isSilent: true)
            }
        } catch CocoaError.fileReadNoSuchFile { kit.count("refused by rclone") }
        try judge(kit, vault, "random order") { try copyInRandomOrder(vault.path.description) }
    }
    if !writer.isRunning { kit.violate("the writer stopped") }
    if kit.counted("whole cp") == 0 { kit.violate("not one copy was whole") }
}

private func run(
    _ command: String, _ arguments: [String], _ target: String, isSilent: Bool = false
) throws -> [UInt8] {
    let process = Process()
    if isSilent { process.standardError = FileHandle.nullDevice }
    process.executableURL = URL(filePath: command)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    return [UInt8](try Data(contentsOf: URL(filePath: target)))
}

/// Block by block, pages and log of different moments.
private func copyInRandomOrder(_ path: String) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    let size = Int(try file.seekToEnd())
    var bytes = [UInt8](repeating: 0, count: size)
    for block in (0..<(size + 4095) / 4096).shuffled() {
        try file.seek(toOffset: UInt64(block * 4096))
        let piece = [UInt8](try file.read(upToCount: min(4096, size - block * 4096)) ?? Data())
        bytes.replaceSubrange(block * 4096..<block * 4096 + piece.count, with: piece)
    }
    return bytes
}

private func judge(_ kit: SoakRun, _ vault: SharedVault, _ name: String, _ copy: () throws -> [UInt8]) throws {
    let image = Image(try copy(), master: vault.master)
    kit.count("copies by \(name)")
    let keyless = outcome { try image.keyless().worst }
    let opened = outcome {
        let copy = try image.open()
        guard try SharedVault.soundTotal(copy) != nil else { throw FormatError(.malformed, "a state that never was") }
        return try copy.verify().worst
    }
    if opened == "ok" || opened == "repairable" { kit.count("whole \(name)") }
    for (what, found) in [("without a key", keyless), ("with the key", opened)]
    where !["ok", "repairable", "damaged"].contains(found) {
        kit.violate("a copy by \(name) is called \(found) \(what)")
    }
}
