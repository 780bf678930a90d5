import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

extension VaultTransaction {
    /// Carries a folder in, and gives the paths of files that changed while they were read.
    func importing(_ folder: BytePath, changedMeanwhile paths: inout [BytePath]) throws {
        var found: [BytePath] = []
        let work = try treeImport { Issue.record("\($0)") }
        work.told = { if $0.action == .changedMeanwhile { found.append($0.path) } }
        try work.add(folder, as: folder)
        paths = found
    }
}

/// What an import leaves out, and what a mirror does.
struct TreeSelectionTests {
    private let files = MemoryFileSystem()

    private func write(_ paths: [String]) { for path in paths { files.write(BytePath(path), Array(path.utf8)) } }

    /// Carries `d` in, and says what became of each thing.
    private func save(
        _ fixture: VaultFixture, seed: UInt64, _ change: (inout TreeImportOptions) -> Void
    ) throws -> [TreeChange] {
        var changes: [TreeChange] = []
        try fixture.save(seed: seed) { save in
            let work = try save.treeImport { Issue.record("\($0)") }
            change(&work.options)
            work.told = { changes.append($0) }
            try work.add("d", as: "d")
        }
        #expect(try fixture.verify().findings.isEmpty)
        return changes
    }

    private func live(_ fixture: VaultFixture) throws -> [String] {
        try TreeListing(fixture.open().entries()).map { "\($0.path)" }
    }

    @Test func whatIsGoneGoesToTheTrash() throws {
        write(["d/a", "d/b", "d/sub/c", "d/sub/deep/e", "d/keep.o"])
        let fixture = try VaultFixture([], on: files)
        _ = try save(fixture, seed: 1) { $0.mirrors = true }
        for name in ["b", "sub", "keep.o"] { files.node("d")!.children[Array(name.utf8)] = nil }
        write(["d/new"])
        let changes = try save(fixture, seed: 2) {
            $0.mirrors = true
            $0.excluded.add(Array("*.o".utf8))
        }
        let trashed = changes.filter { $0.action == .trashed }.map { "\($0.path)" }.sorted()
        #expect(trashed == ["d/b", "d/sub", "d/sub/c", "d/sub/deep", "d/sub/deep/e"])
        #expect(changes.contains(TreeChange(path: "d/new", action: .added)))
        #expect(try live(fixture) == ["d", "d/a", "d/keep.o", "d/new"], "what is excluded is not gone")
        #expect(try save(fixture, seed: 3) { $0.mirrors = true }.map(\.action) == [.trashed], "now keep.o is")
    }

    /// A file takes the place of a folder, and a folder that of a file.
    @Test func kindsChange() throws {
        write(["d/one/x", "d/one/y/z", "d/two"])
        let fixture = try VaultFixture([], on: files)
        _ = try save(fixture, seed: 1) { $0.mirrors = true }
        for name in ["one", "two"] { files.node("d")!.children[Array(name.utf8)] = nil }
        write(["d/one", "d/two/x"])
        _ = try save(fixture, seed: 2) { $0.mirrors = true }
        #expect(try live(fixture) == ["d", "d/one", "d/two", "d/two/x"])
        #expect(try fixture.content("d/one") == Array("d/one".utf8))
        for name in ["one", "two"] { files.node("d")!.children[Array(name.utf8)] = nil }
        write(["d/one/x", "d/two"])
        _ = try save(fixture, seed: 3) { $0.mirrors = true }
        #expect(try live(fixture) == ["d", "d/one", "d/one/x", "d/two"])
    }

