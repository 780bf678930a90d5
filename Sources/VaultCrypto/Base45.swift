/// Bytes as text of the 45 characters that QR codes hold most densely (RFC 9285).
public enum Base45 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// Characters of so many bytes.
    public static func characterCount(ofBytes count: Int) -> Int { count / 2 * 3 + count % 2 * 2 }

    /// Two bytes are three characters, a last one alone two; the least significant comes first.
    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(characterCount(ofBytes: bytes.count))
        for start in stride(from: 0, to: bytes.count, by: 2) {
            let pair = bytes[start..<min(start + 2, bytes.count)]
            var value = pair.reduce(0) { $0 << 8 | Int($1) }
            for _ in 0...pair.count {
                text.append(alphabet[value % 45])
                value /= 45
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil where the text is no base45.
    public static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.compactMap { alphabet.firstIndex(of: $0) }
        guard digits.count == text.count, digits.count % 3 != 1 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 3) {
            let group = digits[start..<min(start + 3, digits.count)]
            let value = group.reversed().reduce(0) { $0 * 45 + $1 }
            guard value < (group.count == 3 ? 0x1_0000 : 0x100) else { return nil }
            if group.count == 3 { bytes.append(UInt8(value >> 8)) }
            bytes.append(UInt8(value & 0xFF))
        }
        return bytes
    }
}
