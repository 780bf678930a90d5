package import VaultCrypto

/// Which master key: a counter that each rotation raises, and 8 random bytes drawn with it.
public struct Epoch: Hashable, Sendable {
    package let value: Bytes16

    package init(_ value: Bytes16) { self.value = value }

    /// The epoch of a new vault.
    package init(counter: UInt64, random: inout some RandomSource) throws {
        let drawn = try random.bytes(8)
        value = Bytes16(high: counter, low: loadBigEndian(drawn.span, at: 0))
    }

    /// 1 in a new vault.
    public var counter: UInt64 { value.high }
    var bytes: Bytes16 { value }
}
