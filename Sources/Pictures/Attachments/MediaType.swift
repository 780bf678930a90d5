public import Watermark

/// The types of attachments, recognised by their first bytes and never by name (Spec/product/records.md,
/// 6).
public enum MediaType: String, CaseIterable, Sendable {
    /// ITU-T T.81.
    case jpeg = "image/jpeg"
    /// W3C PNG.
    case png = "image/png"
    /// ISO/IEC 23008-12.
    case heic = "image/heic"
    /// Google's WebP.
    case webp = "image/webp"
    /// Adobe TIFF 6.0, or BigTIFF.
    case tiff = "image/tiff"
    /// ISO 32000.
    case pdf = "application/pdf"
    /// Any other: only imports make such attachments.
    case other = "application/octet-stream"

    /// - Parameter bytes: the file, or its first 64 bytes at least.
    public init?(sniffing bytes: [UInt8]) {
        if let known = Self.starts.first(where: { bytes.starts(with: $0.bytes) }) {
            self = known.type
        } else if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
            self = .webp
        } else if Self.isHEIC(bytes) {
            self = .heic
        } else {
            return nil
        }
    }

    /// - Parameter source: the file.
    /// - Throws: what reading throws.
    public init?(_ source: any PictureSource) throws {
        var start = [UInt8](repeating: 0, count: min(64, source.byteCount))
        var span = start.mutableSpan
        try source.read(into: &span, at: 0)
        self.init(sniffing: start)
    }

    /// The first bytes of a type; of TIFF the order of bytes, then 42, or 43 where places have 8 bytes.
    private static let starts: [(type: MediaType, bytes: [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.pdf, Array("%PDF-".utf8)), (.tiff, [0x49, 0x49, 42, 0]), (.tiff, [0x4D, 0x4D, 0, 42]),
        (.tiff, [0x49, 0x49, 43, 0]), (.tiff, [0x4D, 0x4D, 0, 43]),
    ]

    /// A box `ftyp` whose brands name still pictures coded by HEVC.
    private static func isHEIC(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return false }
        let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        let brands = stride(from: 8, to: min(length, bytes.count, 64) - 3, by: 4).filter { $0 != 12 }
        return brands.contains { ["heic", "heix", "heim", "heis", "mif1"].contains(text(bytes[$0..<$0 + 4])) }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
