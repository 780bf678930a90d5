// vault-soak: breaks vaults in every way that TESTING.md lists, and counts what held.
//
//     vault-soak QVAULT FOLDER short|full [TECHNIQUE…]
//
// One technique a file; each is a function in `techniques` below. Whatever does not hold is printed with what is needed
// to see it again, and the exit status is 1. A command that writes joins all techniques by a line in Commands.swift.

import Foundation

let techniques: [(name: String, run: (Kit) throws -> Void)] = [
    ("vectors", checkVectors),
    ("crash", replayCrashes),
    ("faults", failEveryCall),
    ("kill", killEverywhere),
    ("errors", refuseEverySystemCall),
    ("fsync", failSyncs),
    ("writers", crowdOfWriters),
    ("copies", copyWhileWriting),
    ("flips", flipEveryByte),
    ("truncations", truncateEverywhere),
    ("swaps", swapRegions),
    ("rollbacks", handBackOlderFiles),
    ("saves", manySaves),
]

let words = CommandLine.arguments
if words.count >= 2, words[1] == "worker" { exit(work(Array(words.dropFirst(2)))) }
guard words.count >= 4, ["short", "full"].contains(words[3]) else {
    print("usage: vault-soak QVAULT FOLDER short|full [\(techniques.map(\.name).joined(separator: "|"))]…")
    exit(2)
}
let wanted = words.dropFirst(4)
var hasFailed = false
for technique in techniques where wanted.isEmpty || wanted.contains(technique.name) {
    let kit = Kit(technique.name, qvault: words[1], folder: words[2], isFull: words[3] == "full")
    let start = ContinuousClock.now
    do { try technique.run(kit) } catch { kit.violate("stopped by \(error)") }
    hasFailed = kit.finish(after: start.duration(to: .now)) || hasFailed
}
exit(hasFailed ? 1 : 0)
