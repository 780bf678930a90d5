import Synchronization
import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Copies that grow with the vault (Spec/replication.md).
struct ReplicationTests: ReplicaScene {
    @Test func onlyWhatIsNewIsSent() throws {
        let fixture = try fixture()
        let whole = try #require(try push(fixture))
        #expect(whole.isWhole && whole.byteCount == UInt64(fixture.bytes.count - 131_072))
        #expect(try push(fixture) == nil)
        for seed in UInt64(4)...6 {
            try fixture.put(BytePath("\(seed)"), pattern(100), seed: seed)
            let update = try #require(try push(fixture))
            #expect(!update.isWhole && update.byteCount <= 16_384 && update.sequence == seed + 1)
            let bytes = try #require(fixture.files.node(copy)?.content)
            #expect(bytes[131_072...] == fixture.bytes[131_072...])
            #expect(try content(fixture, copy) == content(fixture, vault))
        }
        try fixture.put("7", [7], seed: 7)
        try fixture.put("8", [8], seed: 8)
        #expect(try push(fixture)?.sequence == 9 && content(fixture, copy) == content(fixture, vault))
    }

    /// A change of key slots leaves no old slots in the copy.
    @Test func keySlotsGoWithIt() throws {
        let fixture = try fixture()
        try push(fixture)
        let slots = try fixture.slotsWithDevice()
        try fixture.save(seed: 9) { $0.setSlots(slots) }
        try push(fixture)
        let bytes = try #require(fixture.files.node(copy)?.content)
        for page in [0, 65_536, bytes.count - 4096] { #expect(Array(bytes[page + 256..<page + 2304]) == slots.bytes) }
    }

    @Test func refusals() throws {
        let fixture = try fixture()
        try push(fixture)
        let before = try #require(fixture.files.node(copy)?.content)
        let old = fixture.bytes
        func refused(_ refusal: ReplicaRefusal, _ body: () throws -> Void) throws {
            let before = fixture.files.node(copy)?.content
            #expect(throws: refusal) { try body() }
            #expect(fixture.files.node(copy)?.content == before)
        }
        // The copy moved on.
        try fixture.put("4", [4], seed: 4)
        try push(fixture)
        let newer = fixture.bytes
        fixture.bytes = old
        try refused(.ahead(5)) { try push(fixture) }
        // Both did.
        try fixture.put("5", [5], seed: 5)
        try refused(.forked(5)) { try push(fixture) }
        try fixture.put("6", [6], seed: 6)
        fixture.bytes = newer
        try fixture.put("7", [7], seed: 7)
        try push(fixture)
        // Another vault, a backup, and none.
        fixture.files.write(copy, try VaultFixture([("x", [1])], seed: 77).bytes)
        try refused(.otherVault) { try push(fixture) }
        try fixture.files.openFolder("").removeFile(copy.lastComponent)
        try fixture.open().backUp(to: copy)
        try refused(.isBackup) { try push(fixture) }
        #expect(throws: VaultError.readOnly(.copy)) {
            try ReplicaSource(LockedVault(copy, in: fixture.environment))
        }
        try fixture.files.openFolder("").removeFile(copy.lastComponent)
        try refused(.missing) { try push(fixture, to: nil, .init(mayCreate: false, follows: nil)) }
        fixture.files.write(copy, [UInt8](repeating: 0, count: 9000))
        #expect(throws: FormatError.self) { try push(fixture) }
        fixture.files.write(copy, before)
        fixture.files.node(copy)?.isLocked = true
        #expect(throws: VaultError.busy) { try push(fixture) }
    }

