import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Long contents in pieces (Spec/container.md, 3.10; Spec/store.md, 15): what is the same is stored once, and whatever is named is
/// there after every verb.
struct PieceTests {
    private let files = MemoryFileSystem()
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture(on: files) }

    private static let long = pattern(7_000_000)

    private func write(_ path: String, _ bytes: [UInt8]) { files.write(BytePath("d/\(path)"), bytes) }

    private func store(seed: UInt64) throws {
        try fixture.save(seed: seed) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
    }

    private func entry(_ path: String) throws -> Entry {
        try #require(try fixture.open().entry(at: BytePath("d/\(path)")))
    }

    private func list(_ path: String, of fixture: VaultFixture? = nil) throws -> [PieceList.Piece] {
        let vault = try (fixture ?? self.fixture).open()
        let entry = try #require(try vault.entry(at: BytePath("d/\(path)")))
        var reader = try vault.reader()
        return try reader.list(entry.content).pieces
    }

    private func pieceCount(_ fixture: VaultFixture? = nil) throws -> Int {
        try (fixture ?? self.fixture).open().entries().count { $0.kind == .piece }
    }

    /// True without a word about megabytes where it is false.
    private func isHeld(_ path: String, _ bytes: [UInt8], by fixture: VaultFixture? = nil) throws -> Bool {
        try (fixture ?? self.fixture).content(BytePath("d/\(path)")) == bytes
    }

    private func inserted(_ count: Int, at place: Int) -> [UInt8] {
        Array(Self.long[..<place]) + pattern(count, 99) + Self.long[place...]
    }

    @Test func aLongContentIsCut() throws {
        write("a", Self.long)
        write("short", Array(Self.long[..<2_000_000]))
        try store(seed: 1)
        #expect(try entry("a").content.isList && !entry("short").content.isList)
        let pieces = try list("a")
        #expect(pieces.count > 3 && pieces.reduce(0) { $0 + $1.length } == UInt64(Self.long.count))
        #expect(pieces.dropLast().allSatisfy { 1 << 20 + 1...1 << 21 ~= $0.length })
        #expect(try isHeld("a", Self.long) && isHeld("short", Array(Self.long[..<2_000_000])))
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// Every place of a cut moves with the bytes before it: of a change, the pieces around it are stored.
    @Test(arguments: [(100, 10), (3_000_000, 1), (6_999_990, 70_000)])
    func aChangeBringsThePiecesAroundIt(_ place: Int, _ count: Int) throws {
        write("a", Self.long)
        try store(seed: 1)
        let old = try list("a")
        let bytes = inserted(count, at: place)
        write("a", bytes)
        try store(seed: 2)
        let new = try list("a")
        #expect(Set(new).subtracting(old).count <= 2)
        #expect(try isHeld("a", bytes))
        #expect(try fixture.verify().findings.isEmpty)
        // What was there before is shown as it was.
        let before = try fixture.open().snapshot(atSave: 2)
        var shown: [UInt8] = []
        try before.read(#require(try before.entry(at: "d/a"))) { shown += Array(copying: $0) }
        #expect(shown == Self.long)
        // A backup of that save has its pieces, and no others.
        try before.backUp(to: "before.qvault", withHistory: false)
        let copy = try fixture.open("before.qvault")
        #expect(try copy.entries().filter { $0.kind == .piece }.map(\.id).sorted() == Set(old.map(\.id)).sorted())
        #expect(try copy.verify().findings.isEmpty)
    }

    /// A part of a content: the list is read, and the pieces that overlap.
    @Test func rangesOfAContent() throws {
        write("a", Self.long)
        try store(seed: 1)
        let (vault, entry) = (try fixture.open(), try entry("a"))
        let cut = try list("a")[0].length
        for range in [
            0..<1, cut - 1..<cut + 1, cut..<cut + 70_000, 5_000_000..<6_999_999, 6_999_999..<9_000_000,
            7_000_000..<7_000_001,
        ] {
            var part: [UInt8] = []
            try vault.read(entry, in: range) { part += Array(copying: $0) }
            let wanted = range.clamped(to: 0..<UInt64(Self.long.count))
            #expect(part == Array(Self.long[Int(wanted.lowerBound)..<Int(wanted.upperBound)]), "\(range)")
        }
        // Damage of one piece hides no other.
        let piece = try #require(try vault.entry(list("a")[2].id))
        fixture.bytes[Int(piece.place) + 300] ^= 1
        var part: [UInt8] = []
        try vault.read(entry, in: 0..<cut) { part += Array(copying: $0) }
        #expect(part == Array(Self.long[..<Int(cut)]))
        #expect(throws: FormatError.self) { try vault.read(entry, in: 0..<7_000_000) { _ in } }
    }

    /// Files share parts, in one save and with what the vault has; and so does a stream that is stored again.
    @Test func filesSharePieces() throws {
        write("a", Self.long)
        write("b", pattern(1000) + Self.long)
        try store(seed: 1)
        let a = Set(try list("a"))
        #expect(try Set(list("b")).subtracting(a).count <= 2)
        write("sub/c", Self.long + pattern(1000, 5))
        try store(seed: 2)
        #expect(try Set(list("sub/c")).subtracting(a).count <= 2)
        for seed in [UInt64(3), 4] {
            try fixture.save(seed: seed) {
                try $0.treeImport { Issue.record("\($0)") }.addStream(as: "d/stream", read: reading(Self.long))
            }
        }
        #expect(try isHeld("stream", Self.long) && isHeld("b", pattern(1000) + Self.long))
        let before = try pieceCount()
        try fixture.save(seed: 5) {
            try $0.treeImport { Issue.record("\($0)") }.addStream(as: "d/stream", read: reading(Self.long))
        }
        #expect(try pieceCount() == before)
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// The beginning and the length of a piece are the same: bytes decide.
    @Test func whatDiffersLaterIsNotShared() throws {
        var bytes = Self.long
        write("a", bytes)
        try store(seed: 1)
        let cut = Int(try list("a")[0].length)
        bytes[cut - 100] ^= 1
        bytes[cut + 100_000] ^= 1
        write("a", bytes)
        write("b", bytes)
        try store(seed: 2)
        #expect(try isHeld("a", bytes) && isHeld("b", bytes))
        // And back: an older piece is found again.
        let before = try pieceCount()
        write("a", Self.long)
        try store(seed: 3)
        #expect(try isHeld("a", Self.long) && pieceCount() == before)
    }

    @Test func zerosAreOnePiece() throws {
        write("a", [UInt8](repeating: 0, count: 21_000_000))
        try store(seed: 1)
        #expect(try Set(list("a")).count == 2 && fixture.bytes.count < 200_000)
        #expect(try isHeld("a", [UInt8](repeating: 0, count: 21_000_000)))
        // Of a longer one the vault has that piece.
        let before = try Set(list("a"))
        write("a", [UInt8](repeating: 0, count: 23_000_000))
        try store(seed: 2)
        #expect(try Set(list("a")).subtracting(before).count == 1)
    }

    /// What a damaged piece held is stored anew.
    @Test func aDamagedPieceIsNotShared() throws {
        write("a", Self.long)
        try store(seed: 1)
        let piece = try list("a")[1]
        let place = try #require(try fixture.open().entry(piece.id)).place
        fixture.bytes[Int(place) + 70_000] ^= 1
        #expect(try fixture.verify().findings.contains { $0.code == .damaged })
        write("a", inserted(1, at: 6_000_000))
        try store(seed: 2)
        #expect(try !list("a").contains(piece))
        #expect(try isHeld("a", inserted(1, at: 6_000_000)))
    }

    /// Compaction drops what only older versions name, and nothing else; so does a purge.
    @Test func rewritingDropsWhatNoListNames() throws {
        write("a", Self.long)
        write("b", pattern(3_000_000, 7))
        try store(seed: 1)
        write("a", inserted(10, at: 3_000_000))
        try store(seed: 2)
        let all = try pieceCount()
        try fixture.rewrite(seed: 3) { try $0.rewrite(keeping: 2) }
        #expect(try pieceCount() == all)
        try fixture.rewrite(seed: 4) { try $0.rewrite(keeping: 4) }
        #expect(try pieceCount() < all)
        #expect(try isHeld("a", inserted(10, at: 3_000_000)))
        let doomed = try entry("b").id
        try fixture.rewrite(seed: 5) { try $0.rewrite(keeping: 1, purging: [doomed]) }
        #expect(try pieceCount() == Set(list("a")).count)
        #expect(try isHeld("a", inserted(10, at: 3_000_000)) && fixture.verify().findings.isEmpty)
    }

    /// What is in the trash keeps its pieces, and comes back whole. A backup without history has no trash.
    @Test func theTrashKeepsPieces() throws {
        write("a", Self.long)
        write("b", pattern(3_000_000, 7))
        try store(seed: 1)
        let trashed = try entry("a")
        try fixture.save(seed: 2) { try $0.trash(trashed) }
        try fixture.open().backUp(to: "backup.qvault", withHistory: false)
        #expect(try fixture.open("backup.qvault").entries().count { $0.kind == .piece } == Set(list("b")).count)
        #expect(try fixture.open("backup.qvault").verify().findings.isEmpty)
        try fixture.rewrite(seed: 3) { try $0.rewrite(keeping: 3) }
        let carried = try #require(try fixture.open().allEntries().first { $0.id == trashed.id })
        try fixture.save(seed: 4) { try $0.reinstate(carried) }
        #expect(try isHeld("a", Self.long))
    }

    /// Under another master key contents are cut as before.
    @Test func aRotationKeepsPieces() throws {
        write("a", Self.long)
        try store(seed: 1)
        let old = try list("a")
        var environment = fixture.environment
        environment.random = CountingRandom(seed: 2)
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
        let (_, keys) = try transaction.rotate { keys in
            try transaction.slots.setting(1, for: VaultFixture.credential(), .init(), keys: keys, &environment)
        }
        environment.random = CountingRandom(seed: 3)
        let next = try VaultTransaction(
            VaultFixture.vault, in: environment, timeout: .zero, admit: { _ in }, keys: { _ in keys })
        write("a", inserted(10, at: 3_000_000))
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
        write("a", Self.long)
        try store(seed: 1)
        let theirs = VaultFixture(copying: fixture)
        let bytes = inserted(10, at: 3_000_000)
        write("both", bytes)
        try store(seed: 2)
        for (path, bytes) in [("a", inserted(10, at: 5_500_000)), ("both2", bytes)] {
            theirs.files.write(BytePath("d/\(path)"), bytes)
        }
        try theirs.save(seed: 3) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
        let known = try Set(list("both")).union(list("a"))
        try merge(theirs, into: fixture)
        #expect(try isHeld("a", inserted(10, at: 5_500_000)) && isHeld("both2", bytes) && isHeld("both", bytes))
        #expect(try Set(list("both2")).subtracting(known).isEmpty)
        #expect(try Set(list("a")).subtracting(known).count <= 2)
        // And back: nothing is left to bring.
        let back = try Merge(fixture.open(), into: theirs.open())
        try theirs.save(seed: 60) { try back.carryOut(in: $0) }
        #expect(try isHeld("both", bytes, by: theirs) && isHeld("a", inserted(10, at: 5_500_000), by: theirs))
        #expect(try Merge(theirs.open(), into: fixture.open()).outcomes.isEmpty)
    }

    /// A conflict keeps both contents.
    @Test func aConflictKeepsBoth() throws {
        write("a", Self.long)
        try store(seed: 1)
        let theirs = VaultFixture(copying: fixture)
        let (one, other) = (inserted(10, at: 1_000_000), inserted(20, at: 6_000_000))
        write("a", one)
        try store(seed: 2)
        theirs.files.write("d/a", other)
        try theirs.save(seed: 3) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
        try merge(theirs, into: fixture)
        let found = try contents(fixture).values.filter { $0.count > 1000 }
        #expect(found.count == 2 && found.contains { $0 == one } && found.contains { $0 == other })
    }

    /// A content of which a piece is lost is lost, and an older version that has all of its pieces takes its place.
    @Test func salvageHoldsListsAgainstPieces() throws {
        write("a", Self.long)
        write("b", pattern(3_000_000, 7))
        try store(seed: 1)
        let old = try Set(list("a"))
        write("a", inserted(10, at: 3_000_000))
        try store(seed: 2)
        let fresh = try #require(try list("a").first { !old.contains($0) })
        let place = try #require(try fixture.open().entry(fresh.id)).place
        fixture.bytes[Int(place) + 1000] ^= 1
        let locked = try LockedVault(VaultFixture.vault, in: fixture.environment)
        var salvage = try Salvage(locked, master: Secret(copying: fixture.master.span), slot: 1)
        let out = try salvage.write(to: "out.qvault")
        #expect(salvage.losses.contains { $0.path == "d/a" && $0.wasPresent })
        for (path, bytes) in [("d/a", Self.long), ("d/b", pattern(3_000_000, 7))] {
            var content: [UInt8] = []
            try out.read(#require(try out.entry(at: BytePath(path)))) { content += Array(copying: $0) }
            #expect(content == bytes, "\(path)")
        }
        #expect(try out.verify().findings.isEmpty)
    }

    /// A file that cannot be read to its end is stored as far as it goes, in the trash; one that becomes shorter, as it is.
    @Test func aFileThatEndsEarly() throws {
        write("a", Self.long)
        write("b", Self.long)
        files.beforeCall = { [files] call in
            guard call.operation == "read" else { return }
            if call.path == "d/b" { files.node("d/b")!.content = Array(Self.long[..<3_000_000]) }
        }
        var problems: [TreeProblem] = []
        try fixture.save(seed: 1) { try $0.treeImport { problems.append($0) }.add("d", as: "d") }
        #expect(problems == [TreeProblem(path: "d/b", reason: .changed)])
        #expect(try isHeld("a", Self.long) && isHeld("b", Array(Self.long[..<3_000_000])))
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A reader that was left in the middle of a record reads another one, its list too.
    @Test func aReaderLeftInTheMiddle() throws {
        write("a", Self.long)
        write("b", Array(Self.long.reversed()))
        try store(seed: 1)
        let vault = try fixture.open()
        var reader = try vault.reader()
        let (a, b) = (try entry("a"), try entry("b"))
        var some = [UInt8](repeating: 0, count: 10)
        for _ in 0..<20 {
            try reader.open(vault.manifest.contents(of: a, with: &reader))
            _ = try some.withMutableSlice(0..<10) { try reader.pull(into: &$0) }
            var content: [UInt8] = []
            for part in try vault.manifest.contents(of: b, with: &reader) {
                try reader.read(part) { content += Array(copying: $0) }
            }
            #expect(content.count == Self.long.count)
        }
        #expect(Array(Self.long[..<10]) == some)
    }

    /// A copy in which pieces are gone, or something else has their ids: what is here stays whole.
    @Test func aCopyTakesNoPiecesAway() throws {
        write("a", Self.long)
        try store(seed: 1)
        let theirs = VaultFixture(copying: fixture)
        let pieces = try list("a")
        let doomed = Set(pieces.map(\.id))
        // Nobody takes away what a file needs.
        try theirs.save(seed: 2) { save in
            let stored = try #require(try save.before.entry(pieces[0].id))
            #expect(throws: FormatError.self) { try save.trash(stored) }
            try save.treeImport { _ in }.addStream(as: "x", read: reading([1]))
        }
        try theirs.rewrite(seed: 3) { try $0.rewrite(keeping: 3, purging: doomed) }
        #expect(try isHeld("a", Self.long, by: theirs))
        let file = try entry("a").id
        try theirs.rewrite(seed: 4) { try $0.rewrite(keeping: 4, purging: [file]) }
        try theirs.save(seed: 5) { save in for id in doomed { try save.bury(id) } }
        let plan = try Merge(theirs.open(), into: fixture.open())
        #expect(Set(plan.outcomes.map(\.path)) == ["d/a", "x"])
        try fixture.save(seed: 6) { try plan.carryOut(in: $0) }
        #expect(try doomed.allSatisfy { try fixture.open().entry($0) != nil } && fixture.verify().findings.isEmpty)
    }

    /// A damaged piece is told by the name of a file that has it.
    @Test func damageHasAName() throws {
        write("a", Self.long)
        try store(seed: 1)
        let piece = try list("a")[1]
        let place = try #require(try fixture.open().entry(piece.id)).place
        fixture.bytes[Int(place) + 70_000] ^= 1
        let damage = try fixture.verify().findings.filter { $0.record != nil }
        #expect(damage.map(\.record) == ["d/a"])
    }

    /// Lengths whose sum is beyond 64 bits, and one that is right modulo 2^64.
    @Test func aSumThatOverflows() throws {
        let row = PieceList.Piece(id: .zero, length: Limits.recordByteCount)
        for last in [0, 1, 0 &- Limits.recordByteCount &* (1 << 17) &+ 100] {
            var pieces = [PieceList.Piece](repeating: row, count: 1 << 17)
            if last > 0 { pieces.append(PieceList.Piece(id: .zero, length: last)) }
            let bytes = PieceList(pieces).bytes
            let content = StoredContent(
                salt: .zero, place: 0, length: 100, otherLength: UInt64(bytes.count), isList: true)
            #expect(throws: FormatError.self) { try PieceList(bytes, of: content) }
        }
    }

    /// Without compression sizes tell nothing: nothing is cut.
    @Test func aVaultWithoutCompressionCutsNothing() throws {
        write("a", Self.long)
        try fixture.save(seed: 1) { save in
            save.isCompressing = false
            try save.treeImport { Issue.record("\($0)") }.add("d", as: "d")
        }
        #expect(try !entry("a").content.isList && pieceCount() == 0)
    }

    /// Pieces are nobody's records: no difference, no change of a save, no path.
    @Test func piecesAreNotListed() throws {
        write("a", Self.long)
        try store(seed: 1)
        let before = try fixture.open()
        write("a", inserted(10, at: 3_000_000))
        try store(seed: 2)
        let now = try fixture.open()
        #expect(try before.differences(to: now).map(\.path) == ["d/a"])
        #expect(try now.changes().allSatisfy { $0.entry.kind.isInTree })
    }
}
