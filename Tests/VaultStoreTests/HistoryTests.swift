import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Older versions, the trash, and what is written anew (Spec/store.md, 10).
struct HistoryTests {
    private func entry(_ scene: Scene, _ path: BytePath) throws -> Entry {
        try #require(try scene.open().entry(at: path))
    }

    private func content(_ vault: Vault, _ path: BytePath) throws -> [UInt8]? {
        guard let entry = try vault.entry(at: path) else { return nil }
        var content: [UInt8] = []
        try vault.read(entry) { content += Array(copying: $0) }
        return content
    }

    /// Three versions of `a`, one of `d/b`, which is then in the trash.
    private func story() throws -> Scene {
        let scene = try Scene([("a", [1]), ("d/b", pattern(70_000))])
        try scene.put("a", [2, 2], seed: 1)
        try scene.put("a", [3, 3, 3], seed: 2)
        try scene.save(seed: 3) { try $0.trash(entry(scene, "d/b")) }
        return scene
    }

    private func bringBack(_ versions: TreeListing, _ scene: Scene, seed: UInt64) throws -> Int {
        var count = 0
        try scene.save(seed: seed) { count = try $0.bringBack(versions) }
        return count
    }

    @Test func theVaultAsItWas() throws {
        let vault = try story().open()
        #expect(try vault.saves().map(\.sequence) == [1, 2, 3, 4] && vault.saves().allSatisfy(\.isKept))
        #expect(try content(vault.at(1), "a") == [1])
        #expect(try content(vault.at(2), "a") == [2, 2])
        #expect(try content(vault.at(3), "d/b") == pattern(70_000))
        #expect(try vault.at(4).entry(at: "d/b") == nil)
        #expect(try vault.at(3).entries().count == 3)
        #expect(throws: VaultError.noSuchSave(5, oldest: 1)) { try vault.at(5) }
        #expect(throws: VaultError.noSuchSave(0, oldest: 1)) { try vault.at(0) }
        #expect(try vault.sequence(at: .max) == 4)
        #expect(throws: VaultError.noSuchSave(nil, oldest: 1)) { try vault.sequence(at: 0) }
    }

    @Test func whatEachSaveDid() throws {
        let scene = try story()
        let a = try scene.open().changes(of: entry(scene, "a").id)
        #expect(a.map(\.change) == [.added, .changed, .changed] && a.map(\.storedByteCount) == [1, 2, 3])
        #expect(a.map(\.entry.first) == [1, 2, 3] && a.map(\.entry.last) == [1, 2, nil])
        let trash = try scene.open().listing { $0.state == .trashed }
        #expect(trash.map(\.path) == ["d/b"])
        #expect(try bringBack(trash, scene, seed: 4) == 1)
        #expect(try scene.open().changes(of: trash[0].entry.id).map(\.change) == [.added, .trashed, .restored])
        #expect(try scene.content("d/b") == pattern(70_000))
        #expect(try scene.verify().findings.isEmpty)
    }

    /// A record comes back with the folder that it lies in, and nothing twice.
    @Test func aFolderComesBackWithItsRecord() throws {
        let scene = try Scene([("d/e/b", [1])])
        try scene.save(seed: 1) { save in
            for entry in try scene.open().entries() { try save.trash(entry) }
        }
        let trash = try scene.open().listing { $0.state == .trashed }
        #expect(trash.count == 3)
        #expect(try bringBack(trash.selecting { path, _ in path == "d/e/b" }, scene, seed: 2) == 3)
        #expect(try scene.content("d/e/b") == [1])
        #expect(try bringBack(scene.open().listing { _ in true }, scene, seed: 3) == 0)
    }

    /// A folder stands where the file was.
    @Test func whatIsInTheWayStays() throws {
        let scene = try Scene([("a", [1])])
        let old = try scene.open().listing { _ in true }
        try scene.save(seed: 1) { try $0.trash(entry(scene, "a")) }
        try scene.put("a/b", [2], seed: 2)
        try scene.save(seed: 3) { save in
            #expect(throws: VaultError.kindConflict("a")) { try save.bringBack(old) }
            try save.treeImport { _ in }.addStream(as: "c", read: reading([3]))
        }
    }

    /// A file stands where the folder was whose records are in the trash.
    @Test func theTrashOfAFolderThatIsAFileNow() throws {
        let scene = try Scene([("d/b", [1])])
        try scene.save(seed: 1) { save in
            for path in ["d/b", "d"] as [BytePath] { try save.trash(entry(scene, path)) }
        }
        try scene.put("d", [2], seed: 2)
        let trash = try scene.open().listing { $0.state == .trashed }
        #expect(trash.map(\.path) == ["d/b"])
        try scene.save(seed: 3) { save in
            #expect(throws: VaultError.kindConflict("d")) { try save.bringBack(trash) }
            try save.treeImport { _ in }.addStream(as: "c", read: reading([3]))
        }
        try scene.rewrite(seed: 4) { try $0.rewrite(keeping: 1, purging: [trash[0].entry.id]) }
        #expect(try scene.verify().findings.isEmpty && scene.content("d") == [2])
    }

