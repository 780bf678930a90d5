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
        Addition("entry-flags-other", "0b04"), Addition("entry-key-other", "0d6178"),
        Addition("ok-overview", "66636f6c6f757207"),
        Addition("ok-kind-unknown", "01194e20"),
        Addition("segment-line-more", "a1014178f6"),
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
        for segment in vault.manifest.segments { for line in try segment.lines() { line.write(to: &writer) } }
        for entry in try vault.manifest.entries() { entry.write(to: &writer) }
        #expect(try vault.verify().worst == nil || Self.unreadable.contains { $0.vector.name == vector.name })
        return hexText(writer.bytes)
    }

    @Test(arguments: carried) func additionsAreCarriedAlong(_ addition: Addition) throws {
        try save(addition.vector)
        #expect(try encoding(addition.vector).contains(addition.bytes))
        try begin(addition.vector, seed: 2).rewrite(keeping: 1)
        #expect(try encoding(addition.vector).contains(addition.bytes))
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
        #expect(files.node(VaultFixture.vault)?.content == vector.file)
    }
}
