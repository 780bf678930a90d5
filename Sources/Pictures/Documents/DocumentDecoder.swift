import VaultCrypto
import VaultFormat
public import Watermark

/// Turns PDF, HEIC, WebP and TIFF into JPEG pictures, by the program `qvault-decode`, which runs confined and on its own
/// (Spec/product/documents.md).
public struct DocumentDecoder: Sendable {
    /// Dots per inch at which pages are drawn.
    public static let usualDPI = 200
    /// Dots per inch that there may be.
    public static let dpiRange = 100...400
    /// Bytes of a document at most.
    public static let byteCount = 1 << 30

    /// Seconds for a picture, and for a page.
    private let seconds: Int
    /// The quality of the JPEG that is made of pixels.
    static let quality: Int32 = 92
    /// The quality of a page that is drawn: mostly text, and many of them.
    static let pageQuality: Int32 = 85

    private let program: String
    private let isSandboxOptional: Bool
    private let check: @Sendable () throws -> Void

    /// - Parameters:
    ///   - program: the path of `qvault-decode`.
    ///   - isSandboxOptional: true to decode also where the kernel has no sandbox.
    ///   - seconds: the time for a picture, and for a page.
    ///   - check: called ten times a second while it works; what it throws ends it.
    public init(
        program: String, isSandboxOptional: Bool = false, seconds: Int = 20,
        check: @escaping @Sendable () throws -> Void = {}
    ) {
        (self.program, self.isSandboxOptional) = (program, isSandboxOptional)
        (self.seconds, self.check) = (seconds, check)
    }

    /// True if a file is of a type that is decoded.
    public static func decodes(_ type: MediaType?) -> Bool {
        switch type {
        case .pdf, .heic, .webp, .tiff: true
        default: false
        }
    }

    /// A HEIC, WebP or TIFF picture as a JPEG.
    ///
    /// - Throws: `MarkError`; what reading and `check` throws.
    public func picture(_ source: any PictureSource) throws -> [UInt8] {
        guard source.byteCount <= Watermark.byteCount else { throw MarkError.tooLarge }
        let input = try DecoderInput(source)
        let process = try start(["picture"], input, seconds: seconds)
        try process.expect("QVDP")
        let (width, height) = (try process.number(4), try process.number(4))
        let orientation = try process.number(1)
        try Self.check(width, height)
        let profileCount = try process.number(4)
        guard 1...8 ~= orientation, profileCount <= 4 << 20 else { throw MarkError.decoderFailed("it makes no sense") }
        let profile = try process.bytes(profileCount)
        var picture = Picture(width: width, height: height, pixels: try process.bytes(width * height * 3))
        defer { picture.wipe() }
        let jpeg = try Self.jpeg(picture, quality: Self.quality)
        return try JPEGHeader.rewritten(jpeg, orientation: orientation, profile: profile)
    }

    /// A picture, or the first page of a PDF, as a JPEG to look at.
    ///
    /// - Throws: as `picture` and `pages`.
    public func look(at source: any PictureSource) throws -> [UInt8] {
        guard try MediaType(source) == .pdf else { return try picture(source) }
        var look: [UInt8] = []
        do {
            try pages(of: source, dpi: Self.dpiRange.lowerBound, limit: 1) { page, _ in look = page.jpeg }
        } catch MarkError.page(_, let error) { throw error }
        return look
    }

