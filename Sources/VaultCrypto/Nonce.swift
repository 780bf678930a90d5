/// A 96-bit GCM nonce, as two big-endian numbers. VaultFormat extends it with one constructor for each rule of the
/// Spec (keys.md, 4); none is made anywhere else.
public struct Nonce: Equatable, Sendable {
    /// Bytes 0 … 3.
    public let high: UInt32
    /// Bytes 4 … 11.
    public let low: UInt64

    public init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first 12 of `bytes`.
    public init(prefix bytes: Span<UInt8>) {
        var high: UInt32 = 0
        var low: UInt64 = 0
        for i in 0..<4 { high = high << 8 | UInt32(bytes[i]) }
        for i in 4..<12 { low = low << 8 | UInt64(bytes[i]) }
        self.init(high: high, low: low)
    }

    /// Its 12 bytes.
    public var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: high >> (24 - 8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * $0)) }
    }

    /// Lends the 12 bytes to a C call.
    func withUnsafePointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
        var storage: (UInt32, UInt32, UInt32) = (
            high.bigEndian, UInt32(truncatingIfNeeded: low >> 32).bigEndian, UInt32(truncatingIfNeeded: low).bigEndian
        )
        return unsafe withUnsafeBytes(of: &storage) { raw in
            unsafe body(raw.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
    }
}
