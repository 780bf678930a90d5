import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Long contents in pieces (Spec/container.md, 3.10; Spec/store.md, 15): what is the same is stored once.
struct PieceTests {
    private let scene: PieceScene

    init() throws { scene = try PieceScene() }

    @Test func aLongContentIsCut() throws {
        scene.write("a", PieceScene.long)
        scene.write("short", Array(PieceScene.long[..<2_000_000]))
        try scene.store(seed: 1)
        #expect(try scene.entry("a").content.isList && !scene.entry("short").content.isList)
        let pieces = try scene.list("a")
        #expect(pieces.count > 3 && pieces.reduce(0) { $0 + $1.length } == UInt64(PieceScene.long.count))
        #expect(pieces.dropLast().allSatisfy { 1 << 20 + 1...1 << 21 ~= $0.length })
        #expect(try scene.isHeld("a", PieceScene.long) && scene.isHeld("short", Array(PieceScene.long[..<2_000_000])))
        #expect(try scene.fixture.verify().findings.isEmpty)
    }

    /// Every place of a cut moves with the bytes before it: of a change, the pieces around it are stored.
    @Test(arguments: [(100, 10), (3_000_000, 1), (6_999_990, 70_000)])
    func aChangeBringsThePiecesAroundIt(_ place: Int, _ count: Int) throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let old = try scene.list("a")
        let bytes = scene.inserted(count, at: place)
        scene.write("a", bytes)
        try scene.store(seed: 2)
        let new = try scene.list("a")
        #expect(Set(new).subtracting(old).count <= 2)
        #expect(try scene.isHeld("a", bytes))
        #expect(try scene.fixture.verify().findings.isEmpty)
        // What was there before is shown as it was.
        let before = try scene.fixture.open().snapshot(atSave: 2)
        var shown: [UInt8] = []
        try before.read(#require(try before.entry(at: "d/a"))) { shown += Array(copying: $0) }
        #expect(shown == PieceScene.long)
        // A backup of that save has its pieces, and no others.
        try before.backUp(to: "before.qvault", withHistory: false)
        let copy = try scene.fixture.open("before.qvault")
        #expect(try copy.entries().filter { $0.kind == .piece }.map(\.id).sorted() == Set(old.map(\.id)).sorted())
        #expect(try copy.verify().findings.isEmpty)
    }

