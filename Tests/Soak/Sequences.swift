import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// All sequences of three operations on a vault. The power fails at a random point of each: what is found is what a model says
/// was there before or after, and the next operation goes on from that.
func failWithinSequences(_ kit: SoakRun) throws {
    let start = try VaultFixture([("a", pattern(900)), ("b", pattern(70_000)), ("c", pattern(10))])
    try start.save(seed: 1) { save in
        if let entry = try start.open().entry(at: "c") { try save.trash(entry) }
    }
    let (count, rounds) = (SequenceStep.all.count, kit.size(1, 40))
    kit.each(count * count * count * rounds) { index in
        let steps = [1, count, count * count].map { SequenceStep.all[index / rounds / $0 % count] }
        let run = SequenceRun(start, seed: index)
        do { try run.perform(steps, kit) } catch {
            kit.violate("\(steps.map(\.name)), seed \(index): \(error)")
        }
    }
}

/// What a vault holds, as the model has it.
private struct ModelState: Equatable {
    var live: Content
    var trash: Set<BytePath>

    /// The state of a vault whose records lie in no folders.
    init(_ vault: Vault) throws {
        live = try vault.content()
        trash = Set(try vault.allEntries().filter { $0.state == .trashed }.map { BytePath($0.overview.title) })
    }

    var first: BytePath? { live.keys.min { $0.bytes.lexicographicallyPrecedes($1.bytes) } }
}

/// One operation, on the library and on the model.
private struct SequenceStep: Sendable {
    let name: String
    /// Changes the model; false where there is nothing to act on.
    let expect: @Sendable (inout ModelState, _ number: Int) -> Bool
    /// - Parameter state: the model before it.
    let perform: @Sendable (VaultTransaction, ModelState, _ number: Int) throws -> Void

    static let all = [
        SequenceStep(name: "put") { state, number in
            state.live[BytePath("n\(number)")] = pattern(3000 * number, UInt8(number))
            return true
        } perform: { save, _, number in
            try put(save, BytePath("n\(number)"), pattern(3000 * number, UInt8(number)))
        },
        SequenceStep(name: "put over") { state, number in
            guard let path = state.first else { return false }
            state.live[path] = pattern(500, UInt8(10 + number))
            return true
        } perform: { save, state, number in
            if let path = state.first { try put(save, path, pattern(500, UInt8(10 + number))) }
        },
        SequenceStep(name: "move") { state, number in
            guard let path = state.first else { return false }
            state.live[BytePath("z\(number)")] = state.live.removeValue(forKey: path)
            return true
        } perform: { save, state, number in
            guard let path = state.first, let entry = try save.before.entry(at: path) else { return }
            try save.move(entry, from: path, to: BytePath("z\(number)"))
            try save.commit()
        },
        SequenceStep(name: "rm") { state, _ in
            guard let path = state.first, !state.trash.contains(path) else { return false }
            state.live[path] = nil
            state.trash.insert(path)
            return true
        } perform: { save, state, _ in
            guard let path = state.first, let entry = try save.before.entry(at: path) else { return }
            try save.trash(entry)
            try save.commit()
        },
        SequenceStep(name: "purge") { state, _ in
            guard !state.trash.isEmpty else { return false }
            state.trash = []
            return true
        } perform: { save, _, _ in
            let trash = try save.before.allEntries().filter { $0.state == .trashed }.map(\.id)
            try save.rewrite(keeping: 1, purging: Set(trash))
        },
        SequenceStep(name: "compact") { _, _ in
            true
        } perform: { save, _, _ in
            try save.rewrite(keeping: save.before.sequence)
        },
        SequenceStep(name: "key change") { _, _ in
            true
        } perform: { save, _, number in
            let slots = save.before.keySlots.slots.map(\.slot)
            var random: any RandomSource = CountingRandom(seed: UInt64(90 + number))
            let device = try Credential(deviceKey: Secret(copying: [UInt8](repeating: 7, count: 32).span))
            let slot = try KeySlot(
                for: device, keys: save.before.keys, id: Bytes16([UInt8](repeating: UInt8(number), count: 16)),
                derivation: .none, label: KeySlot.Label(created: 0, text: "device \(number)"), random: &random)
            save.setSlots(SlotArea(slots + [slot]))
            try save.commit()
        },
        SequenceStep(name: "nothing") { _, _ in
            true
        } perform: { _, _, _ in
        },
    ]

    private static func put(_ save: VaultTransaction, _ path: BytePath, _ bytes: [UInt8]) throws {
        try save.treeImport { _ in }.addStream(as: path, read: reading(bytes))
        try save.commit()
    }
}

/// One sequence on a vault of its own.
private struct SequenceRun {
    private let fixture: VaultFixture
    private let seed: Int

    init(_ start: VaultFixture, seed: Int) { (fixture, self.seed) = (VaultFixture(copying: start), seed) }

    struct Violation: Error, CustomStringConvertible { let description: String }

    func perform(_ steps: [SequenceStep], _ kit: SoakRun) throws {
        var random = Seeded(seed)
        // The newest last. A writer adopts a save that is whole behind what a reader shows (Spec/store.md).
        var states = [try ModelState(fixture.open())]
        for (number, step) in zip(1..., steps) {
            let before = [VaultFixture.vault: (fixture.files.node(VaultFixture.vault)?.inode ?? 0, fixture.bytes)]
            let files = FaultyFileSystem(fixture.files)
            let (old, new) = try carryOut(step, number, from: states, on: files)
            let trace = Trace(before: before, operations: files.trace)
            let count = Int.random(in: 0...trace.operations.count, using: &random)
            guard let found = drawDisk(trace, count, &random)[VaultFixture.vault] else {
                throw Violation(description: "the vault is gone")
            }
            fixture.files.write(VaultFixture.vault, found)
            let seen = try ModelState(fixture.open())
            let possible = count == trace.operations.count ? [new] : states.filter { $0 != old } + [old, new]
            guard let index = possible.lastIndex(of: seen) else {
                let text = "\(step.name) \(number), operation \(count) of \(trace.operations.count)"
                throw Violation(description: "\(text): neither a state before nor the one after")
            }
            kit.count("operations cut short")
            states = Array(possible[index...])
        }
        let judge = InvariantChecker(master: fixture.master, states: states.map(\.live), wasSound: false)
        if let violation = try judge.violation(fixture.bytes, isAcknowledged: false) {
            throw Violation(description: violation)
        }
        kit.count("sequences")
    }

    /// The state that the operation found, and the one that it made.
    private func carryOut(
        _ step: SequenceStep, _ number: Int, from states: [ModelState], on files: any FileSystem
    ) throws -> (old: ModelState, new: ModelState) {
        var environment = testEnvironment(files, seed: UInt64(1000 + seed * 4 + number))
        environment.files = files
        let save = try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
        let old = try ModelState(save.before)
        guard states.contains(old) else {
            throw Violation(description: "\(step.name) \(number) found a state that nobody saved")
        }
        var new = old
        if step.expect(&new, number) { try step.perform(save, old, number) }
        guard try ModelState(fixture.open()) == new else {
            throw Violation(description: "\(step.name) \(number) did something else")
        }
        return (old, new)
    }

    /// One of the disks that may be found, all as likely.
    private func drawDisk(_ trace: Trace, _ count: Int, _ random: inout Seeded) -> Trace.Disk {
        var (drawn, number): (Trace.Disk, Int) = ([:], 0)
        var chance = random
        trace.disks(after: count, limit: 16, random: &random) { disk in
            number += 1
            if Int.random(in: 0..<number, using: &chance) == 0 { drawn = disk }
        }
        return drawn
    }
}
