import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Something that the library does to a vault, in memory: what no command does yet, and what is to be tried call by
/// call.
struct Scenario: Sendable {
    let name: String
    /// The damage done to the vault before.
    var damage: @Sendable (VaultFixture) throws -> Void = { _ in }
    /// True if the vault is another one afterwards.
    var isReplaced = false
    let save: @Sendable (VaultFixture, any FileSystem) throws -> Void

    static let all = [
        Scenario(name: "save") { fixture, files in try put("b", pattern(70_000), fixture, files) },
        Scenario(name: "save over", damage: { $0.bytes[65_536 + 2048] ^= 1 }) { fixture, files in
            try put("a", pattern(10), fixture, files)
        },
        Scenario(name: "key change", save: changeKeys),
        Scenario(
            name: "key change, page T damaged", damage: { $0.bytes[$0.bytes.count - 4087] ^= 1 }, save: changeKeys),
        Scenario(name: "save after half a key change", damage: interruptKeyChange) { fixture, files in
            try put("b", pattern(10), fixture, files)
        },
        Scenario(name: "push", save: push),
        Scenario(name: "push, page A damaged", damage: { $0.bytes[2048] ^= 1 }, save: push),
        Scenario(name: "push, page B damaged", damage: { $0.bytes[65_536 + 2048] ^= 1 }, save: push),
        Scenario(name: "replacement", isReplaced: true) { fixture, files in
            let new = try otherVault.get().bytes
            let save = try transaction(fixture, files)
            let file = try save.makeReplacement()
            try file.writeAll(new.span, at: 0)
            try save.replace(with: file)
        },
    ]

    private static func transaction(_ fixture: VaultFixture, _ files: any FileSystem) throws -> VaultTransaction {
        var environment = testEnvironment(files, seed: 5)
        environment.files = files
        return try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
    }

    /// Brings the vault to the state of a copy that is two saves ahead.
    @Sendable private static func push(_ fixture: VaultFixture, _ files: any FileSystem) throws {
        var environment = testEnvironment(files, seed: 5)
        environment.files = files
        let source = try newer.get()
        let target = try ReplicaTarget(VaultFixture.vault, in: environment, timeout: .zero)
        _ = try ReplicaSource(LockedVault(VaultFixture.vault, in: source.environment))
            .update(target, judging: .init(mayCreate: false, follows: nil))
    }

    static func put(_ path: BytePath, _ bytes: [UInt8], _ fixture: VaultFixture, _ files: any FileSystem) throws {
        let save = try transaction(fixture, files)
        try save.treeImport { _ in }.addStream(as: path, read: reading(bytes))
        try save.commit()
    }

    @Sendable static func changeKeys(_ fixture: VaultFixture, _ files: any FileSystem) throws {
        let save = try transaction(fixture, files)
        save.setSlots(try fixture.slotsWithDevice())
        try save.commit()
    }

    /// The first page new, the other as before.
    @Sendable private static func interruptKeyChange(_ fixture: VaultFixture) throws {
        let before = fixture.bytes
        try changeKeys(fixture, fixture.files)
        fixture.bytes.replaceSubrange(..<4096, with: before[..<4096])
    }

    /// Made once: the key derivation takes its time.
    private static let vault = Result {
        let fixture = try VaultFixture([("a", pattern(1000))])
        try fixture.put("c", pattern(2000), seed: 1)
        return fixture
    }
    /// The same with two more saves.
    private static let newer = Result {
        let fixture = VaultFixture(copying: try vault.get())
        try fixture.put("b", pattern(3000), seed: 2)
        try fixture.put("d", pattern(70_000), seed: 3)
        return fixture
    }
    private static let otherVault = Result { try VaultFixture([("r", pattern(5000))], seed: 9) }

    /// The vault as the scenario finds it.
    func prepare() throws -> Run {
        let fixture = VaultFixture(copying: try Self.vault.get())
        try damage(fixture)
        let start = Image(fixture.bytes, master: fixture.master)
        return Run(
            fixture: fixture, wasSound: try start.open().verify().findings.isEmpty,
            before: [VaultFixture.vault: (fixture.files.node(VaultFixture.vault)?.inode ?? 0, fixture.bytes)],
            old: try start.open().content(), oldSlots: try start.open().root.slots,
            other: isReplaced ? try Self.otherVault.get() : nil)
    }

    /// A scenario about to be carried out.
    struct Run {
        let fixture: VaultFixture
        let wasSound: Bool
        let before: [BytePath: (file: UInt64, content: [UInt8])]
        let old: Content
        let oldSlots: SlotArea
        /// The vault that takes the vault's place.
        let other: VaultFixture?

        /// After it was carried out undisturbed: what may be found when it is not.
        func judge() throws -> ScenarioJudge {
            let after = try Image(fixture.bytes, master: other?.master ?? fixture.master).open()
            let new = try after.content()
            return ScenarioJudge(
                states: other.map {
                    [
                        InvariantChecker(master: fixture.master, states: [old]),
                        InvariantChecker(master: $0.master, states: [new]),
                    ]
                } ?? [InvariantChecker(master: fixture.master, states: [old, new], wasSound: wasSound)],
                oldSlots: oldSlots, newSlots: after.root.slots)
        }
    }
}

/// Judges what is left of a scenario's vault.
struct ScenarioJudge: Sendable {
    /// One for each file that may stand under the vault's name, the newest last.
    let states: [InvariantChecker]
    let oldSlots: SlotArea
    let newSlots: SlotArea

    /// The same for vaults that hold a record more; they bear no further loss.
    func adding(_ path: BytePath, _ bytes: [UInt8]) -> ScenarioJudge {
        let states = states.map { judge in
            InvariantChecker(
                master: judge.master, states: judge.states.map { $0.merging([path: bytes]) { $1 } },
                wasSound: false)
        }
        return ScenarioJudge(states: states, oldSlots: oldSlots, newSlots: newSlots)
    }

    func violation(_ bytes: [UInt8]?, isAcknowledged: Bool) throws -> String? {
        guard let bytes else { return "the vault is gone" }
        var failure = ""
        for (index, judge) in states.enumerated() {
            let vault: Vault
            do { vault = try Image(bytes, master: judge.master).open() } catch {
                failure = "\(error)"
                continue
            }
            if isAcknowledged, index < states.count - 1 { return "an acknowledged replacement is lost" }
            guard [oldSlots, newSlots].contains(vault.root.slots) else { return "slots that nobody wrote" }
            if isAcknowledged {
                // Also on the copy that stands in when both pages are lost.
                let spare = try Image(without([Layout.pageAOffset, Layout.pageBOffset], bytes), master: judge.master)
                    .open()
                if vault.root.slots != newSlots || spare.root.slots != newSlots {
                    return "an acknowledged key change is lost"
                }
            }
            return try judge.violation(bytes, isAcknowledged: isAcknowledged)
        }
        return "does not open: \(failure)"
    }
}
