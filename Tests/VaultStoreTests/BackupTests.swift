import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Backups, what they are restored to, and the end of a vault (Spec/store.md, 11 and 14).
struct BackupTests {
    private let copy: BytePath = "backup.qvault"

    private func open(_ scene: Scene, _ path: BytePath) throws -> Vault {
        try LockedVault(path, in: scene.world).open(master: Secret(copying: scene.master.span))
    }

    private func scene() throws -> Scene {
        let scene = try Scene([("a", [1]), ("b", pattern(3_000_000))])
        try scene.put("a", [2], seed: 1)
        return scene
    }

    @Test func aBackupIsTheSameLogUnderOtherPages() throws {
        let scene = try scene()
        try scene.open().backUp(to: copy)
        let bytes = try #require(scene.files.node(copy)?.content)
        let log = 131_072..<bytes.count - 4096
        #expect(bytes.count == scene.bytes.count && bytes[log] == scene.bytes[log])
        let vault = try open(scene, copy)
        #expect(vault.root.header.isCopy && vault.root.header.origin?.sequence == 2 && vault.obstacle == .copy)
        #expect(try Verification.full(vault).findings.isEmpty && vault.at(1).entries().count == 2)
        #expect(throws: VaultError.readOnly(.copy)) {
            try VaultTransaction(copy, in: scene.world, wait: 0, unlock: scene.unlock)
        }
        #expect(throws: VaultError.exists(copy)) { try scene.open().backUp(to: copy) }
    }

    @Test func withoutHistory() throws {
        let scene = try scene()
        try scene.open().backUp(to: copy, withHistory: false)
        let vault = try open(scene, copy)
        #expect(vault.sequence == 3 && vault.obstacle == .copy)
        #expect(try vault.versions().count == 2 && Verification.full(vault).findings.isEmpty)
        // A machine that has seen the vault recognises the restored one as a descendant.
        let book = WitnessBook("state", scene.world)
        book.remember(try scene.open())
        let restored = try Restoration(vault, to: "new.qvault", above: 0)
        #expect(restored.vault.sequence == 4 && restored.replaced == nil)
        #expect(try book.standing(of: open(scene, "new.qvault")) == .newer)
    }

    @Test func damageIsNotBackedUp() throws {
        let scene = try scene()
        scene.bytes[200_000] ^= 1
        let error = #expect(throws: FormatError.self) { try scene.open().backUp(to: copy) }
        #expect(error?.code == .damaged)
        #expect(scene.files.node(copy) == nil)
    }

    @Test func restoring() throws {
        let scene = try scene()
        try scene.open().backUp(to: copy)
        try scene.put("a", [3], seed: 2)
        try scene.put("a", [4], seed: 3)
        let replaced = scene.bytes
        let book = WitnessBook("state", scene.world)
        book.remember(try scene.open())
        let result = try Restoration(open(scene, copy), to: Scene.vault, above: 0)
        // Above what it replaced, so that nobody takes that for newer.
        #expect(result.vault.sequence == 5 && result.replaced == "v-replaced-1.qvault")
        #expect(scene.files.node("v-replaced-1.qvault")?.content == replaced)
        #expect(try scene.content("a") == [2] && scene.verify().findings.isEmpty)
        #expect(try scene.open().saves().map(\.sequence) == [1, 2, 5])
        #expect(try book.standing(of: scene.open()) == .forked(seen: 4))
        try scene.put("a", [5], seed: 4)
        #expect(try scene.open().sequence == 6)
        let again = try Restoration(open(scene, copy), to: Scene.vault, above: 100)
        #expect(again.vault.sequence == 101 && again.replaced == "v-replaced-2.qvault")
    }

    /// On a file system without second names a copy is kept, and where the new file cannot take its name nothing is
    /// left.
    @Test func withoutHardLinks() throws {
        let scene = try scene()
        try scene.open().backUp(to: copy)
        let before = scene.bytes
        scene.files.beforeCall = { call in
            if call.operation == "create", call.path.description.contains("replaced") {
                throw IOError("create", call.path, code: 1)
            }
        }
        let result = try Restoration(open(scene, copy), to: Scene.vault, above: 0)
        #expect(result.replaced == "v-replaced-1.qvault")
        #expect(scene.files.node("v-replaced-1.qvault")?.content == before)
        scene.files.beforeCall = { call in
            if call.operation == "publish", call.path.lastComponent == Scene.vault.lastComponent {
                throw IOError("create", call.path, code: 5)
            }
        }
        #expect(throws: IOError.self) { try Restoration(open(scene, copy), to: Scene.vault, above: 0) }
        #expect(scene.files.node("v-replaced-2.qvault") == nil)
    }

    /// A wreck can be replaced by a backup.
    @Test func restoringOverAWreck() throws {
        let scene = try scene()
        try scene.open().backUp(to: copy)
        scene.bytes = pattern(1000)
        let result = try Restoration(open(scene, copy), to: Scene.vault, above: 0)
        #expect(result.vault.sequence == 3)
        #expect(try scene.content("a") == [2])
    }

    @Test func aLockedVaultIsNotReplaced() throws {
        let scene = try scene()
        try scene.open().backUp(to: copy)
        scene.files.node(Scene.vault)?.isLocked = true
        let before = scene.bytes
        #expect(throws: VaultError.busy) { try Restoration(open(scene, copy), to: Scene.vault, above: 0, wait: 0) }
        #expect(scene.bytes == before)
    }

    /// At whatever call it stops, the vault opens as it was, or nobody can open what is left of it.
    @Test func destroying() throws {
        let whole = try scene()
        for call in 0..<40 {
            let scene = Scene(copying: whole)
            let files = FaultyFileSystem(scene.files, plan: .init(first: call, isForEver: true, fault: .error(5)))
            var world = scene.world
            world.files = files
            do { _ = try Destruction.destroy(Scene.vault, in: world, wait: 0) } catch {
                guard let bytes = scene.files.node(Scene.vault)?.content else { continue }
                let isUntouched = bytes == whole.bytes
                let isGone = bytes[0..<4096].allSatisfy { $0 == 0 }
                #expect(isUntouched || isGone)
                continue
            }
            #expect(scene.files.node(Scene.vault) == nil)
            #expect(call > 5)
            return
        }
        Issue.record("it is never destroyed")
    }

    @Test func whatIsNoVaultIsNotDestroyed() throws {
        let scene = try scene()
        scene.bytes = pattern(200_000)
        #expect(throws: FormatError(.notAVault, "no page of a vault at its start")) {
            try Destruction.destroy(Scene.vault, in: scene.world, wait: 0)
        }
        #expect(scene.files.node(Scene.vault) != nil)
    }
}
