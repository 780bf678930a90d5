import CZlib
import VaultFormat
import Watermark

/// The chunks of a PNG that a PDF can take over as they are: no transparency, no interlacing (W3C PNG, 11).
struct PNGParts {
    private(set) var (width, height, depth) = (0, 0, 0)
    /// 1 or 3: gray or a palette, colours.
    private(set) var componentCount = 0
    /// EXIF, 1 to 8.
    private(set) var orientation = 1
    /// Three bytes a colour; empty for pixels that are colours.
    private(set) var palette: [UInt8] = []
    /// The colour profile (ICC); empty for none, or one that does not fit.
    private(set) var profile: [UInt8] = []
    /// The rows, filtered and deflated.
    private(set) var data: [UInt8] = []

    /// - Throws: `MarkError.corrupt`, `.unsupported`.
    init(_ png: [UInt8]) throws {
        guard MediaType(sniffing: png) == .png else { throw MarkError.notAnImage }
        var place = 8
        while place + 12 <= png.count {
            let length = Self.number(png[place..<place + 4])
            guard place + 12 + length <= png.count else { throw MarkError.corrupt("a chunk is cut short") }
            let body = png[place + 8..<place + 8 + length]
            switch String(decoding: png[place + 4..<place + 8], as: UTF8.self) {
            case "IHDR" where body.count == 13: try take(header: Array(body))
            case "PLTE": palette = Array(body)
            case "iCCP": profile = Self.inflated(profile: Array(body)) ?? []
            case "eXIf": orientation = JPEGHeader.orientation(Array(body))
            case "tRNS": throw MarkError.unsupported
            case "IDAT": data += body
            default: break
            }
            place += 12 + length
        }
        guard componentCount > 0, !data.isEmpty else { throw MarkError.corrupt("a PNG without pixels") }
        // A profile of three colours says nothing of gray.
        if profile.count < 128 || componentCount == 1 || !profile[16..<20].elementsEqual("RGB ".utf8) { profile = [] }
    }

    private mutating func take(header: [UInt8]) throws {
        (width, height) = (Self.number(header[..<4]), Self.number(header[4..<8]))
        depth = Int(header[8])
        let kinds: [UInt8: Int] = [0: 1, 2: 3, 3: 1]
        guard let count = kinds[header[9]], header[12] == 0 else { throw MarkError.unsupported }
        componentCount = count
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// A name, a byte, and the deflated profile.
    private static func inflated(profile body: [UInt8]) -> [UInt8]? {
        guard let end = body.firstIndex(of: 0), end + 2 < body.count else { return nil }
        let packed = Array(body[(end + 2)...])
        var out = [UInt8](repeating: 0, count: 4 << 20)
        var count = uLongf(out.count)
        let status = unsafe uncompress(&out, &count, packed, uLong(packed.count))
        return status == Z_OK ? Array(out[..<Int(count)]) : nil
    }
}
