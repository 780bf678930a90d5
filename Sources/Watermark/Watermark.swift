import CImage

/// Marks pictures: JPEG in its coefficients, PNG in its rows. Without a signal of the whole picture, what no stroke touches stays as
/// it is to the bit (Spec/product/watermark.md).
public enum Watermark {
    /// Bytes of a picture at most.
    public static let byteCount = Int(QV_IMAGE_FILE)

    /// A picture that is marked.
    public struct Marked: Sendable {
        /// Pixels across and down, as a person sees it.
        public let width, height: Int
        /// The layout that was used: `single` where the picture is too small for another.
        public let layout: MarkStyle.Layout
        /// Pixels of an em.
        public let size: Double
        /// True if all ink is white, false if it is black; nil where it differs from place to place.
        public let isLight: Bool?
        /// The share of pixels without a stroke, 0 to 1; nil where it was not counted.
        public let untouched: Double?
        /// The share of places with a stroke in which it is hard to see, 0 to 1 (Spec/product/watermark.md, 4).
        public let faintShare: Double
        /// The rows on which a whole sentence shows; nil for layouts without rows.
        public let wholeRows: Int?
        /// SHA-256 of the drawing with empty slots, of a layout of rows: copies of which it is the same are traced together.
        public let drawing: [UInt8]?
        /// Pixels of the strip below it, and of what lies between; 0 without one.
        public var addedHeight = 0

        /// Pixels along the long side that messengers leave of a picture, and those of a character that is read in them.
        private static let (sentSide, readSize) = (1280.0, 12.0)

        /// True if a whole sentence can be read in the copy when it is made small, as messengers do; nil for layouts without rows.
        public var isReadWhenSmall: Bool? {
            wholeRows.map { $0 > 0 && size * min(1, Self.sentSide / Double(max(width, height))) >= Self.readSize }
        }
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
    ///   - page: the page of a document that the picture is; nil for a picture of its own.
    ///   - signing: what the strip below it says; nil for none.
    /// - Throws: `MarkError`; `CryptoError`; what reading and writing throws.
    public static func mark(
        _ picture: any PictureSource, _ text: MarkText, _ style: MarkStyle, seed: borrowing WatermarkSeed,
        original: [UInt8], share: [UInt8], page: CopyStatement.Page? = nil, signing: SignedStrip.Order? = nil,
        into sink: any PictureSink
    ) throws -> Marked {
        let lattice = try WatermarkSeed.key(seed.latticeKey(original), ofPage: page?.number)
        let signal = try WatermarkSeed.key(seed.shareKey(share), ofPage: page?.number)
        guard picture.byteCount <= byteCount else { throw MarkError.tooLarge }
        let facts = try look(picture)
        let orientation = Orientation(facts)
        var painter: StripPainter?
        if let signing {
            let strip = try SignedStrip(signing, share: share, page: page, below: orientation.shown)
            painter = StripPainter(strip, orientation, try seed.markKey())
        }
        func marked(_ layout: MarkStyle.Layout) throws -> Marked {
            var style = style
            style.layout = layout
            let job = Job(
                picture: picture, facts: facts, orientation: orientation, text: text, style: style,
                lattice: MarkNumbers(key: lattice), share: MarkNumbers(key: signal), strip: painter, sink: sink)
            var marked = try layout.hasRows ? job.rows() : job.sparse()
            try check(sink, facts, painter?.storedSize ?? (orientation.width, orientation.height))
            marked.addedHeight = painter?.addedHeight ?? 0
            return marked
        }
        // A picture that lies between the marks, or is smaller than one, gets a mark in its middle.
        do { return try marked(style.layout) } catch MarkError.tooSmall { return try marked(.single) }
    }

    /// One marking of one picture.
    private struct Job {
        let picture: any PictureSource
        let facts: qv_image_facts
        let orientation: Orientation
        let text: MarkText
        let style: MarkStyle
        let lattice, share: MarkNumbers
        let strip: StripPainter?
        let sink: any PictureSink

        func rows() throws -> Marked {
            let (width, height) = orientation.shown
            let layout = try RowLayout(text, style, width: width, height: height, lattice: lattice, share: share)
            var mark = unsafe qv_mark()
            unsafe mark.is_light = style.isLight.map { $0 ? 1 : 0 } ?? -1
            try unsafe layout.withC(orientation: orientation.number) { dense in
                unsafe mark.dense = dense
                try unsafe draw(&mark)
            }
            let common = try RowLayout(
                text, style, width: width, height: height, lattice: lattice, share: nil, hidesVariables: true)
            return try unsafe marked(
                mark, layout.size, isLight: style.isLight, common.drawingDigest(), layout.wholeRows)
        }

