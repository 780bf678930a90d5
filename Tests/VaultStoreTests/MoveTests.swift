import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

/// Files and folders under other paths (Spec/store.md, 5).
struct MoveTests {
    private let content = papers

    /// A folder costs two entries: what lies in it is neither written nor sealed again.
    @Test func aFolderTakesItsContentsAlong() throws {
        let fixture = try VaultFixture(content)
        let before = try fixture.open()
        let inside = try #require(try before.entry(at: "papers/sub/b"))
        fixture.files.forgetCalls()
        try fixture.move("papers", to: "letters", seed: 1)
        let vault = try fixture.open()
        #expect(try fixture.paths(vault) == ["c", "letters", "letters/a", "letters/sub", "letters/sub/b"])
        #expect(try vault.entry(at: "letters/sub/b") == inside && fixture.content("letters/sub/b") == pattern(70_000))
        #expect(try vault.versions().filter { $0.first == vault.sequence }.count == 2)
        #expect(try fixture.paths(vault.snapshot(atSave: before.sequence)) == fixture.paths(before))
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A record made at the old path is another one than the one that was moved away.
    @Test func theOldPathIsFree() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.put("papers/a", [9], seed: 2)
        #expect(try fixture.content("papers/a") == [9] && fixture.content("letters/a") == [1])
        // Also where a file stood there in between.
        try fixture.move("papers", to: "more", seed: 3)
        try fixture.put("papers", [8], seed: 4)
        try fixture.save(seed: 5) { try $0.trash(#require(try fixture.open().entry(at: "papers"))) }
        try fixture.put("papers/a", [7], seed: 6)
        try fixture.save(seed: 7) { save in
            for path in ["papers/a", "papers"] as [BytePath] {
                try save.trash(#require(try fixture.open().entry(at: path)))
            }
        }
        try fixture.put("papers", [8], seed: 8)
        #expect(try fixture.open().entry(at: "papers/a") == nil, "a file has the inner id of a folder elsewhere")
        try fixture.save(seed: 9) { try $0.trash(#require(try fixture.open().entry(at: "papers"))) }
        try fixture.put("papers/a", [7], seed: 10)
        let found = try ["papers/a", "more/a", "letters/a"].map { try fixture.content($0) }
        #expect(found == [[7], [9], [1]])
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func thereAndBack() throws {
        let fixture = try VaultFixture(content)
        try fixture.move("papers", to: "letters", seed: 1)
        try fixture.move("letters", to: "papers", seed: 2)
        try fixture.move("c", to: "papers/sub/c", seed: 3)
        try fixture.move("papers/sub/c", to: "new/folders/c", seed: 4)
        try fixture.move("new/folders/c", to: "c", seed: 5)
        let vault = try fixture.open()
        let found = try #require(try vault.entry(at: "c"))
        #expect(try fixture.content("c") == [3] && fixture.content("papers/sub/b") == pattern(70_000))
        #expect(try vault.changes(of: found.id).map(\.change) == [.added, .moved, .moved, .moved])
        #expect(try vault.changes(of: found.id).map(\.storedByteCount) == [1, 0, 0, 0])
        #expect(try fixture.verify().findings.isEmpty)
    }

    @Test func whatCannotBeMoved() throws {
        let fixture = try VaultFixture(content)
        func refusal(_ source: BytePath, _ target: BytePath) throws -> VaultError? {
            do { try fixture.move(source, to: target, seed: 1) } catch let error as VaultError { return error }
            return nil
        }
        #expect(try refusal("papers", "papers/sub/in") == .invalidName("papers/sub/in"))
        #expect(try refusal("papers", "c") == .taken("c", inTrash: false))
        #expect(try refusal("c", "papers/a/c") == .kindConflict("papers/a"))
        #expect(try refusal("c", "..") == .invalidName(".."))
        let deep = BytePath(Array(String(repeating: "d/", count: 1022).utf8) + [0x78])
        #expect(try refusal("papers", deep) == .invalidName(deep))
        // The trash needs room too: its files can come back.
        try fixture.trash("papers/sub/b", seed: 5)
        #expect(try refusal("papers", deep) == .invalidName(deep))
        try fixture.save(seed: 2) { save in
            for path in ["papers/a", "papers/sub", "papers"] {
                try save.trash(#require(try fixture.open().entry(at: BytePath(path))))
            }
        }
        #expect(try refusal("c", "papers") == .taken("papers", inTrash: true))
        try fixture.put("x", [1], seed: 3)
        try fixture.trash("x", seed: 4)
        #expect(try refusal("c", "x") == .taken("x", inTrash: true))
    }

    /// Only the chunks that can hold a folder's entries are read.
    @Test func listingAFolderReadsLittle() throws {
        let fixture = try VaultFixture(
            (0..<3000).map { (BytePath("many/\($0)"), []) } + [("few/x", [1]), ("few/in/y", [2])])
        let vault = try fixture.open()
        let folder = try #require(try vault.entry(at: "few"))
        fixture.files.forgetCalls()
        let listing = try #require(try vault.listing(of: folder, at: "few"))
        #expect(listing.map(\.path.description) == ["few", "few/in", "few/in/y", "few/x"])
        let read = fixture.files.calls.filter { $0.operation == "read" }.reduce(0) { $0 + $1.count }
        #expect(read < 1 << 18, "\(read) bytes")
    }

    /// Random moves, puts, removals and purges, beside a plain table of paths and contents.
    @Test(arguments: 0..<100) func atRandom(_ run: UInt64) throws {
        var random = Dice(seed: run)
        let names: [BytePath] = ["a", "b", "a/x", "b/x", "a/y/z", "c", "c/a", "c/a/x"]
        let fixture = try VaultFixture([], seed: 100 + run)
        var model: [BytePath: [UInt8]] = [:]
        for step in 1...40 {
            let (one, two) = (names[random.next(8)], names[random.next(8)])
            let moved = model.filter { $0.key.isOrIsBeneath(one) }
            let byte = UInt8(truncatingIfNeeded: step)
            do {
                switch random.next(6) {
                case 0, 1, 2:
                    try fixture.move(one, to: two, seed: UInt64(step))
                    for (path, bytes) in moved {
                        model[path] = nil
                        model[BytePath(two.bytes + path.bytes.dropFirst(one.bytes.count))] = bytes
                    }
                case 3, 4:
                    try fixture.put(one, [byte], seed: UInt64(step))
                    model[one] = [byte]
                case _ where step % 4 == 0:
                    let listing = try fixture.open().listing { _ in true }
                    let doomed = Set(listing.filter { $0.path.isOrIsBeneath(one) }.map(\.entry.id))
                    let save = try VaultTransaction(
                        VaultFixture.vault, in: fixture.environment, timeout: .zero, unlock: fixture.unlock)
                    try save.rewrite(keeping: 1, purging: doomed)
                    for path in moved.keys { model[path] = nil }
                default:
                    try fixture.save(seed: UInt64(step)) { save in
                        for (path, entry) in try TreeListing(save.before.entries()) where path.isOrIsBeneath(one) {
                            try save.trash(entry)
                        }
                        if save.isEmpty { throw VaultError.noSuchRecord(one) }
                    }
                    for path in moved.keys { model[path] = nil }
                }
            } catch is VaultError {
                // Something is in the way, or there is nothing to move: nothing has changed.
            }
            let vault = try fixture.open()
            let files = try TreeListing(vault.entries()).filter { $0.entry.kind == .file }
            #expect(Set(files.map(\.path)) == Set(model.keys), "step \(step)")
            for (path, bytes) in model { #expect(try fixture.content(path) == bytes, "step \(step): \(path)") }
            #expect(try fixture.verify().findings.isEmpty, "step \(step)")
            try fixture.checkHistory()
        }
    }

    private struct Dice {
        var state: UInt64
        init(seed: UInt64) { state = seed &* 2_654_435_769 &+ 12_345 }
        /// A number below `bound`.
        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }
}
