import CImage

/// The strip below a copy: what it is for, in words, and the same as a signed code (Spec/product/strip.md, 1).
public struct SignedStrip: Sendable {
    /// The facts that are signed.
    public struct Order: Equatable, Sendable {
        /// For whom the copy is, and what for; nil where that is not said.
        public var recipient, purpose: String?
        /// Today: `YYYY-MM-DD`.
        public var day: String
        /// The last day for which it is given, `YYYY-MM-DD`; nil where that is not said.
        public var until: String?
        /// The lines that people read, and smaller ones beneath them.
        public var lines, smallLines: [String]

        /// - Throws: `MarkError` for text that is not drawn, or too long.
        public init(
            recipient: String?, purpose: String?, day: String, until: String?, lines: [String], smallLines: [String]
        ) throws {
            let count = (recipient ?? "").utf8.count + (purpose ?? "").utf8.count
            guard count <= CopyStatement.textByteCount else {
                throw MarkError.tooMuchToSign(CopyStatement.textByteCount)
            }
            try MarkText.check((lines + smallLines).flatMap(\.unicodeScalars))
            (self.recipient, self.purpose, self.day, self.until) = (recipient, purpose, day, until)
            (self.lines, self.smallLines) = (lines, smallLines)
        }
    }

    /// Places, but for the gap and the height of the picture, which are known last.
    private let places: StripGeometry
    /// Pixels of the strip from top to bottom.
    let height: Int
    private let order: Order
    private let share: [UInt8]
    private let page: CopyStatement.Page?

    /// Why a picture of so many pixels, as a person sees it, cannot have a strip; nil where it can.
    public static func obstacle(width: Int, height: Int) -> MarkError? {
        guard width >= StripGeometry.leastWidth else { return .tooNarrowToSign(StripGeometry.leastWidth) }
        let tall = height + StripGeometry.depth(belowWidth: width)
        let fits = tall <= Int(QV_IMAGE_SIDE) && width * tall <= Int(QV_IMAGE_PIXELS)
        return fits ? nil : .tooLargeToSign
    }

    /// - Parameters:
    ///   - size: the picture's, as a person sees it.
    ///   - share: names the copy.
    /// - Throws: `MarkError`.
    init(
        _ order: Order, share: [UInt8], page: CopyStatement.Page?, below size: (width: Int, height: Int)
    ) throws {
        (self.order, self.share, self.page) = (order, share, page)
        if let obstacle = Self.obstacle(width: size.width, height: size.height) { throw obstacle }
        places = StripGeometry(width: size.width, height: 0, gap: 0)
        height = StripGeometry.depth(belowWidth: places.width)
    }

    /// Pixels across.
    var width: Int { places.width }
    private var module: Int { places.module }

    /// Signs the facts about a copy.
    ///
    /// - Parameters:
    ///   - raster: the marked picture, made small, as a person sees it.
    ///   - pictureHeight: pixels of the picture.
    ///   - gap: pixels between it and the strip.
    private func text(
        _ raster: PictureDigest.Raster, pictureHeight: Int, gap: Int, key: borrowing MarkKey
    ) throws -> String {
        let geometry = StripGeometry(width: width, height: pictureHeight, gap: gap)
        func statement(_ digest: PictureDigest) -> CopyStatement {
            CopyStatement(
                share: share, recipient: order.recipient, purpose: order.purpose, day: order.day, until: order.until,
                page: page, geometry: geometry, digest: digest)
        }
        let smallest = PictureDigest(columns: 1, rows: 1, low: 0, step: 4, levels: [0])
        // Numbers and the head of the bytes take up to 7 more than the smallest.
        let room = CopyStatement.room(beside: statement(smallest)) + smallest.packed.count - 7
        return try statement(.fitting(raster, byteCount: room)).text(signedBy: key)
    }

    /// Draws the strip: a byte of lightness a pixel, `width` by `height`.
    ///
    /// - Throws: `MarkError`, `CryptoError`.
    func pixels(
        _ raster: PictureDigest.Raster, pictureHeight: Int, gap: Int, key: borrowing MarkKey
    ) throws -> [UInt8] {
        let text = try text(raster, pictureHeight: pictureHeight, gap: gap, key: key)
        guard let code = QRModules(text, version: StripGeometry.codeVersion) else {
            preconditionFailure("the code holds as much as a statement has")
        }
        var pixels = [UInt8](repeating: 255, count: width * height)
        for y in 0..<code.width * module {
            for x in 0..<code.width * module where code.isDark(x / module, y / module) {
                pixels[(QRModules.margin * module + y) * width + places.left + x] = 0
            }
        }
        // A line says where the picture ends.
        for place in 0..<width * (module / 3) { pixels[place] = 0 }
        try drawText(into: &pixels)
        return pixels
    }

    // MARK: Words