    /// A log that was written anew is sent whole: its first commit names the save before, or the key tells.
    @Test func afterACompaction() throws {
        let fixture = try fixture()
        try push(fixture)
        func compact(_ seed: UInt64) throws {
            var environment = fixture.environment
            environment.random = CountingRandom(seed: seed)
            try VaultTransaction(vault, in: environment, timeout: .zero, unlock: fixture.unlock).rewrite(keeping: .max)
        }
        try compact(20)
        #expect(try push(fixture)?.isWhole == true)
        #expect(try content(fixture, copy) == content(fixture, vault))
        try fixture.put("8", [8], seed: 8)
        try compact(21)
        func follows(_ core: Core) throws -> Bool { try fixture.open().follows(core) }
        #expect(throws: ReplicaRefusal.forked(5)) {
            try push(fixture, to: nil, .init(mayCreate: true) { _ in false })
        }
        #expect(try push(fixture, to: nil, .init(mayCreate: true, follows: follows))?.isWhole == true)
        #expect(try content(fixture, copy) == content(fixture, vault))
    }

    /// Bytes that changed on the way, or a stream that ends early, change nothing.
    @Test func whatIsNotWholeIsNotTaken() throws {
        let fixture = try fixture()
        try push(fixture)
        let before = try #require(fixture.files.node(copy)?.content)
        try fixture.put("4", pattern(70_000), seed: 4)
        try fixture.put("5", pattern(100), seed: 5)
        let source = try ReplicaSource(LockedVault(vault, in: fixture.environment))
        let sound = try #require(
            try source.update(for: ReplicaTarget(copy, in: fixture.environment).state(for: source.page), first))
        let stretch = Array(fixture.bytes[Int(sound.range.lowerBound)..<Int(sound.range.upperBound)])
        func send(_ bytes: [UInt8], page: Page? = nil, from start: UInt64? = nil) throws {
            var rest = bytes[...]
            let update = ReplicaUpdate(
                page: page ?? sound.page, range: (start ?? sound.range.lowerBound)..<sound.range.upperBound
            ) {
                // Until all has come, nothing of it stands in the file: a program that is killed now leaves it as it was.
                #expect(fixture.files.node(copy)?.content == before)
                defer { rest = rest.dropFirst(30_000) }
                return Array(rest.prefix(30_000))
            }
            try ReplicaTarget(copy, in: fixture.environment).receive(update)
        }
        for at in stride(from: 0, to: stretch.count, by: 997) {
            var bytes = stretch
            bytes[at] ^= 1
            #expect(throws: FormatError.self, "byte \(at)") { try send(bytes) }
            #expect(fixture.files.node(copy)?.content == before)
        }
        #expect(throws: FormatError.self) { try send(stretch.dropLast(4096)) }
        #expect(throws: FormatError.self) { try send(stretch + [0]) }
        #expect(throws: FormatError.self) {
            try send(Array(stretch.dropFirst(4096)), from: sound.range.lowerBound + 4096)
        }
        let old = try Page(parsing: Array(before[0..<4096]))
        #expect(throws: (any Error).self) { try send(stretch, page: old) }
        // A page of a backup makes no backup of a copy, and none where nothing is.
        try fixture.open().backUp(to: "backup.qvault")
        let backup = try LockedVault("backup.qvault", in: fixture.environment).root.page
        #expect(throws: ReplicaRefusal.isBackup) { try send(stretch, page: backup) }
        #expect(throws: ReplicaRefusal.isBackup) {
            try ReplicaTarget("new.qvault", in: fixture.environment).receive(
                ReplicaUpdate(page: backup, range: 131_072..<sound.range.upperBound) { [] })
        }
        #expect(fixture.files.node("new.qvault") == nil)
        #expect(fixture.files.node(copy)?.content == before)
        try send(stretch)
        #expect(try content(fixture, copy) == content(fixture, vault))
    }

    /// A copy of which page T alone tells the newest save, or whose newest save is not whole.
    @Test func damagedCopies() throws {
        let fixture = try fixture()
        try push(fixture)
        let before = try #require(fixture.files.node(copy)?.content)
        try fixture.put("4", [4], seed: 4)
        for place in [[0], [65_536], [0, 65_536]] {
            var bytes = before
            for page in place { bytes[page + 100] ^= 1 }
            let files = FaultyFileSystem(fixture.files)
            var environment = fixture.environment
            environment.files = files
            fixture.files.write(copy, bytes)
            let inode = try #require(fixture.files.node(copy)).inode
            try push(fixture, to: environment)
            #expect(try content(fixture, copy) == content(fixture, vault))
            // The power fails on the way.
            let trace = Trace(before: [copy: (inode, bytes)], operations: files.trace)
            var generator = CountingGenerator(seed: 1)
            for step in 0...trace.operations.count {
                try trace.disks(after: step, limit: 20, random: &generator) { disk in
                    fixture.files.write(copy, try #require(disk[copy]))
                    #expect(try [4, 5].contains(fixture.open(copy).sequence), "page \(place), after \(step)")
                }
            }
        }
        let end = before.count - 4096
        for bytes in [Array(before[..<(end - 2000)]), before[..<(end - 4096)] + [UInt8](repeating: 1, count: 8192)] {
            fixture.files.write(copy, bytes)
            #expect(throws: FormatError.self) { try push(fixture) }
            #expect(fixture.files.node(copy)?.content == bytes)
        }
    }

    /// What is replaced as a whole by somebody without a key stays beside the new file.
    @Test func theOldFileStays() throws {
        let fixture = try fixture()
        try push(fixture)
        let before = try #require(fixture.files.node(copy)?.content)
        try fixture.put("4", [4], seed: 4)
        let bytes = fixture.bytes
        let page = try LockedVault(vault, in: fixture.environment).root.page
        var isDone = false
        let update = ReplicaUpdate(page: page, range: 131_072..<UInt64(bytes.count - 4096)) {
            defer { isDone = true }
            return isDone ? [] : Array(bytes[131_072..<bytes.count - 4096])
        }
        try ReplicaTarget(copy, in: fixture.environment).receive(update, keepingOld: true)
        #expect(fixture.files.node("copy-replaced-1.qvault")?.content == before)
        #expect(try content(fixture, copy) == content(fixture, vault))
    }

    /// Whatever call fails, the copy is what it was, or the new state, and the next push makes it whole.
    @Test(arguments: [false, true]) func everyCallFails(_ isNew: Bool) throws {
        let whole = try fixture(saves: 1...2)
        if !isNew { try push(whole) }
        let before = whole.files.node(copy)?.content
        try whole.put("4", pattern(70_000), seed: 4)
        try whole.put("5", pattern(100), seed: 5)
        for isForEver in [false, true] {
            for call in 0..<2000 {
                let fixture = VaultFixture(copying: whole)
                if let before { fixture.files.write(copy, before) }
                var environment = fixture.environment
                let files = FaultyFileSystem(
                    fixture.files, plan: .init(first: call, isForEver: isForEver, fault: .error(28)))
                environment.files = files
                var isDone = false
                do {
                    try push(fixture, to: environment)
                    isDone = true
                } catch  where error is IOError || error is VaultError || error is FormatError {}
                if before != nil || isDone || fixture.files.node(copy) != nil {
                    let shown = try fixture.open(copy)
                    #expect([3, 5].contains(shown.sequence) && (!isDone || shown.sequence == 5), "call \(call)")
                    #expect(try shown.verify().worst.map { $0 == .repairable } ?? true, "call \(call)")
                }
                if !isDone {
                    try push(fixture)
                    #expect(try content(fixture, copy) == content(fixture, vault), "call \(call)")
                }
                if files.callCount <= call {
                    #expect(call > 20)
                    break
                }
            }
        }
    }

    /// Whatever part of the writes reached the disk when the power fails: the old state or the new one, and a push after it
    /// makes the copy whole.
    @Test func thePowerFails() throws {
        let fixture = try fixture(saves: 1...2)
        try push(fixture)
        let node = try #require(fixture.files.node(copy))
        let (inode, before) = (node.inode, node.content)
        try fixture.put("4", pattern(3000), seed: 4)
        try fixture.put("5", pattern(100), seed: 5)
        let files = FaultyFileSystem(fixture.files)
        var environment = fixture.environment
        environment.files = files
        try push(fixture, to: environment)
        let trace = Trace(before: [copy: (inode, before)], operations: files.trace)
        #expect(trace.after[copy] == fixture.files.node(copy)?.content)
        var generator = CountingGenerator(seed: 3)
        var count = 0
        for step in 0...trace.operations.count {
            try trace.disks(after: step, limit: 40, random: &generator) { disk in
                count += 1
                fixture.files.write(copy, try #require(disk[copy]))
                let shown = try fixture.open(copy)
                #expect([3, 5].contains(shown.sequence), "after \(step)")
                #expect(try shown.verify().worst.map { $0 == .repairable } ?? true, "after \(step)")
                try push(fixture)
                #expect(try content(fixture, copy) == content(fixture, vault), "after \(step)")
            }
        }
        #expect(count > 100)
    }
}
