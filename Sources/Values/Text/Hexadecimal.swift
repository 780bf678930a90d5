/// Lower-case hexadecimal digits, two for each byte.
package func hexText(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { out in
        for (i, byte) in bytes.enumerated() {
            unsafe out[2 * i] = digits[Int(byte >> 4)]
            unsafe out[2 * i + 1] = digits[Int(byte & 15)]
        }
        return bytes.count * 2
    }
}

/// Bytes that are written as pairs of hexadecimal digits; nil for anything else.
package func hexadecimalBytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// One lower-case hexadecimal digit, for texts that must not pass through a String.
package enum HexDigit {
    /// The digit of a value from 0 to 15.
    package static func of(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }

    /// The value of a digit; nil for another byte.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
