import Synchronization
import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Content that is compressed (Spec/container.md, 3.7): what goes in comes out, through every verb that carries it.
struct CompressionTests {
    private static let mebibyte = 1 << 20

    /// Lines of text, as logs have them.
    private static func text(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 40)
        var number = 0
        while bytes.count < count {
            number += 1
            bytes += Array("2026-11-26 line \(number) of a log, \(number * number % 7919)\n".utf8)
        }
        return Array(bytes.prefix(count))
    }

    private func entry(_ fixture: VaultFixture, _ path: BytePath) throws -> Entry {
        try #require(try fixture.open().entry(at: path))
    }

    /// Around every length at which something begins: sample, frame, table, threads.
    @Test(arguments: [
        400, 65_535, 65_536, 65_537, mebibyte - 1, mebibyte, mebibyte + 1, 2 * mebibyte, 2 * mebibyte + 1,
        5 * mebibyte + 70_000,
    ])
    func whatShrinksIsCompressed(_ length: Int) throws {
        let text = Self.text(length)
        // Of attachments any number of frames is in one record.
        let fixture = try VaultFixture([("b", pattern(1000))])
        let id = RecordID([UInt8](repeating: 9, count: 16))
        try fixture.save(seed: 1) {
            try $0.put(id, kind: .attachment, parent: nil, overview: Overview(title: [65]), content: text)
        }
        let vault = try fixture.open()
        let attachment = try #require(try vault.entry(id))
        #expect(attachment.length == UInt64(length))
        #expect(try #require(attachment.content.otherLength) < UInt64(length / 3))
        #expect(try entry(fixture, "b").content.otherLength == nil)
        var content: [UInt8] = []
        try vault.read(attachment) { content += Array(copying: $0) }
        let isHeld = content == text
        #expect(isHeld)
        #expect(try fixture.verify().findings.isEmpty)
        var reader = try vault.reader()
        // The closure runs on several threads at once.
        let parts = Mutex([UInt64: [UInt8]]())
        try reader.readInAnyOrder(attachment.content) { start, part in
            let part = Array(copying: part)
            parts.withLock { $0[start] = part }
        }
        let isHeldInParts = parts.withLock { $0 }.sorted { $0.key < $1.key }.flatMap(\.value) == text
        #expect(isHeldInParts)
    }

    /// Any part of a content, compressed or not, also beyond its end.
    @Test(arguments: [0, 1000, 600_000, 2 * mebibyte, 3_000_001], [true, false])
    func partsOfAContent(_ length: Int, _ isText: Bool) throws {
        let bytes = isText ? Self.text(length) : pattern(length)
        let fixture = try VaultFixture([("a", bytes)])
        let (vault, entry) = (try fixture.open(), try entry(fixture, "a"))
        var random = SystemRandomNumberGenerator()
        var ranges = [0..<length, 0..<0, length..<length, length..<length + 10, 0..<length + 10]
        for _ in 0..<30 where length > 0 {
            let start = Int.random(in: 0..<length, using: &random)
            ranges.append(start..<Int.random(in: start...min(start + 1_200_000, length), using: &random))
        }
        for range in ranges {
            var part: [UInt8] = []
            try vault.read(entry, in: UInt64(range.lowerBound)..<UInt64(range.upperBound)) {
                part += Array(copying: $0)
            }
            #expect(part == Array(bytes[range.clamped(to: 0..<length)]), "\(range)")
        }
    }

    /// A sample decides: what does not shrink by a twentieth stands as it is, byte for byte.
    @Test(arguments: [0, 1, 12, 65_535, 65_536, 65_537, 2_000_000]) func whatDoesNotShrinkStandsAsItIs(_ length: Int)
        throws
    {
        let fixture = try VaultFixture([("a", pattern(length))])
        #expect(try entry(fixture, "a").content.otherLength == nil)
        #expect(try fixture.content("a") == pattern(length))
    }

    /// Behind a sample that shrinks anything may come, also what grows a little.
    @Test func aSampleMayMislead() throws {
        let bytes = Self.text(70_000) + pattern(1_900_000)
        let fixture = try VaultFixture([("a", bytes), ("b", Array(bytes.reversed()))])
        #expect(try fixture.content("a") == bytes)
        #expect(try entry(fixture, "b").content.otherLength == nil)
        #expect(try fixture.content("b") == bytes.reversed())
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// Only files and attachments: a card has secrets beside what others wrote.
    @Test(arguments: [(1, true), (32, true), (16, false), (34, false), (40, false), (33, false)])
    func kinds(_ kind: UInt16, _ isCompressed: Bool) throws {
        let fixture = try VaultFixture()
        let id = RecordID([UInt8](repeating: 9, count: 16))
        try fixture.save(seed: 1) { save in
            if kind == 1 { return try save.treeImport { _ in }.addStream(as: "a", read: reading(Self.text(9000))) }
            try save.put(
                id, kind: Entry.Kind(rawValue: kind), parent: nil, overview: Overview(title: [65]),
                content: Self.text(9000))
        }
        let entry = try #require(try fixture.open().entries().first)
        #expect((entry.content.otherLength != nil) == isCompressed)
    }

    @Test func aVaultMayDoWithout() throws {
        let fixture = try VaultFixture()
        try fixture.save(seed: 1) { save in
            save.isCompressing = false
            try save.treeImport { _ in }.addStream(as: "a", read: reading(Self.text(2_000_000)))
        }
        #expect(try entry(fixture, "a").content.otherLength == nil)
        #expect(try fixture.content("a") == Self.text(2_000_000))
    }

    /// Wherever reading fails, what came before is whole and in the trash, and the rest of the save as it should be.
    @Test(arguments: [0, 1, 60_000, 65_536, 200_000, mebibyte, 3_000_000])
    func aSourceThatFails(_ place: Int) throws {
        struct Broken: Error {}
        let fixture = try VaultFixture()
        let text = Self.text(4_000_000)
        try fixture.save(seed: 1) { save in
            let work = try save.treeImport { _ in }
            var offset = 0
            #expect(throws: Broken.self) {
                try work.addStream(as: "a") { buffer in
                    guard offset + buffer.count <= place else { throw Broken() }
                    for index in buffer.indices { buffer[index] = text[offset + index] }
                    offset += buffer.count
                    return buffer.count
                }
            }
            try work.addStream(as: "b", read: reading(text))
        }
        #expect(try fixture.content("b") == text && fixture.content("a") == nil)
        let cut = try #require(try fixture.open().allEntries().first { $0.state == .trashed })
        var content: [UInt8] = []
        try fixture.open().read(cut) { content += Array(copying: $0) }
        let isBeginning = content == Array(text[..<content.count])
        #expect(isBeginning && (max(place - 65_536, -1) + 1...place).contains(content.count))
        #expect(try fixture.verify().findings.isEmpty)
    }

    private static let both = text(2_000_000)

    private func story() throws -> VaultFixture {
        let fixture = try VaultFixture([("a", [1]), ("b", Self.text(900))])
        try fixture.put("a", Self.both, seed: 1)
        return fixture
    }

    private func check(_ vault: Vault) throws {
        #expect(try vault.verify().findings.isEmpty)
        for (path, bytes) in [("a", Self.both), ("b", Self.text(900))] {
            let entry = try #require(try vault.entry(at: BytePath(path)))
            #expect(entry.content.otherLength != nil)
            var content: [UInt8] = []
            try vault.read(entry) { content += Array(copying: $0) }
            #expect(content == bytes)
        }
    }

    @Test func compactionKeepsFrames() throws {
        let fixture = try story()
        try fixture.rewrite(seed: 2) { try $0.rewrite(keeping: 2) }
        try check(fixture.open())
    }

    @Test func mergingKeepsWhatItIs() throws {
        let (mine, theirs) = (try VaultFixture([("c", [3])]), try story())
        let merge = try Merge(theirs.open(), into: mine.open())
        try mine.save(seed: 7) { try merge.carryOut(in: $0) }
        try check(mine.open())
    }

    /// Salvage finds the records by their sealed headers, which say how long they are in the file.
    @Test(arguments: [true, false]) func salvageKeepsFrames(_ losesManifest: Bool) throws {
        let fixture = try story()
        if losesManifest {
            let segment = try fixture.open().record.core.privatePart(keys: fixture.open().keys).segment
            for place in Int(segment.offset)..<Int(segment.end) { fixture.bytes[place] = 0 }
            let copy = Int(segment.headCopy)
            for place in copy..<copy + Int(segment.headLength) { fixture.bytes[place] = 0 }
        }
        var salvage = try Salvage(
            LockedVault(VaultFixture.vault, in: fixture.environment), master: Secret(copying: fixture.master.span),
            slot: 1)
        try check(salvage.write(to: "out.qvault"))
        #expect(salvage.foundByHeader == (losesManifest ? 1 : 0))
    }

    /// Authentic frames that break the form are malformed for every verb, and nobody writes them anew.
    @Test(
        arguments: Vector.all.filter {
            ($0.name.hasPrefix("frames-") || $0.name == "shared-lengths") && $0.header["read"] == "malformed"
        })
    func nobodyCarriesWhatBreaksTheForm(_ vector: Vector) throws {
        let files = MemoryFileSystem()
        files.write(VaultFixture.vault, vector.file)
        let environment = testEnvironment(files)
        let transaction = try? VaultTransaction(VaultFixture.vault, in: environment, timeout: .zero) {
            try vector.unlock($0)
        }
        guard let transaction else { return }
        let error = #expect(throws: FormatError.self) { try transaction.rewrite(keeping: 1) }
        #expect(error?.code == .malformed)
    }

    @Test func aTouchStoresNoContent() throws {
        let files = MemoryFileSystem()
        for number in 0..<20 { files.write(BytePath("d/\(number)"), pattern(100_000, UInt8(number))) }
        let fixture = try VaultFixture(on: files)
        for seed in 1...2 as ClosedRange<UInt64> {
            try fixture.save(seed: seed) { try $0.treeImport { _ in }.add("d", as: "d") }
            for number in 0..<20 {
                let node = files.node(BytePath("d/\(number)"))!
                node.modified = FileTime(nanoseconds: node.modified.nanoseconds + 1)
                if number % 2 == 0 { node.isExecutable = true }
            }
        }
        let before = fixture.bytes.count
        try fixture.save(seed: 3) { try $0.treeImport { _ in }.add("d", as: "d") }
        #expect(fixture.bytes.count - before < 20 * 1024)
        #expect(try fixture.open().entries().filter { $0.kind == .file }.allSatisfy { $0.revision == 3 })
        #expect(try fixture.content("d/7") == pattern(100_000, 7))
    }
}
