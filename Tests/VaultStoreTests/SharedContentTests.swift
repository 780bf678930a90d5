import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Files with the same content share one stored record (Spec/store.md, 5), and no file gets the content of another.
struct SharedContentTests {
    private let files = MemoryFileSystem()
    private let fixture: VaultFixture

    init() throws { fixture = try VaultFixture(on: files) }

    private func write(_ content: [(String, [UInt8])]) {
        for (path, bytes) in content { files.write(BytePath("d/\(path)"), bytes) }
    }

    private func store(seed: UInt64) throws {
        try fixture.save(seed: seed) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
    }

    private func place(_ name: String) throws -> UInt64 {
        try #require(try fixture.open().entry(at: BytePath("d/\(name)"))).place
    }

    private func check(_ content: [(String, [UInt8])]) throws {
        for (path, bytes) in content { #expect(try fixture.content(BytePath("d/\(path)")) == bytes, "\(path)") }
        #expect(try fixture.verify().findings.isEmpty)
    }

    private static let lengths = [1, 4000, 65_536, 65_537, 200_000, 2_000_000]

    /// In one save, and with a file that the vault has.
    @Test(arguments: lengths, [false, true]) func theSameContentIsStoredOnce(_ length: Int, _ isText: Bool) throws {
        let bytes = isText ? [UInt8](repeating: 0x61, count: length) : pattern(length)
        write([("a", bytes), ("b", bytes)])
        try store(seed: 1)
        #expect(try place("a") == place("b"))
        let before = fixture.bytes.count
        write([("sub/c", bytes)])
        try store(seed: 2)
        #expect(try place("sub/c") == place("a"))
        #expect(fixture.bytes.count - before < 20_000)
        try check([("a", bytes), ("b", bytes), ("sub/c", bytes)])
    }

    /// The beginning and the length are the same, and so is the hint: the bytes decide.
    @Test(arguments: [70_000, 2_000_000]) func whatDiffersLaterIsNotShared(_ length: Int) throws {
        let bytes = pattern(length)
        var other = bytes
        other[length - 1] ^= 1
        write([("a", bytes), ("b", other)])
        try store(seed: 1)
        #expect(try place("a") != place("b"))
        var third = bytes
        third[length - 2] ^= 1
        write([("c", third), ("e", bytes)])
        try store(seed: 2)
        #expect(try place("c") != place("a") && place("c") != place("b"))
        try check([("a", bytes), ("b", other), ("c", third), ("e", bytes)])
    }

    /// A folder under another name brings entries and no contents.
    @Test func aMovedFolderBringsNoContent() throws {
        let content = (0..<30).map { ("old/\($0)", pattern(50_000, UInt8($0))) }
        write(content)
        try store(seed: 1)
        let before = fixture.bytes.count
        let node = files.node("d")!
        node.children[Array("new".utf8)] = node.children.removeValue(forKey: Array("old".utf8))
        try store(seed: 2)
        #expect(fixture.bytes.count - before < 30 * 1024)
        try check(content.map { ("new/" + $0.0.dropFirst(4), $0.1) })
    }

    /// Who purges one keeps the content of the other, also through compaction.
    @Test func purgingOneKeepsTheOther() throws {
        let bytes = pattern(100_000)
        write([("a", bytes), ("b", bytes)])
        try store(seed: 1)
        let doomed = try #require(try fixture.open().entry(at: "d/a")).id
        try fixture.rewrite(seed: 2) { try $0.rewrite(keeping: 1, purging: [doomed]) }
        try check([("b", bytes)])
        #expect(try fixture.content("d/a") == nil)
        // The header of the stored record names the one that is left.
        let entry = try #require(try fixture.open().entry(at: "d/b"))
        var headers = try StoredRecord.HeaderCipher(fixture.open().keys)
        let prelude = Array(fixture.bytes[Int(entry.place)..<Int(entry.place) + StoredRecord.preludeByteCount])
        #expect(try headers.opened(prelude.span)?.id == entry.id)
        try fixture.rewrite(seed: 3) { try $0.rewrite(keeping: 3) }
        try check([("b", bytes)])
    }

    @Test func mergingAndSalvageKeepContents() throws {
        let bytes = pattern(100_000)
        write([("a", bytes), ("b", bytes), ("c", pattern(5000))])
        try store(seed: 1)
        let mine = try VaultFixture([("e", [3])])
        let merge = try Merge(fixture.open(), into: mine.open())
        try mine.save(seed: 7) { try merge.carryOut(in: $0) }
        #expect(try mine.content("d/a") == bytes && mine.content("d/b") == bytes && mine.verify().findings.isEmpty)
        #expect(try mine.open().entry(at: "d/a")?.place == mine.open().entry(at: "d/b")?.place)
        var salvage = try Salvage(
            LockedVault(VaultFixture.vault, in: fixture.environment), master: Secret(copying: fixture.master.span),
            slot: 1)
        let out = try salvage.write(to: "out.qvault")
        #expect(try out.entry(at: "d/a")?.place == out.entry(at: "d/b")?.place)
        #expect(try out.verify().findings.isEmpty && salvage.losses.isEmpty)
    }

    /// An entry that names another file's stored record, and says other things of it, takes nothing from that file.
    @Test(arguments: Vector.all.filter { ["shared-lengths", "entry-twin-salt"].contains($0.name) })
    func salvageKeepsTheRightOne(_ vector: Vector) throws {
        let files = MemoryFileSystem()
        files.write(VaultFixture.vault, vector.file)
        let locked = try LockedVault(VaultFixture.vault, in: testEnvironment(files))
        var salvage = try Salvage(locked, master: vector.unlock(locked), slot: 1)
        let out = try salvage.write(to: "out.qvault")
        #expect(try !out.entries().isEmpty && out.verify().findings.isEmpty)
        #expect(salvage.losses.count == 1)
    }

    /// What is damaged, or was made up, is not shared.
    @Test func aContentThatCannotBeReadIsStoredAnew() throws {
        let bytes = pattern(100_000)
        write([("a", bytes)])
        try store(seed: 1)
        let damaged = try place("a")
        fixture.bytes[Int(damaged) + 500] ^= 1
        write([("b", bytes)])
        try store(seed: 2)
        #expect(try place("a") != damaged && place("b") != damaged)
        #expect(try fixture.content("d/a") == bytes && fixture.content("d/b") == bytes)
    }

    /// Sizes then tell nothing of contents: neither how far they shrink nor whether the vault has them already.
    @Test func aVaultWithoutCompressionSharesNothing() throws {
        write([("a", pattern(1000)), ("b", pattern(1000))])
        try fixture.save(seed: 1) { save in
            save.isCompressing = false
            try save.treeImport { Issue.record("\($0)") }.add("d", as: "d")
        }
        #expect(try place("a") != place("b"))
        #expect(try fixture.open().entry(at: "d/a")?.hint == nil)
    }

    /// A file that changes while it is stored has no hint, and nobody shares what was read of it.
    @Test func aFileThatChangesIsNotShared() throws {
        let bytes = pattern(300_000)
        write([("a", bytes), ("b", bytes)])
        var reads = 0
        files.beforeCall = { [files] call in
            guard call.path == "d/a", call.operation == "read" else { return }
            reads += 1
            if reads == 3 {
                let node = files.node("d/a")!
                node.content = pattern(200_000, 9)
            }
        }
        var changed: [BytePath] = []
        try fixture.save(seed: 1) { try $0.importing("d", changedMeanwhile: &changed) }
        #expect(changed == ["d/a"])
        #expect(try fixture.open().entry(at: "d/a")?.hint == nil)
        #expect(try fixture.content("d/b") == bytes)
        #expect(try fixture.verify().findings.isEmpty)
    }
}
