import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Carrying folders in while they change, and hostile vaults out.
struct TreeTests {
    /// - Parameter changed: gets the paths of files that changed while they were read.
    private func pack(
        _ files: MemoryFileSystem, _ changed: ([BytePath]) -> Void = { _ in }
    ) throws -> (problems: [TreeProblem], vault: Vault) {
        var problems: [TreeProblem] = []
        var paths: [BytePath] = []
        let environment = testEnvironment(files)
        let creation = try VaultCreation("v.qvault", credential: VaultFixture.credential(), in: environment)
        let work = try creation.treeImport { problems.append($0) }
        work.told = { if $0.action == .changedMeanwhile { paths.append($0.path) } }
        try work.add("d", as: "d")
        changed(paths)
        try creation.commit()
        var random: any RandomSource = environment.random
        _ = try (random.bytes(16), random.bytes(8))
        let master = try random.bytes(32)
        return (problems, try LockedVault("v.qvault", in: environment).open(master: Secret(copying: master.span)))
    }

    /// Three files, of which something happens to `d/b` at the n-th call on it.
    private func fixture(_ operation: String, at number: Int = 1, _ event: @escaping (MemoryFileSystem) throws -> Void)
        -> MemoryFileSystem
    {
        let files = MemoryFileSystem()
        for name in ["d/a", "d/b", "d/c"] { files.write(BytePath(name), pattern(100_000)) }
        var seen = 0
        files.beforeCall = { call in
            guard call.path == "d/b", call.operation == operation else { return }
            seen += 1
            if seen == number { try event(files) }
        }
        return files
    }

    @Test(arguments: [
        ("it grows", 40_000), ("it shrinks", -40_000), ("it is emptied", -100_000),
    ])
    func aFileChangesWhileItIsRead(_ what: String, _ change: Int) throws {
        let files = fixture("read", at: 2) { files in
            let node = files.node("d/b")!
            node.content = pattern(100_000 + change, 9)
            node.modified = FileTime(nanoseconds: node.modified.nanoseconds + 1)
        }
        var changed: [BytePath] = []
        let (problems, vault) = try pack(files) { changed = $0 }
        #expect(problems.isEmpty && changed == ["d/b"])
        #expect(try vault.entries().count == 4)
        #expect(try vault.verify().findings.isEmpty)
    }

    @Test(arguments: ["read", "open"]) func aFileDisappears(_ operation: String) throws {
        // The first "read" of a name is its status, which is asked for where the folder does not tell kinds.
        let files = fixture(operation) { files in files.node("d")!.children[Array("b".utf8)] = nil }
        files.tellsKinds = operation != "read"
        let (problems, vault) = try pack(files)
        #expect(problems.map(\.path) == ["d/b"])
        guard case .unreadable(let error)? = problems.first?.reason else {
            Issue.record("\(problems)")
            return
        }
        #expect(error.isMissing)
        #expect(try vault.entries().count == 3)
    }

    /// A file whose reading stops in the middle, of which the vault has a version: that stays, and nothing goes to the trash.
    @Test func aFileThatStopsInTheMiddleKeepsItsOldVersion() throws {
        let files = MemoryFileSystem()
        files.write("d/b", pattern(3_000_000))
        let fixture = try VaultFixture([("d/b", pattern(500))], on: files)
        files.beforeCall = { call in
            guard call.path == "d/b", call.operation == "read", call.offset > 1_000_000 else { return }
            throw IOError("read", "d/b", code: 5)
        }
        var problems: [TreeProblem] = []
        try fixture.save(seed: 1) { try $0.treeImport { problems.append($0) }.add("d", as: "d") }
        #expect(problems == [TreeProblem(path: "d/b", reason: .cutShortBesideOld(IOError("read", "d/b", code: 5)))])
        #expect(try fixture.content("d/b") == pattern(500))
        #expect(try fixture.open().allEntries().allSatisfy { $0.state == .live })
        #expect(try fixture.verify().findings.isEmpty)
    }

