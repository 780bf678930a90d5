import VaultFormat
import Watermark

/// The segments of a JPEG before its first scan (ITU-T T.81, annex B).
package struct JPEGHeader {
    /// Pixels across and down, as stored.
    package private(set) var (width, height) = (0, 0)
    /// 1 gray, 3 colours, 4 inks.
    package private(set) var componentCount = 0
    /// True if Adobe's marker is there: inks are inverted then.
    package private(set) var hasAdobeMarker = false
    /// EXIF, 1 to 8.
    package private(set) var orientation = 1
    /// The colour profile (ICC); empty for none.
    package private(set) var profile: [UInt8] = []

    private static let exif = Array("Exif".utf8) + [0, 0]
    private static let icc = Array("ICC_PROFILE".utf8) + [0]

    /// - Throws: `MarkError.notAnImage`, `.corrupt`, `.unsupported`.
    package init(_ jpeg: [UInt8]) throws {
        _ = try Self.segments(of: jpeg) { marker, body in
            switch marker {
            case 0xC0...0xC2 where body.count >= 6:
                height = Int(body[body.startIndex + 1]) << 8 | Int(body[body.startIndex + 2])
                width = Int(body[body.startIndex + 3]) << 8 | Int(body[body.startIndex + 4])
                componentCount = Int(body[body.startIndex + 5])
            case 0xE1 where body.starts(with: Self.exif):
                orientation = Self.orientation(inTIFF: Array(body.dropFirst(6)))
            case 0xE2 where body.starts(with: Self.icc) && body.count > 14: profile += body.dropFirst(14)
            case 0xEE where body.starts(with: "Adobe".utf8): hasAdobeMarker = true
            default: break
            }
        }
        guard width > 0, height > 0, [1, 3, 4].contains(componentCount) else { throw MarkError.unsupported }
    }

    /// The same picture with an orientation and a colour profile, and no other metadata: what a document says of its page
    /// counts, and not what stands in the page's file.
    ///
    /// - Parameter profile: empty for none.
    /// - Throws: `MarkError.corrupt`.
    package static func rewritten(_ jpeg: [UInt8], orientation: Int, profile: [UInt8]) throws -> [UInt8] {
        var (start, rest): ([UInt8], [UInt8]) = ([0xFF, 0xD8], [])
        let end = try segments(of: jpeg) { marker, body in
            let segment = [0xFF, marker] + number(body.count + 2) + body
            switch marker {
            case 0xE0: start += segment
            case 0xE1...0xED, 0xEF, 0xFE: break
            default: rest += segment
            }
        }
        if orientation != 1 {
            let tiff: [UInt8] =
                [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0]
                + [0, 0, 0, 0]
            start += [0xFF, 0xE1] + number(exif.count + tiff.count + 2) + exif + tiff
        }
        let most = 65_000
        let pieces = stride(from: 0, to: profile.count, by: most).map { profile[$0..<min($0 + most, profile.count)] }
        for (index, piece) in pieces.enumerated() {
            start += [0xFF, 0xE2] + number(icc.count + piece.count + 4) + icc
            start += [UInt8(index + 1), UInt8(pieces.count)] + piece
        }
        return start + rest + jpeg[end...]
    }

    private static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// Calls a function with each segment, its marker and what follows the length.
    ///
    /// - Returns: where the first scan begins.
    private static func segments(of jpeg: [UInt8], _ body: (UInt8, ArraySlice<UInt8>) -> Void) throws -> Int {
        var place = 2
        guard jpeg.starts(with: [0xFF, 0xD8]) else { throw MarkError.notAnImage }
        while place + 4 <= jpeg.count, jpeg[place] == 0xFF {
            let marker = jpeg[place + 1]
            if marker == 0xFF {
                place += 1
                continue
            }
            if marker == 0xDA { return place }
            let length = Int(jpeg[place + 2]) << 8 | Int(jpeg[place + 3])
            guard length >= 2, place + 2 + length <= jpeg.count else { break }
            body(marker, jpeg[place + 4..<place + 2 + length])
            place += 2 + length
        }
        throw MarkError.corrupt("a JPEG without a scan")
    }

    /// The orientation in a TIFF block, as this program writes it; 1 in any other.
    static func orientation(inTIFF tiff: [UInt8]) -> Int {
        guard tiff.count >= 20, tiff[..<4] == [0x4D, 0x4D, 0, 0x2A], tiff[10..<12] == [0x01, 0x12] else { return 1 }
        return 1...8 ~= tiff[19] ? Int(tiff[19]) : 1
    }
}
