import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// Tests of backups with parity, and of what a repair makes of them.
protocol ParityScene {}

extension ParityScene {
    var copy: BytePath { "backup.qvault" }
    var repaired: BytePath { "repaired.qvault" }

    /// A vault and its backup, which has more than one group.
    func backup(_ length: Int = 700_000) throws -> (fixture: VaultFixture, bytes: [UInt8]) {
        let fixture = try VaultFixture([("a", [1]), ("b", pattern(length))])
        try fixture.open().backUp(to: copy, parity: 10)
        return (fixture, try #require(fixture.files.node(copy)?.content))
    }

    func repair(_ bytes: [UInt8], _ fixture: VaultFixture) throws -> (repair: Repair, bytes: [UInt8]) {
        fixture.files.write(copy, bytes)
        if fixture.files.node(repaired) != nil {
            try fixture.files.openFolder(repaired.parent).removeFile(repaired.lastComponent)
        }
        let repair = try Repair(copy, to: repaired, in: fixture.environment)
        #expect(fixture.files.node(copy)?.content == bytes, "the damaged file stays as it is")
        return (repair, try repair.isWritten ? #require(fixture.files.node(repaired)?.content) : bytes)
    }
}
