import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Parity behind backups, and repair by it (Spec/container.md, 3.9; Spec/reader.md, 10).
struct ParityTests {
    private let copy: BytePath = "backup.qvault"
    private let repaired: BytePath = "repaired.qvault"

    /// A vault and its backup, which has more than one group.
    private func backup(_ length: Int = 700_000) throws -> (fixture: VaultFixture, bytes: [UInt8]) {
        let fixture = try VaultFixture([("a", [1]), ("b", pattern(length))])
        try fixture.open().backUp(to: copy, parity: 10)
        return (fixture, try #require(fixture.files.node(copy)?.content))
    }

    private func repair(_ bytes: [UInt8], _ fixture: VaultFixture) throws -> (repair: Repair, bytes: [UInt8]) {
        fixture.files.write(copy, bytes)
        if fixture.files.node(repaired) != nil {
            try fixture.files.openFolder(repaired.parent).removeFile(repaired.lastComponent)
        }
        let repair = try Repair(copy, to: repaired, in: fixture.environment)
        #expect(fixture.files.node(copy)?.content == bytes, "the damaged file stays as it is")
        return (repair, try repair.isWritten ? #require(fixture.files.node(repaired)?.content) : bytes)
    }

    @Test func checksum() {
        let digits = Array("123456789".utf8)
        #expect(crc32c(digits.span) == 0xE306_9283)
        #expect(crc32c(digits.span.extracting(0..<4), digits.span.extracting(4..<9)) == 0xE306_9283)
    }

    @Test func aBackupWithATailIsABackup() throws {
        let (fixture, bytes) = try backup()
        try fixture.open().backUp(to: "plain.qvault")
        let plain = try #require(fixture.files.node("plain.qvault")?.content)
        #expect(bytes[131_072..<plain.count - 4096] == plain[131_072..<plain.count - 4096])
        #expect((bytes.count - plain.count) * 100 / plain.count <= 16)
        let vault = try fixture.open(copy)
        let check = try vault.verify()
        #expect(check.findings.isEmpty && check.notes.isEmpty)
        let restored = try vault.restore(to: "new.qvault", above: 0)
        #expect(restored.vault.sequence == 2)
        #expect(try fixture.open("new.qvault").verify().findings.isEmpty)
    }

    @Test func withoutPages() throws {
        var (fixture, bytes) = try backup()
        for page in [0, 65_536] { bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0, count: 4096)) }
        fixture.files.write(copy, bytes)
        #expect(try fixture.open(copy).verify().worst == .repairable)
    }

    /// Damage of each kind, at many places, as long as the parity reaches: every byte comes back.
    @Test(arguments: [5000, 150_000, 700_000]) func withinReach(_ length: Int) throws {
        let (fixture, whole) = try backup(length)
        var random = CountingRandom(seed: UInt64(length))
        func below(_ limit: Int) throws -> Int {
            Int(try random.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % UInt64(limit))
        }
        let groups = (whole.count / 1024 / 220) | 1
        for round in 0..<40 {
            var bytes = whole
            switch round % 4 {
            case 0:
                let burst = whole.count * 8 / 100
                let start = try below(whole.count - burst)
                for at in start..<start + burst { bytes[at] = 0 }
            case 1:
                for _ in 0..<2 * groups {
                    let at = try below(whole.count)
                    bytes[at] ^= 1 << UInt8(try below(8))
                }
            case 2:
                for at in stride(from: try below(65_536), to: whole.count, by: 65_536) { bytes[at] ^= 255 }
            default:
                bytes.removeLast(try below(whole.count * 8 / 100))
            }
            let (repair, result) = try repair(bytes, fixture)
            #expect(result == whole, "round \(round)")
            #expect(repair.lost.isEmpty && repair.verification?.findings.isEmpty == true)
            #expect((repair.repairedByteCount > 0) == (bytes != whole))
        }
    }

