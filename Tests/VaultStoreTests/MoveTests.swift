import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Files and folders under other paths (Spec/store.md, 5).
struct MoveTests {
    private let content: [(BytePath, [UInt8])] = [("papers/a", [1]), ("papers/sub/b", pattern(70_000)), ("c", [3])]

    /// A folder costs two entries: what lies in it is neither written nor sealed again.
    @Test func aFolderTakesItsContentsAlong() throws {
        let fixture = try VaultFixture(content)
        let before = try fixture.open()
        let inside = try #require(try before.entry(at: "papers/sub/b"))
        fixture.files.forgetCalls()
        try fixture.move("papers", to: "letters", seed: 1)
        let vault = try fixture.open()
        #expect(try fixture.paths(vault) == ["c", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        #expect(try vault.entry(at: "letters/sub/b") == inside && fixture.content("letters/sub/b") == pattern(70_000))
        #expect(try vault.versions().filter { $0.first == vault.sequence }.count == 2)
        #expect(try fixture.paths(vault.snapshot(atSave: before.sequence)) == fixture.paths(before))
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A record made at the old path is another one than the one that was moved away.
    @Test func theOldPathIsFree() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.put("papers/a", [9], seed: 2)
        #expect(try fixture.content("papers/a") == [9] && fixture.content("letters/a") == [1])
        // Also where a file stood there in between.
        try fixture.move("papers", to: "more", seed: 3)
        try fixture.put("papers", [8], seed: 4)
        try fixture.save(seed: 5) { try $0.trash(#require(try fixture.open().entry(at: "papers"))) }
        try fixture.put("papers/a", [7], seed: 6)
        try fixture.save(seed: 7) { save in
            for path in ["papers/a", "papers"] as [BytePath] {
                try save.trash(#require(try fixture.open().entry(at: path)))
            }
        }
        try fixture.put("papers", [8], seed: 8)
        #expect(try fixture.open().entry(at: "papers/a") == nil, "a file has the inner id of a folder elsewhere")
        try fixture.save(seed: 9) { try $0.trash(#require(try fixture.open().entry(at: "papers"))) }
        try fixture.put("papers/a", [7], seed: 10)
        let found = try ["papers/a", "more/a", "letters/a"].map { try fixture.content($0) }
        #expect(found == [[7], [9], [1]])
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func thereAndBack() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.move("letters", to: "papers", seed: 2)
        try fixture.move("c", to: "papers/sub/c", seed: 3)
        try fixture.move("papers/sub/c", to: "new/folders/c", seed: 4)
        try fixture.move("new/folders/c", to: "c", seed: 5)
        let vault = try fixture.open()
        let found = try #require(try vault.entry(at: "c"))
        #expect(try fixture.content("c") == [3] && fixture.content("papers/sub/b") == pattern(70_000))
        #expect(try vault.changes(of: found.id).map(\.change) == [.added, .moved, .moved, .moved])
        #expect(try vault.changes(of: found.id).map(\.storedByteCount) == [1, 0, 0, 0])
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func whatCannotBeMoved() throws {
        let fixture = try VaultFixture(content)
        func refusal(_ source: BytePath, _ target: BytePath) throws -> VaultError? {
            do { try fixture.move(source, to: target, seed: 1) } catch let error as VaultError { return error }
            return nil
        }
        #expect(try refusal("papers", "papers/sub/in") == .invalidName("papers/sub/in"))
        #expect(try refusal("papers", "c") == .taken("c", inTrash: false))
        #expect(try refusal("c", "papers/a/c") == .kindConflict("papers/a"))
        #expect(try refusal("c", "..") == .invalidName(".."))
        let deep = BytePath(Array(String(repeating: "d/", count: 1022).utf8) + [0x78])
        #expect(try refusal("papers", deep) == .invalidName(deep))
        // The trash needs room too: its files can come back.
        try fixture.trash("papers/sub/b", seed: 5)
        #expect(try refusal("papers", deep) == .invalidName(deep))
        try fixture.save(seed: 2) { save in
            for path in ["papers/a", "papers/sub", "papers"] {
                try save.trash(#require(try fixture.open().entry(at: BytePath(path))))
            }
        }
        #expect(try refusal("c", "papers") == .taken("papers", inTrash: true))
        try fixture.put("x", [1], seed: 3)
        try fixture.trash("x", seed: 4)
        #expect(try refusal("c", "x") == .taken("x", inTrash: true))
    }

    /// Only the chunks that can hold a folder's entries are read.
    @Test func listingAFolderReadsLittle() throws {
        let fixture = try VaultFixture(
            (0..<3000).map { (BytePath("many/\($0)"), []) } + [("few/x", [1]), ("few/in/y", [2])])
        let vault = try fixture.open()
        let folder = try #require(try vault.entry(at: "few"))
        fixture.files.forgetCalls()
        let listing = try #require(try vault.listing(of: folder, at: "few"))
        #expect(listing.map(\.path.description) == ["few", "few/in", "few/in/y", "few/x"])
        let read = fixture.files.calls.filter { $0.operation == "read" }.reduce(0) { $0 + $1.count }
        #expect(read < 1 << 18, "\(read) bytes")
    }

    private func merge(_ theirs: VaultFixture, into mine: VaultFixture, seed: UInt64 = 50) throws {
        let plan = try Merge(theirs.open(), into: mine.open())
        guard !plan.isEmpty else { return }
        try mine.save(seed: seed) { try plan.carryOut(in: $0) }
        #expect(try mine.verify().findings.isEmpty)
        _ = try TreeListing(mine.open().entries())
    }

    /// One side moved a folder, the other put something into it: it is moved in both.
    @Test func merged() throws {
        for theyMove in [true, false] {
            let mine = try VaultFixture(content)
            let theirs = VaultFixture(copying: mine)
            let (mover, other) = theyMove ? (theirs, mine) : (mine, theirs)
            try mover.move("papers", to: "letters", seed: 1)
            try mover.move("c", to: "letters/c", seed: 2)
            try mover.put("papers/a", [9], seed: 3)
            try other.put("papers/new", [5], seed: 4)
            try merge(theirs, into: mine)
            try merge(mine, into: theirs, seed: 51)
            for fixture in [mine, theirs] {
                let found = try fixture.paths()
                #expect(
                    found == [
                        "letters", "letters/a", "letters/c", "letters/new", "letters/sub", "letters/sub/b", "papers",
                        "papers/a",
                    ], "\(theyMove): \(found)")
                #expect(try fixture.content("letters/new") == [5] && fixture.content("letters/c") == [3])
                #expect(try fixture.content("letters/a") == [1] && fixture.content("papers/a") == [9])
            }
        }
    }

    /// Both moved one folder, or each moved one into the other's, or one comes to lie too deep: nothing is merged.
    @Test(arguments: ["both", "circle", "deep"]) func movedApart(_ what: String) throws {
        let mine = try VaultFixture([("p/1", [1]), ("q/2", [2])])
        let theirs = VaultFixture(copying: mine)
        switch what {
        case "both":
            try mine.move("p", to: "x", seed: 1)
            try theirs.move("p", to: "y", seed: 2)
        case "circle":
            try mine.move("p", to: "q/p", seed: 1)
            try theirs.move("q", to: "p/q", seed: 2)
        default:
            try mine.move("p", to: BytePath(String(repeating: "m/", count: 1000) + "p"), seed: 1)
            try theirs.put(BytePath("p/" + String(repeating: "t/", count: 30) + "z"), [3], seed: 2)
        }
        let (before, after) = (mine.bytes, theirs.bytes)
        for (one, other) in [(theirs, mine), (mine, theirs)] {
            let error = #expect(throws: VaultError.self) { try merge(one, into: other) }
            guard case .movedApart = error else {
                Issue.record("\(what): \(String(describing: error))")
                return
            }
        }
        #expect(mine.bytes == before && theirs.bytes == after)
    }

    /// Both moved folders, each another: both moves are made, whichever is merged first.
    @Test func manyMoves() throws {
        let mine = try VaultFixture([("p/1", [1]), ("q/2", [2]), ("r/s/3", [3])])
        let theirs = VaultFixture(copying: mine)
        try mine.move("p", to: "x", seed: 1)
        try mine.put("r/s/4", [4], seed: 2)
        try theirs.move("q", to: "p/q", seed: 3)
        try theirs.move("r/s", to: "new/t", seed: 4)
        try theirs.move("r", to: "new/t/r", seed: 5)
        try theirs.put("r/5", [5], seed: 6)
        try merge(theirs, into: mine)
        try merge(mine, into: theirs, seed: 51)
        for fixture in [mine, theirs] {
            #expect(
                try fixture.paths() == [
                    "new", "new/t", "new/t/3", "new/t/4", "new/t/r", "r", "r/5", "x", "x/1", "x/q", "x/q/2",
                ])
        }
        #expect(try Merge(theirs.open(), into: mine.open()).outcomes.isEmpty)
        try mine.move("x/q", to: "q", seed: 7)
        try merge(mine, into: theirs, seed: 52)
        #expect(try theirs.paths() == mine.paths() && theirs.content("q/2") == [2])
    }

    /// A folder was moved to a path where the other side made another one: both are kept, one under the name of a conflict, the
    /// same in both copies; so are files of one name in them. What happens to them later goes to the right one.
    @Test(arguments: [false, true]) func twoFoldersAtOnePath(_ isAtOnce: Bool) throws {
        let base = try VaultFixture([("p/tax", [1]), ("z/2", [2])])
        for isSwapped in [false, true] {
            let (mine, theirs) = (VaultFixture(copying: base), VaultFixture(copying: base))
            try mine.put("y/tax", [3], seed: 1)
            try theirs.move("p", to: "y", seed: 2)
            let (one, other) = isSwapped ? (theirs, mine) : (mine, theirs)
            let old = try one.open()
            try merge(other, into: one, seed: 50)
            if isAtOnce {
                let plan = try Merge(old, into: other.open())
                try other.save(seed: 51) { try plan.carryOut(in: $0) }
            }
            for seed: UInt64 in [52, 53] {
                try merge(one, into: other, seed: seed)
                try merge(other, into: one, seed: seed + 10)
            }
            let paths = try mine.paths()
            #expect(try theirs.paths() == paths && paths.count == 6, "\(paths)")
            let aside = try #require(paths.first { $0.hasPrefix("y (conflict ") && !$0.contains("/") })
            let contents = try Set([mine.content("y/tax"), mine.content(BytePath(aside + "/tax"))])
            #expect(contents == [[1], [3]])
            try theirs.put("y/tax", [4], seed: 3)
            try theirs.trash(BytePath(aside + "/tax"), seed: 4)
            try theirs.move("z", to: "y/z", seed: 5)
            try merge(theirs, into: mine, seed: 70)
            #expect(try mine.content("y/tax") == [4] && mine.content("y/z/2") == [2])
            #expect(try mine.paths() == theirs.paths() && mine.content(BytePath(aside + "/tax")) == nil)
        }
    }

    /// Folders that changed their names in a ring, and one that was made anew at an old path.
    @Test func ringOfMoves() throws {
        let mine = try VaultFixture([("d/1", [1]), ("e/2", [2])])
        let theirs = VaultFixture(copying: mine)
        try theirs.move("d", to: "t", seed: 1)
        try theirs.move("e", to: "d", seed: 2)
        try theirs.move("t", to: "e", seed: 3)
        try mine.put("d/3", [3], seed: 4)
        try merge(theirs, into: mine)
        #expect(try mine.paths() == ["d", "d/2", "e", "e/1", "e/3"])
        try merge(mine, into: theirs, seed: 51)
        #expect(try mine.paths() == theirs.paths())
    }

    /// A folder was moved there and removed, and its old path has something else: it goes here too, and comes back in no copy.
    @Test(arguments: ["folder", "file"]) func whatTookItsPath(_ what: String) throws {
        let mine = try VaultFixture([("d/1", [1]), ("other", [2])])
        let theirs = VaultFixture(copying: mine)
        try theirs.move("d", to: "e", seed: 1)
        try theirs.trashTree("e", seed: 2)
        try theirs.put(what == "file" ? "d" : "d/2", [3], seed: 3)
        for seed: UInt64 in [50, 51] {
            try merge(theirs, into: mine, seed: seed)
            try merge(mine, into: theirs, seed: seed + 10)
        }
        #expect(try mine.paths() == (what == "file" ? ["d", "other"] : ["d", "d/2", "other"]))
        #expect(try theirs.paths() == mine.paths())
        // Something new in it keeps it, under the name of a conflict.
        let third = try VaultFixture([("d/1", [1]), ("other", [2])])
        try third.put("d/new", [4], seed: 4)
        try merge(theirs, into: third)
        #expect(try third.paths().contains { $0.hasPrefix("d (conflict ") && $0.hasSuffix("/new") })
    }

    /// One side alone moved a folder, by way of a third copy, to and fro, or with its older versions forgotten: it is followed.
    @Test(arguments: ["third", "fro", "forgotten"]) func oneSideMoved(_ how: String) throws {
        let mine = try VaultFixture([("x/1", [1])])
        let theirs = VaultFixture(copying: mine)
        switch how {
        case "third":
            try theirs.move("x", to: "y", seed: 1)
            let third = VaultFixture(copying: mine)
            try merge(theirs, into: third)
            try theirs.move("y", to: "z", seed: 2)
            try merge(theirs, into: mine)
            try merge(mine, into: third, seed: 51)
            #expect(try third.paths() == ["z", "z/1"])
        case "fro":
            try theirs.move("x", to: "y", seed: 1)
            try merge(theirs, into: mine)
            try theirs.move("y", to: "x", seed: 2)
            try mine.save(seed: 3) { save in
                let folder = try #require(try mine.open().entry(at: "y"))
                var overview = folder.overview
                overview.tags = ["tag"]
                try save.updateMetadata(folder, overview)
            }
            try merge(theirs, into: mine, seed: 51)
            #expect(try mine.paths() == ["x", "x/1"] && mine.open().entry(at: "x")?.overview.tags == ["tag"])
            try merge(mine, into: theirs, seed: 52)
            #expect(try theirs.open().entry(at: "x")?.overview.tags == ["tag"])
        default:
            try theirs.move("x", to: "z", seed: 1)
            try theirs.put("x/2", [2], seed: 2)
            try theirs.rewrite(seed: 3) { try $0.rewrite(keeping: theirs.open().sequence) }
            try merge(theirs, into: mine)
            #expect(try mine.paths() == ["x", "x/2", "z", "z/1"] && theirs.paths() == mine.paths())
        }
    }

    /// Commands of two honest people after which a merge once wrote two folders with one inner id, or trapped.
    @Test(arguments: 0..<5) func foldersThatMeet(_ number: Int) throws {
        let mine = try VaultFixture([("docs/sub/s", [1]), ("docs/letter", [2]), ("keep", [3])])
        let theirs = VaultFixture(copying: mine)
        try mine.move("docs", to: "docs2", seed: 1)
        switch number {
        case 0:
            try theirs.move("docs/sub", to: "sub2", seed: 2)
            try theirs.put("docs2/sub/q", [4], seed: 3)
        case 1:
            try mine.move("docs2/sub", to: "sub2", seed: 2)
            try theirs.put("docs2/sub/q", [4], seed: 3)
        case 2:
            try theirs.put("docs/x", [4], seed: 2)
            try theirs.put("docs2/x/in", [5], seed: 3)
        case 3:
            try theirs.put("docs/letter", [2], seed: 2)
            try theirs.put("docs2/letter", [5], seed: 3)
        default:
            try theirs.trashTree("docs", seed: 2)
            try theirs.put("docs2/z", [5], seed: 3)
            try mine.put("docs2/sub/s", [6], seed: 4)
        }
        for seed: UInt64 in [50, 51] {
            try merge(theirs, into: mine, seed: seed)
            try merge(mine, into: theirs, seed: seed + 10)
        }
        #expect(try mine.paths() == theirs.paths())
        let contents = try Set(mine.paths().map { try mine.content(BytePath($0)) })
        #expect(number != 4 || contents.contains([6]))
    }

    /// Random changes and moves on both sides: what is written is sound, and the two become equal, or one folder was moved
    /// apart.
    @Test func randomMoves() throws {
        let base = try VaultFixture([("a/1", [1]), ("b/2", [2]), ("a/c/3", [3]), ("4", [4])])
        var random = CountingGenerator(seed: 41)
        var refused = 0
        for round in 0..<60 {
            let sides = [VaultFixture(copying: base), VaultFixture(copying: base)]
            for step in 0..<10 {
                let side = sides[Int(random.next() % 2)]
                try change(side, &random, seed: UInt64(round * 100 + step))
            }
            do {
                for seed in [UInt64(50), 51] {
                    try merge(sides[1], into: sides[0], seed: seed)
                    try merge(sides[0], into: sides[1], seed: seed + 10)
                }
                let (one, other) = (try sides[0].paths(), try sides[1].paths())
                #expect(one == other, "round \(round)")
            } catch VaultError.movedApart { refused += 1 }
        }
        #expect(1..<40 ~= refused, "\(refused)")
    }

    /// A random change of a vault; none where it is not possible.
    private func change(_ fixture: VaultFixture, _ random: inout CountingGenerator, seed: UInt64) throws {
        let paths = try fixture.paths().map { BytePath($0) }
        guard let path = paths.randomElement(using: &random), let other = paths.randomElement(using: &random) else {
            return
        }
        let name = "\(random.next() % 5)"
        do {
            switch random.next() % 5 {
            case 0:
                try fixture.put(
                    other.appending(Array("n\(name)".utf8)), [UInt8(truncatingIfNeeded: random.next())], seed: seed)
            case 1: try fixture.trashTree(path, seed: seed)
            case 2: try fixture.move(path, to: BytePath("m" + name), seed: seed)
            default: try fixture.move(path, to: other.appending(path.lastComponent), seed: seed)
            }
        } catch is VaultError {}
    }

    /// Both made a folder anew where one was moved away: it is the same folder in both.
    @Test func madeAgainInBoth() throws {
        let mine = try VaultFixture([("d/1", [1])])
        try mine.move("d", to: "e", seed: 1)
        let theirs = VaultFixture(copying: mine)
        try mine.put("d/2", [2], seed: 2)
        try theirs.put("d/3", [3], seed: 3)
        try merge(theirs, into: mine)
        try merge(mine, into: theirs, seed: 51)
        try mine.put("d/2", [22], seed: 4)
        try mine.trash("d/3", seed: 5)
        try merge(mine, into: theirs, seed: 52)
        #expect(try theirs.paths() == ["d", "d/2", "e", "e/1"])
        #expect(try theirs.content("d/2") == [22] && theirs.content("e/1") == [1])
    }

    /// Vaults without a common past.
    @Test func mergedWithAStranger() throws {
        let stranger = try VaultFixture(content, seed: 78)
        try stranger.move("papers", to: "letters", seed: 2)
        try stranger.put("papers/a", [6], seed: 3)
        let empty = try VaultFixture([("x", [1])], seed: 79)
        try merge(stranger, into: empty)
        #expect(try empty.content("letters/a") == [1] && empty.content("papers/a") == [6])
        try empty.put("papers/b", [7], seed: 4)
        #expect(try empty.content("letters/b") == nil && empty.content("papers/b") == [7])
        // One has a folder in the trash that the other has under another path.
        let (mine, theirs) = (try VaultFixture(content, seed: 80), try VaultFixture(content, seed: 81))
        try mine.trash("papers/a", "papers/sub/b", "papers/sub", "papers", seed: 5)
        try theirs.move("papers", to: "letters", seed: 6)
        try theirs.put("papers/x", [8], seed: 7)
        try merge(theirs, into: mine)
        #expect(try mine.content("letters/a") == [1] && mine.content("papers/x") == [8])
        try mine.put("papers/y", [9], seed: 8)
        #expect(try mine.verify().findings.isEmpty && mine.content("letters/y") == nil)
    }

    /// Random moves, puts, removals and purges, beside a plain table of paths and contents.
    @Test(arguments: 0..<100) func atRandom(_ run: UInt64) throws {
        var random = Dice(seed: run)
        let names: [BytePath] = ["a", "b", "a/x", "b/x", "a/y/z", "c", "c/a", "c/a/x"]
        let fixture = try VaultFixture([], seed: 100 + run)
        var model: [BytePath: [UInt8]] = [:]
        for step in 1...40 {
            let (one, two) = (names[random.next(8)], names[random.next(8)])
            let moved = model.filter { $0.key.isOrIsBeneath(one) }
            let byte = UInt8(truncatingIfNeeded: step)
            do {
                switch random.next(6) {
                case 0, 1, 2:
                    try fixture.move(one, to: two, seed: UInt64(step))
                    for (path, bytes) in moved {
                        model[path] = nil
                        model[BytePath(two.bytes + path.bytes.dropFirst(one.bytes.count))] = bytes
                    }
                case 3, 4:
                    try fixture.put(one, [byte], seed: UInt64(step))
                    model[one] = [byte]
                case _ where step % 4 == 0:
                    let listing = try fixture.open().listing { _ in true }
                    let doomed = Set(listing.filter { $0.path.isOrIsBeneath(one) }.map(\.entry.id))
                    let save = try VaultTransaction(
                        VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
                    try save.rewrite(keeping: 1, purging: doomed)
                    for path in moved.keys { model[path] = nil }
                default:
                    try fixture.save(seed: UInt64(step)) { save in
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
            let vault = try fixture.open()
            let files = try TreeListing(vault.entries()).filter { $0.entry.kind == .file }
            #expect(Set(files.map(\.path)) == Set(model.keys), "step \(step)")
            for (path, bytes) in model { #expect(try fixture.content(path) == bytes, "step \(step): \(path)") }
            #expect(try fixture.verify().findings.isEmpty, "step \(step)")
            try fixture.checkHistory()
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

}
