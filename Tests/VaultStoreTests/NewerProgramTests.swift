import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// The behaviour of a writer towards the additions of a newer program (Spec/freeze.md, 2, last column).
struct NewerProgramTests {
    /// A vector with an addition, and the bytes of that addition in hexadecimal.
    struct Addition: CustomStringConvertible {
        let vector: Vector
        let bytes: String
        var description: String { vector.name }

        init(_ name: String, _ bytes: String) {
            vector = Vector.all.first { $0.name == name }!  // a missing vector is a broken repository
            self.bytes = bytes
        }
    }

    static let carried = [
        Addition("ok-entry-key-unknown", "1a00011170a1616ba12080"),
        Addition("entry-flags-other", "0b04"), Addition("entry-key-other", "106178"),
        Addition("ok-overview", "66636f6c6f757207"),
        Addition("ok-kind-unknown", "01194e20"),
        Addition("segment-line-more", "a1014178f6"),
        Addition("ok-extension-area", hexText(Array("needs more than 256 bytes needs more".utf8))),
        Addition("ok-slot-unknown-kind", "c8" + String(repeating: "66", count: 255)),
    ]
    static let unreadable = [
        Addition("record-header-flags", "")
    ]

    private let files = MemoryFileSystem()

    private func begin(_ vector: Vector, seed: UInt64) throws -> VaultTransaction {
        try VaultTransaction(
            VaultFixture.vault, in: testEnvironment(files, seed: seed), timeout: .zero, unlock: vector.unlock)
    }

    /// A save with another file.
    private func save(_ vector: Vector) throws {
        files.write(VaultFixture.vault, vector.file)
        let transaction = try begin(vector, seed: 1)
        try transaction.treeImport { _ in }.addStream(as: "another", read: reading([1]))
        try transaction.commit()
    }

    /// The slots, lines and entries of the vault as they are encoded, in hexadecimal.
    private func encoding(_ vector: Vector) throws -> String {
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        let vault = try locked.open(master: vector.unlock(locked))
        var writer = CBORWriter()
        writer.encoded(vault.keySlots.bytes)
        writer.encoded(extensions(of: vault, in: VaultFixture.vault))
        for segment in vault.manifest.segments { for line in try segment.lines() { line.write(to: &writer) } }
        for entry in try vault.manifest.entries() { entry.write(to: &writer) }
        #expect(try vault.verify().worst == nil || Self.unreadable.contains { $0.vector.name == vector.name })
        return hexText(writer.bytes)
    }

    /// The bytes of the extension area that is in force.
    private func extensions(of vault: Vault, in path: BytePath) -> [UInt8] {
        guard let area = vault.record.core.extensionArea, let node = files.node(path) else { return [] }
        let copies = area.copies.map { Array(node.content[Int($0)..<Int($0) + area.byteCount]) }
        #expect(copies[0] == copies[1])
        return copies[0]
    }

    /// The extension area goes with its slots: into backups, through restoring and salvage, and with the slots of a replaced vault.
    @Test func anExtensionAreaGoesWithItsSlots() throws {
        let vector = Addition("ok-extension-area", "").vector
        try save(vector)
        let vault = try open(VaultFixture.vault, vector)
        let area = extensions(of: vault, in: VaultFixture.vault)
        #expect(area.count > 500)
        try vault.backUp(to: "present.qvault", withHistory: false)
        try vault.backUp(to: "backup.qvault")
        _ = try open("backup.qvault", vector).restore(to: "restored.qvault", above: 0)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        var salvage = try Salvage(locked, master: vector.unlock(locked), slot: 1)
        try salvage.write(to: "salvaged.qvault")
        // The slots of the vault that is replaced stay in force.
        try begin(vector, seed: 3).rewrite(keeping: 1)
        _ = try open("backup.qvault", vector).restore(to: VaultFixture.vault, above: 0)
        for path in ["present.qvault", "backup.qvault", "restored.qvault", "salvaged.qvault", VaultFixture.vault] {
            let copy = try open(path, vector)
            #expect(extensions(of: copy, in: path) == area && copy.keySlots == vault.keySlots, "\(path)")
            #expect(try copy.verify().findings.isEmpty, "\(path)")
        }
        // Nothing is left of the items of a slot that does not stay.
        let transaction = try begin(vector, seed: 4)
        transaction.setSlots(transaction.slots.setting(4, to: nil))
        try transaction.rewrite(keeping: 1)
        #expect(try open(VaultFixture.vault, vector).record.core.extensionArea == nil)
    }

