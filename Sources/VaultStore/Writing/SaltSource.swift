import VaultIO
import VaultCrypto
import VaultFormat

/// The salts of one attempt to write a commit: fresh random bytes, bound to the clock and to the state that the commit
/// builds on (Spec/keys.md, 4). So two runs of a machine that was cloned or reset do not use one salt twice, although
/// its generator gives both the same bytes.
struct SaltSource: ~Copyable {
    private var mac: HMACSHA256
    /// The fingerprint of the commit before, or zeros.
    private let previous: Bytes32
    /// Salts drawn so far.
    private var count: UInt64 = 0

    init(_ keys: Keys, after previous: Bytes32) throws {
        mac = try HMACSHA256(key: keys.salt)
        self.previous = previous
    }

    mutating func next(_ environment: inout StoreEnvironment) throws -> Salt {
        var message = try environment.random.bytes(32)
        message.append(bigEndian: environment.now().microseconds)
        message += previous.bytes
        message.append(bigEndian: count)
        count += 1
        return Salt(try mac.tag(of: message.span))
    }
}
