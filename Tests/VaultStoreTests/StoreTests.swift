import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Saving and reading: what the store promises (Spec/store.md).
struct StoreTests {
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 1_048_576, 1_048_577, 2_000_000])
    func contentComesBack(_ count: Int) throws {
        let fixture = try VaultFixture([("a", pattern(count)), ("b/c", pattern(10))])
        #expect(try fixture.content("a") == pattern(count))
        #expect(try fixture.content("b/c") == pattern(10))
        let result = try fixture.verify()
        #expect(result.findings.isEmpty && result.count.records == 3)
        #expect(try LockedVault(VaultFixture.vault, in: fixture.environment).verify().findings.isEmpty)
    }

    @Test func savesReplaceAddAndRemove() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2, 2], seed: 1)
        try fixture.put("dir/b", [3], seed: 2)
        try fixture.save(seed: 3) { save in try save.trash(try #require(try save.entry(TreeName.id([0x61], in: nil)))) }
        let vault = try fixture.open()
        #expect(vault.sequence == 4)
        #expect(try vault.entries().count == 2)
        #expect(try fixture.content("a") == nil && fixture.content("dir/b") == [3])
        try fixture.put("a", [4], seed: 4)
        let entry = try #require(try fixture.open().entry(at: "a"))
        #expect(entry.revision == 4, "put, put, trash, put")
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func manySavesStayShallow() throws {
        let fixture = try VaultFixture()
        for number in 1...200 { try fixture.put(BytePath("f\(number % 60)"), [UInt8(number)], seed: UInt64(number)) }
        let vault = try fixture.open()
        #expect(vault.manifest.segments.count <= 8)
        #expect(try vault.entries().count == 60)
        for number in 141...200 { #expect(try fixture.content(BytePath("f\(number % 60)")) == [UInt8(number)]) }
        let result = try fixture.verify()
        #expect(result.findings.isEmpty && result.count.commits == 201)
        // Every version and every commit is remembered.
        let past = try vault.manifest.segments.reduce(0) { try $0 + $1.entries(.past).count }
        let lines = try vault.manifest.segments.reduce(0) { try $0 + $1.lines().count }
        #expect(past == 140 && lines == 200)
    }

    @Test func saveWritesInOrder() throws {
        let fixture = try VaultFixture([("a", [1])])
        fixture.files.forgetCalls()
        try fixture.put("b", [2], seed: 1)
        let writes = fixture.files.calls.filter { ["write", "sync", "truncate"].contains($0.operation) }
        let end = UInt64(fixture.bytes.count)
        // First what others left is made durable, and the vault's name.
        #expect(
            writes.map(\.operation) == ["sync", "sync", "write", "write", "write", "truncate", "sync", "write", "sync"])
        #expect(writes[2...5].map(\.offset) == [139_264, 143_360, 147_456, end], "page T comes last")
        #expect(writes[7].offset == 65_536 && writes[7].count == 4096, "B counts as the older of two equal pages")
        try fixture.put("c", [3], seed: 2)
        #expect(
            fixture.files.calls.filter { $0.operation == "write" }.suffix(1).map(\.offset) == [0], "then A is the older"
        )
        #expect(
            writes.filter { $0.operation == "write" }.reduce(0) { $0 + $1.count } == 16_384, "a small save is 16 KiB")
    }

    @Test func shortWritesAreContinued() throws {
        let fixture = try VaultFixture([("a", [1])])
        fixture.files.longestWrite = 1000
        try fixture.put("b", pattern(200_000), seed: 1)
        #expect(try fixture.content("b") == pattern(200_000))
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// Every call of a save fails once: what follows is the old state or the new, and never silence.
    @Test func everyCallMayFail() throws {
        let calls = try callsOfASave()
        var outcomes = (old: 0, new: 0)
        for index in 0..<calls {
            let fixture = try VaultFixture([("a", pattern(1000))])
            var count = 0
            fixture.files.beforeCall = { call in
                defer { count += 1 }
                if count == index { throw IOError(call.operation, call.path, code: 28) }
            }
            var failure: (any Error)?
            do { try fixture.put("b", pattern(70_000), seed: 1) } catch { failure = error }
            fixture.files.beforeCall = { _ in }
            let isNew = try fixture.content("b") == pattern(70_000)
            if isNew { outcomes.new += 1 } else { outcomes.old += 1 }
            #expect(try fixture.content("a") == pattern(1000))
            #expect(isNew || failure != nil, "call \(index) failed, and the save that is not there was acknowledged")
            let result = try fixture.verify()
            #expect(result.findings.isEmpty, "call \(index): \(result.findings)")
        }
        #expect(outcomes.old > 0 && outcomes.new > 0)
    }

    private func callsOfASave() throws -> Int {
        let fixture = try VaultFixture([("a", pattern(1000))])
        fixture.files.forgetCalls()
        try fixture.put("b", pattern(70_000), seed: 1)
        return fixture.files.calls.count
    }

    @Test func unknownOutcomeIsSaidSo() throws {
        let fixture = try VaultFixture()
        var syncs = 0
        fixture.files.beforeCall = { call in
            if call.operation == "sync" {
                syncs += 1
                if syncs == 3 { throw IOError("sync", call.path, code: 5) }
            }
        }
        let error = #expect(throws: VaultError.self) { try fixture.put("a", [1], seed: 1) }
        #expect(error == .outcomeUnknown(IOError("sync", VaultFixture.vault, code: 5)))
        #expect(syncs == 3, "a failed sync is not tried again")
    }

    /// Every call of a creation fails once: there is no vault of that name, or a whole one.
    @Test func creationIsAllOrNothing() throws {
        let whole = try VaultFixture([("a", pattern(70_000))])
        let calls = whole.files.calls.count
        for index in 0..<calls {
            let files = MemoryFileSystem()
            var count = 0
            files.beforeCall = { call in
                defer { count += 1 }
                if count == index { throw IOError(call.operation, call.path, code: 28) }
            }
            let failed = (try? makeVault(files)) == nil
            files.beforeCall = { _ in }
            if let node = files.node(VaultFixture.vault) {
                #expect(node.content == whole.bytes)
            } else {
                #expect(failed, "call \(index) failed silently")
            }
            #expect(files.root.children.count <= 1, "nothing else is left behind")
        }
    }

    private func makeVault(_ files: MemoryFileSystem) throws {
        let creation = try VaultCreation(
            VaultFixture.vault, credential: VaultFixture.credential(), in: testEnvironment(files))
        try creation.treeImport { _ in }.addStream(as: "a", read: reading(pattern(70_000)))
        try creation.commit()
    }

    @Test func anAbandonedSaveLeavesNothing() throws {
        let fixture = try VaultFixture([("a", [1])])
        let before = fixture.bytes
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try fixture.save(seed: 1) { save in
                try save.treeImport { _ in }.addStream(as: "b", read: reading(pattern(3_000_000)))
                throw Stop()
            }
        }
        #expect(fixture.bytes == before)
    }

    @Test func oneWriterAtATime() throws {
        let fixture = try VaultFixture()
        let first = try VaultTransaction(
            VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
        #expect(throws: VaultError.busy) {
            _ = try VaultTransaction(
                VaultFixture.vault, in: fixture.environment, timeout: .milliseconds(40), unlock: fixture.unlock)
        }
        try first.commit()
    }

    @Test func aReplacedFileIsOpenedAgain() throws {
        let fixture = try VaultFixture([("a", [1])])
        let other = try VaultFixture([("b", [2])], seed: 7)
        var isFirst = true
        fixture.files.beforeCall = { call in
            // Between opening and locking, somebody renames another vault over this one.
            if call.operation == "lock", isFirst {
                isFirst = false
                fixture.files.write(VaultFixture.vault, other.bytes)
            }
        }
        let transaction = try VaultTransaction(VaultFixture.vault, in: fixture.environment, timeout: .zero) { _ in
            try Secret(copying: other.master.span)
        }
        #expect(try transaction.before.entry(at: "b") != nil)
    }

    @Test func tornPagesAreReadAgain() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        let whole = fixture.bytes
        fixture.bytes[65_536 + 3000] ^= 1
        var reads = 0
        fixture.files.beforeCall = { call in
            // The writer finishes while the page is read for the fourth time.
            if call.operation == "read", call.offset == 65_536, call.count == 4096 {
                reads += 1
                if reads == 4 { fixture.bytes = whole }
            }
        }
        #expect(try fixture.content("a") == [2])
        #expect(reads >= 4)
    }

    @Test func theOtherPageServesWhenOneIsUnsound() throws {
        let fixture = try VaultFixture([("a", [1])])
        try fixture.put("a", [2], seed: 1)
        fixture.bytes[10] ^= 1
        let vault = try fixture.open()
        #expect(vault.warnings == ["page A is damaged"])
        #expect(try fixture.content("a") == [2])
        #expect(try fixture.verify().worst == .repairable)
    }

    @Test func copiesEditedApartShareNothing() throws {
        let fixture = try VaultFixture([("a", [1])])
        let common = fixture.bytes
        try fixture.put("b", [2], seed: 1)
        let left = fixture.bytes
        fixture.bytes = common
        try fixture.put("b", [2], seed: 2)
        let right = fixture.bytes
        let payload = common.count - 4096..<common.count
        let differing = zip(left[payload], right[payload]).count { $0 != $1 }
        #expect(Double(differing) > 0.98 * 4096, "no key and nonce in common: all ciphertext differs")
    }

    @Test func oneBitAnywhereIsNoticed() throws {
        let fixture = try VaultFixture([("a", pattern(100))])
        try fixture.put("b", pattern(50), seed: 1)
        let whole = fixture.bytes
        var (missed, tried) = (0, 0)
        for offset in stride(from: 0, to: whole.count, by: 37) {
            fixture.bytes = whole
            fixture.bytes[offset] ^= 0x10
            tried += 1
            let worst = (try? LockedVault(VaultFixture.vault, in: fixture.environment).verify())?.worst
            let withKey = try? fixture.verify()
            if worst == nil && withKey != nil && withKey?.worst == nil { missed += 1 }
        }
        #expect(missed == 0)
    }
}
