import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import Pictures
import Watermark

/// The protocols by which a terminal shows a picture.
enum TerminalGraphics: String, CaseIterable {
    /// The graphics protocol of kitty.
    case kitty
    /// DEC's.
    case sixel
    /// Two pixels a character, one above the other, each in its colour.
    case blocks

    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The protocol that the terminal supports, by its own answer.
    private static var supported: TerminalGraphics {
        let (term, program) = (environment("TERM") ?? "", environment("TERM_PROGRAM") ?? "")
        if environment("KITTY_WINDOW_ID") != nil || term.contains("kitty") || term.contains("ghostty")
            || program == "WezTerm" || program == "ghostty"
        {
            return .kitty
        }
        return ["foot", "mlterm", "contour", "yaft"].contains { term.hasPrefix($0) } ? .sixel : .blocks
    }

    /// True if standard output is a terminal that draws pictures, and not only characters.
    static var isDrawing: Bool { isatty(STDOUT_FILENO) == 1 && supported != .blocks }

    /// Draws a JPEG or PNG on standard output.
    static func draw(_ content: [UInt8], _ name: [UInt8], with kind: TerminalGraphics? = nil) throws {
        let kind = kind ?? supported
        let columns = max(20, Int(qv_terminal_columns(STDOUT_FILENO)))
        let (width, height) = kind == .blocks ? (columns, 120) : (min(columns * 8, 1024), 768)
        let picture: Picture
        do { picture = try Picture(reading: Self.picture(content), width: width, height: height) } catch {
            throw Failure(
                .invalid, "'\(printable(name))' cannot be drawn: it \(Self.reason(error))",
                hint: "'qvault get' writes the file")
        }
        try StandardOutput.print(raw: kind.text(picture))
    }

    /// What is drawn of a file: of a document its first page.
    private static func picture(_ content: [UInt8]) throws -> [UInt8] {
        guard DocumentDecoder.decodes(MediaType(sniffing: content)),
            let decoder = DocumentDecoder.installed(check: checkInterrupts)
        else { return content }
        return try decoder.look(at: content)
    }

    private static func reason(_ error: any Error) -> Phrase {
        (error as? PictureError)?.reason ?? (error as? MarkError)?.reason ?? "cannot be read"
    }

    private func text(_ picture: Picture) -> String {
        switch self {
        case .kitty: Self.kittyText(picture)
        case .sixel: Self.sixelText(picture)
        case .blocks: Self.blockText(picture)
        }
    }

    /// Pixels in base64, in pieces of 4,096 characters.
    private static func kittyText(_ picture: Picture) -> String {
        let data = Array(Base64.text(picture.pixels).utf8)
        var text = ""
        for start in stride(from: 0, to: data.count, by: 4096) {
            let end = min(start + 4096, data.count)
            let head = start == 0 ? "a=T,f=24,s=\(picture.width),v=\(picture.height)," : ""
            text += "\u{1B}_G\(head)m=\(end < data.count ? 1 : 0);"
            text += String(decoding: data[start..<end], as: UTF8.self) + "\u{1B}\\"
        }
        return text + "\n"
    }

    /// Rows of six pixels, in 216 colours with ordered dithering.
    private static func sixelText(_ picture: Picture) -> String {
        var text = "\u{1B}P0;1q\"1;1;\(picture.width);\(picture.height)"
        for colour in 0..<216 { text += "#\(colour);2;\(colour / 36 * 20);\(colour / 6 % 6 * 20);\(colour % 6 * 20)" }
        for top in stride(from: 0, to: picture.height, by: 6) {
            let rows = top..<min(top + 6, picture.height)
            var bands: [Int: [UInt8]] = [:]
            for y in rows {
                for x in 0..<picture.width {
                    let colour = dithered(picture, x, y)
                    bands[colour, default: [UInt8](repeating: 0, count: picture.width)][x] |= 1 << UInt8(y - top)
                }
            }
            for (colour, bits) in bands.sorted(by: { $0.key < $1.key }) { text += "#\(colour)\(packed(bits))$" }
            text += "-"
        }
        return text + "\u{1B}\\\n"
    }

    /// Thresholds of a 4 by 4 pattern, in sixteenths.
    private static let pattern: [Int] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

    private static func dithered(_ picture: Picture, _ x: Int, _ y: Int) -> Int {
        let threshold = pattern[y % 4 * 4 + x % 4] * 51 / 16
        return picture.pixel(x, y).reduce(0) { $0 * 6 + min(5, (Int($1) + threshold) / 51) }
    }

    /// A row of sixels, runs of one counted.
    private static func packed(_ bits: [UInt8]) -> String {
        var text = ""
        var start = 0
        while start < bits.count {
            let end = bits[start...].firstIndex { $0 != bits[start] } ?? bits.count
            let sixel = String(UnicodeScalar(bits[start] + 0x3F))
            text += end - start > 3 ? "!\(end - start)\(sixel)" : String(repeating: sixel, count: end - start)
            start = end
        }
        return text
    }

    private static func blockText(_ picture: Picture) -> String {
        let isTrue = ["truecolor", "24bit"].contains(environment("COLORTERM") ?? "")
        func colour(_ layer: Int, _ pixel: ArraySlice<UInt8>) -> String {
            let parts = pixel.map(Int.init)
            guard !isTrue else { return "\(layer);2;\(parts[0]);\(parts[1]);\(parts[2])" }
            return "\(layer);5;\(16 + parts.reduce(0) { $0 * 6 + ($1 + 25) / 51 })"
        }
        var text = ""
        for y in stride(from: 0, to: picture.height, by: 2) {
            for x in 0..<picture.width {
                let lower = y + 1 < picture.height ? ";" + colour(48, picture.pixel(x, y + 1)) : ""
                text += "\u{1B}[\(colour(38, picture.pixel(x, y)))\(lower)m▀"
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }
}

extension Picture {
    /// Red, green and blue of one pixel.
    fileprivate func pixel(_ x: Int, _ y: Int) -> ArraySlice<UInt8> {
        let place = (y * width + x) * 3
        return pixels[place..<place + 3]
    }
}
