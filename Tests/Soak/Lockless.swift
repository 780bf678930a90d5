import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Runs two writers without working locks: a second save runs completely before each system call of the first. The first
/// writer must notice it and fail, and nothing is lost. Exception: a second save just before a write of the first. The
/// next check reports such a loss, and the vault or its save before can be listed (Spec/store.md, 2).
func saveWithoutLocks(_ kit: SoakRun) throws {
    let calls = try callsOfASave()
    for place in 0..<calls {
        for bytes in [10, 5000, 100_000] {
            let fixture = try VaultFixture([("a", pattern(10))])
            try fixture.put("b", pattern(10), seed: 1)
            fixture.files.locksWork = false
            var other: Result<Void, any Error> = .failure(VaultError.cancelled)
            let save = try begin(fixture, seed: 2)
            var next: MemoryFileSystem.Call?
            fixture.files.interlude = (
                place,
                {
                    next = fixture.files.calls.last
                    other = Result { try fixture.put("other", pattern(bytes), seed: 3) }
                }
            )
            let mine = Result { try save.treeImport { _ in }.addStream(as: "mine", read: reading(pattern(10))) }
                .flatMap { _ in Result { _ = try save.commit() } }
            fixture.files.interlude = nil
            kit.count("pairs of saves")
            judge(kit, fixture, mine: mine, other: other, before: next, "call \(place) of \(calls), \(bytes) bytes")
        }
    }
}

private func begin(_ fixture: VaultFixture, seed: UInt64) throws -> VaultTransaction {
    var environment = fixture.environment
    environment.random = CountingRandom(seed: seed)
    return try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
}

private func callsOfASave() throws -> Int {
    let fixture = try VaultFixture([("a", pattern(10))])
    try fixture.put("b", pattern(10), seed: 1)
    let save = try begin(fixture, seed: 2)
    fixture.files.forgetCalls()
    try save.treeImport { _ in }.addStream(as: "mine", read: reading(pattern(10)))
    try save.commit()
    return fixture.files.calls.count
}

private func judge(
    _ kit: SoakRun, _ fixture: VaultFixture, mine: Result<Void, any Error>, other: Result<Void, any Error>,
    before next: MemoryFileSystem.Call?,
    _ what: String
) {
    func isAcknowledged(_ save: Result<Void, any Error>) -> Bool { if case .success = save { true } else { false } }
    var missing: [BytePath] = []
    for (path, save) in [("mine" as BytePath, mine), ("other", other)] where isAcknowledged(save) {
        if (try? fixture.content(path)) ?? nil == nil { missing.append(path) }
    }
    let worst = outcome { try fixture.verify().worst }
    if missing.isEmpty, ["ok", "repairable"].contains(worst) {
        if case .failure(VaultError.changedUnderneath) = mine { kit.count("noticed in time") }
        return
    }
    // Where the newest save cannot be read, nothing older is shown unless it is asked for.
    let isListed = (try? fixture.open().entries()) != nil || (try? fixture.open(showsSaveBefore: true).entries()) != nil
    let operation = next?.operation ?? "nothing"
    let isPage = operation == "write" && next.map { $0.offset < Layout.logStart } ?? false
    // Behind all writes but that of the page the writer looks once more.
    let isTold = isPage ? worst != "ok" || !isAcknowledged(mine) : !isAcknowledged(mine)
    guard ["write", "truncate"].contains(operation), isListed, isTold else {
        return kit.violate("\(what), before \(operation): \(missing) missing, \(worst); \(mine), \(other)")
    }
    kit.count("in the window of one write")
}

/// Runs a save and a compaction without working locks, each completely before each system call of the other. What was
/// saved is in the vault, or the compaction fails and names the file that has it (Spec/store.md, 10).
func rewriteWithoutLocks(_ kit: SoakRun) throws {
    for isSaveFirst in [true, false] {
        var (place, isReached) = (0, true)
        while isReached {
            isReached = false
            let fixture = try VaultFixture([("a", pattern(10))])
            try fixture.put("b", pattern(10), seed: 1)
            fixture.files.locksWork = false
            let first = try begin(fixture, seed: 2)
            var next: MemoryFileSystem.Call?
            var other: Result<Void, any Error> = .success(())
            fixture.files.interlude = (
                place,
                {
                    (isReached, next) = (true, fixture.files.calls.last)
                    other = Result { try work(on: begin(fixture, seed: 3), isSave: !isSaveFirst) }
                }
            )
            let mine = Result { try work(on: first, isSave: isSaveFirst) }
            fixture.files.interlude = nil
            guard isReached else { break }
            kit.count(isSaveFirst ? "compactions within a save" : "saves within a compaction")
            let (save, compaction) = isSaveFirst ? (mine, other) : (other, mine)
            judge(
                kit, fixture, save, compaction,
                "call \(place), before \(next?.operation ?? "nothing"): \(mine), \(other)")
            place += 1
        }
    }
}

private func work(on transaction: VaultTransaction, isSave: Bool) throws {
    guard isSave else {
        try transaction.rewrite(keeping: transaction.before.sequence)
        return
    }
    try transaction.treeImport { _ in }.addStream(as: "saved", read: reading(pattern(10)))
    try transaction.commit()
}

private func judge(
    _ kit: SoakRun, _ fixture: VaultFixture, _ save: Result<Void, any Error>, _ compaction: Result<Void, any Error>,
    _ what: String
) {
    let worst = outcome { try fixture.verify().worst }
    guard ["ok", "repairable"].contains(worst) else { return kit.violate("\(what): \(worst)") }
    guard case .success = save else { return kit.count("save refused") }
    if (try? fixture.content("saved")) ?? nil != nil { return }
    guard case .failure(VaultError.savedUnderneath(let aside)) = compaction,
        let kept = try? fixture.open(aside), (try? kept.entry(at: "saved")) ?? nil != nil
    else { return kit.violate("\(what): what was saved is gone") }
    kit.count("kept beside the vault, and told")
}
