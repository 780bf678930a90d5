import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// A save is empty only where nothing at all changed: each call that changes something, alone in a save, is there after the
/// vault was opened again.
struct TransactionTests {
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (VaultTransaction, VaultFixture) throws -> Void
        let isThere: @Sendable (Vault) throws -> Bool
    }

    private static let card = RecordID([UInt8](repeating: 9, count: 16))

    private static func entry(_ path: BytePath, _ vault: Vault) throws -> Entry {
        try #require(try vault.entry(at: path))
    }

    static let changes = [
        Change(testDescription: "a record") { save, _ in
            try save.put(
                card, kind: Entry.Kind(rawValue: 16), parent: nil, overview: Overview(title: [65]), content: [1])
        } isThere: {
            try $0.entry(card) != nil
        },
        Change(testDescription: "a file") { save, _ in
            try save.treeImport { _ in }.addStream(as: "new", read: reading([1, 2]))
        } isThere: {
            try $0.entry(at: "new") != nil
        },
        Change(testDescription: "to the trash") { save, _ in
            try save.trash(entry("a", save.before))
        } isThere: {
            try $0.entry(at: "a") == nil
        },
        Change(testDescription: "other labels") { save, _ in
            var overview = try entry("a", save.before).overview
            overview.isPinned = true
            try save.updateMetadata(entry("a", save.before), overview)
        } isThere: {
            try entry("a", $0).overview.isPinned
        },
        Change(testDescription: "a key slot") { save, _ in
            let password = try Credential(password: Secret(copying: Array("another password".utf8).span))
            try save.setSlot(3, for: password, .init(label: "third"))
        } isThere: {
            $0.keySlots[3] != nil
        },
        Change(testDescription: "a key slot less") { save, _ in
            try save.removeSlot(2, besides: 1)
        } isThere: {
            $0.keySlots[2] == nil
        },
        Change(testDescription: "all key slots") { save, fixture in
            try save.setSlots(fixture.slotsWithDevice())
        } isThere: {
            $0.keySlots.slots.count == 3
        },
    ]

    @Test(arguments: changes) func aChangeAloneIsSaved(_ change: Change) throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.save(seed: 1) { $0.setSlots(try fixture.slotsWithDevice()) }
        try fixture.save(seed: 2) { save in
            #expect(save.isEmpty)
            try change.make(save, fixture)
            #expect(!save.isEmpty)
        }
        let vault = try fixture.open()
        #expect(try change.isThere(vault))
        #expect(vault.sequence == 3)
        #expect(try vault.verify().findings.isEmpty)
    }
}
