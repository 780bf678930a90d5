import CImage

/// A text as it is drawn: how much of each pixel a stroke covers.
struct Drawing {
    let width: Int
    let height: Int
    let bytes: [UInt8]
    /// Pixels of the longest line, before it is turned.
    let lineWidth: Double

    private init(width: Int, height: Int, bytes: [UInt8], lineWidth: Double) {
        (self.width, self.height, self.bytes, self.lineWidth) = (width, height, bytes, lineWidth)
    }

    init(_ text: MarkText, _ style: MarkStyle, size: Double, degrees: Double) throws {
        try self.init(lines: text.lines, family: style.family, size: size, degrees: degrees)
    }

    /// Lines one beneath the other, centred.
    init(lines: [String], family: String? = nil, size: Double, degrees: Double = 0) throws {
        var coverage = unsafe qv_coverage()
        do {
            try unsafe ImageJob.run { message in
                unsafe withCStrings(lines) { lines in
                    unsafe withOptionalCString(family) { family in
                        unsafe qv_text_draw(lines.baseAddress, lines.count, family, size, degrees, &coverage, message)
                    }
                }
            }
        } catch MarkError.tooLarge {
            throw MarkError.textTooLarge
        }
        (width, height) = unsafe (Int(coverage.width), Int(coverage.height))
        bytes = unsafe Array(
            UnsafeBufferPointer(start: coverage.bytes, count: Int(coverage.width) * Int(coverage.height)))
        lineWidth = unsafe coverage.line_width
        unsafe qv_image_free(coverage.bytes, bytes.count)
    }

    /// Puts it on a page of gray pixels, as dark as its strokes cover them. What reaches beyond its place is left out.
    ///
    /// - Parameters:
    ///   - across: pixels for it at most.
    ///   - pageWidth: pixels of a row of the page.
    func lay(_ left: Int, _ top: Int, _ across: Int, into page: inout [UInt8], width pageWidth: Int) {
        for y in 0..<min(height, page.count / pageWidth - top) {
            for x in 0..<min(width, across) {
                let place = (top + y) * pageWidth + left + x
                page[place] = min(page[place], 255 - bytes[y * width + x])
            }
        }
    }

    /// The same as it is stored in a picture of an orientation.
    func turned(_ orientation: Int) -> Drawing {
        guard orientation > 1 else { return self }
        let isAcross = orientation > 4
        let turn = Orientation(number: orientation, width: isAcross ? height : width, height: isAcross ? width : height)
        var turned = [UInt8](repeating: 0, count: bytes.count)
        for y in 0..<height {
            for x in 0..<width {
                let place = turn.stored(x, y)
                turned[place.y * turn.width + place.x] = bytes[y * width + x]
            }
        }
        return Drawing(width: turn.width, height: turn.height, bytes: turned, lineWidth: lineWidth)
    }
}
