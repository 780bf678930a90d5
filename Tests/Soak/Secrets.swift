import Foundation
import Glibc
import VaultTesting

/// Every command is stopped in the midst of its work and when it is done, and what it has in memory is searched: the
/// password and the master key are nowhere but in memory that no core dump takes in, and in the end nowhere at all, nor
/// is plaintext. They are not in its arguments or environment, nor in any file that it leaves.
func searchForSecrets(_ kit: SoakRun) throws {
    guard geteuid() == 0 else { return kit.note("left out: only root may look into another process") }
    let commands = WritingCommand.all + WritingCommand.readers
    kit.each(commands.count) { index in
        let command = commands[index]
        let bench = try CommandFixture(kit, command, "\(index)")
        guard try bench.run() == 0 else { return kit.violate("\(command.name) fails") }
        let needles = try bench.secrets()
        if let file = try bench.writtenFile(holding: needles) { kit.violate("\(command.name): a secret in \(file)") }
        let counts = try callCounts(bench).main
        var points = [("openat", counts["openat"] ?? 0, true)]
        for call in kit.isFull ? ["fdatasync", "pwrite64", "pread64"] : ["fdatasync"] {
            let number = counts[call] ?? 0
            for point in kit.isFull ? Array(stride(from: 1, through: number, by: 1)) : [number / 2 + 1]
            where point <= number { points.append((call, point, false)) }
        }
        for (call, point, isDone) in points {
            try bench.reset()
            let found = try bench.stopped(at: point, of: call) { try search($0, for: needles, isDone: isDone) }
            guard let found else { continue }
            kit.count("memories searched")
            for what in found { kit.violate("\(command.name), \(call) \(point): \(what)") }
        }
        try forceCore(bench, kit, command.name)
    }
}

/// Something that must not be found where others could see it.
struct Needle: Sendable {
    let name: String
    let bytes: [UInt8]
    /// It may be in any memory while work is done.
    let isPlaintext: Bool
}

/// The violation in a process that stands still.
private func search(_ process: pid_t, for needles: [Needle], isDone: Bool) throws -> [String] {
    var wrong: [String] = []
    for file in ["cmdline", "environ"] {
        let bytes = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
        for needle in needles where bytes.range(of: Data(needle.bytes)) != nil {
            wrong.append("\(needle.name) in its \(file)")
        }
    }
    let memory = unsafe open("/proc/\(process)/mem", O_RDONLY)
    guard memory >= 0 else { return wrong + ["its memory cannot be read"] }
    defer { close(memory) }
    for region in try regions(of: process) {
        // The data being processed may be in memory; secrets only where no dump includes them.
        let wanted = needles.filter { isDone || !$0.isPlaintext && !region.isLeftOutOfDumps }
        var bytes = Data(count: region.range.count)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(memory, $0.baseAddress, $0.count, off_t(region.range.lowerBound))
        }
        guard count > 0 else { continue }
        for needle in wanted where bytes.range(of: Data(needle.bytes)) != nil {
            wrong.append("\(needle.name) in memory (\(region.name))")
        }
    }
    return wrong
}

/// Memory of a process that can be written to.
private struct Region {
    let range: Range<UInt>
    let name: String
    var isLeftOutOfDumps = false
}

private func regions(of process: pid_t) throws -> [Region] {
    let text = try String(contentsOfFile: "/proc/\(process)/smaps", encoding: .utf8)
    var regions: [Region] = []
    var isWanted = false
    for line in text.split(separator: "\n") {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        if ends.count == 2 {
            isWanted = words[1].hasPrefix("rw")
            if isWanted {
                regions.append(Region(range: ends[0]..<ends[1], name: words.count > 5 ? "\(words[5])" : "own"))
            }
        } else if isWanted, words[0] == "VmFlags:" {
            regions[regions.count - 1].isLeftOutOfDumps = words.contains("dd")
        }
    }
    return regions
}

/// A process that is ended by a fault, where dumps are wanted, leaves none.
private func forceCore(_ bench: CommandFixture, _ kit: SoakRun, _ name: String) throws {
    try bench.reset()
    let wanted = ["/bin/sh", "-c", "ulimit -c unlimited; exec \"$@\"", "sh"]
    try bench.run(
        prefix: wanted + Strace.injecting("pread64:signal=SIGSEGV:when=3", "pread64", everyThread: false))
    kit.count("cores forced")
    let strays = try bench.strayFiles().filter { $0.contains("core") }
    if !strays.isEmpty { kit.violate("\(name): it left \(strays)") }
    for stray in strays { try? FileManager.default.removeItem(atPath: "\(bench.folder)/\(stray)") }
}

extension WritingCommand {
    /// Commands that read.
    static let readers = [
        ["ls", "-f", "v.qvault"], ["cat", "-f", "v.qvault", "a.txt"], ["verify", "v.qvault"],
        ["history", "-f", "v.qvault"], ["key", "list", "-f", "v.qvault"], ["diff", "-f", "v.qvault", "v.qvault"],
        ["key", "audit", "-f", "v.qvault", "-o", "sheet"], ["get", "-f", "v.qvault", "a.txt", "-o", "sheet"],
        ["info", "v.qvault"],
    ].map { WritingCommand(name: $0[0] == "key" ? "key \($0[1])" : $0[0], arguments: $0) }
}
