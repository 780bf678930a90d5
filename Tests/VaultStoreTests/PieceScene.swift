import Testing
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A folder in memory with long contents, and the vault that it is stored in.
struct PieceScene {
    let files = MemoryFileSystem()
    let fixture: VaultFixture

    init() throws { fixture = try VaultFixture(on: files) }

    static let long = pattern(7_000_000)

    func write(_ path: String, _ bytes: [UInt8]) { files.write(BytePath("d/\(path)"), bytes) }

    func store(seed: UInt64) throws {
        try fixture.save(seed: seed) { try $0.treeImport { Issue.record("\($0)") }.add("d", as: "d") }
    }

    func entry(_ path: String) throws -> Entry {
        try #require(try fixture.open().entry(at: BytePath("d/\(path)")))
    }

    func list(_ path: String, of fixture: VaultFixture? = nil) throws -> [PieceList.Piece] {
        let vault = try (fixture ?? self.fixture).open()
        let entry = try #require(try vault.entry(at: BytePath("d/\(path)")))
        var reader = try vault.reader()
        return try reader.list(entry.content).pieces
    }

    func pieceCount(_ fixture: VaultFixture? = nil) throws -> Int {
        try (fixture ?? self.fixture).open().entries().count { $0.kind == .piece }
    }

    /// True without a word about megabytes where it is false.
    func isHeld(_ path: String, _ bytes: [UInt8], by fixture: VaultFixture? = nil) throws -> Bool {
        try (fixture ?? self.fixture).content(BytePath("d/\(path)")) == bytes
    }

    func inserted(_ count: Int, at place: Int) -> [UInt8] {
        Array(Self.long[..<place]) + pattern(count, 99) + Self.long[place...]
    }
}
