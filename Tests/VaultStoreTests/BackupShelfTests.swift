import Testing
import Values
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A folder of backups: what counts as one, and what goes.
struct BackupShelfTests {
    private let folder: BytePath = "shelf"

    private func shelf(_ fixture: VaultFixture) throws -> BackupShelf {
        if fixture.files.node(folder) == nil { try fixture.files.makeFolder(folder) }
        return BackupShelf(folder, of: VaultFixture.vault, in: fixture.environment)
    }

    /// A vault with a backup of each of its first three saves.
    private func backedUp() throws -> (fixture: VaultFixture, paths: [BytePath]) {
        let fixture = try VaultFixture([("a", [1])])
        var paths: [BytePath] = []
        for seed in 1...3 {
            paths.append(try shelf(fixture).newName())
            try fixture.open().backUp(to: paths[paths.count - 1])
            try fixture.put("a", [UInt8(seed)], seed: UInt64(seed))
        }
        return (fixture, paths)
    }

    @Test func namesTellTheTimeAndAreFree() throws {
        let (_, paths) = try backedUp()
        #expect(
            paths.map(\.description) == [
                "shelf/v-20260102T030405Z.qvault", "shelf/v-20260102T030405Z_2.qvault",
                "shelf/v-20260102T030405Z_3.qvault",
            ])
    }

    /// Twelve backups of one save, all of one second: they keep their order, also behind names that were let free.
    @Test func backupsOfOneSecondKeepTheirOrder() throws {
        let fixture = try VaultFixture([("a", [1])])
        func backUp() throws -> BytePath {
            let path = try shelf(fixture).newName()
            try fixture.open().backUp(to: path)
            return path
        }
        let paths = try (0..<12).map { _ in try backUp() }
        func found() throws -> [BytePath] { try shelf(fixture).contents(fixture.open()).proven.map(\.path) }
        #expect(try found() == paths)
        let folder = try fixture.environment.files.openFolder(folder)
        for path in paths.prefix(3) { try folder.removeFile(path.lastComponent) }
        let last = try backUp()
        #expect(last == "shelf/v-20260102T030405Z_13.qvault")
        #expect(try found() == Array(paths.dropFirst(3)) + [last])
        // Numbers that nobody gives are no numbers.
        for name in ["_99999999999999999999", "_", "_x", " copy"] {
            fixture.files.write(BytePath("shelf/v-20260102T030405Z\(name).qvault"), [])
        }
        #expect(try shelf(fixture).newName() == "shelf/v-20260102T030405Z_14.qvault")
    }

    @Test func theOldestGoAndTheNewOneStays() throws {
        let (fixture, paths) = try backedUp()
        let shelf = try shelf(fixture)
        let contents = try shelf.contents(fixture.open())
        #expect(contents.proven.map(\.path) == paths && contents.proven.map(\.sequence) == [1, 2, 3])
        func outdated(_ count: Int, beside next: Timestamp? = nil) -> [BytePath] {
            contents.outdated(keeping: Retention(newest: count), beside: next) { Day(second: $0.seconds) }
        }
        #expect(contents.others.isEmpty && outdated(2) == [paths[0]])
        #expect(outdated(1, beside: contents.proven[2].time) == paths && outdated(9).isEmpty)
        try shelf.remove([paths[1]])
        #expect(try shelf.contents(fixture.open()).proven.map(\.path) == [paths[0], paths[2]])
    }

    /// Names prove nothing: a vault, another vault's backup, a damaged one and one of a branch are not counted.
    @Test func whatIsNoBackupOfThisVaultStays() throws {
        let (fixture, paths) = try backedUp()
        let (other, others) = try backedUp()
        let foreign = try VaultFixture([("a", [1])], seed: 9)
        try foreign.open().backUp(to: "b.qvault")
        try other.save(seed: 77) { try $0.treeImport { _ in }.addStream(as: "c", read: reading([1])) }
        try other.open().backUp(to: "c.qvault")
        let files = [
            "shelf/v-20250101T000000Z.qvault": fixture.bytes,
            "shelf/v-20250102T000000Z.qvault": try #require(foreign.files.node("b.qvault")).content,
            "shelf/v-20250103T000000Z.qvault": try #require(other.files.node("c.qvault")).content,
            "shelf/v-20250104T000000Z.qvault": [1, 2, 3],
        ]
        for (name, bytes) in files { fixture.files.write(BytePath(Array(name.utf8)), bytes) }
        for name in ["w-20250101T000000Z.qvault", "v-2025.qvault", "v-20250101T000000Z.txt"] {
            fixture.files.write(folder.appending(Array(name.utf8)), fixture.bytes)
        }
        fixture.files.node(paths[1])?.content[131_200] ^= 1
        let contents = try shelf(fixture).contents(fixture.open())
        #expect(contents.proven.map(\.path) == [paths[0], paths[2]] && others.count == 3)
        let reasons = Dictionary(
            contents.others.map { ($0.path.description, $0.reason.description) }, uniquingKeysWith: { $1 })
        #expect(Set(reasons.keys) == Set(files.keys).union([paths[1].description]))
        #expect(reasons["shelf/v-20250101T000000Z.qvault"] == "no backup")
        #expect(reasons["shelf/v-20250102T000000Z.qvault"] == "of another vault")
        #expect(reasons["shelf/v-20250103T000000Z.qvault"] == "it holds a save that this vault does not know")
        #expect(reasons[paths[1].description] == "damaged")
    }
}
