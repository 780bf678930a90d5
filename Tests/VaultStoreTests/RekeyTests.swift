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

    private func opens(_ fixture: VaultFixture, _ text: String) throws -> Bool {
        let locked = try LockedVault(VaultFixture.vault, in: fixture.environment)
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
        let fixture = try VaultFixture([("a", pattern(500))])
        let slots = try fixture.open().keySlots
        let old = try #require(slots[1])
        // All that belongs to the old secret: salt, nonce, commitment and wrapped key.
        let wrap = Array(old.bytes[24..<148])
        try fixture.save(seed: 1) { try $0.setSlot(1, for: credential("another password"), .init(label: "new")) }
        #expect(try opens(fixture, "another password") && !opens(fixture, "correct horse battery"))
        #expect(!fixture.bytes.contains(wrap) && !fixture.bytes.contains(Array(wrap.suffix(48))))
        let vault = try fixture.open()
        let slot = try #require(vault.keySlots[1])
        #expect(slot.id == old.id)
        #expect(try vault.label(of: slot).text == "new")
        #expect(try vault.verify().findings.isEmpty)
        #expect(try content(vault, "a") == pattern(500))
    }

    @Test func slotsComeAndGo() throws {
        let fixture = try VaultFixture([("a", [1])])
        for number in 2...8 {
            try fixture.save(seed: UInt64(number)) { save in
                #expect(save.slots.freeNumber == number)
                try save.setSlot(number, for: credential("password \(number)"), .init(label: "\(number)"))
            }
        }
        #expect(try fixture.open().keySlots.freeNumber == nil)
        try fixture.save(seed: 20) { try $0.removeSlot(3, besides: 1) }
        #expect(try !opens(fixture, "password 3") && opens(fixture, "password 4") && opens(fixture, "password 8"))
        #expect(try fixture.open().keySlots.slots.map(\.number) == [1, 2, 4, 5, 6, 7, 8])
        #expect(try fixture.open().verify().findings.isEmpty)
    }

    @Test func whatASlotMustHave() throws {
        let fixture = try VaultFixture()
        for request in [
            KeySlot.Request(derivation: .pbkdf2(iterations: 99_999)),
            KeySlot.Request(label: String(repeating: "x", count: 56)),
        ] {
            #expect(throws: FormatError.self) {
                try fixture.save(seed: 1) { try $0.setSlot(2, for: credential("password"), request) }
            }
        }
        #expect(try fixture.open().sequence == 1)
    }

    @Test func rotationKeepsAllAndTheOldKeyOpensNothing() throws {
        let fixture = try VaultFixture([("a", [1]), ("d/b", pattern(200_000))])
        try fixture.put("a", [2, 2], seed: 1)
        try fixture.save(seed: 2) { save in
            let entry = try save.before.entry(at: "d/b")
            try save.trash(#require(entry))
            try save.setSlot(2, for: credential("second"), .init(label: "second"))
        }
        let before = try fixture.open()
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        var environment = fixture.environment
        let (record, keys) = try transaction.rotate { keys in
            try transaction.slots.setting(2, to: nil)
                .setting(1, for: credential("rotated"), .init(label: "first"), keys: keys, &environment)
        }
        let locked = try LockedVault(VaultFixture.vault, in: fixture.environment)
        #expect(locked.header.epoch.counter == 2 && record.core.sequence == 4)
        #expect(throws: FormatError.self) { try locked.open(master: Secret(copying: fixture.master.span)) }
        #expect(try opens(fixture, "rotated") && !opens(fixture, "second") && !opens(fixture, "correct horse battery"))
        let vault = try locked.open(master: keys.master.slice(0..<32))
        #expect(try vault.verify().findings.isEmpty)
        #expect(try content(vault, "a") == [2, 2] && content(vault.snapshot(atSave: 1), "a") == [1])
        #expect(try content(vault.snapshot(atSave: 2), "d/b") == pattern(200_000) && vault.entry(at: "d/b") == nil)
        #expect(try vault.saves().map(\.sequence) == [1, 2, 3, 4])
        let slot = try #require(vault.keySlots[1])
        #expect(try vault.label(of: slot).text == "first")
        // Nothing of the old file is in the new one.
        let bytes = fixture.bytes
        for entry in try before.versions() { #expect(!bytes.contains(entry.salt.bytes)) }
    }

    /// A reader of the old file, held up for as long as a rotation takes, remembers what it has read last of all.
    @Test func aWitnessDoesNotGoBackAnEpoch() throws {
        let fixture = try VaultFixture([("a", [1])])
        let old = try fixture.open()
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        var environment = fixture.environment
        let (record, keys) = try transaction.rotate { keys in
            try transaction.slots.setting(1, for: credential("rotated"), .init(), keys: keys, &environment)
        }
        let book = WitnessBook("state", fixture.environment)
        book.remember(record, keys, at: VaultFixture.vault)
        book.remember(old.record, old.keys, at: VaultFixture.vault)
        #expect(book.lastEpoch(old.id, at: VaultFixture.vault) == 2)
    }

    /// A backup from before a rotation comes back under a master key of its own: the one that was retired opens nothing.
    @Test func aBackupOfARetiredKeyIsRotatedOnTheWay() throws {
        let fixture = try VaultFixture([("a", [1]), ("d/b", pattern(200_000))])
        try fixture.put("a", [2, 2], seed: 1)
        try fixture.open().backUp(to: "copy.qvault", withHistory: true)
        var environment = fixture.environment
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        _ = try transaction.rotate { keys in
            try transaction.slots.setting(1, for: credential("rotated"), .init(), keys: keys, &environment)
        }
        let copy = try LockedVault("copy.qvault", in: environment).open(master: Secret(copying: fixture.master.span))
        let renewal = Restoration.Renewal(after: 7) { keys in
            try copy.keySlots.setting(1, for: credential("restored"), .init(), keys: keys, &environment)
        }
        let vault = try copy.restore(to: VaultFixture.vault, above: 40, renewal: renewal).vault
        #expect(vault.sequence == 41 && vault.record.core.epoch.counter == 8 && !vault.root.header.isCopy)
        #expect(
            try opens(fixture, "restored") && !opens(fixture, "rotated") && !opens(fixture, "correct horse battery"))
        #expect(throws: FormatError.self) { try fixture.open() }
        #expect(try vault.verify().findings.isEmpty)
        #expect(try content(vault, "a") == [2, 2] && content(vault.snapshot(atSave: 1), "a") == [1])
        #expect(try content(vault, "d/b") == pattern(200_000))
        for entry in try copy.versions() { #expect(!fixture.bytes.contains(entry.salt.bytes)) }
        let last = Restoration.Renewal(after: .max) { _ in SlotArea([]) }
        #expect(throws: FormatError.self) { try copy.restore(to: "other.qvault", above: 0, renewal: last) }
        #expect(fixture.files.node("other.qvault") == nil)
    }

    @Test func anAuditKeyFindsTamperingAndNotItsHolders() throws {
        let fixture = try VaultFixture([("a", pattern(100_000))])
        try fixture.put("b", pattern(3000), seed: 1)
        let key = try fixture.open().auditKey
        let sound = fixture.bytes
        func worst(_ bytes: [UInt8]) throws -> FormatError.Code? {
            fixture.bytes = bytes
            return try LockedVault(VaultFixture.vault, in: fixture.environment).verify(with: key).worst
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
        let other = try VaultFixture([("a", [1])], seed: 9)
        fixture.bytes = sound
        let stranger = #expect(throws: FormatError.self) {
            try LockedVault(VaultFixture.vault, in: other.environment).verify(with: key)
        }
        #expect(stranger?.code == .wrongKey)
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        var environment = fixture.environment
        let (_, keys) = try transaction.rotate { keys in
            try SlotArea([]).setting(1, for: credential("rotated"), .init(), keys: keys, &environment)
        }
        let old = #expect(throws: FormatError.self) {
            try LockedVault(VaultFixture.vault, in: fixture.environment).verify(with: key)
        }
        #expect(old?.code == .wrongKey)
        let new = try LockedVault(VaultFixture.vault, in: fixture.environment).open(master: keys.master.slice(0..<32))
            .auditKey
        #expect(try LockedVault(VaultFixture.vault, in: fixture.environment).verify(with: new).findings.isEmpty)
    }
}