    /// A record that was purged and stored again is salvaged as it is.
    @Test func salvagingAfterAPurge() throws {
        let scene = try story()
        let id = try entry(scene, "a").id
        try scene.rewrite(seed: 5) { try $0.rewrite(keeping: 1, purging: [id]) }
        try scene.put("a", [7], seed: 6)
        var salvage = try Salvage(
            LockedVault(Scene.vault, in: scene.world), master: Secret(copying: scene.master.span), slot: 1)
        try salvage.write(to: "out.qvault")
        let out = try LockedVault("out.qvault", in: scene.world).open(master: Secret(copying: scene.master.span))
        #expect(try salvage.losses.isEmpty && Verification.full(out).findings.isEmpty)
        #expect(try content(out, "a") == [7])
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func compaction(keeping oldest: UInt64) throws {
        let scene = try story()
        let before = scene.bytes
        let salts = try scene.open().versions().map(\.salt)
        let newest = try scene.open().record.core.fingerprint
        try scene.rewrite(seed: 5) { try $0.rewrite(keeping: oldest) }
        let vault = try scene.open()
        #expect(vault.sequence == 5 && scene.bytes.count < before.count)
        #expect(vault.record.core.previous == newest && vault.record.previousCore == nil)
        #expect(try scene.verify().findings.isEmpty && vault.warnings.isEmpty)
        for sequence in 1...4 as ClosedRange<UInt64> {
            guard sequence >= oldest else {
                #expect(throws: VaultError.noSuchSave(sequence, oldest: oldest)) { try vault.at(sequence) }
                continue
            }
            let a: [UInt8] = sequence < 3 ? [UInt8](repeating: UInt8(sequence), count: Int(sequence)) : [3, 3, 3]
            #expect(try content(vault.at(sequence), "a") == a)
        }
        // Every salt is new, the trash is still there, and the next save goes on.
        #expect(try vault.versions().allSatisfy { !salts.contains($0.salt) })
        #expect(try vault.listing { $0.state == .trashed }.count == 1)
        try scene.put("a", [4], seed: 6)
        #expect(try scene.content("a") == [4] && scene.open().sequence == 6)
        #expect(try scene.verify().findings.isEmpty)
    }

    /// A purge leaves the id of a record: not a block of its ciphertext, in any place.
    @Test func purging() throws {
        let scene = try story()
        let before = scene.bytes
        let doomed = try scene.open().versions().filter { $0.overview.title == [0x62] }
        let old = try #require(doomed.first)
        let stored = Int(old.place)..<Int(old.place + StoredRecord.byteCount(old.length))
        let blocks = Set(
            stride(from: stored.lowerBound, to: stored.upperBound - 16, by: 16).map { Array(before[$0..<$0 + 16]) })
        try scene.rewrite(seed: 5) { try $0.rewrite(keeping: 1, purging: [old.id]) }
        for start in scene.bytes.indices.dropLast(16) where blocks.contains(Array(scene.bytes[start..<start + 16])) {
            Issue.record("old ciphertext at \(start)")
        }
        let vault = try scene.open()
        #expect(try vault.versions().filter { $0.id == old.id }.map(\.state) == [.purged])
        #expect(try vault.at(1).entry(old.id) == nil && content(vault.at(2), "a") == [2, 2])
        #expect(try scene.verify().findings.isEmpty)
        // A new one in its place knows nothing of it.
        try scene.put("d/b", [9], seed: 6)
        #expect(try scene.open().changes(of: old.id).map(\.change) == [.added])
        try scene.rewrite(seed: 7) { try $0.rewrite(keeping: 6) }
        #expect(try scene.content("d/b") == [9] && scene.verify().findings.isEmpty)
    }

    /// A large vault is rewritten piece by piece. A stored record that versions in two pieces share stays one.
    @Test func rewritingInPieces() throws {
        let scene = try Scene((0..<40_000).map { (BytePath("d\($0 % 40)/\($0)"), [UInt8(truncatingIfNeeded: $0)]) })
        for number in 0..<6 {
            try scene.move(BytePath("d0/\(number * 40)"), to: BytePath("moved\(number)"), seed: UInt64(number))
        }
        try scene.move("d1", to: "e", seed: 10)
        try scene.trash("d2/2", seed: 11)
        let before = try scene.open().versions()
        try scene.rewrite(seed: 12) { try $0.rewrite(keeping: 1) }
        let after = try scene.open().versions()
        #expect(Set(before.map(\.place)).count == Set(after.map(\.place)).count)
        #expect(after.map { without($0) } == before.map { without($0) })
        let isCarried = zip(before, after).allSatisfy { $0.isTombstone || $0.salt != $1.salt }
        #expect(try isCarried && scene.verify().findings.isEmpty)
        #expect(try scene.content("moved5") == [200] && scene.content("e/41") == [41])
        // Only the present state: the folder that was moved needs its tombstone.
        try scene.open().backUp(to: "present.qvault", withHistory: false)
        scene.bytes = try #require(scene.files.node("present.qvault")).content
        #expect(try scene.verify().findings.isEmpty && scene.open().entries().count == 40_000 - 1 + 40)
    }

    /// A version without what is new when it is rewritten.
    private func without(_ version: Entry) -> Entry {
        var version = version
        (version.salt, version.place) = (.zero, 0)
        return version
    }

    /// A record that cannot be read stops the rewriting, and the vault is as before.
    @Test func damageStopsCompaction() throws {
        let scene = try story()
        let place = Int(try entry(scene, "a").place)
        scene.bytes[place + 200] ^= 1
        let before = scene.bytes
        let error = #expect(throws: FormatError.self) { try scene.rewrite(seed: 5) { try $0.rewrite(keeping: 4) } }
        #expect(error?.code == .damaged)
        #expect(scene.bytes == before)
    }
}

extension Scene {
    /// One rewriting; `seed` makes its random numbers its own.
    func rewrite(seed: UInt64, _ body: (VaultTransaction) throws -> Void) throws {
        var world = world
        world.random = CountingRandom(seed: seed)
        try body(VaultTransaction(Self.vault, in: world, wait: 0, unlock: unlock))
    }
}
