import VaultCrypto
import VaultFormat
package import Watermark

/// A QR code in a picture.
package struct PictureCode {
    /// Its corners, clockwise from its own upper left one, in pixels.
    package let corners: [(x: Double, y: Double)]
    /// The bytes that it holds.
    package let content: [UInt8]
}

extension DocumentDecoder {
    /// Codes and bytes of a code at most.
    private static let codeCount = 16, codeByteCount = 4096

    /// The QR codes in a picture.
    ///
    /// - Throws: `MarkError`; what `check` throws.
    package func codes(in picture: GrayPicture) throws -> [PictureCode] {
        let size = [picture.width, picture.height].flatMap { side in
            (0..<4).map { UInt8(truncatingIfNeeded: side >> (24 - 8 * $0)) }
        }
        var bytes = size + picture.bytes
        defer { wipeBytes(&bytes) }
        let process = try start(["codes"], DecoderInput(bytes))
        try process.expect("QVDC")
        let count = try process.number(1)
        guard count <= Self.codeCount else { throw MarkError.decoderFailed("it makes no sense") }
        return try (0..<count).map { _ in
            let numbers = try (0..<8).map { _ in Double(try process.number(4)) }
            let length = try process.number(2)
            guard length <= Self.codeByteCount else { throw MarkError.decoderFailed("it makes no sense") }
            return PictureCode(
                corners: (0..<4).map { (x: numbers[2 * $0], y: numbers[2 * $0 + 1]) },
                content: try process.bytes(length))
        }
    }
}
