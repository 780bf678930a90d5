import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// What readers and writers make of the traces of an interrupted writer (Spec/store.md, 6; Spec/reader.md, 2), and what
/// a machine remembers. Tests/Soak tries all of it by the thousand; here each rule stands by itself.
struct RecoveryTests {
    /// Damage, what the next writer says that it mended, and what was there afterwards.
    @Test(arguments: [
        ("page A", 100, ["page A was damaged, and is mended"]),
        // Page B named the newest save.
        ("page B", 65_536 + 4000, ["save 2, which was interrupted, is complete", "page B was damaged, and is mended"]),
        ("page K", 131_072 + 10, ["page K was damaged or old, and is mended"]),
    ])
    func aDamagedPageIsMended(_ name: String, _ offset: Int, _ mended: [String]) throws {
        let scene = try Scene([("a", [1])])
        try scene.put("a", [2], seed: 1)
        scene.bytes[offset] ^= 1
        #expect(try scene.verify().worst == .repairable)
        try scene.save(seed: 2) { save in
            #expect(save.mended.map(\.description) == mended)
            try save.treeImport { _ in }.addStream(as: "b", read: reading([3]))
        }
        #expect(try scene.verify().findings.isEmpty)
        #expect(try scene.content("a") == [2] && scene.content("b") == [3])
    }

    @Test func bytesBehindAreRemoved() throws {
        let scene = try Scene()
        scene.bytes += [1, 2, 3]
        #expect(try scene.open().warnings.isEmpty, "a writer may be at work")
        #expect(try scene.verify().notes.map(\.description) == ["3 bytes of an unfinished save stand at the end"])
        try scene.save(seed: 2) { save in
            #expect(save.mended.map(\.description) == ["removed 3 bytes of a save that was interrupted"])
            try save.treeImport { _ in }.addStream(as: "b", read: reading([3]))
        }
        #expect(try scene.verify().notes.isEmpty)
    }

    /// Stopped between the commit and its page: readers wait for a writer to adopt it.
    @Test func aWholeCommitBehindIsAdopted() throws {
        let scene = try Scene([("a", [1])])
        let before = scene.bytes
        try scene.put("a", [2], seed: 1)
        scene.bytes.replaceSubrange(0..<131_072, with: before[..<131_072])
        #expect(try scene.content("a") == [1])
        try scene.save(seed: 2) { save in
            #expect(save.mended.map(\.description) == ["save 2, which was interrupted, is complete"])
            #expect(save.before.sequence == 2)
        }
        #expect(try scene.content("a") == [2])
        #expect(try scene.open().sequence == 3)
    }

    /// The newest page lost, and its commit damaged: an older save can be read, and nothing is written over it.
    @Test func whatMayBeLostIsNotWrittenTo() throws {
        let scene = try Scene([("a", [1])])
        try scene.put("a", [2], seed: 1)
        scene.bytes[65_536] ^= 1
        scene.bytes[143_360 + 100] ^= 1
        let before = scene.bytes
        #expect(try scene.content("a") == [1])
        #expect(try scene.open().warnings.count == 2)
        #expect(try scene.verify().worst == .damaged)
        let error = #expect(throws: VaultError.self) { try scene.put("b", [1], seed: 2) }
        guard case .readOnly(.damaged(let what)) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(what.code == .damaged)
        #expect(scene.bytes == before)
    }

    @Test func aDamagedNewestRecordIsNotWrittenTo() throws {
        let scene = try Scene()
        scene.bytes[139_264 + 10] ^= 1
        let before = scene.bytes
        let error = FormatError(.repairable, "the newest commit record is damaged", at: 139_264)
        #expect(throws: VaultError.readOnly(.damaged(error))) { try scene.put("b", [1], seed: 2) }
        #expect(scene.bytes == before, "a refused writer changes nothing")
        #expect(try scene.open().warnings.count == 1)
    }

    @Test func bothPagesLost() throws {
        let scene = try Scene([("a", [1])])
        try scene.put("a", [2], seed: 1)
        for page in [0, 65_536] { scene.bytes[page + 50] ^= 1 }
        #expect(try scene.content("a") == [2])
        #expect(
            try scene.open().warnings.map(\.description) == [
                "both pages are damaged", "a newer save than save 2 may be lost",
            ])
        #expect(try scene.verify().worst == .damaged)
        #expect(throws: VaultError.self) { try scene.put("b", [1], seed: 2) }
    }

    /// Somebody changes the slots between unlocking and locking: the key is asked for once more.
    @Test func aKeyIsDerivedBeforeTheLock() throws {
        let scene = try Scene()
        var asked = 0
        let waiting = try Transaction(Scene.vault, in: scene.world, wait: 0) { locked in
            asked += 1
            if asked == 1 { try scene.save(seed: 3) { $0.setSlots(try scene.slotsWithDevice()) } }
            return try scene.unlock(locked)
        }
        #expect(asked == 2)
        #expect(waiting.before.sequence == 2)
    }

    /// Temporary files of makers that are gone are removed, those that are locked are not, nor what is called
    /// otherwise.
    @Test func staleTemporaryFilesGo() throws {
        let scene = try Scene()
        let names = [".qvault-tmp-0123456789abcdef", ".qvault-tmp-00000000000000ff", ".qvault-tmp-short", "other"]
        for name in names { scene.files.write(Path(name), [1]) }
        let held = try scene.files.openFile(Path(names[1]), writing: true)
        #expect(try held.lock())
        try scene.put("a", [1], seed: 1)
        #expect(names.map { scene.files.node(Path($0)) != nil } == [false, true, true, true])
        withExtendedLifetime(held) {}
    }

    @Test func aWitnessThatIsDamagedRemembersNothing() throws {
        let scene = try Scene()
        let book = WitnessBook("state", scene.world)
        book.remember(try scene.open())
        #expect(try book.standing(of: scene.open()) == .asSeen)
        let file = try #require(scene.files.witness)
        for change in [{ $0[90] ^= 1 }, { $0.removeLast() }, { $0 = [] }] as [(inout [UInt8]) -> Void] {
            let whole = file.content
            change(&file.content)
            #expect(try book.standing(of: scene.open()) == .unknown)
            book.remember(try scene.open())
            #expect(file.content == whole)
        }
    }

    /// A folder stands where the witness goes.
    @Test func aWitnessThatIsNoFile() throws {
        let scene = try Scene()
        let book = WitnessBook("state", scene.world)
        book.remember(try scene.open())
        let name = try #require(scene.files.node("state")?.children.keys.first { $0.count == 32 })
        scene.files.write(Path("state").appending(name), [], kind: .folder)
        book.remember(try scene.open())
        #expect(try book.standing(of: scene.open()) == .unknown)
    }

    /// Nobody's state is a reason to fail.
    @Test func aMachineThatCannotRemember() throws {
        let scene = try Scene()
        let book = WitnessBook("state", scene.world)
        scene.files.beforeCall = { call in
            if call.path.bytes.starts(with: Array("state".utf8)) { throw IOError(call.operation, call.path, code: 30) }
        }
        book.remember(try scene.open())
        #expect(try book.standing(of: scene.open()) == .unknown)
    }
}
