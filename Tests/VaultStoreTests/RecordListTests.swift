import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// A list of all records says what the list of their entries says.
struct RecordListTests {
    private func check(_ vault: Vault) throws {
        let records = try RecordList(vault)
        let entries = try TreeListing(vault.entries()).filter { !$0.entry.kind.isPart }
        #expect(records.map(\.path) == entries.map(\.path))
        #expect(records.map(\.record.id) == entries.map(\.entry.id))
        let shown = { (record: ListedRecord) in
            [
                record.length, record.revision, record.created.microseconds, record.updated.microseconds,
                UInt64(record.kind.rawValue),
            ]
        }
        let expected = Dictionary(uniqueKeysWithValues: entries.map { ($0.entry.id, shown(ListedRecord($0.entry))) })
        for (_, record) in records { #expect(shown(record) == expected[record.id]) }
        #expect(records.idDigitCount() == entries.map(\.entry.id).digitCount)
    }

    @Test func namesThatSortOddly() throws {
        let names = [
            "a", "a!", "a b/x", "a-", "b/a", "b/a/c", "b/a!", "b!/z", "common-prefix-1", "common-prefix-10",
            "common-prefix-2/y", "common-prefix-2!", "é", "深/圳", "z/z/z/z",
        ]
        let fixture = try VaultFixture()
        for (index, name) in names.enumerated() where name != "b/a" {
            try fixture.put(BytePath(name), [1], seed: UInt64(index))
        }
        try check(fixture.open())
        try fixture.move("b", to: "common-prefix-1 b", seed: 50)
        try fixture.trash("a", seed: 51)
        try check(fixture.open())
        try check(fixture.open().snapshot(atSave: 3))
    }

    /// Every vector that can be read, with records of unknown kinds and of unknown owners.
    @Test(arguments: Vector.all.filter { $0.expected["read"] == "ok" && $0.header["unpack"] == nil })
    func vectors(_ vector: Vector) throws {
        let files = MemoryFileSystem()
        files.write(VaultFixture.vault, vector.file)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        try check(locked.open(master: vector.unlock(locked)))
    }

    /// Records of one path stand by id, whatever save brought them.
    @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[UInt8]])
    func recordsOfOnePath(_ ids: [UInt8]) throws {
        let fixture = try VaultFixture()
        for id in ids {
            try fixture.save(seed: UInt64(id)) {
                try $0.put(
                    RecordID([UInt8](repeating: id, count: 16)), kind: .setting, parent: nil,
                    overview: Overview(title: Array("same".utf8)), content: [id])
            }
        }
        try check(fixture.open())
    }

    /// A tree that is too deep, or a record in no folder, is refused.
    @Test(arguments: ["entry-parent-missing", "entry-parent-file", "entry-depth-1025"])
    func malformedTrees(_ name: String) throws {
        let vector = try #require(Vector.all.first { $0.name == name })
        let files = MemoryFileSystem()
        files.write(VaultFixture.vault, vector.file)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        let vault = try locked.open(master: vector.unlock(locked))
        #expect(throws: FormatError.self) { try RecordList(vault) }
    }
}
