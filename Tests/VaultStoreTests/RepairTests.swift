import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Repairs by what stands in a file twice, by other copies, and in place (Spec/reader.md, 10).
struct RepairTests {
    private let copy: BytePath = "copy.qvault"
    private let repaired: BytePath = "repaired.qvault"

    private func fixture(parity: Int? = nil) throws -> (VaultFixture, backup: [UInt8]) {
        let fixture = try VaultFixture([("a", pattern(150_000))])
        for seed in UInt64(1)...3 { try fixture.put(BytePath("\(seed)"), pattern(3000, UInt8(seed)), seed: seed) }
        try fixture.open().backUp(to: copy, parity: parity)
        return (fixture, try #require(fixture.files.node(copy)?.content))
    }

    private func repair(
        _ bytes: [UInt8], _ fixture: VaultFixture, from copies: [BytePath] = []
    ) throws -> (Repair, [UInt8]) {
        fixture.files.write(copy, bytes)
        if fixture.files.node(repaired) != nil { try fixture.files.openFolder("").removeFile(repaired.bytes) }
        let repair = try Repair(copy, to: repaired, from: copies, in: fixture.environment)
        return (repair, try #require(fixture.files.node(repaired)?.content))
    }

    /// Whatever the format calls repairable is repaired, with no parity and no key.
    @Test func whatStandsTwice() throws {
        let (fixture, whole) = try fixture()
        let cores = try LockedVault(copy, in: fixture.environment).commits()
        let newest = cores[0]
        var places: [Range<UInt64>] = [0..<4096, 65_536..<65_537, 5000..<6000, 70_000..<131_072]
        places.append(newest.end..<newest.end + 4096)
        for core in cores {
            let record = core.recordOffset
            places += [record..<record + 512, record + 512..<record + 1024, record + 1024..<record + 1080]
        }
        for place in places {
            var bytes = whole
            for at in place { bytes[Int(at)] ^= 0x5A }
            let (repair, result) = try repair(bytes, fixture)
            #expect(result == whole && repair.isWhole, "\(place)")
        }
        var bytes = whole
        // The copies of the cores stay, and page T: with page B it would be a newer save that may be lost.
        for place in places.dropFirst()
        where place.lowerBound != newest.end && !cores.contains(where: { $0.recordOffset + 512 == place.lowerBound }) {
            bytes[Int(place.lowerBound)] ^= 1
        }
        #expect(try repair(bytes, fixture).1 == whole)
        #expect(throws: FormatError.self) { try repair(whole, fixture) }
    }

    /// A payload without parity comes back from any copy that has the same commit, however it ends.
    @Test func fromOtherCopies() throws {
        let (fixture, whole) = try fixture()
        let cores = try LockedVault(copy, in: fixture.environment).commits()
        // An older copy, a newer one, and one that is damaged elsewhere.
        fixture.files.write("live.qvault", fixture.bytes)
        try fixture.put("late", pattern(5000), seed: 9)
        fixture.files.write("newer.qvault", fixture.bytes)
        var damaged = whole
        for at in Int(cores[0].start)..<Int(cores[0].recordOffset) { damaged[at] = 0 }
        fixture.files.write("damaged.qvault", damaged)
        var bytes = whole
        bytes[Int(cores[3].start) + 70_000] ^= 1
        bytes[Int(cores[1].start) + 10] ^= 1
        for other in ["live.qvault", "newer.qvault", "damaged.qvault"] as [BytePath] {
            let (repair, result) = try repair(bytes, fixture, from: [other])
            #expect(repair.isWhole && result == whole, "\(other)")
        }
        // What two copies lack in different places.
        bytes[Int(cores[0].start) + 10] ^= 1
        let (part, _) = try repair(bytes, fixture, from: ["damaged.qvault"])
        #expect(!part.isWhole && part.verification?.worst == .damaged)
        #expect(try repair(bytes, fixture, from: ["damaged.qvault", "newer.qvault"]).1 == whole)
        // No commit is found below a record that is gone in both of its places.
        bytes = whole
        for at in Int(cores[3].start)..<Int(cores[2].recordOffset + 1024) { bytes[at] = 0 }
        for at in Int(cores[1].recordOffset)..<Int(cores[1].recordOffset + 1024) { bytes[at] = 0 }
        #expect(try repair(bytes, fixture, from: ["live.qvault"]).1 == whole)
        // Nothing of the file tells which state it has.
        bytes = whole
        for at in [0, 65_536, bytes.count - 4096] { for i in at..<at + 4096 { bytes[i] = 0 } }
        let (_, result) = try repair(bytes, fixture, from: ["live.qvault"])
        #expect(result[131_072..<result.count - 4096] == whole[131_072..<whole.count - 4096])
    }

    /// Another vault, and another history, lend nothing.
    @Test func copiesOfSomethingElse() throws {
        let (fixture, whole) = try fixture()
        let core = try LockedVault(copy, in: fixture.environment).commits()[0]
        var bytes = whole
        bytes[Int(core.start) + 10] ^= 1
        fixture.files.write("other.qvault", try VaultFixture([("x", pattern(200_000))], seed: 50).bytes)
        let error = #expect(throws: FormatError.self) { try repair(bytes, fixture, from: ["other.qvault"]) }
        #expect(error?.what.description == "other.qvault: a copy of another vault")
        fixture.files.write("none.qvault", [1, 2, 3])
        #expect(throws: FormatError.self) { try repair(bytes, fixture, from: ["none.qvault"]) }
        #expect(throws: IOError.self) { try repair(bytes, fixture, from: ["gone.qvault"]) }
        #expect(fixture.files.node(repaired) == nil)
    }

    /// A copy gives its pages only to a file that has lost its own, is the same vault, and goes no farther.
    @Test func pagesAreLentToNoOtherFile() throws {
        let (fixture, _) = try fixture()
        let other = try VaultFixture([("x", pattern(400_000))], seed: 50).bytes
        fixture.files.write("older.qvault", fixture.bytes)
        try fixture.put("late", pattern(5000), seed: 9)
        func withoutPages(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for at in [0, 65_536, bytes.count - 4096] { for i in at..<at + 4096 { bytes[i] = 0 } }
            return bytes
        }
        var newer = fixture.bytes
        for at in [0, 65_536, newer.count - 4096] { newer[at + 9] = 2 }
        for file in [withoutPages(other), withoutPages(fixture.bytes), Array("notes\n".utf8) + other, [], newer] {
            fixture.files.write("file", file)
            let isRepaired = (try? Repair(inPlace: "file", from: ["older.qvault"], in: fixture.environment))?.isWhole
            #expect(isRepaired != true && fixture.files.node("file")?.content == file)
        }
        fixture.files.write("file", withoutPages(fixture.bytes))
        fixture.files.write("same.qvault", fixture.bytes)
        #expect(try Repair(inPlace: "file", from: ["older.qvault", "same.qvault"], in: fixture.environment).isWhole)
        #expect(try fixture.open("file").sequence == fixture.open().sequence)
    }

    /// A page T that anybody can have put behind two sound pages is taken for nothing.
    @Test func aForgedEndIsNotMended() throws {
        let (fixture, _) = try fixture()
        let bytes = fixture.bytes
        try fixture.put("5", pattern(100), seed: 5)
        try fixture.put("6", pattern(100), seed: 6)
        let newer = fixture.bytes
        let file = Array(bytes[..<131_072]) + newer[131_072...]
        fixture.files.write("file", file)
        _ = try? Repair(inPlace: "file", in: fixture.environment)
        #expect(fixture.files.node("file")?.content == file)
    }

    /// A journal whose first byte of content is another, with all hashes right.
    private func hostile(_ journal: [UInt8]) throws -> [UInt8] {
        var bytes = journal
        bytes[80] ^= 1
        let count = Int(loadBigEndian(bytes.span, at: 8))
        let table = bytes.count - 32 - 48 * count
        let length = Int(loadBigEndian(bytes.span, at: table + 8))
        bytes.replaceSubrange(table + 16..<table + 48, with: try SHA256.hash(bytes.span.extracting(80..<80 + length)))
        let covered = Array(bytes[..<80]) + bytes[table..<bytes.count - 32]
        bytes.replaceSubrange(bytes.count - 32..<bytes.count, with: try SHA256.hash(covered.span))
        return bytes
    }

    /// A journal that an interrupted repair left is not carried out over a save that was made since, or over another file.
    @Test func anOldJournal() throws {
        let (fixture, whole) = try fixture(parity: 10)
        var bytes = whole
        for at in 140_000..<150_000 { bytes[at] ^= 1 }
        let journal: BytePath = "copy.qvault.mend"
        var kept: [UInt8]?
        for call in 0..<3000 where kept == nil {
            fixture.files.write(copy, bytes)
            var environment = fixture.environment
            environment.files = FaultyFileSystem(
                fixture.files, plan: .init(first: call, isForEver: true, fault: .error(5)))
            _ = try? Repair(inPlace: copy, in: environment)
            kept = fixture.files.node(journal)?.content
        }
        let left = try #require(kept)
        for damage in [0, 9, 90, left.count - 1, left.count / 2] {
            var hostile = left
            hostile[damage] ^= 1
            fixture.files.write(journal, hostile)
            fixture.files.write(copy, bytes)
            #expect(try Repair(inPlace: copy, in: fixture.environment).isWhole)
            #expect(fixture.files.node(copy)?.content == whole && fixture.files.node(journal) == nil)
        }
        // Somebody else's, in a folder that is open to all.
        fixture.files.write(copy, bytes)
        fixture.files.write(journal, try hostile(left))
        fixture.files.node(journal)?.access.owner = 77
        #expect(try Repair(inPlace: copy, in: fixture.environment).isWhole)
        #expect(fixture.files.node(copy)?.content == whole && fixture.files.node(journal) == nil)
        try fixture.put("late", pattern(9000), seed: 8)
        try fixture.files.openFolder("").removeFile(copy.bytes)
        try fixture.open().backUp(to: copy, parity: 10)
        let newer = try #require(fixture.files.node(copy)?.content)
        fixture.files.write(journal, left)
        _ = try? Repair(inPlace: copy, in: fixture.environment)
        #expect(fixture.files.node(copy)?.content == newer && fixture.files.node(journal) == nil)
    }

    /// A stretch as long as the guarantee says is repaired, wherever it begins.
    @Test(arguments: [3, 10, 26]) func theGuaranteeHolds(_ percent: Int) throws {
        let (fixture, whole) = try fixture(parity: percent)
        let status = try #require(try LockedVault(copy, in: fixture.environment).verify().parity)
        #expect(status.guaranteed * 100 >= (UInt64(whole.count) - status.byteCount) * UInt64(percent - 2))
        var random = CountingGenerator(seed: UInt64(percent))
        let length = Int(status.guaranteed)
        for round in 0..<24 {
            var bytes = whole
            let start =
                round == 0
                ? 0 : round == 1 ? whole.count - length : Int.random(in: 0...whole.count - length, using: &random)
            for at in start..<start + length { bytes[at] = UInt8.random(in: 0...255, using: &random) }
            let (repair, result) = try repair(bytes, fixture)
            #expect(repair.isWhole && result == whole, "from \(start)")
        }
    }

    /// A trial says what the repair will, and changes nothing.
    @Test func aTrialIsTheRepair() throws {
        let (fixture, whole) = try fixture(parity: 10)
        var random = CountingGenerator(seed: 4)
        var seen: Set<Bool> = []
        for round in 0..<30 {
            var bytes = whole
            for _ in 0..<round * 2 {
                let at = Int.random(in: 0..<whole.count / 512, using: &random) * 512
                for i in at..<min(at + 512, whole.count) { bytes[i] ^= 0x77 }
            }
            fixture.files.write(copy, bytes)
            let trial = try Repair(
                trying: fixture.files.openFile(copy, writing: false), scratch: "", in: fixture.environment)
            #expect(fixture.files.node(copy)?.content == bytes)
            let (repair, result) = try repair(bytes, fixture)
            #expect(trial.isWhole == repair.isWhole && trial.lost == repair.lost && trial.margin == repair.margin)
            #expect(repair.isWhole == (result == whole))
            seen.insert(repair.isWhole)
        }
        #expect(seen.count == 2)
    }

    @Test func inPlace() throws {
        let (fixture, whole) = try fixture(parity: 10)
        var bytes = whole
        for at in 140_000..<150_000 { bytes[at] ^= 1 }
        fixture.files.write(copy, bytes)
        #expect(try Repair(inPlace: copy, in: fixture.environment).isWhole)
        #expect(fixture.files.node(copy)?.content == whole)
        for at in 135_000..<whole.count - 60_000 { bytes[at] ^= 1 }
        fixture.files.write(copy, bytes)
        #expect(try !Repair(inPlace: copy, in: fixture.environment).isWhole)
        #expect(fixture.files.node(copy)?.content == bytes, "what would not become whole is not touched")
    }

    /// Whatever call of a repair in place fails, and wherever the power does, the next repair makes the file whole.
    @Test func inPlaceBrokenOff() throws {
        let (original, whole) = try fixture(parity: 10)
        var bytes = whole
        for at in 140_000..<150_000 { bytes[at] ^= 1 }
        for call in 0..<3000 {
            let fixture = VaultFixture(copying: original)
            fixture.files.write(copy, bytes)
            var environment = fixture.environment
            let files = FaultyFileSystem(fixture.files, plan: .init(first: call, isForEver: true, fault: .error(28)))
            environment.files = files
            do { _ = try Repair(inPlace: copy, in: environment) } catch is IOError {} catch is FormatError {}
            fixture.files.node(copy)?.isLocked = false
            if fixture.files.node(copy)?.content != whole {
                #expect(try Repair(inPlace: copy, in: fixture.environment).isWhole, "call \(call)")
            }
            #expect(fixture.files.node(copy)?.content == whole, "call \(call)")
            if files.callCount <= call {
                #expect(call > 20)
                return
            }
        }
        Issue.record("it never succeeds")
    }
}
