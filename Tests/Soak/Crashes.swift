import Foundation
import Synchronization
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Replays every crash of every command that writes, and of what the library can do besides: whatever part of the
/// writes that were not synced reached the disk, the vault must be the old or the new.
func replayCrashes(_ kit: SoakRun) throws {
    for scenario in Scenario.all { try replay(scenario, kit) }
    try replayUnfinishedCreation(kit)
    try replayKilledSave(kit)
    kit.each(WritingCommand.all.count) { index in
        let command = WritingCommand.all[index]
        let bench = try CommandFixture(kit, command, "\(index)")
        try bench.reset()
        let status = try bench.run(prefix: Strace.recording(to: "\(bench.folder)/trace"))
        guard status == 0, let written = try bench.vault() else {
            return kit.violate("\(command.name) ended with \(status) under strace")
        }
        let text = try String(contentsOfFile: "\(bench.folder)/trace", encoding: .utf8)
        var before: [BytePath: (file: UInt64, content: [UInt8])] = [:]
        if let bytes = bench.vaultBefore { before[Image.path] = (1, bytes) }
        let strace = try Strace(text, folder: bench.folder, before: before.mapValues { $0.file })
        let trace = Trace(before: before, operations: strace.operations)
        guard trace.after[Image.path] == written else {
            return kit.violate("\(command.name): its trace does not give the file that it wrote")
        }
        let judge = try bench.judge(written)
        kit.replay(trace, command.name) { disk, isAcknowledged in
            let bytes = disk[Image.path]
            return try bench.keyViolation(bytes, written: written, isAcknowledged: isAcknowledged)
                ?? judge.with(master: bytes.map(bench.master)).violation(bytes, isAcknowledged: isAcknowledged)
        }
    }
}

/// A vault whose maker was killed before its name was durable, and a save into it.
private func replayUnfinishedCreation(_ kit: SoakRun) throws {
    let files = MemoryFileSystem()
    let maker = FaultyFileSystem(files)
    let fixture = try VaultFixture([("a", pattern(10))])
    let creation = try VaultCreation(
        VaultFixture.vault, credential: VaultFixture.credential(), in: testEnvironment(maker))
    try creation.treeImport { _ in }.addStream(as: "a", read: reading(pattern(10)))
    try creation.commit()
    withExtendedLifetime(creation) {}
    let old = Image(files.node(VaultFixture.vault)?.content ?? [], master: fixture.master)
    let before = try old.open().content()
    // Its maker being gone, so is its lock.
    files.node(VaultFixture.vault)?.isLocked = false
    let writer = FaultyFileSystem(files)
    try Scenario.put("b", pattern(10), fixture, writer)
    let trace = Trace(before: [:], operations: maker.trace.dropLast() + writer.trace)
    let judge = InvariantChecker(
        master: fixture.master, states: [nil, before, before.merging(["b": pattern(10)]) { $1 }])
    kit.replay(trace, "save into a new vault") { try judge.violation($0[VaultFixture.vault], isAcknowledged: $1) }
}

/// A writer that was killed at each of its syncs, so that what it wrote before may not be durable, and a save after it.
private func replayKilledSave(_ kit: SoakRun) throws {
    let fixture = try VaultFixture([("a", pattern(10))])
    let (inode, before) = (fixture.files.node(VaultFixture.vault)?.inode ?? 0, fixture.bytes)
    let killed = FaultyFileSystem(fixture.files)
    try Scenario.put("b", pattern(9000), fixture, killed)
    let syncs = killed.trace.indices.filter { killed.trace[$0] == .sync(file: inode) }
    // The first one comes before anything is written.
    for sync in syncs.dropFirst() {
        let unsynced = Array(killed.trace[..<sync])
        fixture.bytes = before
        try replayKilledSave(kit, fixture, inode, before, unsynced)
    }
    // Killed after the sync of its commit failed: the commit is shown, and may never be durable (Spec/store.md, 6.2).
    fixture.bytes = before
    let failed = killed.trace[..<syncs[1]] + [.failedSync(file: inode)]
    try replayKilledSave(kit, fixture, inode, before, Array(failed))
}

private func replayKilledSave(
    _ kit: SoakRun, _ fixture: VaultFixture, _ inode: UInt64, _ before: [UInt8], _ unsynced: [Trace.Operation]
) throws {
    fixture.bytes =
        Trace(before: [VaultFixture.vault: (inode, before)], operations: unsynced).after[VaultFixture.vault] ?? []
    let writer = FaultyFileSystem(fixture.files)
    try Scenario.put("c", pattern(10), fixture, writer)
    let trace = Trace(before: [VaultFixture.vault: (inode, before)], operations: unsynced + writer.trace)
    let old = ["a": pattern(10)] as Content
    let adopted = old.merging(["b": pattern(9000)]) { $1 }
    let judge = InvariantChecker(
        master: fixture.master, states: [old, adopted, adopted.merging(["c": pattern(10)]) { $1 }], wasSound: false)
    kit.replay(trace, "save behind one that was killed") {
        try judge.violation($0[VaultFixture.vault], isAcknowledged: $1)
    }
}

private func replay(_ scenario: Scenario, _ kit: SoakRun) throws {
    let run = try scenario.prepare()
    let files = FaultyFileSystem(run.fixture.files)
    try scenario.save(run.fixture, files)
    let trace = Trace(before: run.before, operations: files.trace)
    let judge = try run.judge()
    kit.replay(trace, scenario.name) { try judge.violation($0[VaultFixture.vault], isAcknowledged: $1) }
}

extension SoakRun {
    /// Judges the disks after each operation of a trace; after the last one the save is acknowledged.
    func replay(_ trace: Trace, _ name: String, _ judge: @Sendable (Trace.Disk, Bool) throws -> String?) {
        let limit = size(8, 3000)
        let seen = Mutex<Set<Int>>([])
        each(trace.operations.count + 1) { index in
            var random = Seeded(index)
            let isAcknowledged = index == trace.operations.count
            try trace.disks(after: index, limit: limit, random: &random) { disk in
                // A disk that an earlier operation may leave as well was judged.
                let mark = fingerprint(disk, isAcknowledged)
                guard seen.withLock({ $0.insert(mark).inserted }) else { return }
                count("crash states")
                if let violation = try judge(disk, isAcknowledged) {
                    violate("\(name), after operation \(index) of \(trace.operations.count): \(violation)")
                }
            }
        }
    }
}

/// Tells disks apart. (An array hashes byte by byte what this takes at once.)
private func fingerprint(_ disk: Trace.Disk, _ isAcknowledged: Bool) -> Int {
    disk.reduce(isAcknowledged ? 1 : 0) { sum, file in
        var hasher = Hasher()
        hasher.combine(file.key)
        unsafe file.value.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return sum &+ hasher.finalize()
    }
}
