import Pictures
import Testing
import Watermark

/// The parts of JPEG and PNG that a PDF takes over, at the bounds of what they may be.
struct PictureHeaderTests {
    private static func number(_ value: Int, _ count: Int) -> [UInt8] { DecoderProgram.number(value, count) }

    /// An EXIF block as this program writes it.
    private static func tiff(_ orientation: UInt8, padding: Int = 6) -> [UInt8] {
        [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
            + [UInt8](repeating: 0, count: padding)
    }

    private static let orientations: [([UInt8], Int)] = [
        (tiff(1), 1), (tiff(6), 6), (tiff(8), 8), (tiff(0), 1), (tiff(9), 1), (tiff(6, padding: 0), 6),
        (tiff(6).dropLast(7), 1), ([0x49] + tiff(6).dropFirst(), 1),
        (Array(tiff(6)[..<11]) + [0x13] + tiff(6)[12...], 1),
    ]

    // MARK: PNG

    private static func png(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        chunks.reduce([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { png, chunk in
            png + number(chunk.1.count, 4) + Array(chunk.0.utf8) + chunk.1 + [0, 0, 0, 0]
        }
    }

    private static func header(
        _ kind: UInt8 = 2, depth: UInt8 = 8, interlacing: UInt8 = 0
    ) -> (String, [UInt8]) {
        ("IHDR", number(70_001, 4) + number(258, 4) + [depth, kind, 0, 0, interlacing])
    }

    @Test func rowsOfAPNG() throws {
        let parts = try PNGParts(
            Self.png([Self.header(depth: 16), ("tEXt", [1]), ("IDAT", [1, 2]), ("IEND", []), ("IDAT", [3])]))
        #expect(parts.width == 70_001 && parts.height == 258 && parts.depth == 16 && parts.componentCount == 3)
        #expect(parts.data == [1, 2, 3] && parts.orientation == 1 && parts.profile.isEmpty)
        #expect(try PNGParts(Self.png([Self.header(0), ("IDAT", [1])])).componentCount == 1)
    }

    @Test(
        arguments: [
            (Array(png([header(), ("IDAT", [1, 2])]).dropLast()), .corrupt("a chunk is cut short")),
            (png([header()]), .corrupt("a PNG without pixels")),
            (png([("IDAT", [1])]), .corrupt("a PNG without pixels")),
            (png([header(), ("IDAT", [])]), .corrupt("a PNG without pixels")),
            (png([("IHDR", header().1.dropLast()), ("IDAT", [1])]), .corrupt("a PNG without pixels")),
            (png([header(3), ("IDAT", [1])]), .unsupported), (png([header(4), ("IDAT", [1])]), .unsupported),
            (png([header(6), ("IDAT", [1])]), .unsupported),
            (png([header(interlacing: 1), ("IDAT", [1])]), .unsupported), ([0x89], .notAnImage),
        ] as [([UInt8], MarkError)])
    func otherPNGsAreRefused(_ png: [UInt8], _ error: MarkError) {
        #expect(throws: error) { try PNGParts(png) }
    }

    @Test(arguments: orientations) func orientationsOfAPNG(_ tiff: [UInt8], _ orientation: Int) throws {
        #expect(try PNGParts(Self.png([Self.header(), ("IDAT", [1]), ("eXIf", tiff)])).orientation == orientation)
    }

    /// Bytes as zlib stores them (RFC 1950, 1951).
    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        let (a, b) = bytes.reduce((1, 0)) { sums, byte in
            let a = (sums.0 + Int(byte)) % 65_521
            return (a, (sums.1 + a) % 65_521)
        }
        let count = [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)]
        return [0x78, 1, 1] + count + count.map { ~$0 } + bytes + number(b << 16 | a, 4)
    }

    private static let rgb = [UInt8](repeating: 0, count: 16) + Array("RGB ".utf8) + [UInt8](repeating: 7, count: 300)

    @Test func profilesOfAPNG() throws {
        func profile(_ body: [UInt8], _ kind: UInt8 = 2) throws -> [UInt8] {
            try PNGParts(Self.png([Self.header(kind), ("iCCP", body), ("IDAT", [1])])).profile
        }
        let name = Array("icc".utf8) + [0, 0]
        #expect(try profile(name + Self.deflated(Self.rgb)) == Self.rgb)
        #expect(try profile(name + Self.deflated(Self.rgb), 0).isEmpty, "colours say nothing of gray")
        let gray = Self.rgb[..<16] + Array("GRAY".utf8) + Self.rgb[20...]
        #expect(try profile(name + Self.deflated(Array(gray))).isEmpty)
        #expect(try profile(name + Self.deflated(Array(Self.rgb[..<19]))).isEmpty)
        #expect(try profile(name + Self.deflated(Self.rgb).dropLast() + [1]).isEmpty, "damaged")
        #expect(try profile(name).isEmpty && profile([0]).isEmpty && profile([1, 2]).isEmpty)
    }

    // MARK: JPEG

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker] + number(body.count + 2, 2) + body
    }

    private static func jpeg(
        _ segments: [UInt8] = [], frame: UInt8 = 0xC0, width: Int = 300, height: Int = 513, components: UInt8 = 3
    ) -> [UInt8] {
        let size = [8] + number(height, 2) + number(width, 2) + [components]
        return [0xFF, 0xD8] + segments + segment(frame, size) + segment(0xDA, [1, 2, 3]) + [9, 0xFF, 0xD9]
    }

    @Test(arguments: [0xC0, 0xC1, 0xC2] as [UInt8], [1, 3, 4] as [UInt8])
    func framesOfAJPEG(_ frame: UInt8, _ components: UInt8) throws {
        let header = try JPEGHeader(Self.jpeg(frame: frame, components: components))
        #expect(header.width == 300 && header.height == 513 && header.componentCount == Int(components))
        #expect(!header.hasAdobeMarker && header.orientation == 1 && header.profile.isEmpty)
    }

    @Test(
        arguments: [
            (jpeg(frame: 0xC3), .unsupported), (jpeg(components: 2), .unsupported), (jpeg(width: 0), .unsupported),
            (jpeg(height: 0), .unsupported), (jpeg(width: 0, height: 0), .unsupported),
            ([0xFF, 0xD8] + segment(0xC0, [8, 0, 9, 0, 9]) + segment(0xDA, []), .unsupported),
            ([0xFF, 0xD8] + segment(0xE0, []), .corrupt("a JPEG without a scan")), ([0xFF], .notAnImage),
        ] as [([UInt8], MarkError)])
    func otherJPEGsAreRefused(_ jpeg: [UInt8], _ error: MarkError) { #expect(throws: error) { try JPEGHeader(jpeg) } }

    @Test(arguments: orientations) func orientationsOfAJPEG(_ tiff: [UInt8], _ orientation: Int) throws {
        let header = try JPEGHeader(Self.jpeg(Self.segment(0xE1, Array("Exif\0\0".utf8) + tiff)))
        #expect(header.orientation == orientation)
    }

    @Test func segmentsOfAJPEG() throws {
        let icc = Array("ICC_PROFILE\0".utf8)
        let pieces = Self.segment(0xE2, icc + [1, 2, 5]) + Self.segment(0xE2, icc + [2, 2, 6, 7])
        #expect(try JPEGHeader(Self.jpeg(pieces)).profile == [5, 6, 7])
        #expect(try JPEGHeader(Self.jpeg(Self.segment(0xE2, icc + [1, 1]))).profile.isEmpty)
        #expect(try JPEGHeader(Self.jpeg(Self.segment(0xE2, Array("MPF\0".utf8) + icc + [1]))).profile.isEmpty)
        #expect(try JPEGHeader(Self.jpeg(Self.segment(0xEE, Array("Adobe".utf8)))).hasAdobeMarker)
    }

    /// A profile stands in pieces, each with its number and how many there are; of the metadata nothing else is left.
    @Test(arguments: [(0, []), (1, [1]), (65_000, [65_000]), (65_001, [65_000, 1]), (130_001, [65_000, 65_000, 1])])
    func whatIsRewritten(_ count: Int, _ pieces: [Int]) throws {
        let kept = Self.segment(0xE0, Array("JFIF".utf8)), table = Self.segment(0xDB, [1, 2, 3])
        let gone = [0xE1, 0xE2, 0xED, 0xEF, 0xFE].flatMap { Self.segment($0, Array("secret".utf8)) }
        let profile = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        let plain = Self.jpeg(gone + table + kept)
        let written = try JPEGHeader.rewritten(plain, orientation: 6, profile: profile)
        let exif = Self.segment(0xE1, Array("Exif\0\0".utf8) + Self.tiff(6))
        var (wanted, rest) = ([0xFF, 0xD8] + kept + exif, profile[...])
        for (index, piece) in pieces.enumerated() {
            let head = Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(pieces.count)]
            wanted += Self.segment(0xE2, head + rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        #expect(written == wanted + table + Self.jpeg()[2...])
        #expect(try JPEGHeader(written).profile == profile)
        let upright = try JPEGHeader.rewritten(plain, orientation: 1, profile: [])
        #expect(upright == [0xFF, 0xD8] + kept + table + Self.jpeg()[2...])
    }
}
