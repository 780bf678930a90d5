import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// The past of what was moved: older saves, purges, the trash, salvage (Spec/store.md, 5).
struct MovePastTests {
    private let content: [(BytePath, [UInt8])] = [("papers/a", [1]), ("papers/sub/b", pattern(70_000)), ("c", [3])]

    /// A purge removes what a record was before it was moved, and nothing of what others hold.
    @Test func purgedWithItsPast() throws {
        let scene = try Scene(content)
        try scene.put("c", [30], seed: 1)
        try scene.move("c", to: "papers/c", seed: 2)
        try scene.put("c", [99], seed: 3)
        try scene.move("papers", to: "letters", seed: 4)
        let doomed = try #require(try scene.open().entry(at: "letters/c"))
        let save = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        try save.rewrite(keeping: 1, purging: [doomed.id])
        let vault = try scene.open()
        let left = try vault.versions().filter { !$0.isTombstone && $0.kind == Entry.Kind.file }
        #expect(left.count == 3, "\(left)")
        #expect(try scene.content("c") == [99] && scene.content("letters/sub/b") == pattern(70_000))
        #expect(try vault.changes(of: #require(try vault.entry(at: "c")).id).map(\.change) == [.added])
        #expect(try scene.verify().findings.isEmpty)
    }

    /// A purge takes one record, under all of its paths, and no other that has been at one of them.
    @Test func purgedAlone() throws {
        let scene = try Scene(content)
        try scene.move("c", to: "d", seed: 1)
        try scene.put("c", [4], seed: 2)
        try scene.put("d", [33], seed: 3)
        try scene.purge("d")
        #expect(try scene.content("c") == [4])
        try scene.move("papers", to: "letters", seed: 4)
        try scene.put("papers/b", [5], seed: 5)
        try scene.trash("letters/a", "letters/sub/b", "letters/sub", "letters", seed: 6)
        try scene.purge("letters")
        #expect(try scene.paths() == ["c", "papers", "papers/b"])
        try scene.checkHistory()
    }

    /// Nothing of a purged record is left, under its former path either, and a folder is missing in every save.
    @Test func purgedWithItsFolder() throws {
        let scene = try Scene([("secret", [1]), ("papers/a", [3]), ("papers/b", [4])])
        try scene.move("secret", to: "old", seed: 1)
        try scene.purge("old")
        #expect(try scene.open().versions().filter { !$0.isTombstone }.count == 3)
        try scene.move("papers/b", to: "b", seed: 4)
        try scene.purge("papers")
        #expect(try scene.paths() == ["b"])
        try scene.checkHistory()
    }

    /// A moved record shares its stored record with its past: a new log keeps both.
    @Test func rewritten() throws {
        let scene = try Scene(content)
        try scene.move("c", to: "d", seed: 1)
        try scene.move("papers", to: "letters", seed: 2)
        let oldest = try scene.open().sequence - 2
        let save = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        try save.rewrite(keeping: oldest)
        let vault = try scene.open()
        #expect(try scene.paths(vault) == ["d", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        let old = try vault.at(oldest)
        let entry = try #require(try old.entry(at: "c"))
        var bytes: [UInt8] = []
        try old.read(entry) { bytes += Array(copying: $0) }
        #expect(bytes == [3])
        #expect(try scene.verify().findings.isEmpty)
    }

    /// An older version comes back at its path; a folder that lives on elsewhere does not come back beside itself.
    @Test func broughtBack() throws {
        let scene = try Scene(content)
        let then = try scene.open().sequence
        try scene.move("papers", to: "letters", seed: 1)
        try scene.move("c", to: "d", seed: 2)
        try scene.save(seed: 3) { save in
            let count = try save.bringBack(TreeListing(save.before.at(then).entries()))
            #expect(count == 1)
        }
        #expect(try scene.paths() == ["c", "d", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        #expect(try scene.content("c") == [3])
        #expect(try scene.verify().findings.isEmpty)
    }