    /// Bytes that were lost or added before blocks move those; their parity tells where they belong.
    @Test func displaced() throws {
        let (fixture, whole) = try backup()
        let added = pattern(1000, 9)
        func changed(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
            var bytes = whole
            body(&bytes)
            return bytes
        }
        let cases = [
            changed { $0.removeFirst(40_001) },
            changed { $0.insert(contentsOf: Array("HTTP/1.1 200 OK\n".utf8), at: 0) },
            changed { $0.removeSubrange(300_000..<300_777) },
            changed { $0.insert(contentsOf: added, at: 300_000) },
            changed { $0.removeSubrange(800_000..<800_512) },
            // The parity tells of the last of them only.
            changed { bytes in
                bytes.removeSubrange(500_000..<500_100)
                bytes.insert(contentsOf: added, at: 300_000)
                bytes.removeSubrange(200_000..<203_000)
            },
            // And of none where what was lost is added again.
            changed { bytes in
                bytes.insert(contentsOf: added, at: 500_000)
                bytes.removeSubrange(200_000..<201_000)
            },
            changed { bytes in
                bytes.removeFirst(250_000)
                for at in 300_000..<310_000 { bytes[at] = 0 }
            },
        ]
        for (index, bytes) in cases.enumerated() {
            let (repair, result) = try repair(bytes, fixture)
            #expect(repair.isWhole == (index < 7) && (result == whole) == (index < 7), "case \(index)")
        }
        // Where no page tells which vault it is, a repair in place changes nothing.
        fixture.files.write(copy, cases[0])
        #expect((try? Repair(inPlace: copy, in: fixture.environment))?.isWhole != true)
        #expect(fixture.files.node(copy)?.content == cases[0])
        // What is too damaged becomes less so, and is written.
        let burst = changed { bytes in
            for at in 200_000..<500_000 { bytes[at] ^= 0x5A }
            bytes.insert(contentsOf: added, at: 0)
        }
        let (part, result) = try repair(burst, fixture)
        #expect(part.isWritten && !part.isWhole && result[..<199_680] == whole[..<199_680])
        fixture.files.write(copy, cases[3])
        #expect(try Repair(inPlace: copy, in: fixture.environment).isWhole)
        #expect(fixture.files.node(copy)?.content == whole)
    }

    /// Anybody can append a tail: a file with a page of its own follows no other one.
    @Test func aForeignTailMovesNothing() throws {
        let (fixture, backup) = try backup(20_000)
        let mine = try VaultFixture([("mine", pattern(90_000, 4))], seed: 70)
        var bytes = mine.bytes
        bytes[Int(Layout.logStart) + 5000] ^= 1
        let foreign = try fixture.open(copy).id
        for (number, end) in [backup, Array(backup[700...])].enumerated() {
            mine.files.write("file", bytes + end)
            let repair = try? Repair(inPlace: "file", in: mine.environment)
            #expect(repair?.isWhole != true && mine.files.node("file")?.content == bytes + end)
            let out = BytePath("out\(number)")
            _ = try? Repair("file", to: out, in: mine.environment)
            #expect((try? LockedVault(out, in: mine.environment))?.header.vaultID != foreign)
        }
    }

    /// Blocks that a check without a key proves stay as they are, whatever the parity says of their places.
    @Test func whatIsProvenStays() throws {
        let (fixture, whole) = try backup()
        let tail = try Int(fixture.open(copy).record.core.end) + 4096
        var bytes = whole
        // Most of the parity is lost, and so are bytes near the beginning, which are added again near the end.
        for at in tail + 12_000..<bytes.count { bytes[at] = 0 }
        bytes.insert(contentsOf: pattern(100, 8), at: 700_000)
        bytes.removeSubrange(300_000..<300_100)
        let (_, result) = try repair(bytes, fixture)
        #expect(result[750_000..<tail] == whole[750_000..<tail] && result[..<299_000] == whole[..<299_000])
    }

    /// Stretches that cannot be read, more than the parity reaches: the rest is written all the same.
    @Test func unreadableBeyondReach() throws {
        let (fixture, whole) = try backup()
        let unreadable: [Range<UInt64>] = [0..<4096, 200_704..<524_288]
        fixture.files.beforeCall = { call in
            let range = call.offset..<call.offset + UInt64(call.count)
            guard call.operation == "read", call.path == copy, unreadable.contains(where: range.overlaps) else {
                return
            }
            throw IOError("read", copy, code: 5)
        }
        let repair = try Repair(copy, to: repaired, in: fixture.environment)
        let result = try #require(fixture.files.node(repaired)?.content)
        #expect(repair.isWritten && !repair.isWhole && result[524_288..<whole.count] == whole[524_288...])
        #expect(result[..<200_704] == whole[..<200_704])
    }

