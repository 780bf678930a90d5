// vault-soak: breaks vaults in every way that TESTING.md lists, and counts what held.
//
//     vault-soak QVAULT FOLDER short|full|first [TECHNIQUE…]
//
// `first` is `short` that stops at the first thing that does not hold.
// One technique a file; each is a function in `techniques` below. Whatever does not hold is printed with what is needed
// to see it again, and the exit status is 1. A command that writes joins all techniques by a line in Commands.swift.

import Foundation

// Quick and telling ones first.
let techniques: [(name: String, run: (SoakRun) throws -> Void)] = [
    ("vectors", checkVectors),
    ("rules", refuseEachRule),
    ("encodings", mutateEncodings),
    ("extremes", believeNoNumber),
    ("rollbacks", handBackOlderFiles),
    ("truncations", truncateEverywhere),
    ("swaps", swapRegions),
    ("flips", flipEveryByte),
    ("salvage", salvageEverything),
    ("holes", zeroEveryStretch),
    ("damages", damageBackups),
    ("rewrites", rewriteEverything),
    ("crash", replayCrashes),
    ("faults", failEveryCall),
    ("lies", lieInEveryCall),
    ("sequences", failWithinSequences),
    ("writers", crowdOfWriters),
    ("lockless", saveWithoutLocks),
    ("lockless-rewrites", rewriteWithoutLocks),
    ("readers", readWhileRewriting),
    ("surroundings", runInOddSurroundings),
    ("copies", copyWhileWriting),
    ("fsync", failSyncs),
    ("saves", manySaves),
    ("kill", killEverywhere),
    ("errors", refuseEverySystemCall),
    ("secrets", searchForSecrets),
]

let words = CommandLine.arguments
if words.count >= 2, words[1] == "worker" { exit(work(Array(words.dropFirst(2)))) }
guard words.count >= 4, ["short", "full", "first"].contains(words[3]) else {
    print("usage: vault-soak QVAULT FOLDER short|full|first [\(techniques.map(\.name).joined(separator: "|"))]…")
    exit(2)
}
let wanted = words.dropFirst(4)
var hasFailed = false
for technique in techniques where wanted.isEmpty || wanted.contains(technique.name) {
    let kit = SoakRun(technique.name, qvault: words[1], folder: words[2], size: words[3])
    let start = ContinuousClock.now
    do { try technique.run(kit) } catch { kit.violate("stopped by \(error)") }
    hasFailed = kit.finish(after: start.duration(to: .now)) || hasFailed
}
exit(hasFailed ? 1 : 0)
