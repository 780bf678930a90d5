import CImage

/// Marks pictures: JPEG in its coefficients, PNG in its rows, so that what no stroke touches stays as it is to the bit
/// (Spec/product/watermark.md).
public enum Watermark {
    /// Bytes of a picture at most.
    public static let byteCount = 64 << 20

    /// A picture that is marked.
    public struct Marked: Sendable {
        /// Pixels across and down, as a person sees it.
        public let width, height: Int
        /// Marks that stand on it, in part at least.
        public let markCount: Int
        /// Pixels of an em.
        public let size: Double
        /// True if the ink is white.
        public let isLight: Bool
    }

    /// Pixels across and down of a JPEG or PNG, as a person sees it.
    ///
    /// - Throws: `MarkError`.
    public static func size(of picture: any PictureSource) throws -> (width: Int, height: Int) {
        try Orientation(look(picture)).shown
    }

    /// Marks a picture, reads it again, and makes sure that it is marked. Of a PNG only some rows are in memory.
    ///
    /// - Parameters:
    ///   - picture: a JPEG or PNG.
    ///   - sink: gets the copy, of the same kind, and nothing else; where this throws it may have a part of it.
    ///   - original: names the picture, 16 bytes: all its copies have their marks in the same places, but for a hair.
    ///   - share: names the copy, 16 bytes.
    /// - Throws: `MarkError`; `CryptoError`; what reading and writing throws.
    public static func mark(
        _ picture: any PictureSource, _ text: MarkText, _ style: MarkStyle, seed: borrowing WatermarkSeed,
        original: [UInt8], share: [UInt8], into sink: any PictureSink
    ) throws -> Marked {
        guard picture.byteCount <= byteCount else { throw MarkError.tooLarge }
        func single() throws -> Marked {
            var single = style
            single.isSingle = true
            return try mark(picture, text, single, seed: seed, original: original, share: share, into: sink)
        }
        let facts = try look(picture)
        let orientation = Orientation(facts)
        let (width, height) = orientation.shown
        let layout = try MarkLayout(
            width: width, height: height, style: style, lattice: MarkNumbers(key: seed.latticeKey(original)),
            jitter: MarkNumbers(key: seed.shareKey(share)))
        let drawing = try Drawing(text, style, size: layout.size, degrees: layout.angle)
        let size = (width: drawing.width, height: drawing.height)
        let places = try layout.places(drawing: size, lineCount: text.lines.count, lineWidth: drawing.lineWidth)
        // A picture that lies between the marks, or is smaller than one, gets a mark in its middle.
        let isBare = !places.contains { place in
            0..<width ~= place.x + size.width / 2 && 0..<height ~= place.y + size.height / 2
        }
        if isBare, !style.isSingle { return try single() }
        let stored = places.map { orientation.storedCorner($0.x, $0.y, size) }.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
        let ink: Bool
        do {
            ink = try draw(
                drawing.turned(orientation.number), at: stored, on: picture, isPNG: facts.is_png != 0,
                opacity: layout.opacity(), isLight: style.isLight, into: sink)
        } catch MarkError.tooSmall where !style.isSingle {
            return try single()
        }
        try check(sink, facts)
        return Marked(width: width, height: height, markCount: places.count, size: layout.size, isLight: ink)
    }

    private static func look(_ picture: any PictureSource) throws -> qv_image_facts {
        var facts = qv_image_facts()
        try unsafe picture.withInput { input in try unsafe run { unsafe qv_image_look(input, &facts, $0) } }
        return facts
    }