    /// A damaged extension area: a salvage names it, restoring over the vault takes that of the backup, and compaction stops.
    @Test func aDamagedExtensionArea() throws {
        let vector = Addition("ok-extension-area", "").vector
        try save(vector)
        let vault = try open(VaultFixture.vault, vector)
        let area = extensions(of: vault, in: VaultFixture.vault)
        try vault.backUp(to: "backup.qvault")
        var bytes = try #require(files.node(VaultFixture.vault)).content
        for copy in try #require(vault.record.core.extensionArea).copies { bytes[Int(copy) + 30] ^= 1 }
        files.write(VaultFixture.vault, bytes)
        let error = #expect(throws: FormatError.self) { try begin(vector, seed: 2).rewrite(keeping: 1) }
        #expect(error?.code == .damaged && files.node(VaultFixture.vault)?.content == bytes)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        var salvage = try Salvage(locked, master: vector.unlock(locked), slot: 1)
        try salvage.write(to: "salvaged.qvault")
        #expect(salvage.leftOut.count == 1 && salvage.losses.isEmpty)
        _ = try open("backup.qvault", vector).restore(to: VaultFixture.vault, above: 0)
        #expect(try extensions(of: open(VaultFixture.vault, vector), in: VaultFixture.vault) == area)
    }

    @Test(arguments: carried) func additionsAreCarriedAlong(_ addition: Addition) throws {
        try save(addition.vector)
        #expect(try encoding(addition.vector).contains(addition.bytes))
        try begin(addition.vector, seed: 2).rewrite(keeping: 1)
        #expect(try encoding(addition.vector).contains(addition.bytes))
    }

    /// New content of a record: what a newer program said of the record stays, and what it may have said of the content falls.
    @Test func newContentKeepsWhatIsSaidOfTheRecord() throws {
        func pair(_ key: [UInt8]) -> UnknownPair { UnknownPair(key: key, value: [0x07]) }
        let staying = [pair([0x1A, 0x00, 0x01, 0x00, 0x00]), pair([0x1B, 0, 0, 0, 1, 0, 0, 0, 0])]
        let falling = [pair([0x18, 0x20]), pair([0x19, 0xFF, 0xFF])]
        let named = ["owner", "+owner"].map { pair([0x60 + UInt8($0.utf8.count)] + Array($0.utf8)) }
        var old = Entry(
            id: RecordID(high: 1, low: 1), kind: .file, revision: 1, salt: .zero, place: 0, length: 0, created: .zero,
            updated: .zero, parent: nil, first: 1, overview: Overview(title: [0x61]))
        (old.otherPairs, old.overview.unknown) = (falling + staying, named)
        var new = old
        new.takeOver(from: old)
        #expect(new.otherPairs == staying)
        #expect(Overview(title: [0x61]).ofNewContent(after: old.overview).unknown == [named[1]])
        #expect(Overview(title: [0x61]).ofNewContent(after: nil).unknown.isEmpty)
    }

    /// Items of an extension area that belong to the vault stay whatever slots do.
    @Test func itemsOfTheVaultStay() {
        let mine = [UInt8](repeating: 0, count: 16) + [0, 0, 0, 5, 1, 2, 3, 4, 5]
        let slot = [UInt8](repeating: 7, count: 16) + [0, 0, 0, 1, 9]
        #expect(ExtensionArea.items(of: slot + mine, for: []) == mine)
        #expect(ExtensionArea.items(of: mine + slot, for: [Bytes16([UInt8](repeating: 7, count: 16))]) == mine + slot)
    }

