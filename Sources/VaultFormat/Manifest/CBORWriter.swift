/// Writes deterministic CBOR. The caller gives map keys in order.
package struct CBORWriter {
    package init() {}

    package private(set) var bytes: [UInt8] = []

    private mutating func head(_ major: UInt8, _ value: UInt64) {
        let lead = major << 5
        switch value {
        case 0..<24: bytes.append(lead | UInt8(value))
        case 24...0xFF:
            bytes.append(lead | 24)
            bytes.append(UInt8(value))
        case 0x100...0xFFFF:
            bytes.append(lead | 25)
            bytes.append(bigEndian: UInt16(value))
        case 0x1_0000...0xFFFF_FFFF:
            bytes.append(lead | 26)
            bytes.append(bigEndian: UInt32(value))
        default:
            bytes.append(lead | 27)
            bytes.append(bigEndian: value)
        }
    }

    /// Takes back what was written from byte `count` on.
    mutating func cut(to count: Int) -> [UInt8] {
        defer { bytes.removeLast(bytes.count - count) }
        return Array(bytes[count...])
    }

    /// Begins anew, in the same memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func unsigned(_ value: UInt64) { head(0, value) }

    package mutating func signed(_ value: Int64) {
        if value >= 0 { head(0, UInt64(value)) } else { head(1, UInt64(-1 - value)) }
    }

    package mutating func byteString(_ content: [UInt8]) {
        head(2, UInt64(content.count))
        bytes += content
    }

    package mutating func byteString(_ content: Bytes16) {
        head(2, 16)
        bytes.append(content)
    }

    package mutating func byteString(_ content: Bytes32) {
        head(2, 32)
        bytes.append(content)
    }

    package mutating func text(_ content: String) {
        head(3, UInt64(content.utf8.count))
        bytes += content.utf8
    }

    /// Text where the bytes are UTF-8, else a byte string.
    package mutating func name(_ content: [UInt8]) {
        head(isUTF8(content.span) ? 3 : 2, UInt64(content.count))
        bytes += content
    }

    package mutating func array(_ count: Int) { head(4, UInt64(count)) }
    package mutating func map(_ count: Int) { head(5, UInt64(count)) }
    package mutating func presence() { bytes.append(0xF5) }
    package mutating func null() { bytes.append(0xF6) }
    package mutating func encoded(_ item: some Sequence<UInt8>) { bytes += item }
}

/// True if the bytes are UTF-8. Most are ASCII, which is tested without a copy.
func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where bytes[index] >= 0x80 { return (try? UTF8Span(validating: bytes)) != nil }
    return true
}
