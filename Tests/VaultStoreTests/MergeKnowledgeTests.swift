import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// The knowledge that one copy has of another: through merges, compaction, purges, backups and salvage (Spec/store.md, 13.1).
struct MergeKnowledgeTests {
    /// Compaction here, purging there: the ancestor is known all the same.
    @Test func afterCompaction() throws {
        let (mine, theirs) = try pair()
        try mine.put("a", [10], seed: 1)
        try mine.rewrite(seed: 2) { try $0.rewrite(keeping: 2) }
        let doomed = try #require(try theirs.open().entry(at: "b")).id
        try theirs.rewrite(seed: 3) { try $0.rewrite(keeping: 1, purging: [doomed]) }
        try theirs.put("d/e", [14], seed: 4)
        let plan = try Merge(theirs.open(), into: mine.open())
        #expect(plan.ancestor == 1)
        #expect(try merge(theirs, into: mine) == ["b": .removed, "d/e": .taken])
        #expect(try mine.content("a") == [10] && mine.content("d/e") == [14])
    }

    /// A record that was merged and then removed, or changed, stays so, however often the same copy is merged again.
    @Test func whatWasMergedDoesNotComeBack() throws {
        let (mine, theirs) = try pair()
        try theirs.put("x", [21], seed: 1)
        try theirs.put("y", [22], seed: 2)
        try merge(theirs, into: mine)
        try mine.trash("x", seed: 3)
        try mine.put("y", [23], seed: 4)
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
        // And the other side learns of it.
        let back = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: 5) { try back.carryOut(in: $0) }
        #expect(try contents(theirs) == contents(mine))
    }

    /// A list of merged saves that breaks its rules counts as empty, and is named; so is what was left out, each time.
    @Test(arguments: [(UInt16(37), 15), (40, 16)]) func anOddListOfMergedSaves(_ kind: UInt16, _ length: Int) throws {
        let (mine, theirs) = try pair()
        let id = RecordID(try SHA256.hash((Array("quickvault/1/merged-saves".utf8) + [0]).span))
        try theirs.save(seed: 1) { save in
            try save.put(
                id, kind: Entry.Kind(rawValue: kind), parent: nil, overview: Overview(title: [1]),
                content: [UInt8](repeating: 7, count: length))
        }
        try theirs.put("x", [1], seed: 2)
        let plan = try Merge(theirs.open(), into: mine.open())
        #expect(plan.isPartial && plan.outcomes.first?.path == "merged-saves")
        try mine.save(seed: 3) { try plan.carryOut(in: $0) }
        #expect(try mine.content("x") == [1] && mine.verify().findings.isEmpty)
        let again = try Merge(theirs.open(), into: mine.open())
        #expect(again.isPartial && again.isEmpty)
    }

    /// A backup without history says what is gone all the same.
    @Test func aBackupWithoutHistoryKnowsWhatIsGone() throws {
        let (mine, theirs) = try pair()
        try theirs.trash("a", seed: 1)
        try theirs.open().backUp(to: "present.qvault", withHistory: false)
        let backup = VaultFixture(copying: theirs)
        backup.bytes = try #require(theirs.files.node("present.qvault")).content
        #expect(try merge(backup, into: mine) == ["a": .removed])
        #expect(try mine.content("a") == nil)
    }

    /// A merge of a good copy brings back a record that salvage lost, and the newest version of one.
    @Test func whatSalvageLostComesBack() throws {
        let (mine, theirs) = try pair()
        try mine.put("b", pattern(300), seed: 1)
        try mine.save(seed: 2) { try $0.treeImport { _ in }.addStream(as: "only", read: reading(pattern(400))) }
        theirs.bytes = mine.bytes
        for path in ["a", "b"] as [BytePath] {
            mine.bytes[Int(try #require(try theirs.open().entry(at: path)).place) + 200] ^= 1
        }
        let locked = try LockedVault(VaultFixture.vault, in: mine.environment)
        var salvage = try Salvage(locked, master: mine.unlock(locked), slot: 1)
        try salvage.write(to: "salvaged.qvault")
        mine.bytes = try #require(mine.files.node("salvaged.qvault")).content
        #expect(try mine.content("a") == nil && mine.content("b") == [2])
        try merge(theirs, into: mine)
        #expect(try mine.content("a") == [1] && mine.content("b") == pattern(300))
        #expect(try mine.content("only") == pattern(400))
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
        // A removal after that goes to both.
        try mine.trash("b", seed: 6)
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
        let back = try Merge(mine.open(), into: theirs.open())
        try theirs.save(seed: 7) { try back.carryOut(in: $0) }
        #expect(try theirs.content("b") == nil && theirs.content("only") == pattern(400))
    }

    /// A purge holds, also where something else of the same save is left out each time.
    @Test func aPurgeHoldsBesideWhatIsLeftOut() throws {
        let (mine, theirs) = try pair()
        let odd = Entry.Kind(rawValue: 50)
        try theirs.save(seed: 1) { save in
            try save.treeImport { _ in }.addStream(as: "x", read: reading([7]))
            try save.put(save.makeID(), kind: odd, parent: nil, overview: Overview(title: [1]), content: [])
        }
        let parts = Merge.Parts(
            labelsOf: { _ in false }, check: { if $0.entry.kind == odd { throw FormatError(.malformed, "odd") } },
            join: { _, _, _ in nil }, copyName: { _, _ in nil })
        let plan = try Merge(theirs.open(), into: mine.open(), parts: parts)
        try mine.save(seed: 2) { try plan.carryOut(in: $0) }
        let id = try #require(try mine.open().entry(at: "x")).id
        try mine.trash("x", seed: 3)
        try mine.rewrite(seed: 4) { try $0.rewrite(keeping: 1, purging: [id]) }
        let again = try Merge(theirs.open(), into: mine.open(), parts: parts)
        #expect(plan.isPartial && again.isPartial && again.isEmpty && again.outcomes.count == 1)
    }

    /// A version that was left out is not handed on as known to a third copy: that takes it from the copy that has it.
    @Test func whatWasLeftOutIsNotKnown() throws {
        let (one, other) = try pair()
        let third = VaultFixture(copying: one)
        let (odd, id) = (Entry.Kind(rawValue: 50), RecordID(high: 1, low: 1))
        func put(_ content: [UInt8], seed: UInt64) throws {
            try one.save(seed: seed) { save in
                try save.put(id, kind: odd, parent: nil, overview: Overview(title: [1]), content: content)
            }
        }
        try put([1], seed: 1)
        try merge(one, into: third)
        try put([2], seed: 2)
        let parts = Merge.Parts(
            labelsOf: { _ in false }, check: { if $0.entry.kind == odd { throw FormatError(.malformed, "odd") } },
            join: { _, _, _ in nil }, copyName: { _, _ in nil })
        let plan = try Merge(one.open(), into: other.open(), parts: parts)
        try other.save(seed: 3) { try plan.carryOut(in: $0) }
        // It lacks something of what was seen, and is not newer.
        let book = WitnessBook("state", one.environment)
        book.remember(try one.open())
        #expect(try book.freshness(of: other.open()) == .forked(seen: 3))
        try other.put("y", [9], seed: 4)
        let third1 = try Merge(other.open(), into: third.open())
        try third.save(seed: 5) { try third1.carryOut(in: $0) }
        let third2 = try Merge(one.open(), into: third.open())
        try third.save(seed: 6) { try third2.carryOut(in: $0) }
        let vault = try third.open()
        #expect(try vault.content(of: #require(try vault.entry(id)), limit: 9) == [2])
        // The hole is closed by taking the version.
        let last = try Merge(third.open(), into: other.open())
        try other.save(seed: 7) { try last.carryOut(in: $0) }
        #expect(try other.open().entry(id)?.length == 1 && Merge(one.open(), into: other.open()).outcomes.isEmpty)
        #expect(try book.freshness(of: other.open()) == .newer)
    }

    /// A folder has no content that damage could take: what lies in it stays where it is.
    @Test func aDamagedFolderIsSalvaged() throws {
        let (mine, theirs) = try pair()
        mine.bytes[Int(try #require(try theirs.open().entry(at: "d")).place) + 100] ^= 1
        let locked = try LockedVault(VaultFixture.vault, in: mine.environment)
        var salvage = try Salvage(locked, master: mine.unlock(locked), slot: 1)
        try salvage.write(to: "salvaged.qvault")
        mine.bytes = try #require(mine.files.node("salvaged.qvault")).content
        #expect(try salvage.losses.isEmpty && contents(mine) == contents(theirs) && mine.verify().findings.isEmpty)
    }

    /// A peer's copy under the name of a conflict, with the origin of a version here and other content, does not stand for it.
    @Test func aForgedCopyIsNoCopy() throws {
        let (mine, theirs) = try pair()
        try mine.put("a", [10], seed: 1)
        let version = try #require(try mine.open().entry(at: "a"))
        let save = try #require(try mine.open().lines().last { $0.sequence == version.first }).fingerprint
        let name = try copyName("a", of: mine)
        try theirs.save(seed: 2) { save in try save.trash(#require(try theirs.open().entry(at: "a"))) }
        try theirs.put("a/in", [11], seed: 3)
        try theirs.put(name, [12], seed: 4)
        let forged = try #require(try theirs.open().entry(at: name))
        try theirs.save(seed: 5) { transaction in
            try transaction.adopt(forged, VersionOrigin(sequence: version.first, save: save))
        }
        try merge(theirs, into: mine)
        #expect(
            try contents(mine).filter { $0.key.description.hasPrefix("a (") }.values.sorted { $0[0] < $1[0] } == [
                [10], [12],
            ])
    }

    /// A conflict that was resolved by taking the other's version does not lose a later change.
    @Test func aResolvedConflict() throws {
        let (mine, theirs) = try pair()
        for fixture in [mine, theirs] {
            try fixture.put("a (conflict 6)", [31], seed: 1)
        }
        let (left, right) = (mine, VaultFixture(copying: mine))
        try left.put("a", [31], seed: 2)
        try left.trash("a (conflict 6)", seed: 3)
        try right.put("a", [32], seed: 4)
        try merge(right, into: left)
        let after = try contents(left)
        #expect(after["a"] == [31] && after.values.contains([32]), "\(after)")
        let other = VaultFixture(copying: right)
        let back = try Merge(left.open(), into: other.open())
        try other.save(seed: 70) { try back.carryOut(in: $0) }
        let there = try contents(other)
        #expect(there.values.contains([31]) && there.values.contains([32]), "\(there)")
    }

    /// However often, and however long the name is.
    @Test func onceIsEnough() throws {
        let (mine, theirs) = try pair()
        let long = BytePath(String(repeating: "n", count: 250) + ".txt")
        for (fixture, byte) in [(mine, 1), (theirs, 2)] as [(VaultFixture, UInt8)] {
            try fixture.put(long, [byte], seed: UInt64(byte))
        }
        try mine.put("x", [1], seed: 3)
        try theirs.put("x/inner/file", [2], seed: 4)
        try merge(theirs, into: mine)
        #expect(try Merge(theirs.open(), into: mine.open()).isEmpty)
    }

    @Test func anotherVault() throws {
        let mine = try VaultFixture([("a", [1]), ("same", [5])])
        let theirs = try VaultFixture([("a", [2]), ("b", [3]), ("same", [5])], seed: 77)
        let plan = try Merge(theirs.open(), into: mine.open())
        #expect(plan.ancestor == nil)
        #expect(try merge(theirs, into: mine) == ["a": .keptBoth(copyName("a", of: theirs)), "b": .taken])
        #expect(try Merge(mine.open(), into: mine.open()).isEmpty)
    }

    /// A content that this vault once had by itself is no sign that another was merged before.
    @Test func anotherVaultThatHoldsWhatWasHereOnce() throws {
        let mine = try VaultFixture([("a", [1])])
        try mine.put("a", [2], seed: 1)
        let theirs = try VaultFixture([("a", [1])], seed: 77)
        let copy = try copyName("a", of: theirs)
        #expect(try merge(theirs, into: mine) == ["a": .keptBoth(copy)])
        #expect(try mine.content("a") == [2] && mine.content(copy) == [1])
    }

    /// A copy that forgot saves in the middle merges like one that did not: nothing that went comes back, nothing is lost,
    /// and no version is taken for another's.
    @Test(arguments: 0..<120) func thinningChangesNoMerge(_ seed: Int) throws {
        var random = CountingGenerator(seed: UInt64(seed + 1))
        let (mine, theirs) = try pair()
        let names: [BytePath] = ["a", "b", "d/c", "d/e", "x"]
        var next: UInt64 = 100
        func change(_ fixture: VaultFixture, saves: Int) throws {
            for _ in 0..<saves {
                next += 1
                let name = names[Int.random(in: names.indices, using: &random)]
                let entry = try fixture.open().entry(at: name)
                switch (Int.random(in: 0..<5, using: &random), entry) {
                case (0, let entry?): try fixture.save(seed: next) { try $0.trash(entry) }
                case (1, let entry?):
                    var overview = entry.overview
                    overview.tags = ["t\(next)"]
                    try fixture.save(seed: next) { try $0.updateMetadata(entry, overview) }
                default: try fixture.put(name, [UInt8(next % 251)], seed: next)
                }
            }
        }
        try change(mine, saves: 6)
        if seed % 3 > 0 { theirs.bytes = mine.bytes }
        try change(theirs, saves: 4)
        if seed % 2 > 0 {
            try merge(theirs, into: mine, seed: 60)
            try change(theirs, saves: 3)
        }
        try change(mine, saves: 8)
        // The same vault, thinned.
        let thin = VaultFixture(copying: mine)
        let before = try mine.open()
        let kept = Set(try before.saves().map(\.sequence).filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        try thin.rewrite(seed: 90) { try $0.rewrite(keeping: .only(kept, in: before)) }
        try mine.rewrite(seed: 90) { try $0.rewrite(keeping: 0) }
        #expect(try thin.verify().findings.isEmpty && thin.open().warnings.isEmpty)
        for save in kept { #expect(try contents(thin, at: save) == contents(mine, at: save), "save \(save)") }
        let (other, otherOfThin) = (VaultFixture(copying: theirs), theirs)
        // Into it, and from it into the other.
        let plans = try [Merge(other.open(), into: mine.open()), Merge(otherOfThin.open(), into: thin.open())]
        func said(_ plan: Merge) -> [String] { plan.outcomes.map { "\($0.path): \($0.outcome)" } }
        #expect(said(plans[0]) == said(plans[1]))
        let back = try [Merge(mine.open(), into: other.open()), Merge(thin.open(), into: otherOfThin.open())]
        #expect(said(back[0]) == said(back[1]))
        try mine.save(seed: 95) { try plans[0].carryOut(in: $0) }
        try thin.save(seed: 95) { try plans[1].carryOut(in: $0) }
        #expect(try contents(mine) == contents(thin) && thin.verify().findings.isEmpty)
        #expect(try Merge(otherOfThin.open(), into: thin.open()).isEmpty)
    }
}

/// The contents as they were after a save.
private func contents(_ fixture: VaultFixture, at save: UInt64) throws -> [BytePath: [UInt8]] {
    let vault = try fixture.open().snapshot(atSave: save)
    var result: [BytePath: [UInt8]] = [:]
    for (path, entry) in try TreeListing(vault.entries()) where entry.kind == .file {
        result[path] = try vault.content(of: entry, limit: 1 << 20)
    }
    return result
}