    @Test(arguments: unreadable) func rewritingStops(_ addition: Addition) throws {
        try save(addition.vector)
        #expect(try encoding(addition.vector).contains(addition.bytes) || addition.bytes.isEmpty)
        let before = files.node(VaultFixture.vault)?.content
        let error = try #require(throws: FormatError.self) {
            try begin(addition.vector, seed: 2).rewrite(keeping: 1)
        }
        #expect(error.code == .unsupported)
        #expect(files.node(VaultFixture.vault)?.content == before)
    }

    /// Extensions of the head of a segment may be dropped.
    @Test func extensionsOfAHeadAreReadOver() throws {
        let addition = Addition("ok-head-extension", "")
        try save(addition.vector)
        #expect(try !encoding(addition.vector).isEmpty)
    }

    @Test(arguments: ["ok-write-feature", "ok-write-feature-bytes"]) func writeFeaturesRefuse(_ name: String) throws {
        let vector = Addition(name, "").vector
        #expect(throws: VaultError.self) { try save(vector) }
        let vault = try open(VaultFixture.vault, vector)
        #expect(throws: VaultError.self) { try vault.restore(to: "new.qvault", above: 0) }
        #expect(throws: VaultError.self) { try vault.backUp(to: "new.qvault", withHistory: false) }
        #expect(throws: VaultError.self) {
            let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
            var salvage = try Salvage(locked, master: vector.unlock(locked), slot: 1)
            try salvage.write(to: "new.qvault")
        }
        #expect(files.node("new.qvault") == nil)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        var salvage = try Salvage(locked, master: vector.unlock(locked), slot: 1)
        try salvage.write(to: "without.qvault", dropsUnsupported: true)
        #expect(salvage.leftOut.count == 1, "what goes is named")
        #expect(files.node(VaultFixture.vault)?.content == vector.file)
        // A backup has all of it: the page but for flag, origin and tags, and the gaps.
        try vault.backUp(to: "new.qvault")
        let copy = try #require(files.node("new.qvault")).content
        #expect(copy[0..<10] == vector.file[0..<10] && copy[12..<80] == vector.file[12..<80])
        #expect(copy[120..<4000] == vector.file[120..<4000] && copy[4096..<65_536] == vector.file[4096..<65_536])
        let backup = try open("new.qvault", vector)
        #expect(try backup.header.isCopy && backup.verify().findings.isEmpty)
    }

    private func open(_ path: BytePath, _ vector: Vector) throws -> Vault {
        let locked = try LockedVault(path, in: testEnvironment(files))
        return try locked.open(master: vector.unlock(locked))
    }

    /// A new content drops the keys and flags that are not known; a change of tags keeps them.
    @Test(arguments: ["entry-key-other", "entry-flags-other", "ok-overview", "ok-entry-key-unknown"])
    func aNewContentDropsWhatIsNotKnown(_ name: String) throws {
        // The key of the last one says that it is about the record.
        let stays = name == "ok-entry-key-unknown"
        let addition = try #require(Self.carried.first { $0.vector.name == name })
        files.write(VaultFixture.vault, addition.vector.file)
        for isNew in [false, true] {
            let transaction = try begin(addition.vector, seed: isNew ? 2 : 1)
            for entry in try transaction.before.manifest.entries() where entry.kind == .file && entry.state == .live {
                var overview = entry.overview
                overview.tags = ["tagged"]
                if !isNew {
                    try transaction.updateMetadata(entry, overview)
                } else {
                    try transaction.treeImport { _ in }.addStream(
                        as: BytePath(entry.overview.title), read: reading([1]))
                }
            }
            try transaction.commit()
            let live = try open(VaultFixture.vault, addition.vector).manifest.entries().filter { !$0.isTombstone }
            var writer = CBORWriter()
            for entry in live { entry.write(to: &writer) }
            #expect(hexText(writer.bytes).contains(addition.bytes) == (stays || !isNew))
        }
    }

    /// A content that only a newer program can read stops a salvage, unless it may go.
    @Test func salvageOfWhatIsNotKnown() throws {
        let vector = Self.unreadable[0].vector
        files.write(VaultFixture.vault, vector.file)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        var salvage = try Salvage(locked, master: vector.unlock(locked), slot: 1)
        let error = #expect(throws: FormatError.self) { try salvage.write(to: "new.qvault") }
        #expect(error?.code == .unsupported && files.node("new.qvault") == nil)
        try salvage.write(to: "new.qvault", dropsUnsupported: true)
        #expect(!salvage.losses.isEmpty)
    }
}