    /// The pages of a PDF, one after the other.
    ///
    /// - Parameters:
    ///   - dpi: dots per inch of pages that have to be drawn.
    ///   - limit: pages that are wanted, from the first on.
    ///   - body: gets each page and the number of pages; while it works, the next one is drawn.
    /// - Throws: `MarkError`; what reading, `check` and `body` throws.
    public func pages(
        of source: any PictureSource, dpi: Int = usualDPI, limit: Int = .max, _ body: (DocumentPage, Int) throws -> Void
    ) throws {
        precondition(Self.dpiRange.contains(dpi))
        guard source.byteCount <= Self.byteCount else { throw MarkError.tooLarge }
        let input = try DecoderInput(source)
        let process = try start(["pages"], input, seconds: seconds)
        try process.expect("QVDL")
        let count = try process.number(4)
        guard 1...200 ~= count else { throw MarkError.decoderFailed("it makes no sense") }
        let facts = try (0..<count).map { _ in try PageFacts(process) }
        let wanted = facts.prefix(limit)
        var renderer: DecoderProcess?
        for (index, page) in wanted.enumerated() {
            do {
                var jpeg: [UInt8] = []
                var isKept = false
                if page.isPicture {
                    renderer = nil
                    jpeg = try picture(of: page, process)
                    isKept = try isAlike(jpeg, page, number: index + 1, input)
                }
                if !isKept {
                    let (width, height) = (page.pixels(page.width, dpi), page.pixels(page.height, dpi))
                    try Self.check(width, height)
                    if renderer == nil {
                        let last = wanted[index...].dropFirst().firstIndex(where: \.isPicture) ?? wanted.endIndex
                        let seconds = (last - index) * seconds
                        renderer = try start(["render", "\(index + 1)", "\(last)", "\(dpi)"], input, seconds: seconds)
                    }
                    jpeg = try drawn(width, height, renderer!)
                }
                if page.isPicture { renderer = nil }
                let points = (page.points(page.width), page.points(page.height))
                try body(
                    DocumentPage(
                        number: index + 1, jpeg: jpeg, width: points.0, height: points.1, isKept: isKept), count
                )
            } catch let error as MarkError {
                throw error.isOfPage ? MarkError.page(index + 1, error) : error
            }
        }
        if limit >= count { try checkEnd(count, input) }
    }

    /// Makes sure that what draws pages counts them as what lists them does: else a page would be missing, or one that nobody
    /// sees would go out.
    private func checkEnd(_ count: Int, _ input: borrowing DecoderInput) throws {
        let renderer = try start(["render", "\(count + 1)", "\(count + 1)", "10"], input, seconds: seconds)
        do { _ = try renderer.bytes(1) } catch MarkError.decoderFailed { return }
        throw MarkError.corrupt("its pages are counted in two ways")
    }

    /// Pixels of the longer side of the drawing that a JPEG is compared with.
    private static let comparedSide = 1600
    /// The largest difference of two numbers that count as alike, of 255.
    private static let tolerance: Int32 = 40

    /// True if the JPEG that a page seems to consist of is what the page shows: a small drawing of the page, by the program that
    /// people look at pages with, and the JPEG made as small are alike. What reads the page for the one reads less of it than
    /// the other.
    private func isAlike(
        _ jpeg: [UInt8], _ page: PageFacts, number: Int, _ input: borrowing DecoderInput
    ) throws -> Bool {
        let longer = max(page.width, page.height)
        guard longer > 0, let header = try? JPEGHeader(jpeg) else { return false }
        let side = min(Self.comparedSide, max(header.width, header.height))
        let dpi = min(Self.dpiRange.upperBound, max(10, side * 7200 / longer))
        let renderer = try start(["render", "\(number)", "\(number)", "\(dpi)"], input, seconds: seconds)
        var drawing = try pixels(page.pixels(page.width, dpi), page.pixels(page.height, dpi), renderer)
        defer { drawing.wipe() }
        guard var kept = try? Picture(reading: jpeg, width: 2 * drawing.width, height: 2 * drawing.height) else {
            return false
        }
        defer { kept.wipe() }
        return drawing.shows(sameAs: kept, tolerance: Self.tolerance)
    }

    /// Starts a job on one picture.
    func start(_ words: [String], _ input: borrowing DecoderInput) throws -> DecoderProcess {
        try start(words, input, seconds: seconds)
    }

    func start(_ words: [String], _ input: borrowing DecoderInput, seconds: Int) throws -> DecoderProcess {
        let options = isSandboxOptional ? ["--no-sandbox"] : []
        return try DecoderProcess(
            [program] + options + ["\(seconds)"] + words, input, seconds: self.seconds, check: check)
    }

    private static func check(_ width: Int, _ height: Int) throws {
        guard width > 0, height > 0 else { throw MarkError.decoderFailed("it makes no sense") }
        let (side, count) = (Picture.sidePixelCount, Picture.drawnPixelCount)
        guard width <= side, height <= side, width * height <= count else { throw MarkError.tooLarge }
    }

