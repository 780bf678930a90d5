import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Pieces through verbs that write a vault anew (Spec/store.md, 15): whatever is named is there after each.
struct PieceRewriteTests {
    private let scene: PieceScene

    init() throws { scene = try PieceScene() }

    /// Compaction drops what only older versions name, and nothing else; so does a purge.
    @Test func rewritingDropsWhatNoListNames() throws {
        scene.write("a", PieceScene.long)
        scene.write("b", pattern(3_000_000, 7))
        try scene.store(seed: 1)
        scene.write("a", scene.inserted(10, at: 3_000_000))
        try scene.store(seed: 2)
        let all = try scene.pieceCount()
        try scene.fixture.rewrite(seed: 3) { try $0.rewrite(keeping: 2) }
        #expect(try scene.pieceCount() == all)
        try scene.fixture.rewrite(seed: 4) { try $0.rewrite(keeping: 4) }
        #expect(try scene.pieceCount() < all)
        #expect(try scene.isHeld("a", scene.inserted(10, at: 3_000_000)))
        let doomed = try scene.entry("b").id
        try scene.fixture.rewrite(seed: 5) { try $0.rewrite(keeping: 1, purging: [doomed]) }
        #expect(try scene.pieceCount() == Set(scene.list("a")).count)
        #expect(try scene.isHeld("a", scene.inserted(10, at: 3_000_000)) && scene.fixture.verify().findings.isEmpty)
    }

