import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// The traces of an interrupted writer, for readers and writers (Spec/store.md, 6; Spec/reader.md, 2), and the state
/// that a machine remembers. Tests/Soak tries all of it by the thousand; here each rule stands by itself.
struct RecoveryTests {
    /// Damage, what the next writer says that it repairs, and what was there afterwards.
    @Test(arguments: [
        ("page A", 100, ["page A was damaged, and is mended"]),
        // Page B named the newest save.
        ("page B", 65_536 + 4000, ["save 2, which was interrupted, is complete", "page B was damaged, and is mended"]),
        ("page T", -10, ["page T was damaged, and is mended"]),
    ])
    func aDamagedPageIsMended(_ name: String, _ offset: Int, _ repairs: [String]) throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        fixture.bytes[offset < 0 ? fixture.bytes.count + offset : offset] ^= 1
        #expect(try fixture.verify().worst == .repairable)
        try fixture.save(seed: 2) { save in
            #expect(save.repairs.map(\.description) == repairs)
            try save.treeImport { _ in }.addStream(as: "b", read: reading([3]))
        }
        #expect(try fixture.verify().findings.isEmpty)
        #expect(try fixture.content("a") == [2] && fixture.content("b") == [3])
    }

    @Test func bytesBehindAreRemoved() throws {
        let fixture = try VaultFixture()
        fixture.bytes += [1, 2, 3]
        #expect(try fixture.open().warnings.isEmpty, "a writer may be at work")
        #expect(try fixture.verify().notes.map(\.description) == ["3 bytes of an unfinished save stand at the end"])
        try fixture.save(seed: 2) { save in
            #expect(save.repairs.map(\.description) == ["removed 3 bytes of a save that was interrupted"])
            try save.treeImport { _ in }.addStream(as: "b", read: reading([3]))
        }
        #expect(try fixture.verify().notes.isEmpty)
    }

    /// Stopped between the commit and its page: readers wait for a writer to adopt it.
    @Test func aWholeCommitBehindIsAdopted() throws {
        let fixture = try VaultFixture([("a", [1])])
        let before = fixture.bytes
        try fixture.put("a", [2], seed: 1)
        fixture.bytes.replaceSubrange(0..<131_072, with: before[..<131_072])
        #expect(try fixture.content("a") == [1])
        try fixture.save(seed: 2) { save in
            #expect(save.repairs.map(\.description) == ["save 2, which was interrupted, is complete"])
            #expect(save.before.sequence == 2)
        }
        #expect(try fixture.content("a") == [2])
        #expect(try fixture.open().sequence == 3)
    }

    /// The newest page lost, and its commit damaged: an older save can be read, and nothing is written over it.
    @Test func whatMayBeLostIsNotWrittenTo() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        fixture.bytes[65_536] ^= 1
        fixture.bytes[139_264 + 100] ^= 1
        let before = fixture.bytes
        #expect(try fixture.content("a") == [1])
        #expect(try fixture.open().warnings.count == 2)
        #expect(try fixture.verify().worst == .damaged)
        let error = #expect(throws: VaultError.self) { try fixture.put("b", [1], seed: 2) }
        guard case .readOnly(.damaged(let what)) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(what.code == .damaged)
        #expect(fixture.bytes == before)
    }

    @Test func aDamagedNewestRecordIsNotWrittenTo() throws {
        let fixture = try VaultFixture()
        fixture.bytes[135_168 + 10] ^= 1
        let before = fixture.bytes
        let error = FormatError(.repairable, "the newest commit record is damaged", at: 135_168)
        #expect(throws: VaultError.readOnly(.damaged(error))) { try fixture.put("b", [1], seed: 2) }
        #expect(fixture.bytes == before, "a refused writer changes nothing")
        #expect(try fixture.open().warnings.count == 1)
    }

    @Test func bothPagesLost() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        for page in [0, 65_536] { fixture.bytes[page + 50] ^= 1 }
        #expect(try fixture.content("a") == [2])
        #expect(try fixture.open().warnings.map(\.description) == ["both pages are damaged"])
        #expect(try fixture.verify().worst == .repairable)
        try fixture.put("b", [3], seed: 2)
        #expect(try fixture.verify().findings.isEmpty)
        #expect(try fixture.content("a") == [2] && fixture.content("b") == [3])
    }

    /// Page T is all that is left, and its commit is damaged: nothing is written over it.
    @Test func bothPagesAndTheNewestCommitLost() throws {
        let fixture = try VaultFixture([("a", [1])])
        for place in [50, 65_536 + 50, 131_072 + 2000] { fixture.bytes[place] ^= 1 }
        #expect(try fixture.content("a") == [1])
        #expect(try fixture.verify().worst == .damaged)
        #expect(throws: VaultError.self) { try fixture.put("b", [1], seed: 2) }
    }

    /// Pages A and B were put back by two saves: what page T and the log tell counts, and nothing is cut off.
    @Test func oldPagesAreMended() throws {
        let fixture = try VaultFixture([("a", [1])])
        let old = fixture.bytes[..<131_072]
        for number: UInt8 in 2...4 { try fixture.put("a", [number], seed: UInt64(number)) }
        fixture.bytes.replaceSubrange(..<131_072, with: old)
        #expect(
            try fixture.content("a") == [4]
                && fixture.open().warnings.map(\.description) == [
                    "pages A and B are older than the newest save"
                ])
        #expect(try fixture.verify().worst == .repairable)
        try fixture.save(seed: 5) { save in
            #expect(save.repairs.map(\.description) == ["pages A and B were older than save 4, and are mended"])
            try save.treeImport { _ in }.addStream(as: "b", read: reading([3]))
        }
        #expect(try fixture.content("a") == [4] && fixture.content("b") == [3] && fixture.verify().findings.isEmpty)
        #expect(try fixture.open().sequence == 5)
    }

    /// The same, where the log does not lead to page T: nothing is written, and nothing is cut off.
    @Test func aPageTThatNothingLeadsToIsNotOverwritten() throws {
        let fixture = try VaultFixture([("a", [1])])
        let old = fixture.bytes[..<131_072]
        for number: UInt8 in 2...4 { try fixture.put("a", [number], seed: UInt64(number)) }
        let record = Int(try #require(try fixture.open().lines().last?.recordOffset))
        fixture.bytes.replaceSubrange(..<131_072, with: old)
        fixture.bytes[record + 700] ^= 1
        let before = fixture.bytes
        #expect(try fixture.content("a") == [1] && fixture.open().warnings.count == 1)
        #expect(try fixture.verify().worst == .damaged)
        #expect(throws: VaultError.self) { try fixture.put("b", [1], seed: 5) }
        #expect(throws: FormatError.self) { try fixture.open().backUp(to: "backup.qvault") }
        #expect(fixture.bytes == before)
    }

    /// A page that claims a newer format, where the other two agree: somebody altered it.
    @Test(arguments: [0, 65_536]) func aForgedPageIsMended(_ offset: Int) throws {
        let fixture = try VaultFixture([("a", [1])])
        fixture.bytes[offset + 9] = 2
        let hash = try SHA256.hash(Array(fixture.bytes[offset..<offset + 4064]).span)
        fixture.bytes.replaceSubrange(offset + 4064..<offset + 4096, with: hash)
        #expect(try fixture.content("a") == [1] && fixture.verify().worst == .repairable)
        try fixture.put("b", [3], seed: 2)
        #expect(try fixture.verify().findings.isEmpty && fixture.content("a") == [1])
    }

    /// A page of a newer program that somebody without a key appended: a writer passes it over as readers do.
    @Test func anAppendedPageIsNone() throws {
        let fixture = try VaultFixture([("a", [1])])
        var page = Array(fixture.bytes[..<4096])
        page[9] = 2
        page.replaceSubrange(4064..<4096, with: try SHA256.hash(Array(page[..<4064]).span))
        fixture.bytes += page
        #expect(try fixture.verify().findings.isEmpty)
        try fixture.put("b", [2], seed: 1)
        #expect(try fixture.verify().notes.isEmpty && fixture.content("b") == [2])
    }

    /// The same with a commit and a page T whose hashes are right and whose tags are not.
    @Test func anAppendedCommitIsNone() throws {
        let fixture = try VaultFixture([("a", [1])])
        let before = fixture.bytes
        try fixture.put("a", [2], seed: 1)
        var bytes = fixture.bytes
        bytes.replaceSubrange(..<131_072, with: before[..<131_072])
        let (record, end) = (143_360, bytes.count - 4096)
        for core in [record, end + 2304] {
            bytes[core + 416] ^= 1
            bytes.replaceSubrange(core + 480..<core + 512, with: try SHA256.hash(Array(bytes[core..<core + 480]).span))
        }
        bytes.replaceSubrange(end + 4064..<end + 4096, with: try SHA256.hash(Array(bytes[end..<end + 4064]).span))
        fixture.bytes = bytes
        #expect(try fixture.content("a") == [1] && fixture.verify().worst == nil)
        try fixture.put("b", [2], seed: 2)
        #expect(try fixture.verify().findings.isEmpty && fixture.content("b") == [2] && fixture.content("a") == [1])
    }

    /// A vault that may lack a save cannot be backed up: the backup would be sound and say nothing of it.
    @Test func aVaultThatMayLackASaveIsNotBackedUp() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        for place in [65_536 + 50, fixture.bytes.count - 50] { fixture.bytes[place] ^= 1 }
        #expect(try LockedVault(VaultFixture.vault, in: fixture.environment).warnings.count == 2)
        #expect(throws: FormatError.self) { try fixture.open().backUp(to: "b.qvault") }
        #expect(fixture.files.node("b.qvault") == nil)
    }

    /// A key change that tore its first page, repairs by a writer that then saves nothing: no page keeps the old slots.
    @Test func mendingAloneRetiresOldSlots() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.save(seed: 1) { $0.setSlots(try fixture.slotsWithDevice()) }
        let before = fixture.bytes
        try fixture.save(seed: 2) { try $0.removeSlot(2, besides: 1) }
        var bytes = fixture.bytes
        bytes.replaceSubrange(..<69_632, with: before[..<69_632])
        bytes[65_536 + 1000] ^= 1
        fixture.bytes = bytes
        _ = try VaultTransaction(VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        let old = Array(before[256..<2304])
        for page in [0, 65_536, fixture.bytes.count - 4096] {
            #expect(Array(fixture.bytes[page + 256..<page + 2304]) != old, "page at \(page)")
        }
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// Two pages of one sequence, as two writers without locks may leave them: salvage alone opens the file.
    @Test func contradictoryPagesAreSalvaged() throws {
        let fixture = try VaultFixture([("a", [1])])
        let before = fixture.bytes
        try fixture.put("b", [2], seed: 1)
        let other = fixture.bytes
        fixture.bytes = before
        try fixture.put("c", [3], seed: 2)
        fixture.bytes.replaceSubrange(..<4096, with: other[65_536..<69_632])
        #expect(throws: FormatError.self) { try LockedVault(VaultFixture.vault, in: fixture.environment) }
        let locked = try LockedVault(VaultFixture.vault, in: fixture.environment, toSalvage: true)
        var salvage = try Salvage(locked, master: fixture.unlock(locked), slot: 1)
        let vault = try salvage.write(to: "s.qvault")
        #expect(try vault.entries().count >= 2 && vault.verify().findings.isEmpty)
    }

    /// Somebody changes the slots between unlocking and locking: the key is asked for once more.
    @Test func aKeyIsDerivedBeforeTheLock() throws {
        let fixture = try VaultFixture()
        var asked = 0
        let waiting = try VaultTransaction(VaultFixture.vault, in: fixture.environment, timeout: .zero) { locked in
            asked += 1
            if asked == 1 { try fixture.save(seed: 3) { $0.setSlots(try fixture.slotsWithDevice()) } }
            return try fixture.unlock(locked)
        }
        #expect(asked == 2)
        #expect(waiting.before.sequence == 2)
    }

    /// Temporary files of makers that are gone are removed, those that are locked are not, nor what is called
    /// otherwise.
    @Test func staleTemporaryFilesGo() throws {
        let fixture = try VaultFixture()
        let names = [".qvault-tmp-0123456789abcdef", ".qvault-tmp-00000000000000ff", ".qvault-tmp-short", "other"]
        for name in names { fixture.files.write(BytePath(name), [1]) }
        let held = try fixture.files.openFile(BytePath(names[1]), writing: true)
        #expect(try held.lock())
        try fixture.put("a", [1], seed: 1)
        #expect(names.map { fixture.files.node(BytePath($0)) != nil } == [false, true, true, true])
        withExtendedLifetime(held) {}
    }

    @Test func aWitnessThatIsDamagedRemembersNothing() throws {
        let fixture = try VaultFixture()
        let book = WitnessBook("state", fixture.environment)
        book.remember(try fixture.open())
        #expect(try book.freshness(of: fixture.open()) == .asSeen)
        let file = try #require(fixture.files.witness)
        for change in [{ $0[90] ^= 1 }, { $0.removeLast() }, { $0 = [] }] as [(inout [UInt8]) -> Void] {
            let whole = file.content
            change(&file.content)
            #expect(try book.freshness(of: fixture.open()) == .unknown)
            book.remember(try fixture.open())
            #expect(file.content == whole)
        }
    }

    /// A folder stands where the witness goes.
    @Test func aWitnessThatIsNoFile() throws {
        let fixture = try VaultFixture()
        let book = WitnessBook("state", fixture.environment)
        book.remember(try fixture.open())
        let name = try #require(fixture.files.node("state")?.children.keys.first { $0.count == 32 })
        fixture.files.write(BytePath("state").appending(name), [], kind: .folder)
        book.remember(try fixture.open())
        #expect(try book.freshness(of: fixture.open()) == .unknown)
    }

    /// Nobody's state is a reason to fail.
    @Test func aMachineThatCannotRemember() throws {
        let fixture = try VaultFixture()
        let book = WitnessBook("state", fixture.environment)
        fixture.files.beforeCall = { call in
            if call.path.bytes.starts(with: Array("state".utf8)) { throw IOError(call.operation, call.path, code: 30) }
        }
        book.remember(try fixture.open())
        #expect(try book.freshness(of: fixture.open()) == .unknown)
    }
}
