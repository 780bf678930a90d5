import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Older versions, the trash, and what is written anew (Spec/store.md, 10).
struct HistoryTests {
    private func entry(_ fixture: VaultFixture, _ path: BytePath) throws -> Entry {
        try #require(try fixture.open().entry(at: path))
    }

    private func content(_ vault: Vault, _ path: BytePath) throws -> [UInt8]? {
        guard let entry = try vault.entry(at: path) else { return nil }
        var content: [UInt8] = []
        try vault.read(entry) { content += Array(copying: $0) }
        return content
    }

    /// Three versions of `a`, one of `d/b`, which is then in the trash.
    private func story() throws -> VaultFixture {
        let fixture = try VaultFixture([("a", [1]), ("d/b", pattern(70_000))])
        try fixture.put("a", [2, 2], seed: 1)
        try fixture.put("a", [3, 3, 3], seed: 2)
        try fixture.save(seed: 3) { try $0.trash(entry(fixture, "d/b")) }
        return fixture
    }

    private func restore(_ versions: TreeListing, _ fixture: VaultFixture, seed: UInt64) throws -> Int {
        var count = 0
        try fixture.save(seed: seed) { count = try $0.restore(versions).count }
        return count
    }

    @Test func theVaultAsItWas() throws {
        let vault = try story().open()
        #expect(try vault.saves().map(\.sequence) == [1, 2, 3, 4] && vault.saves().allSatisfy(\.isKept))
        #expect(try content(vault.snapshot(atSave: 1), "a") == [1])
        #expect(try content(vault.snapshot(atSave: 2), "a") == [2, 2])
        #expect(try content(vault.snapshot(atSave: 3), "d/b") == pattern(70_000))
        #expect(try vault.snapshot(atSave: 4).entry(at: "d/b") == nil)
        #expect(try vault.snapshot(atSave: 3).entries().count == 3)
        #expect(throws: VaultError.noSuchSave(5, oldest: 1)) { try vault.snapshot(atSave: 5) }
        #expect(throws: VaultError.noSuchSave(0, oldest: 1)) { try vault.snapshot(atSave: 0) }
        #expect(try vault.sequence(at: .max) == 4)
        #expect(throws: VaultError.noSuchSave(nil, oldest: 1)) { try vault.sequence(at: 0) }
    }