        func sparse() throws -> Marked {
            let (width, height) = orientation.shown
            let layout = try SparseLayout(width: width, height: height, style: style, lattice: lattice, jitter: share)
            let drawing = try Drawing(text, style, size: layout.size, degrees: layout.angle)
            let size = (width: drawing.width, height: drawing.height)
            let places = try layout.places(drawing: size, lineCount: text.lines.count, lineWidth: drawing.lineWidth)
            let isBare = !places.contains { place in
                0..<width ~= place.x + size.width / 2 && 0..<height ~= place.y + size.height / 2
            }
            guard !isBare || style.layout == .single else { throw MarkError.tooSmall }
            let stored = places.map { orientation.storedCorner($0.x, $0.y, size) }
                .sorted { ($0.y, $0.x) < ($1.y, $1.x) }.flatMap { [Int32(clamping: $0.x), Int32(clamping: $0.y)] }
            let turned = drawing.turned(orientation.number)
            return try unsafe turned.bytes.withUnsafeBufferPointer { strokes in
                var coverage = unsafe qv_coverage(
                    width: UInt32(turned.width), height: UInt32(turned.height),
                    bytes: UnsafeMutablePointer(mutating: strokes.baseAddress), line_width: turned.lineWidth)
                return try unsafe withUnsafePointer(to: &coverage) { coverage in
                    try unsafe stored.withUnsafeBufferPointer { stored in
                        var mark = unsafe qv_mark()
                        unsafe (mark.drawing, mark.places) = unsafe (coverage, stored.baseAddress)
                        unsafe (mark.count, mark.opacity) = (places.count, try layout.opacity())
                        unsafe mark.is_light = style.isLight.map { $0 ? 1 : 0 } ?? -1
                        try unsafe draw(&mark)
                        // The ink that stands out on a PNG is known after its last row.
                        if facts.is_png != 0, style.isLight == nil, unsafe mark.is_light > 0 { try unsafe draw(&mark) }
                        return try unsafe marked(mark, layout.size, isLight: mark.is_light > 0, nil, nil)
                    }
                }
            }
        }

        private func draw(_ mark: inout qv_mark) throws {
            unsafe (mark.touched, mark.cells, mark.faint) = (0, 0, 0)
            guard let strip else { return try unsafe Watermark.draw(&mark, on: picture, facts, into: sink) }
            try unsafe strip.run { added in
                unsafe mark.strip = added
                try unsafe Watermark.draw(&mark, on: picture, facts, into: sink)
            }
        }

        private func marked(
            _ mark: qv_mark, _ size: Double, isLight: Bool?, _ drawing: [UInt8]?, _ wholeRows: Int?
        ) throws -> Marked {
            guard unsafe mark.touched > 0, unsafe mark.cells > 0 || !style.layout.hasRows else {
                throw MarkError.tooSmall
            }
            let (width, height) = orientation.shown
            let share = unsafe mark.cells == 0 ? 1 : Double(mark.faint) / Double(mark.cells)
            return unsafe Marked(
                width: width, height: height, layout: style.layout, size: size, isLight: isLight,
                untouched: style.layout.hasRows ? mark.untouched : nil, faintShare: share, wholeRows: wholeRows,
                drawing: drawing)
        }
    }

    /// Writes the picture with a mark.
    static func draw(
        _ mark: inout qv_mark, on picture: any PictureSource, _ facts: qv_image_facts, into sink: any PictureSink
    ) throws {
        try sink.clear()
        try unsafe picture.withInput { input in
            try unsafe sink.withOutput { output in
                try unsafe ImageJob.run { message in
                    unsafe (facts.is_png != 0 ? qv_png_mark : qv_jpeg_mark)(input, &mark, output, message)
                }
            }
        }
    }

    static func look(_ picture: any PictureSource) throws -> qv_image_facts {
        var facts = qv_image_facts()
        try unsafe picture.withInput { input in try unsafe ImageJob.run { unsafe qv_image_look(input, &facts, $0) } }
        return facts
    }

    // MARK: Looking at it

    /// Checks that the copy can be read to its end, and has the size and orientation that it should.
    static func check(
        _ marked: any PictureSource, _ before: qv_image_facts, _ size: (width: Int, height: Int)
    ) throws {
        let facts = try look(marked)
        guard (Int(facts.width), Int(facts.height)) == size, facts.orientation == before.orientation
        else { throw MarkError.corrupt("the marked picture has another size") }
        var pixels = unsafe qv_pixels()
        defer {
            unsafe qv_image_free(pixels.bytes, Int(pixels.width) * Int(pixels.height) * 3)
            unsafe qv_image_free(pixels.profile, pixels.profile_length)
        }
        try unsafe marked.withInput { input in
            try unsafe ImageJob.run { unsafe qv_image_read(input, side, side, &pixels, $0) }
        }
    }

    /// The side of the square that a picture is made to fit for looking at it.
    private static let side: UInt32 = 64
}

extension Orientation {
    init(_ facts: qv_image_facts) {
        self.init(number: Int(facts.orientation), width: Int(facts.width), height: Int(facts.height))
    }
}
