// vault-bench: how fast and how small, as ratios.
//
// Each row is the command as a person runs it, start-up and PBKDF2 included, beside the raw limit of the machine
// (RawLoop) and beside the installed peers, run in turn (A B A B …) after one warm-up; the median of each and of the
// ratio pair by pair. Everything lies in one folder, by default in memory, where neither the disk nor fsync counts.
// usage: vault-bench QVAULT [FOLDER [PAIRS [PART…]]], parts being big, small, trees, parity, push, fleet, single, records, million, saves, copies, keys,
// cards, daily, funds, pictures, documents, traces; or vault-bench make-cards COUNT FILE, or make-records or make-versions COUNT SAVES FILE,
// which only make a vault.

import Glibc

do {
    if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "make-cards" {
        try Bench.makeCards(Int(CommandLine.arguments[2]) ?? 0, in: CommandLine.arguments[3])
        exit(0)
    }
    if CommandLine.arguments.count == 5, ["make-records", "make-versions"].contains(CommandLine.arguments[1]) {
        let (count, saves) = (Int(CommandLine.arguments[2]) ?? 0, Int(CommandLine.arguments[3]) ?? 1)
        let again = CommandLine.arguments[1] == "make-versions"
        try Saves.makeRecords(count, saves: max(1, saves), again: again, in: CommandLine.arguments[4])
        exit(0)
    }
    guard CommandLine.arguments.count >= 2 else {
        print("usage: vault-bench QVAULT [FOLDER [PAIRS [PART…]]]")
        exit(2)
    }
    let folder = CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : "/dev/shm/vault-bench"
    let pairs = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 9 : 9
    let parts = Array(CommandLine.arguments.dropFirst(4))
    try Bench(command: CommandLine.arguments[1], folder: folder, pairs: pairs, parts: parts).runAll()
} catch {
    print("vault-bench: \(error)")
    exit(1)
}
