/// A page of A4 in black on white, to be printed: texts one below the other, and codes beside them.
package struct PrintedPage {
    /// A piece of the page, from the top.
    package enum Part {
        case title(String), heading(String), text(String)
        /// One of a list, behind its mark: a number, or a dot.
        case item(String, mark: String)
        /// A line to write on.
        case blank
        /// Lines in large characters of one width, and their QR code, in a frame.
        case framed([String], code: QRModules)
    }

    /// Pixels across and down, 200 an inch.
    package static let width = 1654, height = 2339
    private static let margin = 130
    /// Pixels of an em: of texts, headings, the title, and lines in a frame.
    private static let size = 32.0, headingSize = 36.0, titleSize = 48.0, framedSize = 52.0
    /// Ems from line to line.
    private static let pitch = 1.5

    /// A byte of lightness a pixel, row by row from the top.
    package private(set) var pixels = [UInt8](repeating: 255, count: width * height)
    private var top = Double(margin)

    /// - Throws: `MarkError` where no font has a character; `MarkError.textTooLarge` for more than a page.
    package init(_ parts: [Part]) throws {
        do {
            for part in parts { try draw(part) }
        } catch {
            wipe()
            throw error
        }
        guard top <= Double(Self.height - Self.margin / 2) else {
            wipe()
            throw MarkError.textTooLarge
        }
    }

    /// Overwrites it.
    package mutating func wipe() { for place in pixels.indices { pixels[place] = 255 } }

    private mutating func draw(_ part: Part) throws {
        switch part {
        case .title(let text): try write(text, Self.titleSize)
        case .heading(let text):
            top += Self.size / 2
            try write(text, Self.headingSize)
        case .text(let text): try write(text, Self.size)
        case .item(let text, let mark):
            let line = top
            try write(mark, Self.size)
            top = line
            try write(text, Self.size, indent: 60)
        case .blank:
            top += Self.size * 1.6
            fill(Self.margin..<Self.width - Self.margin, Int(top)..<Int(top) + 2)
        case .framed(let lines, let code): try frame(lines, code)
        }
        top += Self.size / 4
    }

    private mutating func write(_ text: String, _ size: Double, indent: Int = 0, family: String? = nil) throws {
        let left = Self.margin + indent
        let across = Self.width - Self.margin - left
        for line in DrawnLines.wrapped(text, ems: Double(across) / size) {
            guard top < Double(Self.height) else { return }
            let drawing = try Drawing(lines: [line], family: family, size: size)
            drawing.lay(left, Int(top), across, into: &pixels, width: Self.width)
            top += size * Self.pitch
        }
    }

    private mutating func frame(_ lines: [String], _ code: QRModules) throws {
        let side = code.width + 2 * QRModules.margin, module = 420 / side
        let (start, height) = (Int(top), module * side + 40)
        let down = Double(height) / Double(lines.count + 1)
        for (number, line) in lines.enumerated() {
            top = Double(start) + down * (Double(number) + 0.75)
            try write(line, Self.framedSize, indent: 60, family: "monospace")
        }
        let left = Self.width - Self.margin - module * side - 60
        for y in 0..<code.width {
            for x in 0..<code.width where code.isDark(x, y) {
                let across = left + (x + QRModules.margin) * module
                let above = start + 20 + (y + QRModules.margin) * module
                fill(across..<across + module, above..<above + module)
            }
        }
        let (right, bottom) = (Self.width - Self.margin, start + height)
        for edge in [start..<start + 3, bottom - 3..<bottom] { fill(Self.margin..<right, edge) }
        for edge in [Self.margin..<Self.margin + 3, right - 3..<right] { fill(edge, start..<bottom) }
        top = Double(bottom)
    }

    private mutating func fill(_ across: Range<Int>, _ down: Range<Int>) {
        for y in down where y < Self.height { for x in across { pixels[y * Self.width + x] = 0 } }
    }
}
