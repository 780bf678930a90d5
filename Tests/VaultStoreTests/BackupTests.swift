import Synchronization
import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Backups, what they are restored to, and the end of a vault (Spec/store.md, 11 and 14).
struct BackupTests {
    private let copy: BytePath = "backup.qvault"

    private func open(_ fixture: VaultFixture, _ path: BytePath) throws -> Vault {
        try LockedVault(path, in: fixture.environment).open(master: Secret(copying: fixture.master.span))
    }

    private func fixture() throws -> VaultFixture {
        let fixture = try VaultFixture([("a", [1]), ("b", pattern(2_000_000))])
        try fixture.put("a", [2], seed: 1)
        return fixture
    }

    @Test func aBackupIsTheSameLogUnderOtherPages() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        let bytes = try #require(fixture.files.node(copy)?.content)
        let log = 131_072..<bytes.count - 4096
        #expect(bytes.count == fixture.bytes.count && bytes[log] == fixture.bytes[log])
        let vault = try open(fixture, copy)
        #expect(vault.root.header.isCopy && vault.root.header.origin?.sequence == 2 && vault.obstacle == .copy)
        #expect(try vault.verify().findings.isEmpty && vault.snapshot(atSave: 1).entries().count == 2)
        #expect(throws: VaultError.readOnly(.copy)) {
            try VaultTransaction(copy, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        }
        #expect(throws: VaultError.exists(copy)) { try fixture.open().backUp(to: copy) }
    }

    @Test func withoutHistory() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy, withHistory: false)
        let vault = try open(fixture, copy)
        #expect(vault.sequence == 3 && vault.obstacle == .copy)
        #expect(try vault.versions().count == 2 && vault.verify().findings.isEmpty)
        // A machine that has seen the vault recognises the restored one as a descendant.
        let book = WitnessBook("state", fixture.environment)
        book.remember(try fixture.open())
        let restored = try vault.restore(to: "new.qvault", above: 0)
        #expect(restored.vault.sequence == 4 && restored.replaced == nil)
        #expect(try book.freshness(of: open(fixture, "new.qvault")) == .newer)
    }

    /// Where the file in the target's place cannot be read, nobody knows which slots are in force.
    @Test func anUnreadableTargetIsNoneThatIsMissing() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        let backup = try open(fixture, copy)
        #expect(try backup.slotsInForce(at: "nothing.qvault") == nil)
        #expect(try backup.slotsInForce(at: VaultFixture.vault) == backup.keySlots)
        try fixture.files.makeFolder("folder.qvault")
        #expect(throws: IOError.self) { try backup.slotsInForce(at: "folder.qvault") }
    }

    @Test func damageIsNotBackedUp() throws {
        let fixture = try fixture()
        fixture.bytes[200_000] ^= 1
        let error = #expect(throws: FormatError.self) { try fixture.open().backUp(to: copy) }
        #expect(error?.code == .damaged)
        #expect(fixture.files.node(copy) == nil)
    }

    @Test func restoringTellsItsProgress() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        let backup = try open(fixture, copy)
        let told = Mutex<[UInt64]>([])
        _ = try backup.restore(to: VaultFixture.vault, above: 0) { done in told.withLock { $0.append(done) } }
        let steps = told.withLock { $0 }
        #expect(steps == steps.sorted() && steps.last == backup.record.core.end - Layout.logStart)
    }

    @Test func restoring() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        try fixture.put("a", [3], seed: 2)
        try fixture.put("a", [4], seed: 3)
        let replaced = fixture.bytes
        let book = WitnessBook("state", fixture.environment)
        book.remember(try fixture.open())
        let result = try open(fixture, copy).restore(to: VaultFixture.vault, above: 0)
        // Above what it replaced, so that nobody takes that for newer.
        #expect(result.vault.sequence == 5 && result.replaced == "v-replaced-1.qvault")
        #expect(fixture.files.node("v-replaced-1.qvault")?.content == replaced)
        #expect(try fixture.content("a") == [2] && fixture.verify().findings.isEmpty)
        #expect(try fixture.open().saves().map(\.sequence) == [1, 2, 5])
        #expect(try book.freshness(of: fixture.open()) == .forked(seen: 4))
        try fixture.put("a", [5], seed: 4)
        #expect(try fixture.open().sequence == 6)
        let again = try open(fixture, copy).restore(to: VaultFixture.vault, above: 100)
        #expect(again.vault.sequence == 101 && again.replaced == "v-replaced-2.qvault")
    }

    /// On a file system without second names a copy is kept, and where the new file cannot take its name nothing is
    /// left.
    @Test func withoutHardLinks() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        let before = fixture.bytes
        fixture.files.beforeCall = { call in
            if call.operation == "create", call.path.description.contains("replaced") {
                throw IOError("create", call.path, code: 1)
            }
        }
        let result = try open(fixture, copy).restore(to: VaultFixture.vault, above: 0)
        #expect(result.replaced == "v-replaced-1.qvault")
        #expect(fixture.files.node("v-replaced-1.qvault")?.content == before)
        fixture.files.beforeCall = { call in
            if call.operation == "publish", call.path.lastComponent == VaultFixture.vault.lastComponent {
                throw IOError("create", call.path, code: 5)
            }
        }
        #expect(throws: IOError.self) { try open(fixture, copy).restore(to: VaultFixture.vault, above: 0) }
        #expect(fixture.files.node("v-replaced-2.qvault") == nil)
    }

    /// A wreck can be replaced by a backup.
    @Test func restoringOverAWreck() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        fixture.bytes = pattern(1000)
        let result = try open(fixture, copy).restore(to: VaultFixture.vault, above: 0)
        #expect(result.vault.sequence == 3)
        #expect(try fixture.content("a") == [2])
    }

    @Test func aLockedVaultIsNotReplaced() throws {
        let fixture = try fixture()
        try fixture.open().backUp(to: copy)
        fixture.files.node(VaultFixture.vault)?.isLocked = true
        let before = fixture.bytes
        #expect(throws: VaultError.busy) {
            try open(fixture, copy).restore(to: VaultFixture.vault, above: 0, timeout: .zero)
        }
        #expect(fixture.bytes == before)
    }

    /// At whatever call it stops, the vault opens as it was, or nobody can open what is left of it.
    @Test func destroying() throws {
        let whole = try fixture()
        for call in 0..<40 {
            let fixture = VaultFixture(copying: whole)
            let files = FaultyFileSystem(fixture.files, plan: .init(first: call, isForEver: true, fault: .error(5)))
            var environment = fixture.environment
            environment.files = files
            do { _ = try Vault.destroy(at: VaultFixture.vault, in: environment, timeout: .zero) } catch {
                guard let bytes = fixture.files.node(VaultFixture.vault)?.content else { continue }
                let isUntouched = bytes == whole.bytes
                let isGone = bytes[0..<4096].allSatisfy { $0 == 0 }
                #expect(isUntouched || isGone)
                continue
            }
            #expect(fixture.files.node(VaultFixture.vault) == nil)
            #expect(call > 5)
            return
        }
        Issue.record("it is never destroyed")
    }

    @Test func whatIsNoVaultIsNotDestroyed() throws {
        let fixture = try fixture()
        fixture.bytes = pattern(200_000)
        #expect(throws: FormatError(.notAVault, "it does not begin as a QuickVault file does")) {
            try Vault.destroy(at: VaultFixture.vault, in: fixture.environment, timeout: .zero)
        }
        #expect(fixture.files.node(VaultFixture.vault) != nil)
    }
}
