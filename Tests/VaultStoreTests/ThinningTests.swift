import Testing
import Values
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Rewriting that keeps some saves of those in between (Spec/store.md, 10).
struct ThinningTests {
    /// Saves that go from the middle take with them what they alone showed; what came after them says when it came.
    @Test func thinning() throws {
        let fixture = try VaultFixture([("a", [1])])
        for number in 2...7 as ClosedRange<UInt8> { try fixture.put("a", [number], seed: UInt64(number)) }
        let a = try #require(try fixture.open().entry(at: "a")).id
        try fixture.rewrite(seed: 8) { try $0.rewrite(keeping: .only([2, 5], in: fixture.open())) }
        let vault = try fixture.open()
        #expect(try vault.saves().filter(\.isKept).map(\.sequence) == [2, 5, 7, 8])
        for (save, number) in [(2, 2), (5, 5), (7, 7)] as [(UInt64, UInt8)] {
            let then = try vault.snapshot(atSave: save)
            #expect(try then.content(of: #require(try then.entry(at: "a")), limit: 10) == [number])
        }
        #expect(throws: VaultError.noSuchSave(3, oldest: 2)) { try vault.snapshot(atSave: 3) }
        let changes: [Version] = try vault.changes(of: a)
        #expect(changes.map(\.save) == [2, 5, 7] && changes.map(\.change) == [.added, .changed, .changed])
        #expect(changes.map(\.entry.first) == [2, 3, 6] && changes.map(\.entry.last) == [2, 5, nil])
        #expect(try fixture.verify().findings.isEmpty)
        // Again, and a purge after it.
        try fixture.rewrite(seed: 9) { try $0.rewrite(keeping: .only([2], in: fixture.open())) }
        #expect(try fixture.open().changes(of: a).map(\.save) == [2, 7])
        try fixture.rewrite(seed: 10) { try $0.rewrite(keeping: 0, purging: [a]) }
        #expect(try fixture.open().changes(of: a).map(\.change) == [.purged])
    }

    /// Records that one save removed belong together after a thinning too, and a backup without history says when they went.
    @Test func thinningAndTheTrash() throws {
        let mine = try VaultFixture([("d/a", [1]), ("d/b", [1])])
        let theirs = VaultFixture(copying: mine)
        try mine.put("d/a", [2], seed: 2)
        theirs.bytes = mine.bytes
        try mine.put("d/b", [3], seed: 3)
        try mine.save(seed: 4) { save in
            for entry in try mine.open().entries() { try save.trash(entry) }
        }
        try mine.rewrite(seed: 5) { try $0.rewrite(keeping: .only([1], in: mine.open())) }
        let vault = try mine.open()
        let trash = try vault.allEntries().filter { $0.state == .trashed && $0.kind == .file }
        let maker = try vault.maker()
        #expect(Set(trash.map(\.first)) != [4] && Set(trash.map(maker)) == [4])
        try vault.backUp(to: "present.qvault", withHistory: false)
        let backup = VaultFixture(copying: mine)
        backup.bytes = try #require(mine.files.node("present.qvault")).content
        let plan = try Merge(backup.open(), into: theirs.open())
        try theirs.save(seed: 6) { try plan.carryOut(in: $0) }
        #expect(try theirs.content("d/a") == nil && theirs.content("d/b") == nil)
    }

    /// Saves from the future count as made now.
    @Test func thinningWithAWrongClock() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 2)
        var environment = fixture.environment
        let now = Timestamp(microseconds: 5)
        environment.now = { now }
        let vault = try LockedVault(VaultFixture.vault, in: environment).open(
            master: Secret(copying: fixture.master.span))
        var seen: [Timestamp] = []
        _ = try KeptSaves.by(#require(Retention("3d")), in: vault) { time in
            seen.append(time)
            return Day(clamping: 0)
        }
        #expect(seen == [now, now])
    }

    /// What a rule keeps: the newest save of each period.
    @Test func thinningByDays() throws {
        let fixture = try VaultFixture([("a", [1])])
        for number in 2...9 as ClosedRange<UInt8> { try fixture.put("a", [number], seed: UInt64(number)) }
        var calls = 0
        let kept = try KeptSaves.by(#require(Retention("2d,1w")), in: fixture.open()) { _ in
            calls += 1
            return Day(clamping: Int64(calls / 3))
        }
        #expect(kept.counts.kept == 2 && kept.counts.all == 9 && calls == 9)
        try fixture.rewrite(seed: 10) { try $0.rewrite(keeping: kept) }
        #expect(try fixture.open().saves().filter(\.isKept).map(\.sequence) == [8, 9, 10])
    }
}
