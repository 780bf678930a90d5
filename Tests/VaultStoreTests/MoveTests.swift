import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Files and folders under other paths (Spec/store.md, 5).
struct MoveTests {
    private let content: [(Path, [UInt8])] = [("papers/a", [1]), ("papers/sub/b", pattern(70_000)), ("c", [3])]

    private func move(_ scene: Scene, _ source: Path, to target: Path, seed: UInt64) throws {
        try scene.save(seed: seed) { save in
            try save.move(#require(try save.before.entry(at: source)), from: source, to: target)
        }
    }

    private func paths(_ vault: Vault) throws -> [String] { try TreeListing(vault.entries()).map(\.path.description) }

    /// A folder costs two entries: what lies in it is neither written nor sealed again.
    @Test func aFolderTakesItsContentsAlong() throws {
        let scene = try Scene(content)
        let before = try scene.open()
        let inside = try #require(try before.entry(at: "papers/sub/b"))
        scene.files.forgetCalls()
        try move(scene, "papers", to: "letters", seed: 1)
        let vault = try scene.open()
        #expect(try paths(vault) == ["c", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        #expect(try vault.entry(at: "letters/sub/b") == inside && scene.content("letters/sub/b") == pattern(70_000))
        #expect(try vault.versions().filter { $0.first == vault.sequence }.count == 2)
        #expect(try paths(vault.at(before.sequence)) == paths(before))
        #expect(try scene.verify().findings.isEmpty)
    }

    /// What is made at the old path has nothing to do with what was moved away.
    @Test func theOldPathIsFree() throws {
        let scene = try Scene(content)
        try move(scene, "papers", to: "letters", seed: 1)
        try scene.put("papers/a", [9], seed: 2)
        #expect(try scene.content("papers/a") == [9] && scene.content("letters/a") == [1])
        // Also where a file stood there in between.
        try move(scene, "papers", to: "more", seed: 3)
        try scene.put("papers", [8], seed: 4)
        try scene.save(seed: 5) { try $0.trash(#require(try scene.open().entry(at: "papers"))) }
        try scene.put("papers/a", [7], seed: 6)
        let found = try ["papers/a", "more/a", "letters/a"].map { try scene.content($0) }
        #expect(found == [[7], [9], [1]])
        #expect(try scene.verify().findings.isEmpty)
    }

    @Test func thereAndBack() throws {
        let scene = try Scene(content)
        try move(scene, "papers", to: "letters", seed: 1)
        try move(scene, "letters", to: "papers", seed: 2)
        try move(scene, "c", to: "papers/sub/c", seed: 3)
        try move(scene, "papers/sub/c", to: "new/folders/c", seed: 4)
        try move(scene, "new/folders/c", to: "c", seed: 5)
        let vault = try scene.open()
        let found = try #require(try vault.entry(at: "c"))
        #expect(try scene.content("c") == [3] && scene.content("papers/sub/b") == pattern(70_000))
        #expect(try vault.changes(of: found.id).map(\.change) == [.added, .moved, .moved, .moved])
        #expect(try vault.changes(of: found.id).map(\.storedByteCount) == [1, 0, 0, 0])
        #expect(try scene.verify().findings.isEmpty)
    }

    @Test func whatCannotBeMoved() throws {
        let scene = try Scene(content)
        func refusal(_ source: Path, _ target: Path) throws -> VaultError? {
            do { try move(scene, source, to: target, seed: 1) } catch let error as VaultError { return error }
            return nil
        }
        #expect(try refusal("papers", "papers/sub/in") == .invalidName("papers/sub/in"))
        #expect(try refusal("papers", "c") == .taken("c", inTrash: false))
        #expect(try refusal("c", "papers/a/c") == .kindConflict("papers/a"))
        #expect(try refusal("c", "..") == .invalidName(".."))
        let deep = Path(Array(String(repeating: "d/", count: 1022).utf8) + [0x78])
        #expect(try refusal("papers", deep) == .invalidName(deep))
        try scene.save(seed: 2) { save in
            for path in ["papers/a", "papers/sub/b", "papers/sub", "papers"] {
                try save.trash(#require(try scene.open().entry(at: Path(path))))
            }
        }
        #expect(try refusal("c", "papers") == .taken("papers", inTrash: true))
    }

    /// A purge removes what a record was before it was moved, and nothing of what others hold.
    @Test func purgedWithItsPast() throws {
        let scene = try Scene(content)
        try scene.put("c", [30], seed: 1)
        try move(scene, "c", to: "papers/c", seed: 2)
        try scene.put("c", [99], seed: 3)
        try move(scene, "papers", to: "letters", seed: 4)
        let doomed = try #require(try scene.open().entry(at: "letters/c"))
        let save = try Transaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        try save.rewrite(keeping: 1, purging: [doomed.id])
        let vault = try scene.open()
        let left = try vault.versions().filter { !$0.isTombstone && $0.kind == Entry.Kind.file }
        #expect(left.count == 3, "\(left)")
        #expect(try scene.content("c") == [99] && scene.content("letters/sub/b") == pattern(70_000))
        #expect(try vault.changes(of: #require(try vault.entry(at: "c")).id).map(\.change) == [.added])
        #expect(try scene.verify().findings.isEmpty)
    }

    /// What was moved shares its stored record with its past: a new log keeps both.
    @Test func rewritten() throws {
        let scene = try Scene(content)
        try move(scene, "c", to: "d", seed: 1)
        try move(scene, "papers", to: "letters", seed: 2)
        let oldest = try scene.open().sequence - 2
        let save = try Transaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        try save.rewrite(keeping: oldest)
        let vault = try scene.open()
        #expect(try paths(vault) == ["d", "letters", "letters/a", "letters/sub", "letters/sub/b"])
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
        try move(scene, "papers", to: "letters", seed: 1)
        try move(scene, "c", to: "d", seed: 2)
        try scene.save(seed: 3) { save in
            let count = try save.bringBack(TreeListing(save.before.at(then).entries()))
            #expect(count == 1)
        }
        #expect(try paths(scene.open()) == ["c", "d", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        #expect(try scene.content("c") == [3])
        #expect(try scene.verify().findings.isEmpty)
    }

    /// Only the chunks that can hold a folder's entries are read.
    @Test func listingAFolderReadsLittle() throws {
        let scene = try Scene((0..<3000).map { (Path("many/\($0)"), []) } + [("few/x", [1]), ("few/in/y", [2])])
        let vault = try scene.open()
        let folder = try #require(try vault.entry(at: "few"))
        scene.files.forgetCalls()
        let listing = try #require(try vault.listing(of: folder, at: "few"))
        #expect(listing.map(\.path.description) == ["few", "few/in", "few/in/y", "few/x"])
        let read = scene.files.calls.filter { $0.operation == "read" }.reduce(0) { $0 + $1.count }
        #expect(read < 1 << 18, "\(read) bytes")
    }

    private func merge(_ theirs: Scene, into mine: Scene, seed: UInt64 = 50) throws {
        let plan = try Merge(theirs.open(), into: mine.open())
        guard !plan.isEmpty else { return }
        try mine.save(seed: seed) { try plan.carryOut(in: $0) }
        #expect(try mine.verify().findings.isEmpty)
        _ = try TreeListing(mine.open().entries())
    }

    /// One side moved a folder, the other put something into it.
    @Test func merged() throws {
        for theyMove in [true, false] {
            let mine = try Scene(content)
            let theirs = Scene(copying: mine)
            try move(theyMove ? theirs : mine, "papers", to: "letters", seed: 1)
            try move(theyMove ? theirs : mine, "c", to: "letters/c", seed: 2)
            try (theyMove ? mine : theirs).put("papers/new", [5], seed: 3)
            try merge(theirs, into: mine)
            try merge(mine, into: theirs, seed: 51)
            for scene in [mine, theirs] {
                let found = try paths(scene.open())
                #expect(
                    found == ["letters", "letters/a", "letters/c", "letters/new", "letters/sub", "letters/sub/b"],
                    "\(theyMove): \(found)")
                #expect(try scene.content("letters/new") == [5] && scene.content("letters/c") == [3])
            }
            let vault = try mine.open()
            let moved = try vault.changes(of: #require(try vault.entry(at: "letters/c")).id).map(\.change)
            #expect(moved == [.added, .moved])
        }
    }

    /// Both moved one folder: it stays where each has it, and nothing is there twice.
    @Test func movedInBoth() throws {
        let mine = try Scene(content)
        let theirs = Scene(copying: mine)
        try move(mine, "papers", to: "letters", seed: 1)
        try move(theirs, "papers", to: "archive", seed: 2)
        try theirs.put("archive/new", [5], seed: 3)
        try merge(theirs, into: mine)
        #expect(
            try paths(mine.open()) == ["c", "letters", "letters/a", "letters/new", "letters/sub", "letters/sub/b"])
        // A file edited here stays beside the one that was moved there.
        try mine.put("c", [33], seed: 4)
        try move(theirs, "c", to: "archive/c", seed: 5)
        try merge(theirs, into: mine, seed: 52)
        #expect(try mine.content("c") == [33] && mine.content("letters/c") == [3])
    }

    /// Vaults without a common past, one of which moved a folder that has the same path in the other.
    @Test func mergedWithAStranger() throws {
        let mine = try Scene(content)
        try move(mine, "papers", to: "letters", seed: 1)
        let theirs = try Scene([("papers/other", [4])], seed: 77)
        try merge(theirs, into: mine)
        #expect(try mine.content("letters/other") == [4])
        let stranger = try Scene(content, seed: 78)
        try move(stranger, "papers", to: "letters", seed: 2)
        try stranger.put("papers/a", [6], seed: 3)
        let empty = try Scene([("x", [1])], seed: 79)
        try merge(stranger, into: empty)
        #expect(try empty.content("letters/a") == [1] && empty.content("papers/a") == [6])
        try empty.put("papers/b", [7], seed: 4)
        #expect(try empty.content("letters/b") == nil && empty.content("papers/b") == [7])
    }

    @Test func differences() throws {
        let scene = try Scene(content)
        let before = try scene.open()
        try move(scene, "papers", to: "letters", seed: 1)
        try move(scene, "c", to: "d", seed: 2)
        try move(scene, "d", to: "e", seed: 3)
        try scene.put("letters/a", [11], seed: 4)
        let found = try Difference.all(from: before, to: scene.open())
        #expect(found.map(\.path.description) == ["e", "letters", "letters/a"])
        #expect(found.map(\.kind) == [.moved, .moved, .changed])
        #expect(found.map { $0.oldPath?.description } == ["c", "papers", nil])
    }

    /// The manifest of the move is lost: what was moved is found under its old path.
    @Test func salvaged() throws {
        let scene = try Scene(content)
        try move(scene, "papers", to: "letters", seed: 1)
        try move(scene, "c", to: "letters/c", seed: 2)
        func salvage(_ damage: (inout [UInt8], Vault) throws -> Void) throws -> [String] {
            let copy = Scene(copying: scene)
            var bytes = copy.bytes
            try damage(&bytes, copy.open())
            copy.bytes = bytes
            let locked = try LockedVault(Scene.vault, in: copy.world)
            var salvage = try Salvage(locked, master: Secret(copying: copy.master.span), slot: 1)
            let vault = try salvage.write(to: "s.qvault")
            #expect(try Verification.full(vault).findings.isEmpty)
            return try paths(vault)
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
    }
}
