/// Reads the fields of a fixed layout in order. The caller hands over exactly the bytes of the structure; a read
/// beyond them is a programming error, since the length of every fixed structure is known.
struct FieldReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type = T.self) -> T {
        take(T.bitWidth / 8).reduce(0) { $0 << 8 | T(truncatingIfNeeded: $1) }
    }

    mutating func bytes16() -> Bytes16 { Bytes16(take(16)) }
    mutating func bytes32() -> Bytes32 { Bytes32(take(32)) }

    /// Skips unused bytes up to `end`; false if one of them is not zero.
    mutating func unused(to end: Int) -> Bool { take(end - offset).allSatisfy { $0 == 0 } }
}

/// Writes the fields of a fixed layout in order.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    init(byteCount: Int) { bytes.reserveCapacity(byteCount) }

    mutating func put(_ more: [UInt8]) { bytes += more }
    mutating func put(_ value: Bytes16) { bytes += value.bytes }
    mutating func put(_ value: Bytes32) { bytes += value.bytes }

    mutating func put<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
        for shift in stride(from: T.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> T(shift)))
        }
    }

    /// Zeros up to `end`.
    mutating func unused(to end: Int) { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
}