    /// Holes are not read, and come out as the zeros that they are.
    @Test func holesAreNotRead() throws {
        let files = MemoryFileSystem()
        var bytes = [UInt8](repeating: 0, count: 3_000_000)
        bytes.replaceSubrange(1_000_000..<1_100_000, with: pattern(100_000))
        files.write("d/b", bytes).holes = [0..<1_000_000, 1_100_000..<3_000_000]
        var read: UInt64 = 0
        files.beforeCall = { if $0.operation == "read", $0.path == "d/b" { read += UInt64($0.count) } }
        let (problems, vault) = try pack(files)
        var content: [UInt8] = []
        try vault.read(#require(try vault.entry(at: "d/b"))) { content += Array(copying: $0) }
        #expect(content == bytes && problems.isEmpty)
        #expect(read < 300_000)
    }

    /// A file system that cannot bring a file to the disk is not believed where it tells of holes: it may not know yet.
    @Test func holesAreBelievedOnlyOfWhatIsOnTheDisk() throws {
        let files = MemoryFileSystem()
        files.write("d/b", pattern(3_000_000)).holes = [0..<2_000_000]
        files.beforeCall = { if $0.operation == "sync", $0.path == "d/b" { throw IOError("sync", "d/b", code: 22) } }
        let (problems, vault) = try pack(files)
        var content: [UInt8] = []
        try vault.read(#require(try vault.entry(at: "d/b"))) { content += Array(copying: $0) }
        #expect(content == pattern(3_000_000) && problems.isEmpty)
    }

    /// A file that says that it is empty, and cannot be read, stops nothing else.
    @Test func anEmptyFileThatCannotBeRead() throws {
        let files = MemoryFileSystem()
        for name in ["d/a", "d/b", "d/c"] { files.write(BytePath(name), []) }
        let fixture = try VaultFixture([("d/b", [])], on: files)
        files.beforeCall = { if $0.operation == "read", $0.path == "d/b" { throw IOError("read", "d/b", code: 5) } }
        var problems: [TreeProblem] = []
        try fixture.save(seed: 1) { try $0.treeImport { problems.append($0) }.add("d", as: "d") }
        #expect(problems.map(\.path) == ["d/b"])
        #expect(try fixture.content("d/b") == [] && fixture.content("d/c") == [])
    }

    /// A file that changes while it is compared with what the vault has is told, also where nothing is stored.
    @Test func aFileThatChangesWhileItIsComparedIsTold() throws {
        let files = MemoryFileSystem()
        let bytes = pattern(2_000_000)
        for name in ["d/a", "d/b"] { files.write(BytePath(name), bytes) }
        let fixture = try VaultFixture([("d/a", bytes)], on: files)
        files.beforeCall = { [files] call in
            guard call.operation == "read", call.offset > 1_000_000, let node = files.node(call.path) else { return }
            node.modified = FileTime(nanoseconds: node.modified.nanoseconds + 1)
        }
        var changed: [BytePath] = []
        try fixture.save(seed: 1) { try $0.importing("d", changedMeanwhile: &changed) }
        #expect(changed == ["d/a", "d/b"])
        #expect(try fixture.content("d/a") == bytes && fixture.content("d/b") == bytes)
    }

    @Test func aFileThatStopsInTheMiddleGoesToTheTrash() throws {
        let files = MemoryFileSystem()
        for name in ["d/a", "d/b", "d/c"] { files.write(BytePath(name), pattern(2_000_000)) }
        files.beforeCall = { call in
            if call.path == "d/b", call.operation == "read", call.offset > 1_000_000 {
                throw IOError("read", call.path, code: 5)
            }
        }
        let (problems, vault) = try pack(files)
        #expect(problems == [TreeProblem(path: "d/b", reason: .cutShort(IOError("read", "d/b", code: 5)))])
        #expect(try vault.entries().count == 3)
        #expect(try vault.manifest.entries().filter { $0.state == .trashed }.count == 1)
        #expect(try vault.verify().findings.isEmpty, "what was written of it is a record like any other")
    }

    /// Several threads write; what they leave out is told in the order of the paths.
    @Test func whatIsLeftOutIsToldInOrder() throws {
        let files = MemoryFileSystem()
        for folder in 10..<90 {
            for name in ["a", "b"] { files.write(BytePath("d/\(folder)/\(name)"), pattern(folder % 7 * 20_000)) }
        }
        let (_, vault) = try pack(files)
        try files.makeFolder("out")
        var told: [BytePath] = []
        for _ in 0..<2 {
            let work = try TreeExport(vault, to: "out", replacing: false) { told.append($0.path) }
            try work.write(TreeListing(vault.entries()))
        }
        #expect(told == (10..<90).flatMap { folder in ["a", "b"].map { BytePath("d/\(folder)/\($0)") } })
    }

    /// Every vector that can be listed is written to a real folder: nothing appears outside it, whatever the vault
    /// says.
    @Test(arguments: Vector.all.filter { $0.header["read"] == "ok" })
    func nothingLeavesTheTarget(_ vector: Vector) throws {
        let box = FileManager.default.temporaryDirectory.appending(path: "qvault-box-\(UUID().uuidString)")
        defer { _ = try? find(box, "-delete"); try? FileManager.default.removeItem(at: box) }
        let target = box.appending(path: "a/b/target")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let vaultFile = box.appending(path: "v.qvault")
        try Data(vector.file).write(to: vaultFile)
        let environment = StoreEnvironment.system()
        let locked = try LockedVault(BytePath(vaultFile.path), in: environment)
        let vault = try locked.open(master: vector.unlock(locked))
        var problems: [TreeProblem] = []
        let work = try TreeExport(vault, to: BytePath(target.path), replacing: false) { problems.append($0) }
        do {
            try work.write(TreeListing(vault.entries()))
        } catch let error as FormatError {
            #expect(error.code == .malformed, "a symlink's target is judged when it is made")
        }
        let outside = try find(box, "-not", "-path", "*/target/?*", "-printf", "%P\\n").split(separator: "\n")
        #expect(outside.sorted() == ["a", "a/b", "a/b/target", "v.qvault"])
        let links = try find(target, "-type", "l", "-printf", "%p\\0%l\\0").split(separator: "\0").map(String.init)
        for index in stride(from: 0, to: links.count, by: 2) {
            let folder = URL(filePath: links[index]).deletingLastPathComponent()
            let resolved = folder.appending(path: links[index + 1]).standardized.path
            #expect(!links[index + 1].hasPrefix("/") && resolved.hasPrefix(target.path), "\(links[index])")
        }
        if let outcome = vector.header["unpack"], outcome != "malformed" {
            #expect(problems.isEmpty == (outcome == "ok"), "what is hostile is left out and listed")
        }
    }

    /// Lists files as `find` does: paths longer than a system call takes are no obstacle to it.
    private func find(_ folder: URL, _ tests: String...) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/find")
        process.arguments = [folder.path, "-mindepth", "1"] + tests
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Two harmless-looking links that climb out together.
    @Test(arguments: [
        ("plain", "", true), ("a/b", "", true), ("../x", "", false), ("../x", "d", true), ("../../x", "d", false),
        ("a/../b", "d", false), ("x/okup/../../q", "d", false), ("./../x", "d", true), ("./..//./../x", "d", false),
        ("..", "d", true),
        ("/etc", "d", false),
        ("", "d", false), ("a\0", "d", false),
    ])
    func symlinkTargets(_ link: String, _ folder: String, _ isKept: Bool) {
        #expect(TreeExport.staysBeneath(Array(link.utf8), at: BytePath(folder)) == isKept)
    }
}
