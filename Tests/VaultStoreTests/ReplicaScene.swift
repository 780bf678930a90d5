import Testing
import VaultFormat
import VaultIO
import VaultStore
import VaultTesting

/// A vault with some saves, and a copy of it.
protocol ReplicaScene {}

extension ReplicaScene {
    var vault: BytePath { VaultFixture.vault }
    var copy: BytePath { "copy.qvault" }
    var first: ReplicaSource.Judging { ReplicaSource.Judging(mayCreate: true, follows: nil) }

    /// A vault with some saves.
    func fixture(saves: ClosedRange<UInt64> = 1...3) throws -> VaultFixture {
        let fixture = try VaultFixture([("a", pattern(200_000))])
        for seed in saves { try fixture.put(BytePath("\(seed)"), pattern(5000, UInt8(seed)), seed: seed) }
        return fixture
    }

    @discardableResult
    func push(
        _ fixture: VaultFixture, to environment: StoreEnvironment? = nil, _ judging: ReplicaSource.Judging? = nil
    ) throws -> ReplicaUpdate? {
        let source = try ReplicaSource(LockedVault(vault, in: fixture.environment))
        let target = try ReplicaTarget(copy, in: environment ?? fixture.environment, timeout: .zero)
        return try source.update(target, judging: judging ?? first)
    }

    func content(_ fixture: VaultFixture, _ path: BytePath) throws -> [BytePath] {
        let vault = try fixture.open(path)
        #expect(try vault.verify().findings.isEmpty)
        return try vault.entries().map(\.overview.title).map { BytePath($0) }
    }
}