    /// A file that takes the place of a folder and cannot be read to its end: the folder stays, with all that lies in it.
    @Test func aKindThatCannotChange() throws {
        write(["d/one/x", "d/one/y"])
        let fixture = try VaultFixture([], on: files)
        _ = try save(fixture, seed: 1) { $0.mirrors = true }
        files.node("d")!.children[Array("one".utf8)] = nil
        files.write("d/one", pattern(3_000_000))
        files.beforeCall = { call in
            guard call.path == "d/one", call.operation == "read", call.offset > 1_000_000 else { return }
            throw IOError("read", "d/one", code: 5)
        }
        var problems: [TreeProblem] = []
        try fixture.save(seed: 2) { save in
            let work = try save.treeImport { problems.append($0) }
            work.options.mirrors = true
            try work.add("d", as: "d")
        }
        #expect(problems.map(\.path) == ["d/one"])
        files.beforeCall = { _ in }
        let found = try live(fixture)
        #expect(found.filter { $0.hasPrefix("d") } == ["d", "d/one", "d/one/x", "d/one/y"], "\(found)")
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// A folder that was moved keeps its inner id, which no folder of its new name would have.
    @Test func aMovedFolderGivesWayToNoFile() throws {
        write(["d/one/x"])
        let fixture = try VaultFixture([], on: files)
        _ = try save(fixture, seed: 1) { $0.mirrors = true }
        try fixture.save(seed: 2) { save in
            try save.move(try #require(try save.before.entry(at: "d/one")), from: "d/one", to: "d/two")
        }
        files.node("d")!.children[Array("one".utf8)] = nil
        write(["d/two"])
        try fixture.save(seed: 3) { save in
            let work = try save.treeImport { Issue.record("\($0)") }
            work.options.mirrors = true
            #expect(throws: VaultError.kindConflict("d/two")) { try work.add("d", as: "d") }
        }
    }

    @Test func whatIsExcludedIsNotRead() throws {
        write(["d/a.o", "d/a.c", "d/build/x", "d/src/build/y", "d/src/keep.o"])
        let fixture = try VaultFixture([], on: files)
        files.beforeCall = { call in
            #expect(!(call.operation == "open" && ["d/a.o", "d/build"].contains("\(call.path)")), "\(call)")
        }
        let changes = try save(fixture, seed: 1) { options in
            options.excluded.add(linesOf: Array("# objects\n*.o\n!keep.o\n/build/\n".utf8))
        }
        #expect(try live(fixture) == ["d", "d/a.c", "d/src", "d/src/build", "d/src/build/y", "d/src/keep.o"])
        #expect(changes.contains(TreeChange(path: "d/a.o", action: .excluded(pattern: Array("*.o".utf8)))))
    }

    @Test func anotherFileSystemIsAnEmptyFolder() throws {
        write(["d/a", "d/mounted/x"])
        let fixture = try VaultFixture([], on: files)
        _ = try save(fixture, seed: 1) { _ in }
        files.node("d/mounted")!.device = 2
        write(["d/mounted/y"])
        let changes = try save(fixture, seed: 2) { ($0.staysOnFileSystem, $0.mirrors) = (true, true) }
        #expect(changes == [TreeChange(path: "d/mounted", action: .otherFileSystem)])
        #expect(try live(fixture) == ["d", "d/a", "d/mounted", "d/mounted/x"], "what is not looked at is not gone")
    }

    /// Rows of gitignore(5), and patterns that would be tried in very many ways.
    @Test(arguments: [
        ("a/**", "a", false), ("a/**", "a/x", true), ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true),
        ("**/b", "b", true),
        ("**/a/b", "x/a/a/b", true), ("**/a/**/b", "a/x/a/b/c", false), ("a/*/b", "a/b", false), ("/b", "a/b", false),
        ("b", "a/b", true),
        ("b/", "a/b", false), ("**", "a/b", true), ("a/b", "a/b/c", false), ("**/**", "a", true), ("\\!a", "!a", true),
        ("#a", "#a", false),
        ("a\\ ", "a ", true), ("a ", "a", true), ("", "a", false), ("!", "!", false), ("/", "a", false),
        (String(repeating: "**/a/", count: 60) + "b", String(repeating: "a/", count: 200) + "c", false),
        (String(repeating: "a*", count: 60) + "b", String(repeating: "a", count: 250), false),
    ])
    func patterns(_ pattern: String, _ path: String, _ isLeftOut: Bool) {
        var patterns = ExcludePatterns()
        patterns.add(Array(pattern.utf8))
        let parts = path.split(separator: "/").map { Array($0.utf8) }
        #expect((patterns.pattern(leavingOut: parts, isFolder: false) != nil) == isLeftOut)
    }

    private func tag(_ folder: BytePath, _ text: String) {
        files.write(folder.appending(Array("CACHEDIR.TAG".utf8)), Array(text.utf8))
    }

    private let signature = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a test\n"

    @Test func ofACacheTheTagIsStored() throws {
        write(["d/cache/x", "d/cache/sub/y", "d/fake/x"])
        tag("d/cache", signature)
        tag("d/fake", "Signature: none\n")
        let fixture = try VaultFixture([], on: files)
        let changes = try save(fixture, seed: 1) { $0.skipsCaches = true }
        #expect(
            try live(fixture) == ["d", "d/cache", "d/cache/CACHEDIR.TAG", "d/fake", "d/fake/CACHEDIR.TAG", "d/fake/x"])
        #expect(changes.contains(TreeChange(path: "d/cache", action: .cache)))
    }

    /// What the vault has in a folder that became a cache stays, also what is gone from it, and where its tag cannot be read.
    @Test(arguments: [false, true]) func aMirrorLeavesACacheAlone(_ isUnreadable: Bool) throws {
        write(["d/cache/x", "d/cache/y"])
        let fixture = try VaultFixture([], on: files)
        _ = try save(fixture, seed: 1) { _ in }
        tag("d/cache", signature)
        files.node("d/cache")!.children[Array("x".utf8)] = nil
        files.beforeCall = { call in
            if isUnreadable, call.path == "d/cache/CACHEDIR.TAG" { throw IOError("open", call.path, code: 13) }
        }
        var problems: [TreeProblem] = []
        try fixture.save(seed: 2) { save in
            let work = try save.treeImport { problems.append($0) }
            (work.options.skipsCaches, work.options.mirrors) = (true, true)
            try work.add("d", as: "d")
        }
        #expect(problems.map(\.path) == (isUnreadable ? ["d/cache"] : []))
        #expect(try live(fixture).filter { !$0.hasSuffix("TAG") } == ["d", "d/cache", "d/cache/x", "d/cache/y"])
    }
}