    @Test func whatEachSaveDid() throws {
        let fixture = try story()
        let a = try fixture.open().changes(of: entry(fixture, "a").id)
        #expect(a.map(\.change) == [.added, .changed, .changed] && a.map(\.storedByteCount) == [1, 2, 3])
        #expect(a.map(\.entry.first) == [1, 2, 3] && a.map(\.entry.last) == [1, 2, nil])
        let trash = try fixture.open().listing { $0.state == .trashed }
        #expect(trash.map(\.path) == ["d/b"])
        #expect(try restore(trash, fixture, seed: 4) == 1)
        #expect(try fixture.open().changes(of: trash[0].entry.id).map(\.change) == [.added, .trashed, .restored])
        #expect(try fixture.content("d/b") == pattern(70_000))
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A record comes back with the folder that it lies in, and nothing twice.
    @Test func aFolderComesBackWithItsRecord() throws {
        let fixture = try VaultFixture([("d/e/b", [1])])
        try fixture.save(seed: 1) { save in
            for entry in try fixture.open().entries() { try save.trash(entry) }
        }
        let trash = try fixture.open().listing { $0.state == .trashed }
        #expect(trash.count == 3)
        #expect(try restore(trash.selecting { path, _ in path == "d/e/b" }, fixture, seed: 2) == 3)
        #expect(try fixture.content("d/e/b") == [1])
        #expect(try restore(fixture.open().listing { _ in true }, fixture, seed: 3) == 0)
    }

    /// A folder stands where the file was.
    @Test func whatIsInTheWayStays() throws {
        let fixture = try VaultFixture([("a", [1])])
        let old = try fixture.open().listing { _ in true }
        try fixture.save(seed: 1) { try $0.trash(entry(fixture, "a")) }
        try fixture.put("a/b", [2], seed: 2)
        try fixture.save(seed: 3) { save in
            #expect(throws: VaultError.kindConflict("a")) { try save.restore(old) }
            try save.treeImport { _ in }.addStream(as: "c", read: reading([3]))
        }
    }

    /// A file stands where the folder was whose records are in the trash.
    @Test func theTrashOfAFolderThatIsAFileNow() throws {
        let fixture = try VaultFixture([("d/b", [1])])
        try fixture.save(seed: 1) { save in
            for path in ["d/b", "d"] as [BytePath] { try save.trash(entry(fixture, path)) }
        }
        try fixture.put("d", [2], seed: 2)
        let trash = try fixture.open().listing { $0.state == .trashed }
        #expect(trash.map(\.path) == ["d/b"])
        try fixture.save(seed: 3) { save in
            #expect(throws: VaultError.kindConflict("d")) { try save.restore(trash) }
            try save.treeImport { _ in }.addStream(as: "c", read: reading([3]))
        }
        try fixture.rewrite(seed: 4) { try $0.rewrite(keeping: 1, purging: [trash[0].entry.id]) }
        #expect(try fixture.verify().findings.isEmpty && fixture.content("d") == [2])
    }

    /// A record that was purged and stored again is salvaged as it is.
    @Test func salvagingAfterAPurge() throws {
        let fixture = try story()
        let id = try entry(fixture, "a").id
        try fixture.rewrite(seed: 5) { try $0.rewrite(keeping: 1, purging: [id]) }
        try fixture.put("a", [7], seed: 6)
        var salvage = try Salvage(
            LockedVault(VaultFixture.vault, in: fixture.environment), master: Secret(copying: fixture.master.span),
            slot: 1)
        try salvage.write(to: "out.qvault")
        let out = try LockedVault("out.qvault", in: fixture.environment).open(
            master: Secret(copying: fixture.master.span))
        #expect(try salvage.losses.isEmpty && out.verify().findings.isEmpty)
        #expect(try content(out, "a") == [7])
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func compaction(keeping oldest: UInt64) throws {
        let fixture = try story()
        let before = fixture.bytes
        let salts = try fixture.open().versions().map(\.salt)
        let newest = try fixture.open().record.core.fingerprint
        try fixture.rewrite(seed: 5) { try $0.rewrite(keeping: oldest) }
        let vault = try fixture.open()
        #expect(vault.sequence == 5 && fixture.bytes.count < before.count)
        #expect(vault.record.core.previous == newest && vault.record.previousCore == nil)
        #expect(try fixture.verify().findings.isEmpty && vault.warnings.isEmpty)
        for sequence in 1...4 as ClosedRange<UInt64> {
            guard sequence >= oldest else {
                #expect(throws: VaultError.noSuchSave(sequence, oldest: oldest)) {
                    try vault.snapshot(atSave: sequence)
                }
                continue
            }
            let a: [UInt8] = sequence < 3 ? [UInt8](repeating: UInt8(sequence), count: Int(sequence)) : [3, 3, 3]
            #expect(try content(vault.snapshot(atSave: sequence), "a") == a)
        }
        // Every salt is new, the trash is still there, and the next save goes on.
        #expect(try vault.versions().allSatisfy { !salts.contains($0.salt) })
        #expect(try vault.listing { $0.state == .trashed }.count == 1)
        try fixture.put("a", [4], seed: 6)
        #expect(try fixture.content("a") == [4] && fixture.open().sequence == 6)
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A purge leaves the id of a record: not a block of its ciphertext, in any place.
    @Test func purging() throws {
        let fixture = try story()
        let before = fixture.bytes
        let doomed = try fixture.open().versions().filter { $0.overview.title == [0x62] }
        let old = try #require(doomed.first)
        let stored = Int(old.place)..<Int(old.content.extent.upperBound)
        let blocks = Set(
            stride(from: stored.lowerBound, to: stored.upperBound - 16, by: 16).map { Array(before[$0..<$0 + 16]) })
        try fixture.rewrite(seed: 5) { try $0.rewrite(keeping: 1, purging: [old.id]) }
        for start in fixture.bytes.indices.dropLast(16) where blocks.contains(Array(fixture.bytes[start..<start + 16]))
        {
            Issue.record("old ciphertext at \(start)")
        }
        let vault = try fixture.open()
        #expect(try vault.versions().filter { $0.id == old.id }.map(\.state) == [.purged])
        #expect(
            try vault.snapshot(atSave: 1).entry(old.id) == nil && content(vault.snapshot(atSave: 2), "a") == [2, 2])
        #expect(try fixture.verify().findings.isEmpty)
        // A new one in its place knows nothing of it.
        try fixture.put("d/b", [9], seed: 6)
        #expect(try fixture.open().changes(of: old.id).map(\.change) == [.added])
        try fixture.rewrite(seed: 7) { try $0.rewrite(keeping: 6) }
        #expect(try fixture.content("d/b") == [9] && fixture.verify().findings.isEmpty)
    }

    /// A large vault is rewritten piece by piece. A stored record that versions in two pieces share stays one.
    @Test func rewritingInPieces() throws {
        let fixture = try VaultFixture(
            (0..<40_000).map { (BytePath("d\($0 % 40)/\($0)"), [UInt8(truncatingIfNeeded: $0)]) })
        for number in 0..<6 {
            try fixture.move(BytePath("d0/\(number * 40)"), to: BytePath("moved\(number)"), seed: UInt64(number))
        }
        try fixture.move("d1", to: "e", seed: 10)
        try fixture.trash("d2/2", seed: 11)
        let before = try fixture.open().versions()
        try fixture.rewrite(seed: 12) { try $0.rewrite(keeping: 1) }
        let after = try fixture.open().versions()
        #expect(Set(before.map(\.place)).count == Set(after.map(\.place)).count)
        #expect(after.map { without($0) } == before.map { without($0) })
        let isCarried = zip(before, after).allSatisfy { $0.isTombstone || $0.salt != $1.salt }
        #expect(try isCarried && fixture.verify().findings.isEmpty)
        #expect(try fixture.content("moved5") == [200] && fixture.content("e/41") == [41])
        // Only the present state: the folder that was moved needs its tombstone.
        try fixture.open().backUp(to: "present.qvault", withHistory: false)
        fixture.bytes = try #require(fixture.files.node("present.qvault")).content
        #expect(try fixture.verify().findings.isEmpty && fixture.open().entries().count == 40_000 - 1 + 40)
    }

    /// A version without what is new when it is rewritten.
    private func without(_ version: Entry) -> Entry {
        var version = version
        (version.content.salt, version.content.place) = (.zero, 0)
        return version
    }

    /// A record that cannot be read stops the rewriting, and the vault is as before.
    @Test func damageStopsCompaction() throws {
        let fixture = try story()
        let place = Int(try entry(fixture, "a").place)
        fixture.bytes[place + 200] ^= 1
        let before = fixture.bytes
        let error = #expect(throws: FormatError.self) { try fixture.rewrite(seed: 5) { try $0.rewrite(keeping: 4) } }
        #expect(error?.code == .damaged)
        #expect(fixture.bytes == before)
    }
}

extension VaultFixture {
    /// One rewriting; `seed` makes its random numbers its own.
    func rewrite(seed: UInt64, _ body: (VaultTransaction) throws -> Void) throws {
        var environment = environment
        environment.random = CountingRandom(seed: seed)
        try body(VaultTransaction(Self.vault, in: environment, timeout: .zero, unlock: unlock))
    }
}
