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
        let fixture = try VaultFixture(content)
        try fixture.put("c", [30], seed: 1)
        try fixture.move("c", to: "papers/c", seed: 2)
        try fixture.put("c", [99], seed: 3)
        try fixture.move("papers", to: "letters", seed: 4)
        let doomed = try #require(try fixture.open().entry(at: "letters/c"))
        let save = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        try save.rewrite(keeping: 1, purging: [doomed.id])
        let vault = try fixture.open()
        let left = try vault.versions().filter { !$0.isTombstone && $0.kind == .file }
        #expect(left.count == 3, "\(left)")
        #expect(try fixture.content("c") == [99] && fixture.content("letters/sub/b") == pattern(70_000))
        #expect(try vault.changes(of: #require(try vault.entry(at: "c")).id).map(\.change) == [.added])
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A purge takes one record, under all of its paths, and no other that has been at one of them.
    @Test func purgedAlone() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("c", to: "d", seed: 1)
        try fixture.put("c", [4], seed: 2)
        try fixture.put("d", [33], seed: 3)
        try fixture.purge("d")
        #expect(try fixture.content("c") == [4])
        try fixture.move("papers", to: "letters", seed: 4)
        try fixture.put("papers/b", [5], seed: 5)
        try fixture.trash("letters/a", "letters/sub/b", "letters/sub", "letters", seed: 6)
        try fixture.purge("letters")
        #expect(try fixture.paths() == ["c", "papers", "papers/b"])
        try fixture.checkHistory()
    }

    /// Nothing of a purged record is left, under its former path either, and a folder is missing in every save.
    @Test func purgedWithItsFolder() throws {
        let fixture = try VaultFixture([("secret", [1]), ("papers/a", [3]), ("papers/b", [4])])
        try fixture.move("secret", to: "old", seed: 1)
        try fixture.purge("old")
        #expect(try fixture.open().versions().filter { !$0.isTombstone }.count == 3)
        try fixture.move("papers/b", to: "b", seed: 4)
        try fixture.purge("papers")
        #expect(try fixture.paths() == ["b"])
        try fixture.checkHistory()
    }

    /// A moved record shares its stored record with its past: a new log keeps both.
    @Test func rewritten() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("c", to: "d", seed: 1)
        try fixture.move("papers", to: "letters", seed: 2)
        let oldest = try fixture.open().sequence - 2
        let save = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        try save.rewrite(keeping: oldest)
        let vault = try fixture.open()
        #expect(try fixture.paths(vault) == ["d", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        let old = try vault.snapshot(atSave: oldest)
        let entry = try #require(try old.entry(at: "c"))
        var bytes: [UInt8] = []
        try old.read(entry) { bytes += Array(copying: $0) }
        #expect(bytes == [3])
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// An older version comes back at its path; a folder that lives on elsewhere does not come back beside itself.
    @Test func broughtBack() throws {
        let fixture = try VaultFixture(content)
        let then = try fixture.open().sequence
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.move("c", to: "d", seed: 2)
        try fixture.save(seed: 3) { save in
            let count = try save.restore(TreeListing(save.before.snapshot(atSave: then).entries())).count
            #expect(count == 1)
        }
        #expect(try fixture.paths() == ["c", "d", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        #expect(try fixture.content("c") == [3])
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A folder in the trash under its new path, and the same folder as it was, under its old one.
    @Test func oneFolderUnderTwoPaths() throws {
        let fixture = try VaultFixture(content)
        let then = try fixture.open().sequence
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.trash("letters/a", "letters/sub/b", "letters/sub", "letters", seed: 2)
        try fixture.save(seed: 3) { save in
            let all = try TreeListing(save.before.snapshot(atSave: then).entries())
            _ = try save.restore(all.selecting { path, _ in path.isOrIsBeneath("papers") })
        }
        try fixture.put("letters/b", [5], seed: 4)
        #expect(
            try fixture.paths() == [
                "c", "letters", "letters/b", "papers", "papers/a", "papers/sub", "papers/sub/b",
            ])
        #expect(try fixture.verify().findings.isEmpty)
        try fixture.checkHistory()
        // Another folder has its path now.
        try fixture.move("papers", to: "more", seed: 5)
        try fixture.put("papers/new", [6], seed: 6)
        try fixture.trash("more/a", "more/sub/b", "more/sub", "more", seed: 7)
        let save = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        let old = try TreeListing(save.before.snapshot(atSave: then).entries()).selecting { path, _ in path == "papers"
        }
        #expect(throws: VaultError.taken("papers", inTrash: false)) { try save.restore(old) }
    }

    /// A folder whose place a file took, and then a folder again: what was in the trash comes back.
    @Test func theTrashFindsItsFolder() throws {
        let fixture = try VaultFixture([("p/a", [1])])
        try fixture.trash("p/a", "p", seed: 1)
        try fixture.put("p", [2], seed: 2)
        try fixture.trash("p", seed: 3)
        try fixture.put("p/b", [3], seed: 4)
        try fixture.save(seed: 5) { save in
            let trash = try save.before.listing { $0.state == .trashed && $0.overview.title == [0x61] }
            let count = try save.restore(trash).count
            #expect(count == 1)
        }
        #expect(try fixture.content("p/a") == [1] && fixture.content("p/b") == [3])
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func differences() throws {
        let fixture = try VaultFixture(content)
        let before = try fixture.open()
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.move("c", to: "d", seed: 2)
        try fixture.move("d", to: "e", seed: 3)
        try fixture.put("letters/a", [11], seed: 4)
        let found = try before.differences(to: fixture.open())
        #expect(found.map(\.path.description) == ["e", "letters", "letters/a"])
        #expect(found.map(\.kind) == [.moved, .moved, .changed])
        #expect(found.map { $0.oldPath?.description } == ["c", "papers", nil])
    }

    /// The manifest of the move is lost: what was moved is found under its old path.
    @Test func salvaged() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.move("c", to: "letters/c", seed: 2)
        func salvage(_ damage: (inout [UInt8], Vault) throws -> Void) throws -> [String] {
            let copy = VaultFixture(copying: fixture)
            var bytes = copy.bytes
            try damage(&bytes, copy.open())
            copy.bytes = bytes
            let locked = try LockedVault(VaultFixture.vault, in: copy.environment)
            var salvage = try Salvage(locked, master: Secret(copying: copy.master.span), slot: 1)
            let vault = try salvage.write(to: "s.qvault")
            #expect(try vault.verify().findings.isEmpty)
            let before =
                try (try? copy.open())
                ?? locked.open(master: Secret(copying: copy.master.span), showsSaveBefore: true)
            for moment in try vault.saves() where moment.isKept && vault.sequence > moment.sequence {
                let (old, new) = (
                    try? before.snapshot(atSave: moment.sequence), try vault.snapshot(atSave: moment.sequence)
                )
                if let old { #expect(try fixture.paths(new) == fixture.paths(old), "save \(moment.sequence)") }
            }
            return try fixture.paths(vault)
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
            try fixture.move(from, to: to, seed: seed)
        }
        try fixture.put("papers/a", [9], seed: 7)
        #expect(
            try salvage { _, _ in } == ["c3", "l3", "l3/a", "l3/sub", "l3/sub/b", "papers", "papers/a"])
    }

    /// A folder that was moved has given way to a file, and another folder stands where it was. An older state of it does not come
    /// back into that one.
    @Test func anInnerIDOfTheBeforeIsNotUsedAgain() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("papers", to: "letters", seed: 1)
        let then = try fixture.open().sequence
        try fixture.save(seed: 2) { save in
            for (path, entry) in try save.before.listing({ $0.state == .live && $0.kind.isInTree })
            where "\(path)".hasPrefix("letters") {
                try save.trash(entry)
            }
        }
        try fixture.put("letters", [7], seed: 3)
        try fixture.put("papers/a", [9], seed: 4)
        try fixture.save(seed: 5) { save in
            let old = try TreeListing(save.before.snapshot(atSave: then).entries()).filter { "\($0.path)" != "c" }
            let listing = TreeListing(old.map(\.entry), paths: old.map(\.path))
            #expect(throws: VaultError.self) { try save.restore(listing) }
        }
        #expect(try fixture.content("papers/a") == [9] && fixture.content("letters") == [7])
        try fixture.save(seed: 6) { save in try save.trash(#require(try save.before.entry(at: "letters"))) }
        try fixture.save(seed: 7) { save in
            let old = try TreeListing(save.before.snapshot(atSave: then).entries()).filter { "\($0.path)" != "c" }
            _ = try save.restore(TreeListing(old.map(\.entry), paths: old.map(\.path)))
        }
        #expect(try fixture.content("papers/a") == [9] && fixture.content("letters/a") == [1])
        #expect(try fixture.verify().findings.isEmpty)
    }
}
