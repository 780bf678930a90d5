import Cards
import VaultCrypto
public import Watermark

extension DocumentDecoder {
    /// Languages that text is recognised in unless a person names others, as tesseract names them.
    public static let usualLanguages = "chi_sim+eng"
    /// Seconds for a picture or page whose text is recognised.
    private static let recognitionSeconds = 120
    /// Dots per inch at which pages are drawn for that.
    private static let recognitionDPI = 300

    /// The text that a picture shows, or the pages of a PDF say; what a page only shows is recognised too.
    ///
    /// - Parameters:
    ///   - languages: names of languages as tesseract has them, `+` between.
    ///   - progress: told after each page that is recognised.
    /// - Returns: the text of each page; a picture is one.
    /// - Throws: `MarkError`; what reading and `check` throws.
    public func text(
        of source: any PictureSource, languages: String = usualLanguages, progress: () -> Void = {}
    ) throws -> [String] {
        switch try MediaType(source) {
        case .pdf: return try textOfPages(source, languages, progress)
        case .jpeg, .png:
            defer { progress() }
            let side = Picture.sidePixelCount
            do {
                return [try recognized(Picture(source, width: side, height: side), languages)]
            } catch let error as PictureError {
                throw error.markError
            }
        case .heic, .webp, .tiff:
            var jpeg = try picture(source)
            defer { wipeBytes(&jpeg) }
            return try text(of: jpeg, languages: languages, progress: progress)
        case .other, nil: throw MarkError.notAnImage
        }
    }

    private func textOfPages(_ source: any PictureSource, _ languages: String, _ progress: () -> Void) throws
        -> [String]
    {
        guard source.byteCount <= Self.byteCount else { throw MarkError.tooLarge }
        var text: [UInt8]
        do { text = try said(["extract"], DecoderInput(source)) } catch MarkError.decoderFailed(let reason) {
            // The program that lists pages gives a better reason.
            try pages(of: source, limit: 0) { _, _ in }
            throw MarkError.decoderFailed(reason)
        }
        defer { wipeBytes(&text) }
        var pages = text.split(separator: 0x0C, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        // A form feed stands behind the last page too.
        if pages.count > 1, pages.last == "" { pages.removeLast() }
        guard !pages.allSatisfy(AttachmentText.saysSomething) else { return pages }
        try self.pages(of: source, dpi: Self.recognitionDPI) { page, count in
            guard count == pages.count else { throw MarkError.corrupt("its pages are counted in two ways") }
            guard !AttachmentText.saysSomething(pages[page.number - 1]) else { return }
            pages[page.number - 1] = try self.text(of: page.jpeg, languages: languages, progress: progress)[0]
        }
        return pages
    }

    private func recognized(_ picture: consuming Picture, _ languages: String) throws -> String {
        var map = picture.takeGraymap()
        defer { wipeBytes(&map) }
        var text = try said(["recognize", languages], DecoderInput(map))
        defer { wipeBytes(&text) }
        return String(decoding: text.filter { $0 != 0x0C }, as: UTF8.self)
    }

    /// The text that the decoder gives.
    func said(_ words: [String], _ input: borrowing DecoderInput) throws -> [UInt8] {
        let process = try start(words, input, seconds: Self.recognitionSeconds)
        process.allow(seconds: Self.recognitionSeconds)
        try process.expect("QVDT")
        return try process.rest(limit: AttachmentText.byteCount)
    }
}

extension Picture {
    /// Its brightness, as a portable graymap (`P5`) of 8 bits; the picture is wiped.
    consuming func takeGraymap() -> [UInt8] {
        var map = Array("P5\n\(width) \(height)\n255\n".utf8)
        map.reserveCapacity(map.count + width * height)
        for place in stride(from: 0, to: pixels.count, by: 3) {
            let (red, green, blue) = (Int(pixels[place]), Int(pixels[place + 1]), Int(pixels[place + 2]))
            map.append(UInt8((red * 299 + green * 587 + blue * 114 + 500) / 1000))
        }
        wipe()
        return map
    }
}
