/// Names a vault for ever.
public struct VaultID: Hashable, Sendable, CustomStringConvertible {
    let value: Bytes16

    init(_ value: Bytes16) { self.value = value }

    /// The first 16 of `bytes`.
    public init(_ bytes: [UInt8]) { value = Bytes16(bytes) }

    /// All zeros.
    public static let zero = VaultID(.zero)

    /// As an array.
    public var bytes: [UInt8] { value.bytes }

    /// 32 lower-case hexadecimal digits.
    public var description: String { value.description }
}

/// Names a record in all its versions. Ordered bytewise.
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: Bytes16

    package init(_ value: Bytes16) { self.value = value }

    /// The bytes `high` ‖ `low`, both big-endian.
    package init(high: UInt64, low: UInt64) { value = Bytes16(high: high, low: low) }

    /// The first 16 of `bytes`.
    public init(_ bytes: [UInt8]) { value = Bytes16(bytes) }

    /// The first 16 of `bytes`.
    init(_ bytes: Span<UInt8>) { value = Bytes16(bytes) }

    /// All zeros: no record has this id.
    public static let zero = RecordID(.zero)

    var high: UInt64 { value.high }
    var low: UInt64 { value.low }

    /// As an array.
    public var bytes: [UInt8] { value.bytes }

    /// 32 lower-case hexadecimal digits.
    public var description: String { value.description }

    /// Bits at the front in which it is the same as another.
    public func commonBitCount(with other: RecordID) -> Int {
        high == other.high ? 64 + (low ^ other.low).leadingZeroBitCount : (high ^ other.high).leadingZeroBitCount
    }

    /// The digit at `index` of its hexadecimal form, 0 to 31.
    public func digit(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index < 16 ? high : low) >> UInt64(60 - index % 16 * 4)) & 15
    }

    /// The one before it; of the lowest, the highest.
    package var predecessor: RecordID {
        low == 0 ? RecordID(high: high &- 1, low: .max) : RecordID(high: high, low: low - 1)
    }

    /// Bytewise.
    public static func < (left: RecordID, right: RecordID) -> Bool { left.value < right.value }
}

/// A record's or a commit's salt: 32 bytes that were drawn once.
public struct Salt: Hashable, Sendable, CustomStringConvertible {
    let value: Bytes32

    init(_ value: Bytes32) { self.value = value }

    /// The first 32 of `bytes`.
    package init(_ bytes: [UInt8]) { value = Bytes32(bytes) }

    /// The first 32 of `bytes`.
    package init(_ bytes: Span<UInt8>) { value = Bytes32(bytes) }

    /// All zeros: no salt that is in use.
    public static let zero = Salt(.zero)

    /// As an array.
    public var bytes: [UInt8] { value.bytes }

    /// 64 lower-case hexadecimal digits.
    public var description: String { value.description }

    /// Lends the bytes, without an array.
    func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R { try value.withSpan(body) }
}

extension [UInt8] {
    mutating func append(_ id: RecordID) { append(id.value) }
    mutating func append(_ salt: Salt) { append(salt.value) }
}

extension FieldWriter {
    mutating func put(_ id: VaultID) { put(id.value) }
    mutating func put(_ id: RecordID) { put(id.value) }
    mutating func put(_ salt: Salt) { put(salt.value) }
}

extension CBORWriter {
    mutating func byteString(_ id: RecordID) { byteString(id.value) }
    mutating func byteString(_ salt: Salt) { byteString(salt.value) }
}

extension RecordID {
    /// An id of 32 hexadecimal digits; nil of any other text.
    package init?(hex text: String) {
        let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count == 32, text.utf8.count == 32 else { return nil }
        self.init(stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

/// An integer as text: `0x1f`.
func hex(_ value: some BinaryInteger) -> String { "0x" + String(value, radix: 16) }
