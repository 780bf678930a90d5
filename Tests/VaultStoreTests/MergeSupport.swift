import Testing
import VaultCrypto
import VaultFormat
import VaultStore
import VaultTesting

let common: [(BytePath, [UInt8])] = [("a", [1]), ("b", [2]), ("d/c", [3]), ("d/e", [4])]

/// One vault twice.
func pair() throws -> (mine: VaultFixture, theirs: VaultFixture) {
    let mine = try VaultFixture(common)
    return (mine, VaultFixture(copying: mine))
}

/// Merges; what became of what, by path.
@discardableResult
func merge(_ theirs: VaultFixture, into mine: VaultFixture, seed: UInt64 = 50) throws -> [String: Merge
    .Outcome]
{
    let plan = try Merge(theirs.open(), into: mine.open())
    try mine.save(seed: seed) { save in
        try plan.carryOut(in: save)
        try save.treeImport { _ in }.addStream(as: "merged", read: reading([UInt8(seed)]))
    }
    #expect(try mine.verify().findings.isEmpty)
    _ = try TreeListing(mine.open().entries())
    return Dictionary(
        plan.outcomes.map { ($0.path.description, $0.outcome) }, uniquingKeysWith: { first, _ in first })
}

/// The name of the copy that keeps what a side has at a path.
func copyName(_ path: String, of fixture: VaultFixture) throws -> BytePath {
    let vault = try fixture.open()
    let entry = try #require(try vault.entry(at: BytePath(path)))
    let save = try #require(try vault.lines().last { $0.sequence == entry.first }).fingerprint
    let mark = try SHA256.hash((save.bytes + entry.id.bytes).span).prefix(2)
    return BytePath("\(path) (conflict \(entry.first)-\(hexText(Array(mark))))")
}

func isFile(_ fixture: VaultFixture, _ path: BytePath) throws -> Bool {
    try fixture.open().entry(at: path)?.kind == .file
}

func contents(_ fixture: VaultFixture) throws -> [BytePath: [UInt8]] {
    var result: [BytePath: [UInt8]] = [:]
    for (path, entry) in try TreeListing(fixture.open().entries()) where entry.kind == .file {
        result[path] = try fixture.content(path)
    }
    return result
}
