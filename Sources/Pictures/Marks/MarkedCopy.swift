import VaultCrypto
public import Watermark

/// A marked copy of a picture or document, to be given away.
public struct MarkedCopy: Sendable {
    /// The picture; of a document its first page.
    public let picture: Watermark.Marked
    /// The pages of a document; empty for a picture.
    public internal(set) var pages: [Page] = []
    /// The quality of the JPEG that was made, 1 to 100, where pixels were coded anew; nil where only strokes and the signal were added.
    public internal(set) var quality: Int?
    /// Bytes of the copy.
    public internal(set) var byteCount: Int
    /// The parts of the original that it does not show.
    public internal(set) var hidden: [HiddenPart]
    /// The places in `Order.hiding` of what was found and hidden.
    var found: Set<Int>
    /// The places of those that were not read, and are hidden where such cards have them.
    public internal(set) var unread: Set<Int> = []

    /// A page of a document.
    public struct Page: Sendable {
        /// Its picture.
        public let picture: Watermark.Marked
        /// True if only strokes and the signal were added; false if it was drawn or coded anew.
        public let isKept: Bool
        /// True if each text and number that was to be hidden was read on it, and is hidden.
        public let isHiddenAsAsked: Bool
    }

    /// The limits for its size.
    public struct Limits: Equatable, Sendable {
        /// Pixels across.
        public var width: Int?
        /// Pixels across of a picture that goes out by itself, where `width` says nothing. Pages of a document have it not.
        public var pictureWidth: Int?
        /// Bytes.
        public var byteCount: Int?

        /// As large as it is.
        public init(width: Int? = nil, byteCount: Int? = nil, pictureWidth: Int? = nil) {
            (self.width, self.byteCount, self.pictureWidth) = (width, byteCount, pictureWidth)
        }
    }

    /// The parameters of a copy.
    public struct Order: Sendable {
        /// The text of the mark.
        public var text: MarkText
        /// Its style.
        public var style: MarkStyle
        /// Names the picture, 16 bytes.
        public var original: [UInt8]
        /// Names the copy, 16 bytes.
        public var share: [UInt8]
        /// The limits for its size.
        public var limits: Limits
        /// True if a mark that is hard to see is made all the same.
        public var allowsFaint = false
        /// What turns PDF, HEIC, WebP and TIFF into pictures; nil where none is installed.
        public var decoder: DocumentDecoder?
        /// Dots per inch of pages that have to be drawn, 100 to 400.
        public var dpi = DocumentDecoder.usualDPI
        /// The parts that it must not show.
        public var hiding: [Hiding] = []
        /// The content of the signed strip below each picture; nil for none.
        public var signing: SignedStrip.Order?
        /// True if a picture that is too narrow for the strip gets a copy without one.
        public var allowsUnsigned = false
        /// True if it is only looked at: a document is then its first page, as a JPEG.
        public var isLook = false
        /// The page of a document that the picture is; nil for a picture of its own.
        var page: CopyStatement.Page?

        /// An order.
        public init(
            _ text: MarkText, _ style: MarkStyle, original: [UInt8], share: [UInt8], limits: Limits = Limits()
        ) {
            (self.text, self.style, self.original, self.share) = (text, style, original, share)
            self.limits = limits
        }
    }

    /// The qualities that are tried to make it shorter, before it is made smaller.
    private static let qualities: [Int32] = [85, 75]
    /// Pixels of the short side at least, where a picture is made smaller to be shorter.
    private static let shortestSide = 200.0

    /// A copy of a JPEG or PNG.
    init(
        ofPicture original: any PictureSource, _ order: Order, seed: borrowing WatermarkSeed, into sink: any PictureSink
    ) throws {
        let shown = try HiddenPicture(original, order.hiding, page: order.page?.number, order.decoder)
        let (width, height) = try Watermark.size(of: shown.picture)
        let most = order.limits.width ?? (order.page == nil ? order.limits.pictureWidth : nil)
        let widest = min(width, most ?? width)
        var copy = try Self(of: shown.picture, order, (widest, height), isNarrowed: widest < width, seed, sink)
        if let limit = order.limits.byteCount, copy.byteCount > limit {
            copy = try Self(within: limit, shown.picture, order, (widest, height * widest / width), seed, sink)
        }
        self = copy
        hidden = shown.boxes.map { HiddenPart(page: order.page?.number ?? 1, box: $0) }
        (found, unread) = (shown.found, shown.unread)
    }

    /// Makes sure that all that was to be hidden was found: a copy that shows it must not go out.
    func requireHidden(_ order: Order) throws {
        for (place, hiding) in order.hiding.enumerated() where !found.contains(place) {
            if case .part(_, let page?) = hiding { throw MarkError.noPage(page) }
            throw MarkError.nothingToHide(hiding.text)
        }
    }

    /// As it is, if it can be.
    private init(
        of original: any PictureSource, _ order: Order, _ size: (width: Int, height: Int), isNarrowed: Bool,
        _ seed: borrowing WatermarkSeed, _ sink: any PictureSink
    ) throws {
        if !isNarrowed {
            do {
                try self.init(marking: original, nil, order, seed, sink)
                return
            } catch MarkError.unsupported {
                // Sampling that does not come out even, say: its pixels can be read all the same.
            }
        }
        var base = try Self.recoded(original, size.width, size.height, quality: DocumentDecoder.quality)
        defer { wipeBytes(&base) }
        try self.init(marking: base, DocumentDecoder.quality, order, seed, sink)
    }

    private init(
        marking picture: any PictureSource, _ quality: Int32?, _ order: Order, _ seed: borrowing WatermarkSeed,
        _ sink: any PictureSink
    ) throws {
        var signing = order.signing
        if let wanted = signing, order.allowsUnsigned {
            let size = try Watermark.size(of: picture)
            signing = SignedStrip.obstacle(width: size.width, height: size.height) == nil ? wanted : nil
        }
        self.picture = try Watermark.mark(
            picture, order.text, order.style, seed: seed, original: order.original, share: order.share,
            page: order.page, signing: signing, into: sink)
        guard order.allowsFaint || self.picture.faintShare <= 0.1 else {
            throw MarkError.faint(Int(100 * self.picture.faintShare))
        }
        (self.quality, byteCount) = (quality.map(Int.init), sink.byteCount)
        (hidden, found) = ([], [])
    }

    /// Lower quality first, then fewer pixels, until it is short enough.
    private init(
        within limit: Int, _ original: any PictureSource, _ order: Order, _ size: (width: Int, height: Int),
        _ seed: borrowing WatermarkSeed, _ sink: any PictureSink
    ) throws {
        var scale = 1.0
        while true {
            let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
            guard scale == 1 || min(width, height) >= Self.shortestSide else { throw MarkError.tooLong }
            for quality in scale == 1 ? Self.qualities : Self.qualities.suffix(1) {
                var base = try Self.recoded(original, Int(width), Int(height.rounded(.up)), quality: quality)
                defer { wipeBytes(&base) }
                guard base.count <= limit else { continue }
                try self.init(marking: base, quality, order, seed, sink)
                if byteCount <= limit { return }
            }
            scale *= 0.85
        }
    }

    /// A JPEG of the same picture, upright, that fits into a size.
    private static func recoded(
        _ original: any PictureSource, _ width: Int, _ height: Int, quality: Int32
    ) throws -> [UInt8] {
        do {
            var picture = try Picture(original, width: width, height: height)
            defer { picture.wipe() }
            return try picture.jpeg(quality: quality)
        } catch let error as PictureError {
            throw error.markError
        }
    }
}
