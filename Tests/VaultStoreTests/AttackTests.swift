import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Attacks that broke a promise once (TESTING.md, "Track record"). Each test is the attack.
struct AttackTests {
    private func salvage(_ fixture: VaultFixture, to target: BytePath = "out.qvault") throws -> (
        salvage: Salvage, vault: Vault
    ) {
        var salvage = try Salvage(
            LockedVault(VaultFixture.vault, in: fixture.environment), master: Secret(copying: fixture.master.span),
            slot: 1)
        let vault = try salvage.write(to: target)
        return (salvage, vault)
    }

    private func content(_ vault: Vault, _ path: BytePath) throws -> [UInt8]? {
        try vault.entry(at: path).map { entry in
            var content: [UInt8] = []
            try vault.read(entry) { content += Array(copying: $0) }
            return content
        }
    }

    private func hash(_ start: Int, _ count: Int, _ bytes: inout [UInt8]) throws {
        let digest = try SHA256.hash(bytes.span.extracting(start..<start + count))
        bytes.replaceSubrange(start + count..<start + count + 32, with: digest)
    }

    /// A virtual machine is resumed twice from one snapshot: its generator gives the same bytes both times, and only the
    /// clock differs. No salt repeats, hence no key.
    @Test func aClonedMachineRepeatsNoSalt() throws {
        let fixture = try VaultFixture([("a", [1])])
        let snapshot = fixture.bytes
        func salts(at time: Timestamp, _ content: [UInt8]) throws -> [Salt] {
            fixture.bytes = snapshot
            var environment = fixture.environment
            environment.random = CountingRandom(seed: 5)
            environment.now = { time }
            let save = try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
            try save.treeImport { _ in }.addStream(as: "b", read: reading(content))
            try save.commit()
            let vault = try fixture.open()
            let entry = try vault.entry(at: "b")
            return [vault.record.core.salt, try #require(entry).salt]
        }
        let first = try salts(at: 1_767_323_045_000_001, [1, 2, 3])
        let second = try salts(at: 1_767_323_045_000_002, [4, 5, 6])
        #expect(Set(first + second).count == 4)
    }

    // MARK: Salvage

    /// Somebody without a key puts an old stored record behind the log and zeroes two pages. It does not come back over a
    /// newer version, nor after a purge.
    @Test(arguments: [false, true]) func anOldRecordBehindTheLog(_ isPurged: Bool) throws {
        let fixture = try VaultFixture([("secret", Array("the old one".utf8)), ("other", [1])])
        let old = try #require(try fixture.open().entry(at: "secret"))
        let stored = Array(fixture.bytes[Int(old.place)..<Int(old.place) + 4096])
        try fixture.put("secret", Array("the new one".utf8), seed: 1)
        let id = old.id
        var environment = fixture.environment
        environment.random = CountingRandom(seed: 2)
        let save = try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
        try save.rewrite(keeping: 2, purging: isPurged ? [id] : [])
        fixture.bytes = without([Layout.pageBOffset, UInt64(fixture.bytes.count - 4096)], fixture.bytes) + stored
        let (salvage, vault) = try salvage(fixture)
        #expect(!salvage.isComplete)
        #expect(try content(vault, "secret") == (isPurged ? nil : Array("the new one".utf8)))
        #expect(try content(vault, "other") == [1] && vault.verify().findings.isEmpty)
    }

    /// A page without a right tag says that the vault is at its last sequence.
    @Test(arguments: [UInt64.max, UInt64.max / 2 - 1]) func aSequenceThatNobodyVouchesFor(_ sequence: UInt64) throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        var bytes = fixture.bytes
        for page in [0, 65_536] {
            let number = page == 0 ? sequence : sequence - 1
            for i in 0..<8 { bytes[page + 64 + i] = UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * i)) }
            try hash(page, 4064, &bytes)
        }
        fixture.bytes = bytes
        let (_, vault) = try salvage(fixture)
        #expect(vault.sequence == 3)
        #expect(try content(vault, "a") == [2])
    }

    /// An old page under newer commits, and no other: only the slot that opened is kept.
    @Test func slotsThatNobodyVouchesFor() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.save(seed: 1) { $0.setSlots(try fixture.slotsWithDevice()) }
        let old = Array(fixture.bytes[65_536..<69_632])
        try fixture.save(seed: 2) { try $0.removeSlot(2, besides: 1) }
        #expect(try salvage(fixture, to: "sound.qvault").salvage.keepsAllSlots)
        let end = UInt64(fixture.bytes.count - 4096)
        var bytes = without([Layout.pageAOffset, Layout.pageBOffset, end], fixture.bytes)
        bytes.replaceSubrange(65_536..<69_632, with: old)
        fixture.bytes = bytes
        let (salvage, vault) = try salvage(fixture)
        #expect(!salvage.keepsAllSlots && !salvage.isComplete)
        #expect(vault.keySlots.slots.map(\.number) == [1])
    }

    /// Commits and manifests are lost, and all stored records are whole: every version is found, each once.
    @Test func everyWholeVersionIsFound() throws {
        let fixture = try VaultFixture([("a", pattern(100_000, 0))])
        for number in 1...4 { try fixture.put("a", pattern(100_000, UInt8(number)), seed: UInt64(number)) }
        let vault = try fixture.open()
        var bytes = fixture.bytes
        for version in try vault.versions().dropFirst() {
            // All behind the stored record of a save is its manifest and commit record.
            let end = Int(version.content.extent.upperBound)
            let next = try vault.versions().map { Int($0.place) }.filter { $0 > end }.min() ?? bytes.count
            bytes.replaceSubrange(end..<next, with: repeatElement(0, count: next - end))
        }
        // The stored records once more, as anybody can append them.
        fixture.bytes = bytes + bytes[131_072...]
        let (salvage, found) = try salvage(fixture)
        #expect(salvage.losses.isEmpty && !salvage.isComplete)
        #expect(try found.versions().count == 5 && content(found, "a") == pattern(100_000, 4))
        #expect(try found.verify().findings.isEmpty)
    }

    // MARK: Owners

    /// Records that own each other, or themselves, come back from the trash, as does a long chain of owners.
    @Test(arguments: [1, 2, 3, 20_000]) func aRingOfOwners(_ count: Int) throws {
        let fixture = try VaultFixture()
        func id(_ number: Int) -> RecordID { RecordID((0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }) }
        try fixture.save(seed: 1) { save in
            for number in 0..<count {
                let owner = count > 100 && number == count - 1 ? nil : id((number + 1) % count)
                try save.put(id(number), kind: 100, parent: owner, overview: Overview(title: [0x61]), content: [1])
            }
        }
        try fixture.save(seed: 2) { save in for entry in try save.before.entries() { try save.trash(entry) } }
        let trash = try fixture.open().listing { $0.state == .trashed && $0.id == id(0) }
        var found = 0
        try fixture.save(seed: 3) { found = try $0.restore(trash).count }
        #expect(try found == count && fixture.open().entries().count == count)
        #expect(try fixture.verify().worst == nil)
    }

    // MARK: Clocks

    /// Saves at these times, the present one last: microseconds since 1970.
    private func fixture(at times: [UInt64]) throws -> VaultFixture {
        let fixture = try VaultFixture()
        for (number, time) in times.enumerated() {
            var environment = fixture.environment
            environment.now = { Timestamp(microseconds: time) }
            environment.random = CountingRandom(seed: UInt64(number + 1))
            let save = try VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero, unlock: fixture.unlock)
            try save.treeImport { _ in }.addStream(as: "a", read: reading([UInt8(number)]))
            try save.commit()
        }
        return fixture
    }

    private static let now: UInt64 = 1_767_323_045_000_000
    private static let day: UInt64 = 86_400_000_000

    /// One clock that was wrong does not make the saves before it old.
    @Test(arguments: [0, 1_770_000_000_000_000, UInt64.max / 4]) func aWrongClockLosesNoYoungSave(_ wrong: UInt64)
        throws
    {
        let (now, day) = (Self.now, Self.day)
        // The first save is the empty vault's, now.
        let fixture = try fixture(at: [now - 3600_000_000, wrong, now - 60_000_000, now])
        #expect(try fixture.open().oldestSave(since: 90 * day) == 1)
        let old = try self.fixture(at: [now])
        #expect(try old.open().oldestSave(since: 0) == 2)
    }

    @Test func aTimeFindsTheSaveOfThatTime() throws {
        let (now, day) = (Self.now, Self.day)
        // Saves 1 to 5: now, in a day, in 1970, in a thousand days (a clock that is wrong), in two days.
        let fixture = try fixture(at: [now + day, 0, now + 1000 * day, now + 2 * day])
        var environment = fixture.environment
        environment.now = { Timestamp(microseconds: now + 10 * day) }
        let vault = try LockedVault(VaultFixture.vault, in: environment).open(
            master: Secret(copying: fixture.master.span))
        func sequence(_ time: UInt64) throws -> UInt64 { try vault.sequence(at: Timestamp(microseconds: time)) }
        #expect(try sequence(now) == 1)
        #expect(try sequence(now + day) == 4)
        #expect(try sequence(now + 3 * day) == 5)
        #expect(throws: VaultError.noSuchSave(nil, oldest: 1)) { try sequence(now - 1) }
    }

    // MARK: Names and labels

    /// Two cards of one title are two records, also to whoever compares.
    @Test func twinsAreComparedByTheirIDs() throws {
        let fixture = try VaultFixture()
        let ids = [1, 2].map { RecordID([UInt8](repeating: $0, count: 16)) }
        try fixture.save(seed: 1) { save in
            for id in ids {
                try save.put(
                    id, kind: 16, parent: nil, overview: Overview(title: [0x61]), content: [id.bytes[0]])
            }
        }
        let vault = try fixture.open()
        #expect(try vault.differences(to: vault).isEmpty)
        try fixture.save(seed: 2) { save in try save.trash(try #require(try save.entry(ids[0]))) }
        let after = try vault.differences(to: fixture.open())
        #expect(after.map(\.kind) == [.removed] && after.first?.old?.id == ids[0])
    }

    /// A new version of a file keeps tags, group and pin. What a newer program put there may describe the old content: it falls.
    @Test func aNewVersionKeepsItsLabels() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.save(seed: 1) { save in
            let entry = try #require(try save.before.entry(at: "a"))
            var overview = entry.overview
            (overview.tags, overview.group, overview.isPinned) = (["t"], "g", true)
            try overview.setUnknown([0xA1, 0x64, 0x6E, 0x65, 0x77, 0x65, 0x01])
            try save.updateMetadata(entry, overview)
        }
        var kept = try #require(try fixture.open().entry(at: "a")).overview
        try kept.setUnknown([0xA0])
        try fixture.put("a", [2], seed: 2)
        #expect(try #require(try fixture.open().entry(at: "a")).overview == kept)
        #expect(try fixture.content("a") == [2])
    }

    /// 112 bits of a hash are in the id of a name. Another file that has the id is not replaced.
    @Test func theIDOfAnotherNameIsNotTaken() throws {
        let vector = try #require(Vector.all.first { $0.name == "entry-id-of-another-name" })
        let files = MemoryFileSystem()
        files.write(VaultFixture.vault, vector.file)
        let transaction = try VaultTransaction(
            VaultFixture.vault, in: testEnvironment(files), timeout: .zero, unlock: vector.unlock)
        let error = #expect(throws: FormatError.self) {
            try transaction.treeImport { _ in }.addStream(as: "hello.txt", read: reading([1]))
        }
        #expect(error?.code == .invalid)
        try transaction.treeImport { _ in }.addStream(as: "another", read: reading([1]))
        try transaction.commit()
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        let vault = try locked.open(master: vector.unlock(locked))
        #expect(try vault.entry(at: "another") != nil)
        #expect(try vault.manifest.entries().contains { $0.overview.title == Array("other.txt".utf8) })
    }

    /// Titles, groups and tags that no manifest could hold are refused when they are given, and the save goes on.
    @Test func anOverviewThatIsTooLong() throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            var overview = Overview(title: [0x61])
            overview.tags = (0..<4000).map { "tag \($0)" }
            let error = #expect(throws: FormatError.self) {
                try save.put(
                    RecordID([UInt8](repeating: 1, count: 16)), kind: 16, parent: nil, overview: overview, content: [])
            }
            #expect(error?.code == .invalid)
            try save.treeImport { _ in }.addStream(as: "b", read: reading([1]))
        }
        #expect(try fixture.content("b") == [1])
    }

    // MARK: Other writers

    /// Another writer saves while this one holds a lock that keeps nobody out.
    @Test func aSaveUnderneathIsNoticed() throws {
        let fixture = try VaultFixture([("a", [1])])
        fixture.files.locksWork = false
        let save = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        try fixture.put("theirs", [2], seed: 1)
        #expect(throws: VaultError.changedUnderneath) {
            try save.treeImport { _ in }.addStream(as: "mine", read: reading([3]))
            try save.commit()
        }
        #expect(try fixture.content("theirs") == [2] && fixture.content("mine") == nil)
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A vault that is destroyed and cannot be removed is told as destroyed.
    @Test func destroyedAndStillThere() throws {
        let fixture = try VaultFixture([("a", [1])])
        fixture.files.beforeCall = { if $0.operation == "remove" { throw IOError("remove", $0.path, code: 1) } }
        let error = #expect(throws: VaultError.self) {
            try Vault.destroy(at: VaultFixture.vault, in: fixture.environment)
        }
        if case .notRemoved = error {} else { Issue.record("\(String(describing: error))") }
        #expect(throws: FormatError.self) { try fixture.open() }
    }
}

/// A vault whose pages at these places are zero.
private func without(_ pages: [UInt64], _ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for page in pages.map(Int.init) {
        bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0, count: 4096))
    }
    return bytes
}
