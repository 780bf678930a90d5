/// 16 bytes: an id or a shortened hash. Ordered bytewise.
public struct Bytes16: Hashable, Comparable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// All zeros.
    public static let zero = Bytes16(high: 0, low: 0)

    /// The bytes `high` ‖ `low`, both big-endian.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first 16 of `bytes`.
    public init(_ bytes: Span<UInt8>) {
        self.init(high: loadBigEndian(bytes, at: 0), low: loadBigEndian(bytes, at: 8))
    }

    /// The first 16 of `bytes`.
    public init(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// As an array.
    public var bytes: [UInt8] { Array(capacity: 16) { $0.append(self) } }

    /// 32 lower-case hexadecimal digits.
    public var description: String { hexText(bytes) }

    /// Bytewise.
    public static func < (left: Bytes16, right: Bytes16) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

/// 32 bytes: a salt, a hash or a tag.
public struct Bytes32: Hashable, Sendable, CustomStringConvertible {
    let first: Bytes16
    let second: Bytes16

    /// All zeros.
    public static let zero = Bytes32(first: .zero, second: .zero)

    init(first: Bytes16, second: Bytes16) {
        self.first = first
        self.second = second
    }

    /// The first 32 of `bytes`.
    public init(_ bytes: Span<UInt8>) {
        self.init(first: Bytes16(bytes), second: Bytes16(bytes.extracting(16..<32)))
    }

    /// The first 32 of `bytes`.
    public init(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// As an array.
    public var bytes: [UInt8] { Array(capacity: 32) { $0.append(self) } }

    /// 64 lower-case hexadecimal digits.
    public var description: String { hexText(bytes) }

    /// Lends the bytes, without an array.
    func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R {
        var words = (first.high.bigEndian, first.low.bigEndian, second.high.bigEndian, second.low.bigEndian)
        return try unsafe withUnsafeBytes(of: &words) { try body(unsafe Span(_unsafeBytes: $0)) }
    }

    /// Its first 16 bytes.
    public var prefix16: Bytes16 { first }
}

package func loadBigEndian(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    precondition(offset >= 0 && bytes.count - offset >= 8, "eight bytes to read")
    return unsafe bytes.withUnsafeBytes {
        UInt64(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    /// Made by appending, with room for `capacity` bytes from the start.
    init(capacity: Int, _ fill: (inout [UInt8]) -> Void) {
        self = []
        reserveCapacity(capacity)
        fill(&self)
    }

    package mutating func append(bigEndian value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }

    mutating func append(_ value: Bytes16) {
        append(bigEndian: value.high)
        append(bigEndian: value.low)
    }

    mutating func append(_ value: Bytes32) {
        append(value.first)
        append(value.second)
    }
}
