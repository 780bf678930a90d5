import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Other secrets for a vault, another master key, and checks with an audit key (Spec/store.md, 7 and 10; keys.md).
struct RekeyTests {
    private func credential(_ text: String) throws -> Credential {
        let bytes = Array(text.utf8)
        return try Credential(password: Secret(copying: bytes.span))
    }

    private func opens(_ scene: Scene, _ text: String) throws -> Bool {
        let locked = try LockedVault(Scene.vault, in: scene.world)
        do {
            let master = try locked.slots.unlock(with: credential(text), of: locked.header)
            _ = try locked.open(master: master)
            return true
        } catch let error as FormatError where error.code == .wrongKey { return false }
    }

    private func content(_ vault: Vault, _ path: BytePath) throws -> [UInt8]? {
        guard let entry = try vault.entry(at: path) else { return nil }
        var content: [UInt8] = []
        try vault.read(entry) { content += Array(copying: $0) }
        return content
    }

    @Test func aReplacedPasswordIsGoneFromAllThreePages() throws {
        let scene = try Scene([("a", pattern(500))])
        let slots = try scene.open().keySlots
        let old = try #require(slots[1])
        // All that belongs to the old secret: salt, nonce, commitment and wrapped key.
        let wrap = Array(old.bytes[24..<148])
        try scene.save(seed: 1) { try $0.setSlot(1, for: credential("another password"), .init(label: "new")) }
        #expect(try opens(scene, "another password") && !opens(scene, "correct horse battery"))
        #expect(!scene.bytes.contains(wrap) && !scene.bytes.contains(Array(wrap.suffix(48))))
        let vault = try scene.open()
        let slot = try #require(vault.keySlots[1])
        #expect(slot.id == old.id)
        #expect(try vault.label(of: slot).text == "new")
        #expect(try Verification.full(vault).findings.isEmpty)
        #expect(try content(vault, "a") == pattern(500))
    }

    @Test func slotsComeAndGo() throws {
        let scene = try Scene([("a", [1])])
        for number in 2...8 {
            try scene.save(seed: UInt64(number)) { save in
                #expect(save.slots.freeNumber == number)
                try save.setSlot(number, for: credential("password \(number)"), .init(label: "\(number)"))
            }
        }
        #expect(try scene.open().keySlots.freeNumber == nil)
        try scene.save(seed: 20) { try $0.removeSlot(3, besides: 1) }
        #expect(try !opens(scene, "password 3") && opens(scene, "password 4") && opens(scene, "password 8"))
        #expect(try scene.open().keySlots.slots.map(\.number) == [1, 2, 4, 5, 6, 7, 8])
        #expect(try Verification.full(scene.open()).findings.isEmpty)
    }