    /// An overlay that becomes shorter and longer again reads as a file does: nothing that was cut off comes back.
    @Test func anOverlayThatIsCut() throws {
        let files = MemoryFileSystem()
        files.write("base", pattern(9000))
        let base = try files.openFile("base", writing: false)
        let overlay = try OverlayFile(over: base, changes: files.openFolder("").makeFile(replacing: false))
        var model = pattern(9000)
        func put(_ bytes: [UInt8], at place: Int) throws {
            try overlay.writeAll(bytes.span, at: UInt64(place))
            if model.count < place + bytes.count {
                model += [UInt8](repeating: 0, count: place + bytes.count - model.count)
            }
            model.replaceSubrange(place..<place + bytes.count, with: bytes)
        }
        func cut(to length: Int) throws {
            try overlay.truncate(to: UInt64(length))
            model = Array(model.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - model.count))
        }
        try put(pattern(3000, 2), at: 5000)
        try put(pattern(500, 3), at: 12_000)
        try cut(to: 6000)
        try put(pattern(10, 4), at: 7000)
        try cut(to: 11_000)
        try cut(to: 4000)
        try put(pattern(100, 5), at: 8500)
        #expect(try overlay.bytes(at: 0, count: 20_000) == model)
        #expect(overlay.written == [4000..<8600])
    }

    /// Damage of all extents: no byte that was right becomes wrong, and what stays damaged is listed.
    @Test func beyondReach() throws {
        let (fixture, whole) = try backup(150_000)
        let end = try Int(fixture.open().record.core.end) + 4096
        var random = CountingRandom(seed: 8)
        for round in 1...30 {
            var bytes = whole
            for _ in 0..<round * 4 {
                let number = try random.bytes(4).reduce(0) { $0 << 8 | Int($1) }
                let start = number % (whole.count / 512) * 512
                for at in start..<min(start + 512, whole.count) { bytes[at] ^= 0x5A }
            }
            let (repair, result) = try repair(bytes, fixture)
            for block in stride(from: 0, to: end, by: 1024)
            where result[block..<block + 1024] != whole[block..<block + 1024] {
                #expect(result[block..<block + 1024] == bytes[block..<block + 1024])
                let isListed = repair.lost.contains { $0.contains(UInt64(block)) }
                #expect(isListed || repair.verification?.worst != nil || repair.verification == nil)
            }
        }
    }

    @Test func withoutParity() throws {
        let fixture = try VaultFixture([("a", [1])])
        #expect(throws: FormatError(.invalid, "no damage: there is nothing to repair")) {
            try Repair(VaultFixture.vault, to: repaired, in: fixture.environment)
        }
        #expect(fixture.files.node(repaired) == nil)
        #expect(throws: VaultError.exists(VaultFixture.vault)) {
            try Repair(VaultFixture.vault, to: VaultFixture.vault, in: fixture.environment)
        }
    }

    /// Damage of the parity alone, and its loss, are told; the backup counts and is restored all the same.
    @Test func damagedParityIsNoDamagedBackup() throws {
        var (fixture, bytes) = try backup()
        let end = try Int(fixture.open().record.core.end) + 4096
        for case let (zeros, left) in [(4, bytes.count), (40_000, bytes.count), (0, end), (0, end + 300)] {
            bytes.replaceSubrange(left - zeros..<left, with: repeatElement(0, count: zeros))
            fixture.files.write(copy, Array(bytes[..<left]))
            let check = try fixture.open(copy).verify()
            #expect(check.worst == .repairable && check.worstBesidesParity == nil)
            #expect(try #require(check.parity).damaged > 0 && check.findings.count == 1)
            let shelf = BackupShelf("", of: VaultFixture.vault, in: fixture.environment)
            fixture.files.write("v-20260101T000000Z.qvault", Array(bytes[..<left]))
            #expect(try shelf.contents(fixture.open()).proven.count == 1)
            let (repair, result) = try repair(Array(bytes[..<left]), fixture)
            #expect(repair.verification?.findings.isEmpty == true && result[..<end] == bytes[..<end])
        }
    }

    /// A sector that the disk does not give back counts as zeros.
    @Test func anUnreadableStretch() throws {
        let (fixture, whole) = try backup()
        for call in 4..<12 {
            var environment = fixture.environment
            environment.files = FaultyFileSystem(
                fixture.files, plan: .init(first: call, isForEver: false, fault: .error(5)))
            if fixture.files.node(repaired) != nil {
                try fixture.files.openFolder(repaired.parent).removeFile(repaired.lastComponent)
            }
            do {
                let repair = try Repair(copy, to: repaired, in: environment)
                #expect(repair.lost.isEmpty && fixture.files.node(repaired)?.content == whole)
            } catch is IOError {
                #expect(fixture.files.node(repaired) == nil)
            }
        }
    }

    /// A disk that is full from any call of a repair on: the new file is there whole, or not at all.
    @Test func aFullDiskLeavesNoRepairedFile() throws {
        var (fixture, whole) = try backup(5000)
        whole[131_100] ^= 1
        fixture.files.write(copy, whole)
        whole[131_100] ^= 1
        for call in 0..<2000 {
            var environment = fixture.environment
            environment.files = FaultyFileSystem(
                fixture.files, plan: .init(first: call, isForEver: true, fault: .error(28)))
            do {
                _ = try Repair(copy, to: repaired, in: environment)
                #expect(fixture.files.node(repaired)?.content == whole && call > 30)
                return
            } catch  where error is IOError || error is FormatError {
                if let left = fixture.files.node(repaired)?.content {
                    #expect(left == whole, "published, and its name may not be durable")
                    try fixture.files.openFolder(repaired.parent).removeFile(repaired.lastComponent)
                }
            }
        }
        Issue.record("it never succeeds")
    }

    /// A page that claims a log beyond any file, and a tail behind it, costs nothing.
    @Test func aTailOfAHugeLog() throws {
        let (fixture, bytes) = try backup(5000)
        let file = try fixture.files.openFile(copy, writing: false)
        let layout = try #require(ParityLayout.standard(.file, 0..<1 << 48, tag: [UInt8](repeating: 1, count: 12)))
        let parity = Parity(layout: layout, place: 1 << 48)
        #expect(try parity.damagedBlockCount(in: file, fixture.environment) == parity.blockCount)
        #expect(!parity.isPlausible(in: UInt64(bytes.count)))
    }

    /// The slots could be made again from a tail that outlives the pages.
    @Test func destroyingABackupLeavesNoTail() throws {
        let (fixture, bytes) = try backup()
        for (lost, flipped) in [(0, []), (5000, []), (0, [100, 65_636]), (40_000, [100, 65_636])] {
            var bytes = bytes
            for at in flipped { bytes[at] ^= 1 }
            bytes.replaceSubrange(bytes.count - lost..<bytes.count, with: repeatElement(0, count: lost))
            fixture.files.write(copy, bytes)
            let file = try fixture.files.openFile(copy, writing: false)
            _ = try Vault.destroy(at: copy, in: fixture.environment, timeout: .zero)
            let left = try file.bytes(at: 0, count: bytes.count)
            let end = try fixture.open().record.core.end
            #expect(left[..<4096].allSatisfy { $0 == 0 } && left[65_536..<69_632].allSatisfy { $0 == 0 })
            #expect(left[Int(end)...].allSatisfy { $0 == 0 })
        }
    }

    /// Every call of the system fails once: a backup is there whole, or not at all.
    @Test func aFullDiskLeavesNothing() throws {
        let (whole, _) = try backup(5000)
        for call in 0..<400 {
            let fixture = VaultFixture(copying: whole)
            var environment = fixture.environment
            environment.files = FaultyFileSystem(
                fixture.files, plan: .init(first: call, isForEver: true, fault: .error(28)))
            let isDone: Bool
            do {
                let master = try Secret(copying: fixture.master.span)
                let vault = try LockedVault(VaultFixture.vault, in: environment).open(master: master)
                try vault.backUp(to: copy, parity: 10)
                isDone = true
            } catch is IOError {
                isDone = false
            }
            if fixture.files.node(copy) != nil { #expect(try fixture.open(copy).verify().findings.isEmpty) }
            if isDone {
                #expect(fixture.files.node(copy) != nil && call > 30)
                return
            }
        }
        Issue.record("it never succeeds")
    }
}