    /// True if the ink is white.
    private static func draw(
        _ drawing: Drawing, at places: [(x: Int, y: Int)], on picture: any PictureSource, isPNG: Bool, opacity: Double,
        isLight: Bool?, into sink: any PictureSink
    ) throws -> Bool {
        var (touched, ink): (UInt64, Int32) = (0, 0)
        var strokes = drawing.bytes
        let flat = places.flatMap { [Int32(clamping: $0.x), Int32(clamping: $0.y)] }
        try sink.clear()
        try unsafe strokes.withUnsafeMutableBufferPointer { strokes in
            var coverage = unsafe qv_coverage(
                width: UInt32(drawing.width), height: UInt32(drawing.height), bytes: strokes.baseAddress,
                line_width: drawing.lineWidth)
            try unsafe withUnsafePointer(to: &coverage) { coverage in
                try unsafe flat.withUnsafeBufferPointer { flat in
                    var mark = unsafe qv_mark(
                        drawing: coverage, places: flat.baseAddress, count: places.count, opacity: opacity,
                        is_light: isLight.map { $0 ? 1 : 0 } ?? -1, touched: 0)
                    try unsafe picture.withInput { input in
                        try unsafe sink.withOutput { output in
                            try unsafe run { unsafe (isPNG ? qv_png_mark : qv_jpeg_mark)(input, &mark, output, $0) }
                        }
                    }
                    (touched, ink) = unsafe (mark.touched, mark.is_light)
                }
            }
        }
        if isPNG, isLight == nil, ink > 0 {
            return try draw(
                drawing, at: places, on: picture, isPNG: isPNG, opacity: opacity, isLight: true, into: sink)
        }
        guard touched > 0 else { throw MarkError.tooSmall }
        return ink > 0
    }

    // MARK: Looking at it

    /// Checks that the copy can be read to its end, and has the size and orientation of the original.
    private static func check(_ marked: any PictureSource, _ before: qv_image_facts) throws {
        let facts = try look(marked)
        guard (facts.width, facts.height) == (before.width, before.height), facts.orientation == before.orientation
        else { throw MarkError.corrupt("the marked picture has another size") }
        var pixels = unsafe qv_pixels()
        defer {
            unsafe qv_image_free(pixels.bytes, Int(pixels.width) * Int(pixels.height) * 3)
            unsafe qv_image_free(pixels.profile, pixels.profile_length)
        }
        try unsafe marked.withInput { input in
            try unsafe run { unsafe qv_image_read(input, side, side, &pixels, $0) }
        }
    }

    /// The side of the square that a picture is made to fit for looking at it.
    private static let side: UInt32 = 64

    /// Runs a job, and throws what it says.
    static func run(_ job: (UnsafeMutablePointer<CChar>?) -> qv_image_status) throws {
        var message = [CChar](repeating: 0, count: Int(QV_IMAGE_MESSAGE))
        let status = unsafe message.withUnsafeMutableBufferPointer { unsafe job($0.baseAddress) }
        guard status != QV_IMAGE_DONE else { return }
        let said = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        throw MarkError(status, said)
    }
}

extension Orientation {
    init(_ facts: qv_image_facts) {
        self.init(number: Int(facts.orientation), width: Int(facts.width), height: Int(facts.height))
    }
}

extension MarkError {
    fileprivate init(_ status: qv_image_status, _ message: String) {
        switch status {
        case QV_IMAGE_UNKNOWN: self = .notAnImage
        case QV_IMAGE_UNSUPPORTED: self = .unsupported
        case QV_IMAGE_TOO_LARGE: self = .tooLarge
        case QV_IMAGE_NO_MEMORY: self = .noMemory
        case QV_IMAGE_BAD_TABLE: self = .badTable
        case QV_IMAGE_NO_FONT: self = .noFont
        case QV_IMAGE_NO_GLYPH:
            self = UInt32(message, radix: 16).flatMap(Unicode.Scalar.init).map(MarkError.noGlyph) ?? .noFont
        default: self = .corrupt(message)
        }
    }
}

/// A text as it is drawn: how much of each pixel a stroke covers.
private struct Drawing {
    let width: Int
    let height: Int
    let bytes: [UInt8]
    /// Pixels of the longest line, before it is turned.
    let lineWidth: Double

    private init(width: Int, height: Int, bytes: [UInt8], lineWidth: Double) {
        (self.width, self.height, self.bytes, self.lineWidth) = (width, height, bytes, lineWidth)
    }

    init(_ text: MarkText, _ style: MarkStyle, size: Double, degrees: Double) throws {
        var coverage = unsafe qv_coverage()
        do {
            try unsafe Watermark.run { message in
                unsafe withCStrings(text.lines) { lines in
                    unsafe withOptionalCString(style.family) { family in
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

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let all = strings.map { Array($0.utf8CString) }
    func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
        guard index < all.count else { return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) } }
        return unsafe all[index].withUnsafeBufferPointer { unsafe next(index + 1, pointers + [$0.baseAddress]) }
    }
    return unsafe next(0, [])
}

private func withOptionalCString<Result>(
    _ string: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let string else { return body(nil) }
    return unsafe string.withCString { unsafe body($0) }
}
