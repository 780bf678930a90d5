internal import COpenSSL

/// Bytes as text (RFC 4648, 4), by libcrypto.
public enum Base64 {
    /// Bytes that are encoded at once; a multiple of 3.
    private static let step = 3 << 20

    /// With padding, without line breaks.
    public static func encoded(_ bytes: Span<UInt8>) -> [UInt8] {
        let count = (bytes.count + 2) / 3 * 4
        return unsafe [UInt8](unsafeUninitializedCapacity: count + 1) { out, done in
            for start in stride(from: 0, to: bytes.count, by: step) {
                let part = bytes.extracting(start..<min(start + step, bytes.count))
                done += unsafe part.withUnsafeBufferPointer {
                    // It puts a NUL behind what it writes.
                    unsafe Int(EVP_EncodeBlock(out.baseAddress! + done, $0.baseAddress, Int32($0.count)))
                }
            }
        }
    }

    /// The same as text.
    public static func text(_ bytes: [UInt8]) -> String { String(decoding: encoded(bytes.span), as: UTF8.self) }

    /// - Returns: nil where the text is no base64 with padding; white space counts as none.
    public static func decoded(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard text.count > 0 else { return [] }
        let padding = text[text.count - 1] != 0x3D ? 0 : text[text.count - 2] != 0x3D ? 1 : 2
        for index in 0..<text.count - padding where !isLetter(text[index]) { return nil }
        var isWhole = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { out, done in
            for start in stride(from: 0, to: text.count, by: step) {
                let part = text.extracting(start..<min(start + step, text.count))
                let count = unsafe part.withUnsafeBufferPointer {
                    unsafe Int(EVP_DecodeBlock(out.baseAddress! + done, $0.baseAddress, Int32($0.count)))
                }
                guard count >= 0 else { return isWhole = false }
                done += count
            }
            done -= padding
        }
        return isWhole ? bytes : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: true
        default: false
        }
    }
}
