import Foundation
import Synchronization
import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Files that were made to cost a reader more than they weigh.
struct HostileTests {
    /// Numbers in an unauthenticated page: a payload area of 2^48 bytes asks for a check table of 2^37.
    @Test func aTableIsNotTakenAtItsWord() throws {
        let fixture = try VaultFixture([("a", pattern(100))])
        var bytes = fixture.bytes
        for page in [0, 65_536] {
            let length = UInt64(1) << 48
            let tail = (length / 65_536 * 32 + 32 + 1024 + 4095) & ~4095
            put(length, at: page + 2304 + 96, in: &bytes)
            put(tail, at: page + 2304 + 104, in: &bytes)
            try hash(page + 2304, 480, in: &bytes)
            put(length + tail, at: page + 72, in: &bytes)
            try hash(page, 4064, in: &bytes)
        }
        fixture.bytes = bytes
        let result = try LockedVault(VaultFixture.vault, in: fixture.environment).verify()
        #expect(result.worst == .damaged)
    }

    private func put(_ value: UInt64, at offset: Int, in bytes: inout [UInt8]) {
        for i in 0..<8 { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * i)) }
    }

    private func hash(_ start: Int, _ count: Int, in bytes: inout [UInt8]) throws {
        let digest = try SHA256.hash(bytes.span.extracting(start..<start + count))
        bytes.replaceSubrange(start + count..<start + count + 32, with: digest)
    }

    /// A hundred bytes an entry must not list as a million bytes of path each.
    @Test func longTitlesInDeepFoldersStaySmall() throws {
        var entries: [Entry] = []
        var parent: RecordID?
        for depth in 1...1000 {
            let folder = entry(UInt64(depth), Entry.Kind.folder, [UInt8](repeating: 0x61, count: 16_000), in: parent)
            parent = folder.id
            entries.append(folder)
        }
        let file = entry(5000, Entry.Kind.file, Array("title".utf8), in: parent)
        var tree = VaultTree(entries)
        let path = try tree.path(of: file)
        #expect(path.bytes.count > Limits.pathByteCount, "it is refused when it is extracted")
        #expect(path.bytes.count < 2 * Limits.pathByteCount)
        #expect(path.lastComponent == file.overview.title)
    }

    private func entry(_ id: UInt64, _ kind: Entry.Kind, _ title: [UInt8], in parent: RecordID?) -> Entry {
        Entry(
            id: RecordID(high: 0, low: id), kind: kind, revision: 1, salt: .zero, place: 131_072, length: 0, created: 0,
            updated: 0, parent: parent, first: 1, overview: Overview(title: title))
    }

    @Test func theOrderOfATree() {
        let paths: [BytePath] = ["a", "a/b", "a/b/c", "a b", "a!", "b"]
        let reversed = Array(paths.reversed())
        let entries = [Entry](repeating: entry(1, Entry.Kind.file, [0x61], in: nil), count: paths.count)
        #expect(TreeListing(entries, paths: reversed).map(\.path) == paths)
    }

    /// A folder's own title may make a path absolute, or double its slashes.
    @Test(arguments: ["/etc/x", "//x", "a//x", "a/../x", "/x", "a/./x"]) func pathsThatDoNotLeadDown(_ path: String)
        throws
    {
        let fixture = try VaultFixture([("x", pattern(10))])
        try fixture.files.makeFolder("out")
        let vault = try fixture.open()
        let file = try #require(try vault.entry(at: "x"))
        var problems: [TreeProblem] = []
        try TreeExport(vault, to: "out", replacing: false) { problems.append($0) }.write(
            TreeListing([file], paths: [BytePath(path)]))
        #expect(problems == [TreeProblem(path: BytePath(path), reason: .hostileName)])
        #expect(fixture.files.node("out")?.children.isEmpty == true)
    }

    @Test func aFolderWithContentIsNotWritten() throws {
        let vector = try #require(Vector.all.first { $0.name == "entry-folder-content" })
        let files = MemoryFileSystem()
        files.write("v.qvault", vector.file)
        try files.makeFolder("out")
        let locked = try LockedVault("v.qvault", in: testEnvironment(files))
        let vault = try locked.open(master: vector.unlock(locked))
        let entries = try vault.entries()
        let items = TreeListing(entries, paths: entries.map { BytePath($0.overview.title) })
        var problems: [TreeProblem] = []
        try TreeExport(vault, to: "out", replacing: false) { problems.append($0) }.write(items)
        let isMalformed = problems.contains {
            if case .unreadableRecord(let error) = $0.reason { error.code == .malformed } else { false }
        }
        #expect(isMalformed)
    }

    @Test func twoRecordsWithOnePathAreNotWrittenOverEachOther() throws {
        let fixture = try VaultFixture([("a", [1]), ("b", [2])])
        try fixture.files.makeFolder("out")
        let vault = try fixture.open()
        let items = TreeListing(try vault.entries(), paths: ["one", "one"])
        var problems: [TreeProblem] = []
        let work = try TreeExport(vault, to: "out", replacing: true) { problems.append($0) }
        try work.write(items)
        #expect(problems == [TreeProblem(path: "one", reason: .exists)] && work.count.files == 1)
    }

    /// A past version that two segments name is not written again as a manifest that no reader takes.
    @Test func historyToldTwiceIsNotMerged() throws {
        let fixture = try VaultFixture()
        let keys = try Keys(
            master: Secret(copying: fixture.master.span), vaultID: .zero, epoch: Epoch(.zero))
        var old = entry(1, Entry.Kind.file, [0x61], in: nil)
        old.last = 1
        var content = SegmentContent()
        content.past = [old, old]
        let malformed = #expect(throws: FormatError.self) {
            _ = try content.sealed(at: 131_072, salt: .zero, keys: keys, base: nil)
        }
        #expect(malformed?.code == .malformed)
    }

    /// A flipped bit of the content and one of the check table: nothing tells that somebody meant it.
    @Test func damageToTheTableMakesNoTampering() throws {
        let fixture = try VaultFixture([("x", pattern(300_000))])
        let core = try fixture.open().record.core
        fixture.bytes[Int(core.start) + 100_000] ^= 1
        fixture.bytes[Int(core.tableOffset) + 5] ^= 1
        let result = try fixture.verify()
        #expect(result.worst == .damaged)
        #expect(result.findings.contains { $0.record == "x" && $0.code == .damaged })
    }

    /// Pieces of 4 MiB are checked side by side; what is damaged across them is one finding, in the order of the file.
    @Test func damageAcrossPiecesIsOneFinding() throws {
        let fixture = try VaultFixture([("x", pattern(10 << 20))])
        let core = try fixture.open().record.core
        let first = core.start + 100_000
        for offset in stride(from: first, to: first + 9 << 20, by: 30_000) { fixture.bytes[Int(offset)] ^= 1 }
        fixture.bytes[Int(core.recordOffset) - 1] ^= 1
        let told = Mutex<[UInt64]>([])
        let result = try LockedVault(VaultFixture.vault, in: fixture.environment).verify() { done in
            told.withLock { $0.append(done) }
        }
        let ranges = result.findings.map {
            $0.range.map { ($0.lowerBound - core.start) / 65_536..<($0.upperBound - core.start + 65_535) / 65_536 }
        }
        let last = (core.payloadLength + 65_535) / 65_536
        #expect(ranges == [1..<146, last - 1..<last])
        #expect(told.withLock { $0 == $0.sorted() && $0.last == core.payloadLength })
    }

    /// Entries that overlap are malformed, and each byte is opened once at most, however many claim it.
    @Test func overlappingRecordsAreNotRead() throws {
        let vector = try #require(Vector.all.first { $0.name.contains("overlap") })
        let files = MemoryFileSystem()
        files.write("v.qvault", vector.file)
        let locked = try LockedVault("v.qvault", in: testEnvironment(files))
        let result = try locked.open(master: vector.unlock(locked)).verify()
        #expect(result.worst == .malformed)
        #expect(result.count.records < (try locked.open(master: vector.unlock(locked)).entries().count))
    }

    @Test func manyUnknownPairsOfAnOverview() throws {
        var writer = CBORWriter()
        writer.map(20_001)
        writer.text("title")
        writer.name([0x61])
        for index in 0..<20_000 {
            writer.text("unknown" + String(100_000 + index))
            writer.unsigned(1)
        }
        var reader = CBORReader([0xA1, 0x0C] + writer.bytes)
        // Not an entry, for it lacks all else; but its overview is read first.
        let error = #expect(throws: FormatError.self) { _ = try Entry(parsing: &reader, part: .live) }
        #expect(error?.what.description.contains("fields of an entry missing") == true)
    }

    /// An authentic core that claims 2^48 bytes: only what is there is looked at.
    @Test func aPayloadIsNotTakenAtItsWord() throws {
        let fixture = try VaultFixture([("x", pattern(10))])
        let vault = try fixture.open()
        let old = vault.record.core
        let core = try Core(
            vaultID: old.vaultID, epoch: old.epoch, sequence: old.sequence, salt: old.salt, start: old.start,
            payloadLength: Limits.payloadByteCount, tailLength: 1 << 40, previous: .zero, tableHash: .zero,
            slotHash: old.slotHash,
            privatePart: vault.privatePart, keys: vault.keys)
        let header = Header(
            vaultID: old.vaultID, epoch: old.epoch, sequence: old.sequence, logEnd: core.end)
        let page = try Page(
            header: header, slots: vault.root.slots, record: CommitRecord(core: core, previous: nil),
            keys: vault.keys)
        for place in [0, 65_536] { fixture.bytes.replaceSubrange(place..<place + 4096, with: page.bytes) }
        #expect(try fixture.verify().worst == .damaged)
    }

    /// A page T without right tags that names a commit of 64 MiB, beside a damaged page: the commit's first block, or the
    /// end of its check table, shows that it is none, and the rest is not read.
    @Test func aForgedPageTCostsLittle() throws {
        let fixture = try VaultFixture([("a", [1])])
        let vault = try fixture.open()
        let old = vault.record.core
        let forger = try Keys(master: Secret(byteCount: 32), vaultID: old.vaultID, epoch: old.epoch)
        let (payload, tail) = (UInt64(64 << 20), UInt64(36 << 10))
        let table = [UInt8](repeating: 0, count: 1025 * 32)
        let core = try Core(
            vaultID: old.vaultID, epoch: old.epoch, sequence: old.sequence + 1, salt: .zero, start: old.end,
            payloadLength: payload, tailLength: tail, previous: old.fingerprint,
            tableHash: Bytes32(SHA256.hash(table.span)), slotHash: old.slotHash, privatePart: vault.privatePart,
            keys: forger)
        let record = CommitRecord(core: core, previous: old)
        let page = try Page(naming: record, slots: vault.root.slots, keys: forger)
        var bytes = Array(fixture.bytes[..<Int(old.end)])
        bytes[65_536 + 100] ^= 1
        bytes += [UInt8](repeating: 0, count: Int(payload)) + record.bytes
        bytes += [UInt8](repeating: 0, count: Int(tail) - record.bytes.count) + page.bytes
        fixture.bytes = bytes
        fixture.files.forgetCalls()
        let locked = try LockedVault(VaultFixture.vault, in: fixture.environment)
        #expect(locked.root.mayLackSave && locked.root.place == .a)
        let read = fixture.files.calls.filter { $0.operation == "read" }.reduce(0) { $0 + $1.count }
        #expect(read < 8 << 20, "\(read) bytes")
    }

    /// A vault that is given up while other threads write it: when it is gone, nobody writes any more, so that its
    /// file can go too.
    @Test func nobodyWritesToWhatWasGivenUp() throws {
        let files = MemoryFileSystem()
        files.beforeCall = { call in if call.operation == "write" { usleep(3000) } }
        do {
            let creation = try VaultCreation(
                "v.qvault", credential: VaultFixture.credential(), in: testEnvironment(files))
            try creation.treeImport { _ in }.addStream(as: "x", read: reading(pattern(6_000_000)))
        }
        let count = files.calls.count
        usleep(100_000)
        #expect(files.calls.count == count)
    }
}
