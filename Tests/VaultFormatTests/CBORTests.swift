import Testing

import VaultFormat

/// Deterministic CBOR: what is written is read back, and everything else is refused.
struct CBORTests {
    private func item(_ hex: [UInt8]) throws {
        var reader = CBORReader(hex)
        _ = try reader.item(depth: 1)
        try reader.finish()
    }

    @Test(arguments: [0, 23, 24, 255, 256, 65_535, 65_536, 0xFFFF_FFFF, 0x1_0000_0000, UInt64.max] as [UInt64])
    func integersAtEveryBoundary(_ value: UInt64) throws {
        var writer = CBORWriter()
        writer.unsigned(value)
        var reader = CBORReader(writer.bytes)
        #expect(try reader.unsigned() == value)
        try reader.finish()
    }

    @Test(arguments: [Int64.min, -0x1_0000_0000, -257, -256, -25, -24, -1, 0, 1, Int64.max] as [Int64])
    func signedIntegers(_ value: Int64) throws {
        var writer = CBORWriter()
        writer.signed(value)
        var reader = CBORReader(writer.bytes)
        #expect(try reader.signed() == value)
    }

    private static let good: [[UInt8]] = [
        [0x00], [0x20], [0x40], [0x60], [0x80], [0xA0], [0xF4], [0xF5], [0xF6], [0x83, 1, 2, 3],
        [0xA2, 0x01, 0x02, 0x61, 0x61, 0x80], [0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [UInt8](repeating: 0x81, count: 16) + [0],
    ]

    @Test(arguments: good) func accepted(_ bytes: [UInt8]) throws { try item(bytes) }

    private static let bad: [(String, [UInt8])] = [
        ("nothing", []), ("integer longer than needed", [0x18, 0x17]), ("two bytes for one", [0x19, 0x00, 0xFF]),
        ("length longer than needed", [0x58, 0x01, 0x00]), ("indefinite string", [0x5F, 0xFF]),
        ("indefinite array", [0x9F, 0xFF]), ("indefinite map", [0xBF, 0xFF]), ("reserved form", [0x1C]),
        ("half float", [0xF9, 0, 0]), ("double", [0xFB, 0, 0, 0, 0, 0, 0, 0, 0]), ("undefined", [0xF7]),
        ("simple value 0", [0xE0]), ("simple value 255", [0xF8, 0xFF]), ("a tag", [0xC0, 0x00]),
        ("a string cut short", [0x42, 0x00]), ("text that is not UTF-8", [0x61, 0xFF]),
        ("an overlong UTF-8 sequence", [0x62, 0xC0, 0x80]), ("an array cut short", [0x82, 0x00]),
        ("keys in the wrong order", [0xA2, 0x02, 0, 0x01, 0]), ("a doubled key", [0xA2, 0x01, 0, 0x01, 0]),
        ("a longer key before a shorter", [0xA2, 0x62, 0x61, 0x61, 0, 0x61, 0x62, 0]),
        ("bytes left over", [0x00, 0x00]), ("a length of 2^63", [0x5B, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ("17 levels", [UInt8](repeating: 0x81, count: 17) + [0]),
    ]

    @Test(arguments: bad) func refused(_ what: String, _ bytes: [UInt8]) throws {
        let error = #expect(throws: FormatError.self) { try item(bytes) }
        #expect(error?.code == .malformed)
    }

    @Test func hostileCountsCostNothing() {
        // Four billion items announced in five bytes.
        #expect(throws: FormatError.self) { try item([0x9A, 0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(throws: FormatError.self) { try item([0xBA, 0xFF, 0xFF, 0xFF, 0xFF]) }
    }
}
