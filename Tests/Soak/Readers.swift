import Foundation
import Synchronization
import VaultTesting

/// Reads a vault again and again while it is written anew in its place: every reader gets a state, and none is told of
/// damage, tampering or an old copy.
func readWhileRewriting(_ kit: SoakRun) throws {
    let readers = [
        ["ls", "-f", "v.qvault"], ["cat", "-f", "v.qvault", "a.txt"], ["verify", "v.qvault"],
        ["history", "-f", "v.qvault"], ["verify", "--keyless", "v.qvault"], ["backup", "v.qvault", "-o", "-copy"],
    ]
    for name in ["rekey rotate", "compact", "purge", "restore", "key remove"] {
        guard let command = WritingCommand.all.first(where: { $0.name == name }) else {
            kit.violate("no command \(name)")
            continue
        }
        let bench = try CommandFixture(kit, command, name.filter(\.isLetter))
        let isOver = Mutex(false)
        let statuses = Mutex<[String: Int]>([:])
        let reading = DispatchGroup()
        for reader in readers {
            DispatchQueue.global().async(group: reading) {
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number += 1
                    let copy = "\(reader[0])-\(number).copy"
                    let words = reader.map { $0 == "-copy" ? copy : $0 }
                    let status = (try? bench.runReader(words)) ?? -1
                    try? FileManager.default.removeItem(atPath: "\(bench.folder)/\(copy)")
                    kit.count("reads")
                    if status != 0 { statuses.withLock { $0["\(words[0]): \(status)", default: 0] += 1 } }
                }
            }
        }
        for _ in 0..<kit.size(4, 40) {
            // The purged records are put back, so that there is always something to read.
            guard try bench.rewriteAgain() else {
                kit.violate("\(name) fails beside readers")
                break
            }
            kit.count("rewrites")
        }
        isOver.withLock { $0 = true }
        reading.wait()
        for (what, count) in statuses.withLock({ $0 }) { kit.violate("beside \(name), \(what), \(count) times") }
    }
}