    /// A part of a content: the list is read, and the pieces that overlap.
    @Test func rangesOfAContent() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let (vault, entry) = (try scene.fixture.open(), try scene.entry("a"))
        let cut = try scene.list("a")[0].length
        for range in [
            0..<1, cut - 1..<cut + 1, cut..<cut + 70_000, 5_000_000..<6_999_999, 6_999_999..<9_000_000,
            7_000_000..<7_000_001,
        ] {
            var part: [UInt8] = []
            try vault.read(entry, in: range) { part += Array(copying: $0) }
            let wanted = range.clamped(to: 0..<UInt64(PieceScene.long.count))
            #expect(part == Array(PieceScene.long[Int(wanted.lowerBound)..<Int(wanted.upperBound)]), "\(range)")
        }
        // Damage of one piece hides no other.
        let piece = try #require(try vault.entry(scene.list("a")[2].id))
        scene.fixture.bytes[Int(piece.place) + 300] ^= 1
        var part: [UInt8] = []
        try vault.read(entry, in: 0..<cut) { part += Array(copying: $0) }
        #expect(part == Array(PieceScene.long[..<Int(cut)]))
        #expect(throws: FormatError.self) { try vault.read(entry, in: 0..<7_000_000) { _ in } }
    }

    /// Files share parts, in one save and with what the vault has; and so does a stream that is stored again.
    @Test func filesSharePieces() throws {
        scene.write("a", PieceScene.long)
        scene.write("b", pattern(1000) + PieceScene.long)
        try scene.store(seed: 1)
        let a = Set(try scene.list("a"))
        #expect(try Set(scene.list("b")).subtracting(a).count <= 2)
        scene.write("sub/c", PieceScene.long + pattern(1000, 5))
        try scene.store(seed: 2)
        #expect(try Set(scene.list("sub/c")).subtracting(a).count <= 2)
        for seed in [UInt64(3), 4] {
            try scene.fixture.save(seed: seed) {
                try $0.treeImport { Issue.record("\($0)") }.addStream(as: "d/stream", read: reading(PieceScene.long))
            }
        }
        #expect(try scene.isHeld("stream", PieceScene.long) && scene.isHeld("b", pattern(1000) + PieceScene.long))
        let before = try scene.pieceCount()
        try scene.fixture.save(seed: 5) {
            try $0.treeImport { Issue.record("\($0)") }.addStream(as: "d/stream", read: reading(PieceScene.long))
        }
        #expect(try scene.pieceCount() == before)
        #expect(try scene.fixture.verify().findings.isEmpty)
    }

    /// The beginning and the length of a piece are the same: bytes decide.
    @Test func whatDiffersLaterIsNotShared() throws {
        var bytes = PieceScene.long
        scene.write("a", bytes)
        try scene.store(seed: 1)
        let cut = Int(try scene.list("a")[0].length)
        bytes[cut - 100] ^= 1
        bytes[cut + 100_000] ^= 1
        scene.write("a", bytes)
        scene.write("b", bytes)
        try scene.store(seed: 2)
        #expect(try scene.isHeld("a", bytes) && scene.isHeld("b", bytes))
        // And back: an older piece is found again.
        let before = try scene.pieceCount()
        scene.write("a", PieceScene.long)
        try scene.store(seed: 3)
        #expect(try scene.isHeld("a", PieceScene.long) && scene.pieceCount() == before)
    }

    @Test func zerosAreOnePiece() throws {
        scene.write("a", [UInt8](repeating: 0, count: 21_000_000))
        try scene.store(seed: 1)
        #expect(try Set(scene.list("a")).count == 2 && scene.fixture.bytes.count < 200_000)
        #expect(try scene.isHeld("a", [UInt8](repeating: 0, count: 21_000_000)))
        // Of a longer one the vault has that piece.
        let before = try Set(scene.list("a"))
        scene.write("a", [UInt8](repeating: 0, count: 23_000_000))
        try scene.store(seed: 2)
        #expect(try Set(scene.list("a")).subtracting(before).count == 1)
    }

    /// What a damaged piece held is stored anew.
    @Test func aDamagedPieceIsNotShared() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let piece = try scene.list("a")[1]
        let place = try #require(try scene.fixture.open().entry(piece.id)).place
        scene.fixture.bytes[Int(place) + 70_000] ^= 1
        #expect(try scene.fixture.verify().findings.contains { $0.code == .damaged })
        scene.write("a", scene.inserted(1, at: 6_000_000))
        try scene.store(seed: 2)
        #expect(try !scene.list("a").contains(piece))
        #expect(try scene.isHeld("a", scene.inserted(1, at: 6_000_000)))
    }

    /// A file that cannot be read to its end is stored as far as it goes, in the trash; one that becomes shorter, as it is.
    @Test func aFileThatEndsEarly() throws {
        scene.write("a", PieceScene.long)
        scene.write("b", PieceScene.long)
        scene.files.beforeCall = { call in
            guard call.operation == "read" else { return }
            if call.path == "d/b" { scene.files.node("d/b")!.content = Array(PieceScene.long[..<3_000_000]) }
        }
        var changed: [BytePath] = []
        try scene.fixture.save(seed: 1) { try $0.importing("d", changedMeanwhile: &changed) }
        #expect(changed == ["d/b"])
        #expect(try scene.isHeld("a", PieceScene.long) && scene.isHeld("b", Array(PieceScene.long[..<3_000_000])))
        #expect(try scene.fixture.verify().findings.isEmpty)
    }

    /// A reader that was left in the middle of a record reads another one, its list too.
    @Test func aReaderLeftInTheMiddle() throws {
        scene.write("a", PieceScene.long)
        scene.write("b", Array(PieceScene.long.reversed()))
        try scene.store(seed: 1)
        let vault = try scene.fixture.open()
        var reader = try vault.reader()
        let (a, b) = (try scene.entry("a"), try scene.entry("b"))
        var some = [UInt8](repeating: 0, count: 10)
        for _ in 0..<20 {
            try reader.open(vault.manifest.contents(of: a, with: &reader))
            _ = try some.withMutableSlice(0..<10) { try reader.pull(into: &$0) }
            var content: [UInt8] = []
            for part in try vault.manifest.contents(of: b, with: &reader) {
                try reader.read(part) { content += Array(copying: $0) }
            }
            #expect(content.count == PieceScene.long.count)
        }
        #expect(Array(PieceScene.long[..<10]) == some)
    }

    /// A damaged piece is told by the name of a file that has it.
    @Test func damageHasAName() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let piece = try scene.list("a")[1]
        let place = try #require(try scene.fixture.open().entry(piece.id)).place
        scene.fixture.bytes[Int(place) + 70_000] ^= 1
        let damage = try scene.fixture.verify().findings.filter { $0.record != nil }
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
        scene.write("a", PieceScene.long)
        try scene.fixture.save(seed: 1) { save in
            save.isCompressing = false
            try save.treeImport { Issue.record("\($0)") }.add("d", as: "d")
        }
        #expect(try !scene.entry("a").content.isList && scene.pieceCount() == 0)
    }

    /// Pieces are nobody's records: no difference, no change of a save, no path.
    @Test func piecesAreNotListed() throws {
        scene.write("a", PieceScene.long)
        try scene.store(seed: 1)
        let before = try scene.fixture.open()
        scene.write("a", scene.inserted(10, at: 3_000_000))
        try scene.store(seed: 2)
        let now = try scene.fixture.open()
        #expect(try before.differences(to: now).map(\.path) == ["d/a"])
        #expect(try now.changes().allSatisfy { $0.entry.kind.isInTree })
    }
}
