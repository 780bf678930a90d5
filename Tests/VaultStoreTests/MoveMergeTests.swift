import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Two copies in which files and folders were moved, and their merges (Spec/store.md, 13.5).
struct MoveMergeTests {
    private let content = papers

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
            try mine.take(theirs)
            try theirs.take(mine, seed: 51)
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
            let error = #expect(throws: VaultError.self) { try other.take(one) }
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
        try mine.take(theirs)
        try theirs.take(mine, seed: 51)
        for fixture in [mine, theirs] {
            #expect(
                try fixture.paths() == [
                    "new", "new/t", "new/t/3", "new/t/4", "new/t/r", "r", "r/5", "x", "x/1", "x/q", "x/q/2",
                ])
        }
        #expect(try Merge(theirs.open(), into: mine.open()).outcomes.isEmpty)
        try mine.move("x/q", to: "q", seed: 7)
        try theirs.take(mine, seed: 52)
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
            try one.take(other, seed: 50)
            if isAtOnce {
                let plan = try Merge(old, into: other.open())
                try other.save(seed: 51) { try plan.carryOut(in: $0) }
            }
            for seed: UInt64 in [52, 53] {
                try other.take(one, seed: seed)
                try one.take(other, seed: seed + 10)
            }
            let paths = try mine.paths()
            #expect(try theirs.paths() == paths && paths.count == 6, "\(paths)")
            let aside = try #require(paths.first { $0.hasPrefix("y (conflict ") && !$0.contains("/") })
            let contents = try Set([mine.content("y/tax"), mine.content(BytePath(aside + "/tax"))])
            #expect(contents == [[1], [3]])
            try theirs.put("y/tax", [4], seed: 3)
            try theirs.trash(BytePath(aside + "/tax"), seed: 4)
            try theirs.move("z", to: "y/z", seed: 5)
            try mine.take(theirs, seed: 70)
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
        try mine.take(theirs)
        #expect(try mine.paths() == ["d", "d/2", "e", "e/1", "e/3"])
        try theirs.take(mine, seed: 51)
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
            try mine.take(theirs, seed: seed)
            try theirs.take(mine, seed: seed + 10)
        }
        #expect(try mine.paths() == (what == "file" ? ["d", "other"] : ["d", "d/2", "other"]))
        #expect(try theirs.paths() == mine.paths())
        // Something new in it keeps it, under the name of a conflict.
        let third = try VaultFixture([("d/1", [1]), ("other", [2])])
        try third.put("d/new", [4], seed: 4)
        try third.take(theirs)
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
            try third.take(theirs)
            try theirs.move("y", to: "z", seed: 2)
            try mine.take(theirs)
            try third.take(mine, seed: 51)
            #expect(try third.paths() == ["z", "z/1"])
        case "fro":
            try theirs.move("x", to: "y", seed: 1)
            try mine.take(theirs)
            try theirs.move("y", to: "x", seed: 2)
            try mine.save(seed: 3) { save in
                let folder = try #require(try mine.open().entry(at: "y"))
                var overview = folder.overview
                overview.tags = ["tag"]
                try save.updateMetadata(folder, overview)
            }
            try mine.take(theirs, seed: 51)
            #expect(try mine.paths() == ["x", "x/1"] && mine.open().entry(at: "x")?.overview.tags == ["tag"])
            try theirs.take(mine, seed: 52)
            #expect(try theirs.open().entry(at: "x")?.overview.tags == ["tag"])
        default:
            try theirs.move("x", to: "z", seed: 1)
            try theirs.put("x/2", [2], seed: 2)
            try theirs.rewrite(seed: 3) { try $0.rewrite(keeping: theirs.open().sequence) }
            try mine.take(theirs)
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
            try mine.take(theirs, seed: seed)
            try theirs.take(mine, seed: seed + 10)
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
                    try sides[0].take(sides[1], seed: seed)
                    try sides[1].take(sides[0], seed: seed + 10)
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
        try mine.take(theirs)
        try theirs.take(mine, seed: 51)
        try mine.put("d/2", [22], seed: 4)
        try mine.trash("d/3", seed: 5)
        try theirs.take(mine, seed: 52)
        #expect(try theirs.paths() == ["d", "d/2", "e", "e/1"])
        #expect(try theirs.content("d/2") == [22] && theirs.content("e/1") == [1])
    }

    /// Vaults without a common past.
    @Test func mergedWithAStranger() throws {
        let stranger = try VaultFixture(content, seed: 78)
        try stranger.move("papers", to: "letters", seed: 2)
        try stranger.put("papers/a", [6], seed: 3)
        let empty = try VaultFixture([("x", [1])], seed: 79)
        try empty.take(stranger)
        #expect(try empty.content("letters/a") == [1] && empty.content("papers/a") == [6])
        try empty.put("papers/b", [7], seed: 4)
        #expect(try empty.content("letters/b") == nil && empty.content("papers/b") == [7])
        // One has a folder in the trash that the other has under another path.
        let (mine, theirs) = (try VaultFixture(content, seed: 80), try VaultFixture(content, seed: 81))
        try mine.trash("papers/a", "papers/sub/b", "papers/sub", "papers", seed: 5)
        try theirs.move("papers", to: "letters", seed: 6)
        try theirs.put("papers/x", [8], seed: 7)
        try mine.take(theirs)
        #expect(try mine.content("letters/a") == [1] && mine.content("papers/x") == [8])
        try mine.put("papers/y", [9], seed: 8)
        #expect(try mine.verify().findings.isEmpty && mine.content("letters/y") == nil)
    }
}