    @Test func whatASlotMustHave() throws {
        let scene = try Scene()
        for request in [
            KeySlot.Request(derivation: .pbkdf2(iterations: 99_999)),
            KeySlot.Request(label: String(repeating: "x", count: 56)),
        ] {
            #expect(throws: FormatError.self) {
                try scene.save(seed: 1) { try $0.setSlot(2, for: credential("password"), request) }
            }
        }
        #expect(try scene.open().sequence == 1)
    }

    @Test func rotationKeepsAllAndTheOldKeyOpensNothing() throws {
        let scene = try Scene([("a", [1]), ("d/b", pattern(200_000))])
        try scene.put("a", [2, 2], seed: 1)
        try scene.save(seed: 2) { save in
            let entry = try save.before.entry(at: "d/b")
            try save.trash(#require(entry))
            try save.setSlot(2, for: credential("second"), .init(label: "second"))
        }
        let before = try scene.open()
        let transaction = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        var world = scene.world
        let (record, keys) = try transaction.rotate { keys in
            try transaction.slots.setting(2, to: nil)
                .setting(1, for: credential("rotated"), .init(label: "first"), keys: keys, &world)
        }
        let locked = try LockedVault(Scene.vault, in: scene.world)
        #expect(locked.header.epoch.counter == 2 && record.core.sequence == 4)
        #expect(throws: FormatError.self) { try locked.open(master: Secret(copying: scene.master.span)) }
        #expect(try opens(scene, "rotated") && !opens(scene, "second") && !opens(scene, "correct horse battery"))
        let vault = try locked.open(master: keys.master.slice(0..<32))
        #expect(try Verification.full(vault).findings.isEmpty)
        #expect(try content(vault, "a") == [2, 2] && content(vault.at(1), "a") == [1])
        #expect(try content(vault.at(2), "d/b") == pattern(200_000) && vault.entry(at: "d/b") == nil)
        #expect(try vault.saves().map(\.sequence) == [1, 2, 3, 4])
        let slot = try #require(vault.keySlots[1])
        #expect(try vault.label(of: slot).text == "first")
        // Nothing of the old file is in the new one.
        let bytes = scene.bytes
        for entry in try before.versions() { #expect(!bytes.contains(entry.salt.bytes)) }
    }

    /// A reader of the old file, held up for as long as a rotation takes, remembers what it has read last of all.
    @Test func aWitnessDoesNotGoBackAnEpoch() throws {
        let scene = try Scene([("a", [1])])
        let old = try scene.open()
        let transaction = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        var world = scene.world
        let (record, keys) = try transaction.rotate { keys in
            try transaction.slots.setting(1, for: credential("rotated"), .init(), keys: keys, &world)
        }
        let book = WitnessBook("state", scene.world)
        book.remember(record, keys, at: Scene.vault)
        book.remember(old.record, old.keys, at: Scene.vault)
        #expect(book.lastEpoch(old.id, at: Scene.vault) == 2)
    }

    /// A backup from before a rotation comes back under a master key of its own: the one that was retired opens nothing.
    @Test func aBackupOfARetiredKeyIsRotatedOnTheWay() throws {
        let scene = try Scene([("a", [1]), ("d/b", pattern(200_000))])
        try scene.put("a", [2, 2], seed: 1)
        try scene.open().backUp(to: "copy.qvault", withHistory: true)
        var world = scene.world
        let transaction = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        _ = try transaction.rotate { keys in
            try transaction.slots.setting(1, for: credential("rotated"), .init(), keys: keys, &world)
        }
        let copy = try LockedVault("copy.qvault", in: world).open(master: Secret(copying: scene.master.span))
        let renewal = Restoration.Renewal(after: 7) { keys in
            try copy.keySlots.setting(1, for: credential("restored"), .init(), keys: keys, &world)
        }
        let vault = try Restoration(copy, to: Scene.vault, above: 40, renewal: renewal).vault
        #expect(vault.sequence == 41 && vault.record.core.epoch.counter == 8 && !vault.root.header.isCopy)
        #expect(try opens(scene, "restored") && !opens(scene, "rotated") && !opens(scene, "correct horse battery"))
        #expect(throws: FormatError.self) { try scene.open() }
        #expect(try Verification.full(vault).findings.isEmpty)
        #expect(try content(vault, "a") == [2, 2] && content(vault.at(1), "a") == [1])
        #expect(try content(vault, "d/b") == pattern(200_000))
        for entry in try copy.versions() { #expect(!scene.bytes.contains(entry.salt.bytes)) }
        let last = Restoration.Renewal(after: .max) { _ in SlotArea([]) }
        #expect(throws: FormatError.self) { try Restoration(copy, to: "other.qvault", above: 0, renewal: last) }
        #expect(scene.files.node("other.qvault") == nil)
    }

    @Test func anAuditKeyFindsTamperingAndNotItsHolders() throws {
        let scene = try Scene([("a", pattern(100_000))])
        try scene.put("b", pattern(3000), seed: 1)
        let key = try scene.open().auditKey
        let sound = scene.bytes
        func worst(_ bytes: [UInt8]) throws -> FormatError.Code? {
            scene.bytes = bytes
            return try Verification.audited(LockedVault(Scene.vault, in: scene.world), with: key).worst
        }
        #expect(try worst(sound) == nil)
        var noticed = 0
        for index in stride(from: 0, to: sound.count, by: 509) {
            var bytes = sound
            bytes[index] ^= 4
            let found: FormatError.Code? = (try? worst(bytes)) ?? .damaged
            if found != nil { noticed += 1 }
        }
        #expect(noticed == (sound.count + 508) / 509)
        // Another vault's key, and the key from before a rotation, verify nothing.
        let other = try Scene([("a", [1])], seed: 9)
        scene.bytes = sound
        let stranger = #expect(throws: FormatError.self) {
            try Verification.audited(LockedVault(Scene.vault, in: other.world), with: key)
        }
        #expect(stranger?.code == .wrongKey)
        let transaction = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        var world = scene.world
        let (_, keys) = try transaction.rotate { keys in
            try SlotArea([]).setting(1, for: credential("rotated"), .init(), keys: keys, &world)
        }
        let old = #expect(throws: FormatError.self) {
            try Verification.audited(LockedVault(Scene.vault, in: scene.world), with: key)
        }
        #expect(old?.code == .wrongKey)
        let new = try LockedVault(Scene.vault, in: scene.world).open(master: keys.master.slice(0..<32)).auditKey
        #expect(try Verification.audited(LockedVault(Scene.vault, in: scene.world), with: new).findings.isEmpty)
    }
}
