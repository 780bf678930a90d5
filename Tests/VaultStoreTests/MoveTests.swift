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
            guard let entry = try save.before.entry(at: source) else { throw VaultError.noSuchRecord(source) }
            try save.move(entry, from: source, to: target)
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
        try scene.save(seed: 7) { save in
            for path in ["papers/a", "papers"] as [Path] { try save.trash(#require(try scene.open().entry(at: path))) }
        }
        try scene.put("papers", [8], seed: 8)
        #expect(try scene.open().entry(at: "papers/a") == nil, "a file has the inner id of a folder elsewhere")
        try scene.save(seed: 9) { try $0.trash(#require(try scene.open().entry(at: "papers"))) }
        try scene.put("papers/a", [7], seed: 10)
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
        try scene.put("x", [1], seed: 3)
        try trash(scene, "x", seed: 4)
        #expect(try refusal("c", "x") == .taken("x", inTrash: true))
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

    /// One side moved a folder, the other put something into it: once both have moved it, they are merged.
    @Test func merged() throws {
        for theyMove in [true, false] {
            let mine = try Scene(content)
            let theirs = Scene(copying: mine)
            let (mover, other) = theyMove ? (theirs, mine) : (mine, theirs)
            try move(mover, "papers", to: "letters", seed: 1)
            try move(mover, "c", to: "letters/c", seed: 2)
            try mover.put("papers/a", [9], seed: 3)
            try other.put("papers/new", [5], seed: 4)
            let error = VaultError.movedApart(
                theyMove ? "papers" : "letters", there: theyMove ? "letters" : "papers")
            #expect(throws: error) { try merge(theirs, into: mine) }
            try move(other, "papers", to: "letters", seed: 5)
            try merge(theirs, into: mine)
            try merge(mine, into: theirs, seed: 51)
            for scene in [mine, theirs] {
                let found = try paths(scene.open())
                #expect(
                    found == [
                        "letters", "letters/a", "letters/c", "letters/new", "letters/sub", "letters/sub/b", "papers",
                        "papers/a",
                    ], "\(theyMove): \(found)")
                #expect(try scene.content("letters/new") == [5] && scene.content("letters/c") == [3])
                #expect(try scene.content("letters/a") == [1] && scene.content("papers/a") == [9])
            }
        }
    }

    /// Both made a folder anew where one was moved away: it is the same folder in both.
    @Test func madeAgainInBoth() throws {
        let mine = try Scene([("d/1", [1])])
        try move(mine, "d", to: "e", seed: 1)
        let theirs = Scene(copying: mine)
        try mine.put("d/2", [2], seed: 2)
        try theirs.put("d/3", [3], seed: 3)
        try merge(theirs, into: mine)
        try merge(mine, into: theirs, seed: 51)
        try mine.put("d/2", [22], seed: 4)
        try trash(mine, "d/3", seed: 5)
        try merge(mine, into: theirs, seed: 52)
        #expect(try paths(theirs.open()) == ["d", "d/2", "e", "e/1"])
        #expect(try theirs.content("d/2") == [22] && theirs.content("e/1") == [1])
    }

    /// Vaults without a common past.
    @Test func mergedWithAStranger() throws {
        let stranger = try Scene(content, seed: 78)
        try move(stranger, "papers", to: "letters", seed: 2)
        try stranger.put("papers/a", [6], seed: 3)
        let empty = try Scene([("x", [1])], seed: 79)
        try merge(stranger, into: empty)
        #expect(try empty.content("letters/a") == [1] && empty.content("papers/a") == [6])
        try empty.put("papers/b", [7], seed: 4)
        #expect(try empty.content("letters/b") == nil && empty.content("papers/b") == [7])
        // One has a folder in the trash that the other has under another path.
        let (mine, theirs) = (try Scene(content, seed: 80), try Scene(content, seed: 81))
        try trash(mine, "papers/a", "papers/sub/b", "papers/sub", "papers", seed: 5)
        try move(theirs, "papers", to: "letters", seed: 6)
        try theirs.put("papers/x", [8], seed: 7)
        try merge(theirs, into: mine)
        #expect(try mine.content("letters/a") == [1] && mine.content("papers/x") == [8])
        try mine.put("papers/y", [9], seed: 8)
        #expect(try mine.verify().findings.isEmpty && mine.content("letters/y") == nil)
    }

    private func trash(_ scene: Scene, _ paths: Path..., seed: UInt64) throws {
        try scene.save(seed: seed) { save in
            for path in paths { try save.trash(#require(try scene.open().entry(at: path))) }
        }
    }

    private func purge(_ scene: Scene, _ path: Path) throws {
        let all = try scene.open().listing { _ in true }
        let doomed = Set(all.filter { $0.path.isOrIsBeneath(path) }.map(\.entry.id))
        let save = try Transaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        try save.rewrite(keeping: 1, purging: doomed)
        #expect(try scene.verify().findings.isEmpty)
    }

    /// Every save can be shown, with a place for each record.
    private func checkHistory(_ scene: Scene) throws {
        let vault = try scene.open()
        for moment in try vault.moments() where moment.isKept {
            _ = try TreeListing(vault.at(moment.sequence).entries())
        }
    }

    /// A purge takes one record, under all of its paths, and no other that has been at one of them.
    @Test func purgedAlone() throws {
        let scene = try Scene(content)
        try move(scene, "c", to: "d", seed: 1)
        try scene.put("c", [4], seed: 2)
        try scene.put("d", [33], seed: 3)
        try purge(scene, "d")
        #expect(try scene.content("c") == [4])
        try move(scene, "papers", to: "letters", seed: 4)
        try scene.put("papers/b", [5], seed: 5)
        try trash(scene, "letters/a", "letters/sub/b", "letters/sub", "letters", seed: 6)
        try purge(scene, "letters")
        #expect(try paths(scene.open()) == ["c", "papers", "papers/b"])
        try checkHistory(scene)
    }

    /// Nothing of a purged record is left, under its former path either, and a folder is missing in every save.
    @Test func purgedWithItsFolder() throws {
        let scene = try Scene([("secret", [1]), ("papers/a", [3]), ("papers/b", [4])])
        try move(scene, "secret", to: "old", seed: 1)
        try purge(scene, "old")
        #expect(try scene.open().versions().filter { !$0.isTombstone }.count == 3)
        try move(scene, "papers/b", to: "b", seed: 4)
        try purge(scene, "papers")
        #expect(try paths(scene.open()) == ["b"])
        try checkHistory(scene)
    }

    /// A folder in the trash under its new path, and the same folder as it was, under its old one.
    @Test func oneFolderUnderTwoPaths() throws {
        let scene = try Scene(content)
        let then = try scene.open().sequence
        try move(scene, "papers", to: "letters", seed: 1)
        try trash(scene, "letters/a", "letters/sub/b", "letters/sub", "letters", seed: 2)
        try scene.save(seed: 3) { save in
            let all = try TreeListing(save.before.at(then).entries())
            _ = try save.bringBack(all.selecting { path, _ in path.isOrIsBeneath("papers") })
        }
        try scene.put("letters/b", [5], seed: 4)
        #expect(
            try paths(scene.open()) == [
                "c", "letters", "letters/b", "papers", "papers/a", "papers/sub", "papers/sub/b",
            ])
        #expect(try scene.verify().findings.isEmpty)
        try checkHistory(scene)
        // Another folder has its path now.
        try move(scene, "papers", to: "more", seed: 5)
        try scene.put("papers/new", [6], seed: 6)
        try trash(scene, "more/a", "more/sub/b", "more/sub", "more", seed: 7)
        let save = try Transaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
        let old = try TreeListing(save.before.at(then).entries()).selecting { path, _ in path == "papers" }
        #expect(throws: VaultError.taken("papers", inTrash: false)) { try save.bringBack(old) }
    }

    /// A folder whose place a file took, and then a folder again: what was in the trash comes back.
    @Test func theTrashFindsItsFolder() throws {
        let scene = try Scene([("p/a", [1])])
        try trash(scene, "p/a", "p", seed: 1)
        try scene.put("p", [2], seed: 2)
        try trash(scene, "p", seed: 3)
        try scene.put("p/b", [3], seed: 4)
        try scene.save(seed: 5) { save in
            let trash = try save.before.listing { $0.state == .trashed && $0.overview.title == [0x61] }
            let count = try save.bringBack(trash)
            #expect(count == 1)
        }
        #expect(try scene.content("p/a") == [1] && scene.content("p/b") == [3])
        #expect(try scene.verify().findings.isEmpty)
    }

    /// Random moves, puts, removals and purges, beside a plain table of paths and contents.
    @Test(arguments: 0..<100) func atRandom(_ run: UInt64) throws {
        var random = Dice(seed: run)
        let names: [Path] = ["a", "b", "a/x", "b/x", "a/y/z", "c", "c/a", "c/a/x"]
        let scene = try Scene([], seed: 100 + run)
        var model: [Path: [UInt8]] = [:]
        for step in 1...40 {
            let (one, two) = (names[random.next(8)], names[random.next(8)])
            let moved = model.filter { $0.key.isOrIsBeneath(one) }
            let byte = UInt8(truncatingIfNeeded: step)
            do {
                switch random.next(6) {
                case 0, 1, 2:
                    try move(scene, one, to: two, seed: UInt64(step))
                    for (path, bytes) in moved {
                        model[path] = nil
                        model[Path(two.bytes + path.bytes.dropFirst(one.bytes.count))] = bytes
                    }
                case 3, 4:
                    try scene.put(one, [byte], seed: UInt64(step))
                    model[one] = [byte]
                case _ where step % 4 == 0:
                    let listing = try scene.open().listing { _ in true }
                    let doomed = Set(listing.filter { $0.path.isOrIsBeneath(one) }.map(\.entry.id))
                    let save = try Transaction(Scene.vault, in: scene.world, wait: 0, unlock: scene.unlock)
                    try save.rewrite(keeping: 1, purging: doomed)
                    for path in moved.keys { model[path] = nil }
                default:
                    try scene.save(seed: UInt64(step)) { save in
                        for (path, entry) in try TreeListing(save.before.entries()) where path.isOrIsBeneath(one) {
                            try save.trash(entry)
                        }
                        if save.isEmpty { throw VaultError.noSuchRecord(one) }
                    }
                    for path in moved.keys { model[path] = nil }
                }
            } catch is VaultError {
                // Something is in the way, or there is nothing to move: nothing has changed.
            }
            let vault = try scene.open()
            let files = try TreeListing(vault.entries()).filter { $0.entry.kind == Entry.Kind.file }
            #expect(Set(files.map(\.path)) == Set(model.keys), "step \(step)")
            for (path, bytes) in model { #expect(try scene.content(path) == bytes, "step \(step): \(path)") }
            #expect(try scene.verify().findings.isEmpty, "step \(step)")
            for moment in try vault.moments() where moment.isKept {
                _ = try TreeListing(vault.at(moment.sequence).entries())
            }
        }
    }

    private struct Dice {
        var state: UInt64
        init(seed: UInt64) { state = seed &* 2_654_435_769 &+ 12_345 }
        /// A number below `bound`.
        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
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
            let before = try copy.open()
            for moment in try vault.moments() where moment.isKept && vault.sequence > moment.sequence {
                let (old, new) = (try? before.at(moment.sequence), try vault.at(moment.sequence))
                if let old { #expect(try paths(new) == paths(old), "save \(moment.sequence)") }
            }
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
        // A chain of moves, and a folder made where another was.
        for (from, to, seed) in [("letters", "l2", 3), ("l2", "l3", 4), ("l3/c", "c2", 5), ("c2", "c3", 6)]
            as [(Path, Path, UInt64)]
        {
            try move(scene, from, to: to, seed: seed)
        }
        try scene.put("papers/a", [9], seed: 7)
        #expect(
            try salvage { _, _ in } == ["c3", "l3", "l3/a", "l3/sub", "l3/sub/b", "papers", "papers/a"])
    }
}
