import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Two copies of a vault that were edited apart (Spec/store.md, 13).
struct MergeTests {
    @Test func whatOneSideDidIsTaken() throws {
        let (mine, theirs) = try pair()
        try mine.put("here", [9], seed: 1)
        try theirs.put("a", [11], seed: 2)
        try theirs.put("new/there", pattern(70_000), seed: 3)
        try theirs.trash("b", seed: 4)
        let outcomes = try merge(theirs, into: mine)
        #expect(outcomes == ["a": .taken, "new": .taken, "new/there": .taken, "b": .removed])
        #expect(try mine.content("a") == [11] && mine.content("here") == [9] && mine.content("b") == nil)
        #expect(try mine.content("new/there") == pattern(70_000))
    }

    @Test func whatBothDid() throws {
        let (mine, theirs) = try pair()
        try mine.put("a", [10], seed: 1)
        try theirs.put("a", [11], seed: 2)
        try mine.put("b", [7], seed: 3)
        try theirs.put("b", [7], seed: 4)
        try mine.trash("d/c", seed: 5)
        try theirs.put("d/c", [12], seed: 6)
        try mine.put("d/e", [13], seed: 7)
        try theirs.trash("d/e", seed: 8)
        let outcomes = try merge(theirs, into: mine)
        let copy = try copyName("a", of: theirs)
        #expect(outcomes == ["a": .keptBoth(copy), "d/c": .broughtBack, "d/e": .keptHere])
        #expect(try mine.content("a") == [10] && mine.content(copy) == [11])
        #expect(try mine.content("b") == [7] && mine.content("d/c") == [12] && mine.content("d/e") == [13])
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty, "once is enough")
        // The other way round nothing is lost either, and both then hold the same.
        let back = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: 60) { try back.carryOut(in: $0) }
        #expect(try contents(mine) == contents(theirs))
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
    }

    /// A folder that was removed here has something new there.
    @Test func aRemovedFolderComesBackForWhatIsInIt() throws {
        let (mine, theirs) = try pair()
        try mine.save(seed: 1) { save in
            for path in ["d/c", "d/e", "d"] as [BytePath] { try save.trash(#require(try mine.open().entry(at: path))) }
        }
        try theirs.put("d/new", [5], seed: 2)
        let outcomes = try merge(theirs, into: mine)
        #expect(outcomes["d/new"] == .taken)
        #expect(try mine.content("d/new") == [5] && mine.content("d/c") == nil)
    }

    /// A folder here and a file there, and the other way round: the folder has the name, the file is beside it, and both
    /// copies become equal, whichever is merged first.
    @Test(arguments: [false, true]) func aFolderAndAFileOfOneName(_ isSwapped: Bool) throws {
        let both = try pair()
        let (mine, theirs) = isSwapped ? (both.theirs, both.mine) : both
        try mine.put("x", [1], seed: 1)
        try theirs.put("x/inner/file", [2], seed: 2)
        try mine.put("y/file", [3], seed: 3)
        try theirs.put("y", [4], seed: 4)
        let (x, y) = (try copyName("x", of: mine), try copyName("y", of: theirs))
        try merge(theirs, into: mine)
        #expect(try mine.content("x/inner/file") == [2] && mine.content("y/file") == [3])
        #expect(try mine.content(x) == [1] && mine.content(y) == [4])
        let back = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: 60) { try back.carryOut(in: $0) }
        #expect(try contents(mine) == contents(theirs))
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
        try theirs.put("x/inner/file", [5], seed: 61)
        #expect(try merge(theirs, into: mine, seed: 62) == ["x/inner/file": .taken])
    }

    /// Each was merged into the other as it was before: both then hold both versions, under the same names.
    @Test func bothWaysAtOnce() throws {
        let (mine, theirs) = try pair()
        try mine.put("a", [10], seed: 1)
        try theirs.put("a", [11], seed: 2)
        let (there, back) = (try theirs.open(), try mine.open())
        let (one, other) = (try Merge(there, into: mine.open()), try Merge(back, into: theirs.open()))
        try mine.save(seed: 3) { try one.carryOut(in: $0) }
        try theirs.save(seed: 4) { try other.carryOut(in: $0) }
        try merge(theirs, into: mine, seed: 5)
        let last = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: 6) { try last.carryOut(in: $0) }
        #expect(try contents(mine) == contents(theirs))
        #expect(try Set(contents(mine).values).isSuperset(of: [[10], [11]]))
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
    }

    /// Each person kept the own version, and removed the other's copy: neither version is lost by the next merge.
    @Test func bothKeptTheirOwn() throws {
        let (mine, theirs) = try pair()
        try mine.put("a", [10], seed: 1)
        try theirs.put("a", [11], seed: 2)
        let (one, other) = (
            try Merge(theirs.open(), into: mine.open()), try Merge(mine.open(), into: theirs.open())
        )
        let kept = (mine: try copyName("a", of: mine), theirs: try copyName("a", of: theirs))
        try mine.save(seed: 3) { try one.carryOut(in: $0) }
        try theirs.save(seed: 4) { try other.carryOut(in: $0) }
        try mine.trash(kept.theirs, seed: 5)
        try theirs.trash(kept.mine, seed: 6)
        for seed: UInt64 in [7, 9] {
            let plan = try Merge(theirs.open(), into: mine.open())
            try mine.save(seed: seed) { try plan.carryOut(in: $0) }
            let back = try Merge(mine.open(), into: theirs.open())
            if !back.isEmpty { try theirs.save(seed: seed + 1) { try back.carryOut(in: $0) } }
        }
        #expect(try contents(mine) == contents(theirs))
        #expect(try Set(contents(mine).values).isSuperset(of: [[10], [11]]))
    }

    /// Both sides gave one file other tags: it has all of them then, whichever is merged first, or both at once.
    @Test(arguments: [false, true]) func tagsOfBothSides(_ isAtOnce: Bool) throws {
        let (mine, theirs) = try pair()
        for (fixture, tag, seed) in [(mine, "here", 1), (theirs, "there", 2)] as [(VaultFixture, String, UInt64)] {
            try fixture.save(seed: seed) { save in
                let entry = try #require(try fixture.open().entry(at: "a"))
                var overview = entry.overview
                overview.tags = [tag]
                try save.updateMetadata(entry, overview)
            }
        }
        let before = try mine.open()
        let plan = try Merge(theirs.open(), into: before)
        #expect(plan.outcomes.map(\.outcome) == [.joined])
        try mine.save(seed: 3) { try plan.carryOut(in: $0) }
        let back = try Merge(isAtOnce ? before : mine.open(), into: theirs.open())
        try theirs.save(seed: 4) { try back.carryOut(in: $0) }
        for fixture in [mine, theirs] {
            #expect(try fixture.open().entry(at: "a")?.overview.tags == ["here", "there"])
            #expect(try fixture.verify().findings.isEmpty)
        }
        #expect(try Merge(theirs.open(), into: mine.open()).outcomes.isEmpty)
    }

    /// A merge descends from both sides, also from one that saved more often.
    @Test func aMergeIsNewerThanBoth() throws {
        let (mine, theirs) = try pair()
        try mine.put("here", [9], seed: 1)
        for seed in 2...5 { try theirs.put("there", [UInt8(seed)], seed: UInt64(seed)) }
        let books = try [mine, theirs].map { fixture in
            let book = WitnessBook("state", fixture.environment)
            book.remember(try fixture.open())
            return book
        }
        try merge(theirs, into: mine)
        #expect(try mine.open().sequence == theirs.open().sequence + 1)
        for book in books { #expect(try book.freshness(of: mine.open()) == .newer) }
    }

    /// A mark that both sides changed is there once, the same in both: no other would be found.
    @Test func aMarkThatBothChanged() throws {
        let (mine, theirs) = try pair()
        let (id, owner) = (RecordID(high: 1, low: 1), RecordID(high: 1, low: 2))
        for (fixture, content, seed) in [(mine, 1, 1), (theirs, 2, 2)] as [(VaultFixture, UInt8, UInt64)] {
            try fixture.save(seed: seed) { save in
                try save.put(id, kind: .watermark, parent: owner, overview: Overview(title: [1]), content: [content])
            }
        }
        for (one, other, seed) in [(theirs, mine, 3), (mine, theirs, 4)] as [(VaultFixture, VaultFixture, UInt64)] {
            let plan = try Merge(one.open(), into: other.open())
            if !plan.isEmpty { try other.save(seed: seed) { try plan.carryOut(in: $0) } }
        }
        let all = try [mine, theirs].map { fixture in
            let vault = try fixture.open()
            let marks = try vault.entries().filter { $0.kind == .watermark }
            return try marks.map { try vault.content(of: $0, limit: 9) }
        }
        #expect(all[0] == all[1] && all[0].count == 1)
    }

    /// A file that was moved there is moved here, with its older versions; it can be moved back.
    @Test func aMoveIsFollowed() throws {
        let (mine, theirs) = try pair()
        try theirs.move("a", to: "b2/a", seed: 1)
        try theirs.move("b2/a", to: "z", seed: 2)
        try theirs.move("b", to: "y", seed: 3)
        try mine.put("b", [9], seed: 4)
        let outcomes = try merge(theirs, into: mine)
        #expect(outcomes == ["a": .moved("z"), "b": .keptHere, "b2": .taken, "y": .taken])
        #expect(try mine.content("z") == [1] && mine.content("b") == [9] && mine.content("y") == [2])
        let moved = try #require(try mine.open().entry(at: "z"))
        #expect(try mine.open().changes(of: moved.id).count == 2)
        try mine.move("z", to: "a", seed: 5)
        let back = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: 6) { try back.carryOut(in: $0) }
        #expect(try theirs.content("a") == [1] && theirs.content("z") == nil)
        #expect(try contents(theirs) == contents(mine))
    }

    /// A version that comes as it was has the times that it had.
    @Test func timesAreKept() throws {
        let (mine, theirs) = try pair()
        try theirs.put("x", [1], seed: 1)
        try merge(theirs, into: mine)
        let (here, there) = (try mine.open().entry(at: "x"), try theirs.open().entry(at: "x"))
        #expect(here?.created == there?.created && here?.updated == there?.updated)
    }

    @Test func differences() throws {
        let (mine, theirs) = try pair()
        try theirs.put("a", [8], seed: 1)
        try theirs.put("new", [], seed: 2)
        try theirs.trash("b", seed: 3)
        let found = try mine.open().differences(to: theirs.open())
        #expect(found.map(\.path) == ["a", "b", "new"] && found.map(\.kind) == [.changed, .removed, .added])
        #expect(try theirs.open().snapshot(atSave: 1).differences(to: mine.open()).isEmpty)
        // The same content under other salts is no difference.
        try mine.rewrite(seed: 4) { try $0.rewrite(keeping: 1) }
        #expect(try mine.open().differences(to: theirs.open().snapshot(atSave: 1)).isEmpty)
    }

    /// Copies that went different ways at random: after both merges, both hold the same paths with the same content.
    @Test(arguments: 1...25)
    func atRandom(_ seed: UInt64) throws {
        var random = CountingGenerator(seed: seed)
        let (mine, theirs) = try pair()
        var number: UInt64 = seed * 100
        for fixture in [mine, theirs, mine, theirs, mine, theirs] {
            number += 1
            let paths: [BytePath] = ["a", "b", "d/c", "d/e", "d/f", "g/h", "g"]
            let path = paths[Int.random(in: 0..<paths.count, using: &random)]
            let entry = try fixture.open().entry(at: path)
            if let entry, entry.kind == .file, Bool.random(using: &random) {
                try fixture.save(seed: number) { try $0.trash(entry) }
            } else if entry?.kind != .folder, try path != "g/h" || !isFile(fixture, "g") {
                try fixture.put(path, [UInt8.random(in: 0...9, using: &random)], seed: number)
            }
        }
        let before = try (contents(mine), contents(theirs))
        let changed = try Set(TreeListing(theirs.open().entries()).filter { $0.entry.first > 1 }.map(\.path))
        let plan = try Merge(theirs.open(), into: mine.open())
        try mine.save(seed: number + 1) { try plan.carryOut(in: $0) }
        #expect(try mine.verify().findings.isEmpty, "\(plan.outcomes)")
        let after = try contents(mine)
        // A content of either side is still there, unless the other side removed it unchanged.
        for (path, bytes) in before.0 where after[path] != bytes {
            let outcome = plan.outcomes.first { $0.path == path }?.outcome
            if case .keptBoth(let name) = outcome {
                #expect(after[name] == bytes, "\(path)")
            } else {
                #expect(outcome == .taken || outcome == .removed, "\(path)")
            }
        }
        let back = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: number + 2) { try back.carryOut(in: $0) }
        #expect(try mine.verify().findings.isEmpty && theirs.verify().findings.isEmpty)
        #expect(try contents(mine) == contents(theirs), "\(plan.outcomes) \(back.outcomes)")
        for (path, bytes) in before.1 where !after.values.contains(bytes) && changed.contains(path) {
            Issue.record("\(path) of theirs is nowhere: \(plan.outcomes)")
        }
    }

    /// So many changes that all versions are read at once.
    @Test func manyChangesOnBothSides() throws {
        let mine = try VaultFixture((0..<600).map { (BytePath("d/\($0)"), [1]) })
        let theirs = VaultFixture(copying: mine)
        func change(_ fixture: VaultFixture, _ numbers: Range<Int>, _ byte: UInt8) throws {
            try fixture.save(seed: UInt64(byte)) { save in
                let work = try save.treeImport { _ in }
                for number in numbers { try work.addStream(as: BytePath("d/\(number)"), read: reading([byte])) }
            }
        }
        try change(mine, 0..<400, 2)
        try change(theirs, 200..<600, 3)
        let outcomes = try merge(theirs, into: mine)
        #expect(outcomes.values.count { $0 == .taken } == 200 && outcomes.count == 400)
        #expect(try mine.content("d/0") == [2] && mine.content("d/599") == [3] && mine.content("d/300") == [2])
        #expect(try mine.content(copyName("d/300", of: theirs)) == [3])
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
    }
}