    /// What is in the trash keeps its pieces, and comes back whole. A backup without history has no trash.
    @Test func theTrashKeepsPieces() throws {
        scene.write("a", PieceScene.long)
        scene.write("b", pattern(3_000_000, 7))
        try scene.store(seed: 1)
        let trashed = try scene.entry("a")
        try scene.fixture.save(seed: 2) { try $0.trash(trashed) }
        try scene.fixture.open().backUp(to: "backup.qvault", withHistory: false)
        #expect(
            try scene.fixture.open("backup.qvault").entries().count { $0.kind == .piece } == Set(scene.list("b")).count)
        #expect(try scene.fixture.open("backup.qvault").verify().findings.isEmpty)
        try scene.fixture.rewrite(seed: 3) { try $0.rewrite(keeping: 3) }
        let carried = try #require(try scene.fixture.open().allEntries().first { $0.id == trashed.id })
        try scene.fixture.save(seed: 4) { try $0.reinstate(carried) }
        #expect(try scene.isHeld("a", PieceScene.long))
    }

    /// Under another master key contents are cut as before.
    @Test func aRotationKeepsPieces() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let old = try scene.list("a")
        var environment = scene.fixture.environment
        environment.random = CountingRandom(seed: 2)
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: environment, timeout: .zero, unlock: scene.fixture.unlock)
        let (_, keys) = try transaction.rotate { keys in
            try transaction.slots.setting(1, for: VaultFixture.credential(), .init(), keys: keys, &environment)
        }
        environment.random = CountingRandom(seed: 3)
        let next = try VaultTransaction(
            VaultFixture.vault, in: environment, timeout: .zero, admit: { _ in }, keys: { _ in keys })
        scene.write("a", scene.inserted(10, at: 3_000_000))
        try next.treeImport { Issue.record("\($0)") }.add("d", as: "d")
        try next.commit()
        let vault = try LockedVault(VaultFixture.vault, in: environment).open(master: keys.master.slice(0..<32))
        let entry = try #require(try vault.entry(at: "d/a"))
        var reader = try vault.reader()
        #expect(try Set(reader.list(entry.content).pieces).subtracting(old).count <= 2)
        #expect(try vault.verify().findings.isEmpty)
    }

    /// Two machines store the same: the pieces that are here are named, and those that are not come along.
    @Test func mergingBringsPiecesOnce() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let theirs = VaultFixture(copying: scene.fixture)
        let bytes = scene.inserted(10, at: 3_000_000)
        scene.write("both", bytes)
        try scene.store(seed: 2)
        for (path, bytes) in [("a", scene.inserted(10, at: 5_500_000)), ("both2", bytes)] {
            theirs.files.write(BytePath("d/\(path)"), bytes)
        }
        try theirs.save(seed: 3) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
        let known = try Set(scene.list("both")).union(scene.list("a"))
        try merge(theirs, into: scene.fixture)
        #expect(
            try scene.isHeld("a", scene.inserted(10, at: 5_500_000)) && scene.isHeld("both2", bytes)
                && scene.isHeld("both", bytes))
        #expect(try Set(scene.list("both2")).subtracting(known).isEmpty)
        #expect(try Set(scene.list("a")).subtracting(known).count <= 2)
        // And back: nothing is left to bring.
        let back = try Merge(scene.fixture.open(), into: theirs.open())
        try theirs.save(seed: 60) { try back.carryOut(in: $0) }
        #expect(
            try scene.isHeld("both", bytes, by: theirs)
                && scene.isHeld("a", scene.inserted(10, at: 5_500_000), by: theirs))
        #expect(try Merge(theirs.open(), into: scene.fixture.open()).outcomes.isEmpty)
    }

    /// A conflict keeps both contents.
    @Test func aConflictKeepsBoth() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let theirs = VaultFixture(copying: scene.fixture)
        let (one, other) = (scene.inserted(10, at: 1_000_000), scene.inserted(20, at: 6_000_000))
        scene.write("a", one)
        try scene.store(seed: 2)
        theirs.files.write("d/a", other)
        try theirs.save(seed: 3) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
        try merge(theirs, into: scene.fixture)
        let found = try contents(scene.fixture).values.filter { $0.count > 1000 }
        #expect(found.count == 2 && found.contains { $0 == one } && found.contains { $0 == other })
    }

    /// A content of which a piece is lost is lost, and an older version that has all of its pieces takes its place.
    @Test func salvageHoldsListsAgainstPieces() throws {
        scene.write("a", PieceScene.long)
        scene.write("b", pattern(3_000_000, 7))
        try scene.store(seed: 1)
        let old = try Set(scene.list("a"))
        scene.write("a", scene.inserted(10, at: 3_000_000))
        try scene.store(seed: 2)
        let fresh = try #require(try scene.list("a").first { !old.contains($0) })
        let place = try #require(try scene.fixture.open().entry(fresh.id)).place
        scene.fixture.bytes[Int(place) + 1000] ^= 1
        let locked = try LockedVault(VaultFixture.vault, in: scene.fixture.environment)
        var salvage = try Salvage(locked, master: Secret(copying: scene.fixture.master.span), slot: 1)
        let out = try salvage.write(to: "out.qvault")
        #expect(salvage.losses.contains { $0.path == "d/a" && $0.wasPresent })
        for (path, bytes) in [("d/a", PieceScene.long), ("d/b", pattern(3_000_000, 7))] {
            var content: [UInt8] = []
            try out.read(#require(try out.entry(at: BytePath(path)))) { content += Array(copying: $0) }
            #expect(content == bytes, "\(path)")
        }
        #expect(try out.verify().findings.isEmpty)
    }

    /// A copy in which pieces are gone, or something else has their ids: what is here stays whole.
    @Test func aCopyTakesNoPiecesAway() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let theirs = VaultFixture(copying: scene.fixture)
        let pieces = try scene.list("a")
        let doomed = Set(pieces.map(\.id))
        // Nobody takes away what a file needs.
        try theirs.save(seed: 2) { save in
            let stored = try #require(try save.before.entry(pieces[0].id))
            #expect(throws: FormatError.self) { try save.trash(stored) }
            try save.treeImport { _ in }.addStream(as: "x", read: reading([1]))
        }
        try theirs.rewrite(seed: 3) { try $0.rewrite(keeping: 3, purging: doomed) }
        #expect(try scene.isHeld("a", PieceScene.long, by: theirs))
        let file = try scene.entry("a").id
        try theirs.rewrite(seed: 4) { try $0.rewrite(keeping: 4, purging: [file]) }
        try theirs.save(seed: 5) { save in for id in doomed { try save.bury(id) } }
        let plan = try Merge(theirs.open(), into: scene.fixture.open())
        #expect(Set(plan.outcomes.map(\.path)) == ["d/a", "x"])
        try scene.fixture.save(seed: 6) { try plan.carryOut(in: $0) }
        #expect(
            try doomed.allSatisfy { try scene.fixture.open().entry($0) != nil }
                && scene.fixture.verify().findings.isEmpty)
    }
}
