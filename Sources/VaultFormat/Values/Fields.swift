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
        var value: T = 0
        for i in offset..<offset + T.bitWidth / 8 { value = value << 8 | T(bytes[i]) }
        offset += T.bitWidth / 8
        return value
    }

    mutating func bytes16() -> Bytes16 {
        defer { offset += 16 }
        return Bytes16(bytes.span.extracting(offset...))
    }

    mutating func bytes32() -> Bytes32 { Bytes32(first: bytes16(), second: bytes16()) }

    /// Skips reserved bytes up to `end`.
    mutating func skip(to end: Int) { offset = end }
}

/// Writes the fields of a fixed layout in order.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    init(byteCount: Int) { bytes.reserveCapacity(byteCount) }

    mutating func put(_ more: [UInt8]) { bytes += more }
    mutating func put(_ value: Bytes16) { bytes.append(value) }
    mutating func put(_ value: Bytes32) { bytes.append(value) }

    mutating func put<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
        bytes.append(bigEndian: value)
    }

    /// Zeros up to `end`.
    mutating func zeros(to end: Int) { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
}