    /// Ems from line to line.
    private static let pitch = 1.4
    /// The part of the others' size that small lines have.
    private static let smallPart = 0.5
    /// The smallest characters, in pixels of an em.
    private static let leastSize = 9.0

    private func drawText(into pixels: inout [UInt8]) throws {
        let left = StripGeometry.textMargin * module, top = QRModules.margin * module
        let across = Double(width - (StripGeometry.framedModules + StripGeometry.textMargin) * module)
        let down = Double(height - 2 * top)
        var size = down / 6
        var drawn: [Drawing] = []
        while true {
            let main = order.lines.flatMap { DrawnLines.wrapped($0, ems: across / size) }
            let small = max(Self.leastSize, size * Self.smallPart)
            let others = order.smallLines.flatMap { DrawnLines.wrapped($0, ems: across / small) }
            let isSmallest = size <= Self.leastSize
            let total = (Double(main.count) * size + Double(others.count) * small) * Self.pitch
            if total <= down || isSmallest {
                drawn =
                    try main.map { try Drawing(lines: [$0], size: size) }
                    + others.map { try Drawing(lines: [$0], size: small) }
                if isSmallest || drawn.allSatisfy({ Double($0.width) <= across }) {
                    let pitches = main.map { _ in size } + others.map { _ in small }
                    var y = Double(top)
                    for (drawing, size) in zip(drawn, pitches) {
                        drawing.lay(left, Int(y), Int(across), into: &pixels, width: width)
                        y += size * Self.pitch
                    }
                    return
                }
            }
            size = max(Self.leastSize, size * 0.93)
        }
    }
}

/// Draws a strip when a job of CImage asks for it.
final class StripPainter {
    /// Pixels between the picture and the strip, once it was drawn.
    private(set) var gap = 0
    private let strip: SignedStrip
    private let orientation: Orientation
    private let key: MarkKey
    private var error: (any Error)?

    init(_ strip: SignedStrip, _ orientation: Orientation, _ key: consuming MarkKey) {
        (self.strip, self.orientation) = (strip, orientation)
        self.key = key
    }

    /// Pixels that stand below the picture, once the strip was drawn.
    var addedHeight: Int { gap + strip.height }

    /// The size of the copy, as it is stored.
    var storedSize: (width: Int, height: Int) {
        switch orientation.bottom {
        case .bottom, .top: (orientation.width, orientation.height + gap + strip.height)
        case .right, .left: (orientation.width + gap + strip.height, orientation.height)
        }
    }

    /// Runs a job that adds the strip.
    ///
    /// - Throws: what the job throws, or why the strip could not be drawn.
    func run(_ job: (UnsafePointer<qv_added_strip>) throws -> Void) throws {
        let side =
            switch orientation.bottom {
            case .bottom: QV_SIDE_BOTTOM
            case .top: QV_SIDE_TOP
            case .right: QV_SIDE_RIGHT
            case .left: QV_SIDE_LEFT
            }
        var added = unsafe qv_added_strip(
            side: side, depth: UInt32(strip.height),
            draw: { context, picture, out in
                guard let context = unsafe context, let picture = unsafe picture, let out = unsafe out else { return 1 }
                let painter = unsafe Unmanaged<StripPainter>.fromOpaque(context).takeUnretainedValue()
                do { try unsafe painter.draw(picture.pointee, into: out) } catch {
                    painter.error = error
                    return 1
                }
                return 0
            }, context: Unmanaged.passUnretained(self).toOpaque())
        do { try unsafe job(&added) } catch let failure { throw error ?? failure }
    }

    private func draw(_ picture: qv_raster, into out: UnsafeMutablePointer<UInt8>) throws {
        gap = unsafe Int(picture.gap)
        let stored = unsafe (width: Int(picture.width), height: Int(picture.height))
        let bytes = unsafe UnsafeBufferPointer(start: picture.bytes, count: stored.width * stored.height)
        let look = Orientation(number: orientation.number, width: stored.width, height: stored.height)
        var seen: [UInt8] = []
        seen.reserveCapacity(bytes.count)
        for y in 0..<look.shown.height {
            for x in 0..<look.shown.width {
                let place = look.stored(x, y)
                unsafe seen.append(bytes[place.y * stored.width + place.x])
            }
        }
        let raster = PictureDigest.Raster(
            width: look.shown.width, height: look.shown.height, bytes: seen, of: orientation.shown)
        let pixels = try strip.pixels(raster, pictureHeight: orientation.shown.height, gap: gap, key: key)
        let isAcross = orientation.number > 4
        let turn = Orientation(
            number: orientation.number, width: isAcross ? strip.height : strip.width,
            height: isAcross ? strip.width : strip.height)
        for y in 0..<strip.height {
            for x in 0..<strip.width {
                let place = turn.stored(x, y)
                unsafe out[place.y * turn.width + place.x] = pixels[y * strip.width + x]
            }
        }
    }
}
