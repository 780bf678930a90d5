import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Parity behind backups, and repair by it (Spec/container.md, 3.9; Spec/reader.md, 10).
struct ParityTests: ParityScene {
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