    /// A folder in the trash under its new path, and the same folder as it was, under its old one.
    @Test func oneFolderUnderTwoPaths() throws {
        let scene = try Scene(content)
        let then = try scene.open().sequence
        try scene.move("papers", to: "letters", seed: 1)
        try scene.trash("letters/a", "letters/sub/b", "letters/sub", "letters", seed: 2)
        try scene.save(seed: 3) { save in
            let all = try TreeListing(save.before.at(then).entries())
            _ = try save.bringBack(all.selecting { path, _ in path.isOrIsBeneath("papers") })
        }
        try scene.put("letters/b", [5], seed: 4)
        #expect(
            try scene.paths() == [
                "c", "letters", "letters/b", "papers", "papers/a", "papers/sub", "papers/sub/b",
            ])
        #expect(try scene.verify().findings.isEmpty)
        try scene.checkHistory()
        // Another folder has its path now.
        try scene.move("papers", to: "more", seed: 5)
        try scene.put("papers/new", [6], seed: 6)
        try scene.trash("more/a", "more/sub/b", "more/sub", "more", seed: 7)
        let save = try VaultTransaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        let old = try TreeListing(save.before.at(then).entries()).selecting { path, _ in path == "papers" }
        #expect(throws: VaultError.taken("papers", inTrash: false)) { try save.bringBack(old) }
    }

    /// A folder whose place a file took, and then a folder again: what was in the trash comes back.
    @Test func theTrashFindsItsFolder() throws {
        let scene = try Scene([("p/a", [1])])
        try scene.trash("p/a", "p", seed: 1)
        try scene.put("p", [2], seed: 2)
        try scene.trash("p", seed: 3)
        try scene.put("p/b", [3], seed: 4)
        try scene.save(seed: 5) { save in
            let trash = try save.before.listing { $0.state == .trashed && $0.overview.title == [0x61] }
            let count = try save.bringBack(trash)
            #expect(count == 1)
        }
        #expect(try scene.content("p/a") == [1] && scene.content("p/b") == [3])
        #expect(try scene.verify().findings.isEmpty)
    }

    @Test func differences() throws {
        let scene = try Scene(content)
        let before = try scene.open()
        try scene.move("papers", to: "letters", seed: 1)
        try scene.move("c", to: "d", seed: 2)
        try scene.move("d", to: "e", seed: 3)
        try scene.put("letters/a", [11], seed: 4)
        let found = try Difference.all(from: before, to: scene.open())
        #expect(found.map(\.path.description) == ["e", "letters", "letters/a"])
        #expect(found.map(\.kind) == [.moved, .moved, .changed])
        #expect(found.map { $0.oldPath?.description } == ["c", "papers", nil])
    }

    /// The manifest of the move is lost: what was moved is found under its old path.
    @Test func salvaged() throws {
        let scene = try Scene(content)
        try scene.move("papers", to: "letters", seed: 1)
        try scene.move("c", to: "letters/c", seed: 2)
        func salvage(_ damage: (inout [UInt8], Vault) throws -> Void) throws -> [String] {
            let copy = Scene(copying: scene)
            var bytes = copy.bytes
            try damage(&bytes, copy.open())
            copy.bytes = bytes
            let locked = try LockedVault(Scene.vault, in: copy.world)
            var salvage = try Salvage(locked, master: Secret(copying: copy.master.span), slot: 1)
            let vault = try salvage.write(to: "s.qvault")
            #expect(try Verification.full(vault).findings.isEmpty)
            let before = try copy.open()
            for moment in try vault.saves() where moment.isKept && vault.sequence > moment.sequence {
                let (old, new) = (try? before.at(moment.sequence), try vault.at(moment.sequence))
                if let old { #expect(try scene.paths(new) == scene.paths(old), "save \(moment.sequence)") }
            }
            return try scene.paths(vault)
        }
        #expect(
            try salvage { _, _ in } == ["letters", "letters/a", "letters/c", "letters/sub", "letters/sub/b"])
        let left = try salvage { bytes, vault in
            let segment = vault.privatePart.segment
            for range in [
                segment.offset..<segment.end, segment.headCopy..<segment.headCopy + segment.headLength,
            ] {
                for index in range { bytes[Int(index)] = 0 }
            }
        }
        #expect(left == ["c", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        // A chain of moves, and a folder made where another was.
        for (from, to, seed) in [("letters", "l2", 3), ("l2", "l3", 4), ("l3/c", "c2", 5), ("c2", "c3", 6)]
            as [(BytePath, BytePath, UInt64)]
        {
            try scene.move(from, to: to, seed: seed)
        }
        try scene.put("papers/a", [9], seed: 7)
        #expect(
            try salvage { _, _ in } == ["c3", "l3", "l3/a", "l3/sub", "l3/sub/b", "papers", "papers/a"])
    }
}
