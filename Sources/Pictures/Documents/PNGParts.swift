import CZlib
import VaultFormat
import Watermark

/// The chunks of a PNG that a PDF takes over as they are. A marked copy is gray or colours of 8 or 16 bits, without
/// transparency and interlacing (W3C PNG, 11).
package struct PNGParts {
    package private(set) var (width, height, depth) = (0, 0, 0)
    /// 1 gray, 3 colours.
    package private(set) var componentCount = 0
    /// EXIF, 1 to 8.
    package private(set) var orientation = 1
    /// The colour profile (ICC); empty for none, or one that does not fit.
    package private(set) var profile: [UInt8] = []
    /// The rows, filtered and deflated.
    package private(set) var data: [UInt8] = []

    /// - Throws: `MarkError.notAnImage`, `.corrupt`, `.unsupported`.
    package init(_ png: [UInt8]) throws {
        guard MediaType(sniffing: png) == .png else { throw MarkError.notAnImage }
        var place = 8
        while place + 12 <= png.count {
            let length = Self.number(png[place..<place + 4])
            guard place + 12 + length <= png.count else { throw MarkError.corrupt("a chunk is cut short") }
            let body = Array(png[place + 8..<place + 8 + length])
            switch String(decoding: png[place + 4..<place + 8], as: UTF8.self) {
            case "IHDR" where body.count == 13: try take(header: body)
            case "iCCP": profile = Self.inflated(profile: body) ?? []
            case "eXIf": orientation = JPEGHeader.orientation(inTIFF: body)
            case "IDAT": data += body
            default: break
            }
            place += 12 + length
        }
        guard componentCount > 0, !data.isEmpty else { throw MarkError.corrupt("a PNG without pixels") }
        // A profile of three colours says nothing of gray.
        if componentCount == 1 || !profile.dropFirst(16).starts(with: "RGB ".utf8) { profile = [] }
    }

    private mutating func take(header: [UInt8]) throws {
        (width, height) = (Self.number(header[..<4]), Self.number(header[4..<8]))
        depth = Int(header[8])
        guard let count = [0: 1, 2: 3][header[9]], header[12] == 0 else { throw MarkError.unsupported }
        componentCount = count
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// A name, a zero, a byte, and the deflated profile; nil where it is damaged, or longer than 4 MiB.
    private static func inflated(profile body: [UInt8]) -> [UInt8]? {
        let packed = Array(body.drop { $0 != 0 }.dropFirst(2))
        var out = [UInt8](repeating: 0, count: 4 << 20)
        var count = uLongf(out.count)
        let status = unsafe uncompress(&out, &count, packed, uLong(packed.count))
        return status == Z_OK ? Array(out[..<Int(count)]) : nil
    }
}