    /// The JPEG that a page consists of.
    private func picture(of page: PageFacts, _ process: DecoderProcess) throws -> [UInt8] {
        process.allow(seconds: seconds)
        let profileCount = try process.number(8)
        guard 0...4 << 20 ~= profileCount else { throw MarkError.decoderFailed("it makes no sense") }
        let profile = try process.bytes(profileCount)
        let byteCount = try process.number(8)
        guard 0...Watermark.byteCount ~= byteCount else { throw MarkError.tooLarge }
        var jpeg = try process.bytes(byteCount)
        defer { wipeBytes(&jpeg) }
        return try JPEGHeader.rewritten(jpeg, orientation: page.orientation, profile: profile)
    }

    /// A page that the renderer draws, as a JPEG.
    private func drawn(_ width: Int, _ height: Int, _ renderer: DecoderProcess) throws -> [UInt8] {
        var drawing = try pixels(width, height, renderer)
        defer { drawing.wipe() }
        return try Self.jpeg(drawing, quality: Self.pageQuality)
    }

    /// A page that the renderer draws: a PPM picture (`P6`) of about the size that is expected.
    private func pixels(_ width: Int, _ height: Int, _ renderer: DecoderProcess) throws -> Picture {
        renderer.allow(seconds: seconds)
        let magic = try renderer.bytes(2)
        if magic == Array("QV".utf8), try renderer.bytes(2) == Array("DE".utf8) { try renderer.fail() }
        let noPicture = MarkError.decoderFailed("it draws no picture")
        guard magic == Array("P6".utf8), try renderer.bytes(1) == [10] else { throw noPicture }
        var numbers: [Int] = []
        for end in [UInt8(ascii: " "), 10, 10] {
            var digits: [UInt8] = []
            while true {
                let byte = try renderer.bytes(1)[0]
                if byte == end { break }
                digits.append(byte)
                guard digits.count < 8 else { throw noPicture }
            }
            guard let number = Int(String(decoding: digits, as: UTF8.self)) else { throw noPicture }
            numbers.append(number)
        }
        guard abs(numbers[0] - width) <= 2, abs(numbers[1] - height) <= 2, numbers[2] == 255 else {
            throw MarkError.decoderFailed("it draws another size")
        }
        try Self.check(numbers[0], numbers[1])
        return Picture(
            width: numbers[0], height: numbers[1], pixels: try renderer.bytes(numbers[0] * numbers[1] * 3))
    }

    private static func jpeg(_ picture: Picture, quality: Int32) throws -> [UInt8] {
        do { return try picture.jpeg(quality: quality) } catch { throw MarkError.noMemory }
    }
}

/// A page of a document.
public struct DocumentPage: Sendable {
    /// From 1.
    public let number: Int
    /// What it shows.
    public let jpeg: [UInt8]
    /// Points (1/72 inch) across and down, as it is shown.
    public let width, height: Double
    /// True if it is the JPEG that the page consisted of, and shows; false if it was drawn.
    public let isKept: Bool
}

/// What a decoder says of a page before its picture.
private struct PageFacts {
    let isPicture: Bool
    let orientation: Int
    /// Hundredths of the page's unit.
    let width, height: Int
    /// Hundredths of a point in the page's unit.
    private let unit: Int

    init(_ process: DecoderProcess) throws {
        let (kind, orientation) = (try process.number(1), try process.number(1))
        (width, height, unit) = (try process.number(4), try process.number(4), try process.number(4))
        guard 1...10_000_000 ~= unit, 0...1 ~= kind, 1...8 ~= orientation else {
            throw MarkError.decoderFailed("it makes no sense")
        }
        (isPicture, self.orientation) = (kind == 1, orientation)
    }

    /// Points of a length.
    func points(_ length: Int) -> Double { Double(length) / 100 * (Double(unit) / 100) }

    /// Pixels of a length.
    func pixels(_ length: Int, _ dpi: Int) -> Int { (length * dpi + 7199) / 7200 }
}
