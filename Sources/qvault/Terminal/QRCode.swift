import Glibc
import VaultCrypto
import VaultFormat
import Watermark

/// A QR code (ISO/IEC 18004), by the libqrencode library: drawn in a terminal, or as a picture.
struct QRCode {
    let modules: QRModules
    private var width: Int { modules.width }
    private static let margin = QRModules.margin

    /// The code of some bytes, with the correction level M (15 %).
    init(_ content: borrowing Secret) throws {
        guard let modules = content.withSpan({ QRModules($0) }) else {
            throw Failure(.failure, "a QR code cannot be made of so much")
        }
        self.modules = modules
    }

    private func isDark(_ x: Int, _ y: Int) -> Bool { modules.isDark(x, y) }

    /// For a terminal: two rows of modules a line, light on the terminal's own dark, or black on white where colours are
    /// allowed.
    var text: String {
        let hasColour = isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR") == nil && environment("TERM") != "dumb"
        let range = -Self.margin..<width + Self.margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let line = range.map { x -> String in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): hasColour ? " " : "█"
                case (true, false): hasColour ? "▀" : "▄"
                case (false, true): hasColour ? "▄" : "▀"
                case (true, true): hasColour ? "█" : " "
                }
            }.joined()
            return hasColour ? "\u{1B}[30;107m\(line)\u{1B}[0m\n" : line + "\n"
        }.joined()
    }

    /// As a picture in vectors, 4 mm a module.
    var svg: String {
        let side = width + 2 * Self.margin
        let path = (0..<width * width).filter { isDark($0 % width, $0 / width) }.map { index in
            "M\(index % width + Self.margin) \(index / width + Self.margin)h1v1h-1z"
        }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(side * 4)mm" height="\(side * 4)mm" viewBox="0 0 \(side) \(side)">
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(path)"/>
            </svg>

            """
    }

    /// As a picture of 8 pixels a module.
    func png() throws -> [UInt8] {
        let scale = 8
        let side = (width + 2 * Self.margin) * scale
        var pixels = [UInt8](repeating: 255, count: side * side)
        for y in 0..<side {
            for x in 0..<side where isDark(x / scale - Self.margin, y / scale - Self.margin) {
                pixels[y * side + x] = 0
            }
        }
        do { return try GrayPNG.bytes(pixels, width: side, height: side) } catch let error as MarkError {
            throw Failure(.failure, "no picture of the QR code: \(error.reason)")
        }
    }

    static func check(_ path: BytePath) throws {
        guard isVectors(path) || path.lastComponent.suffix(4) == Array(".png".utf8)[...] else {
            throw Failure(.usage, "\(path): the picture's name ends in .png or .svg")
        }
    }

    private static func isVectors(_ path: BytePath) -> Bool { path.lastComponent.suffix(4) == Array(".svg".utf8)[...] }

    /// Writes it to a new file that only its owner can read, as SVG or PNG by the name.
    func write(to path: BytePath) throws {
        try Self.check(path)
        let bytes = Self.isVectors(path) ? Array(svg.utf8) : try png()
        try writePrivately(Secret(copying: bytes.span), to: path)
    }
}
