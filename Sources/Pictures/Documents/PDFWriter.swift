import VaultFormat
import Watermark

/// Writes a PDF whose pages are pictures, and that holds nothing else: no names, dates, scripts or text
/// (Spec/product/documents.md; ISO 32000-1).
final class PDFWriter {
    private let sink: any PictureSink
    /// Bytes that are written.
    private var place = 0
    /// Where each object starts, from number 1 on; 1 and 2 come last.
    private var places = [0, 0]
    private var pages: [Int] = []

    /// - Throws: what writing throws.
    init(into sink: any PictureSink) throws {
        self.sink = sink
        try sink.clear()
        try write(Array("%PDF-1.5\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 10])
    }

    /// Adds a page.
    ///
    /// - Parameters:
    ///   - picture: a JPEG, or a PNG as this program writes it.
    ///   - width: points across, as it is shown; nil for what fits on A4.
    ///   - height: points down.
    /// - Throws: `MarkError` for a picture of another kind; what writing throws.
    func add(_ picture: [UInt8], width: Double? = nil, height: Double? = nil) throws {
        let image = picture.starts(with: [0xFF, 0xD8]) ? try PDFImage(jpeg: picture) : try PDFImage(png: picture)
        let isTurned = image.orientation > 4
        let shown = isTurned ? (image.height, image.width) : (image.width, image.height)
        let (across, down) = width.flatMap { width in height.map { (width, $0) } } ?? Self.fitted(shown.0, shown.1)
        var profile: Int?
        if !image.profile.isEmpty {
            profile = try object(["/N \(image.componentCount)"], stream: image.profile[...])
        }
        let colours = image.colourSpace(profile: profile)
        let picture = try object(
            ["/Type /XObject", "/Subtype /Image", "/Width \(image.width)", "/Height \(image.height)", colours]
                + image.entries, stream: image.bytes[...])
        let content = Array("q \(Self.matrix(image.orientation, across, down)) cm /P Do Q".utf8)
        let drawing = try object([], stream: content[...])
        let box = "/MediaBox [0 0 \(Self.text(across)) \(Self.text(down))]"
        pages.append(
            try object(
                [
                    "/Type /Page", "/Parent 2 0 R", box, "/Contents \(drawing) 0 R",
                    "/Resources << /XObject << /P \(picture) 0 R >> >>",
                ]))
    }

    /// Writes what comes behind the pages.
    ///
    /// - Throws: what writing throws.
    func finish() throws {
        let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
        _ = try object(["/Type /Catalog", "/Pages 2 0 R"], as: 1)
        _ = try object(["/Type /Pages", "/Count \(pages.count)", "/Kids [\(kids)]"], as: 2)
        let start = place
        let count = places.count + 1
        let table = places.map { Self.padded($0) + " 00000 n \n" }.joined()
        let head = "xref\n0 \(count)\n0000000000 65535 f \n"
        let trailer = "trailer\n<< /Size \(count) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        try write(Array((head + table + trailer).utf8))
    }

    /// Writes an object; its number.
    private func object(_ entries: [String], stream: ArraySlice<UInt8>? = nil, as given: Int? = nil) throws -> Int {
        if given == nil { places.append(0) }
        let number = given ?? places.count
        places[number - 1] = place
        let length = stream.map { ["/Length \($0.count)"] } ?? []
        try write(Array("\(number) 0 obj\n<< \((length + entries).joined(separator: " ")) >>\n".utf8))
        if let stream {
            try write(Array("stream\n".utf8))
            try write(Array(stream))
            try write(Array("\nendstream\n".utf8))
        }
        try write(Array("endobj\n".utf8))
        return number
    }

    private func write(_ bytes: [UInt8]) throws {
        try sink.append(bytes.span)
        place += bytes.count
    }

    /// Points of a page on which a picture stands that fits on A4, upright or not.
    private static func fitted(_ width: Int, _ height: Int) -> (Double, Double) {
        let (long, short) = (841.89, 595.28)
        let (across, down) = width > height ? (long, short) : (short, long)
        let scale = min(across / Double(width), down / Double(height))
        return (Double(width) * scale, Double(height) * scale)
    }

    /// From the unit square to the page, for a picture of an orientation (EXIF).
    private static func matrix(_ orientation: Int, _ width: Double, _ height: Double) -> String {
        let (w, h, none) = (text(width), text(height), "0")
        let numbers: [String]
        switch orientation {
        case 2: numbers = ["-" + w, none, none, h, w, none]
        case 3: numbers = ["-" + w, none, none, "-" + h, w, h]
        case 4: numbers = [w, none, none, "-" + h, none, h]
        case 5: numbers = [none, "-" + h, "-" + w, none, w, h]
        case 6: numbers = [none, "-" + h, w, none, none, h]
        case 7: numbers = [none, h, w, none, none, none]
        case 8: numbers = [none, h, "-" + w, none, w, none]
        default: numbers = [w, none, none, h, none, none]
        }
        return numbers.joined(separator: " ")
    }

    /// Hundredths, without an exponent.
    private static func text(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let part = hundredths % 100
        return "\(hundredths / 100)" + (part == 0 ? "" : (part < 10 ? ".0\(part)" : ".\(part)"))
    }

    private static func padded(_ place: Int) -> String {
        let digits = "\(place)"
        return String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    }
}

/// A picture as a PDF holds it.
private struct PDFImage {
    let width, height: Int
    let componentCount: Int
    let orientation: Int
    let profile: [UInt8]
    /// Entries of its dictionary that say how it is coded.
    let entries: [String]
    let bytes: [UInt8]

    init(jpeg: [UInt8]) throws {
        let header = try JPEGHeader(jpeg)
        (width, height, orientation) = (header.width, header.height, header.orientation)
        (componentCount, profile) = (header.componentCount, header.profile)
        let inverted = componentCount == 4 && header.hasAdobeMarker ? ["/Decode [1 0 1 0 1 0 1 0]"] : []
        entries = ["/BitsPerComponent 8", "/Filter /DCTDecode"] + inverted
        bytes = jpeg
    }

    init(png: [UInt8]) throws {
        let parts = try PNGParts(png)
        (width, height, orientation) = (parts.width, parts.height, parts.orientation)
        (componentCount, profile) = (parts.componentCount, parts.profile)
        let parameters =
            "/DecodeParms << /Predictor 15 /Colors \(componentCount) /BitsPerComponent \(parts.depth) /Columns \(width) >>"
        entries = ["/BitsPerComponent \(parts.depth)", "/Filter /FlateDecode", parameters]
        bytes = parts.data
    }

    func colourSpace(profile: Int?) -> String {
        if let profile { return "/ColorSpace [/ICCBased \(profile) 0 R]" }
        return "/ColorSpace /Device\(componentCount == 1 ? "Gray" : componentCount == 3 ? "RGB" : "CMYK")"
    }
}
