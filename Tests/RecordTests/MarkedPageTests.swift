import Foundation
import Pictures
import Testing
import VaultCrypto
import Watermark

/// Copies of documents, page by page (Spec/product/documents.md).
struct MarkedPageTests {
    private static let (pdf, tiff) = (Array("%PDF-".utf8), Array("II*\0".utf8))

    private func order(
        _ decoder: DocumentDecoder?, _ change: (inout MarkedCopy.Order) -> Void = { _ in }
    ) throws -> MarkedCopy.Order {
        var order = MarkedCopy.Order(
            try MarkText("copy", values: [:]), MarkStyle(), original: [UInt8](repeating: 1, count: 16),
            share: [UInt8](repeating: 2, count: 16))
        order.decoder = decoder
        change(&order)
        return order
    }

    private func copy(
        of original: [UInt8], _ decoder: DocumentDecoder?, _ change: (inout MarkedCopy.Order) -> Void = { _ in }
    ) throws -> (copy: MarkedCopy, bytes: [UInt8]) {
        let sink = PictureInMemory()
        let copy = try MarkedCopy(of: original, order(decoder, change), seed: .ofNobody(), into: sink)
        #expect(copy.byteCount == sink.byteCount)
        return (copy, sink.bytes)
    }

    /// A document of three pages, the first of which is a picture that it shows.
    private static func three() throws -> DecoderProgram {
        let program = try DecoderProgram(DecoderProgram.list(3, jpeg()))
        try program.put("1-144", DecoderProgram.drawing(144, 144))
        try program.put("2-200", DecoderProgram.drawing(200, 200) + DecoderProgram.drawing(200, 200))
        return program
    }

    private static func jpeg() throws -> [UInt8] {
        try Picture(width: 144, height: 144, pixels: [UInt8](repeating: 180, count: 144 * 144 * 3)).jpeg(quality: 95)
    }

    private func text(_ bytes: [UInt8]) -> String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }

    @Test func eachPageIsMarked() throws {
        let program = try Self.three()
        let (copy, bytes) = try copy(of: Self.pdf, program.decoder)
        #expect(copy.pages.map(\.picture.width) == [144, 200, 200] && copy.picture.width == 144)
        #expect(copy.pages.map(\.isKept) == [true, false, false] && copy.quality == 85)
        let text = text(bytes)
        #expect(text.hasPrefix("%PDF-1.5") && text.contains("/Count 3 /Kids ["))
        #expect(text.components(separatedBy: "/MediaBox [0 0 72 72]").count == 4)
        let pages = text.components(separatedBy: "stream\n").filter { $0.hasPrefix("\u{FF}\u{D8}") }
        #expect(Set(pages).count == 3, "pages that look alike have marks of their own")
    }

    @Test func picturesAreKept() throws {
        let program = try DecoderProgram(DecoderProgram.list(1, Self.jpeg()))
        try program.put("1-144", DecoderProgram.drawing(144, 144))
        let whole = try copy(of: Self.pdf, program.decoder)
        #expect(whole.copy.pages.map(\.isKept) == [true] && whole.copy.quality == nil)
        let less = try copy(of: Self.pdf, program.decoder) { $0.limits.byteCount = whole.bytes.count - 1 }
        #expect(less.copy.pages.map(\.isKept) == [false], "pixels were coded anew")
        #expect(less.copy.quality == 85 && less.bytes.count < whole.bytes.count)
    }

    /// Each page gets its part of the bytes, and what a PDF needs besides.
    @Test func documentsAreShortEnough() throws {
        let program = try Self.three()
        let whole = try copy(of: Self.pdf, program.decoder).bytes.count
        let less = try copy(of: Self.pdf, program.decoder) { $0.limits.byteCount = whole - 1 }
        #expect(less.bytes.count < whole && less.copy.quality == 75)
        #expect(throws: MarkError.page(1, .tooLong)) {
            try copy(of: Self.pdf, program.decoder) { $0.limits.byteCount = 1 }
        }
    }

    @Test func aLookIsTheFirstPage() throws {
        let program = try Self.three()
        let (copy, bytes) = try copy(of: Self.pdf, program.decoder) { $0.isLook = true }
        #expect(try copy.pages.isEmpty && Watermark.size(of: bytes).width == 144 && program.calls == ["20 1 1 144"])
    }

    /// An error names the page that it is about; what is wrong with the text is wrong on all.
    @Test func errorsNameTheirPage() throws {
        let program = try DecoderProgram(DecoderProgram.list(2))
        try program.put(
            "1-200", DecoderProgram.drawing(200, 200, gray: 40) + DecoderProgram.drawing(200, 200))
        #expect {
            try copy(of: Self.pdf, program.decoder) { ($0.style.isLight, $0.style.layout) = (true, .dense) }
        } throws: { if case .page(2, .faint)? = $0 as? MarkError { true } else { false } }
        #expect(throws: MarkError.noGlyph("\u{1F9FF}")) {
            try copy(of: Self.pdf, program.decoder) { $0.text = try! MarkText("\u{1F9FF}", values: [:]) }
        }
        for original in [Self.pdf, Self.tiff] {
            #expect(throws: MarkError.noDecoder) { try copy(of: original, nil) }
        }
    }

    /// What has no coefficients of its own is coded, and says with which quality.
    @Test func picturesOfOtherKinds() throws {
        let program = try DecoderProgram()
        try program.put(
            "picture", DecoderProgram.picture(64, 48, orientation: 6, [UInt8](repeating: 180, count: 64 * 48 * 3)))
        let whole = try copy(of: Self.tiff, program.decoder)
        #expect(whole.copy.quality == 92 && whole.copy.pages.isEmpty)
        #expect(whole.copy.picture.width == 48 && whole.bytes.starts(with: [0xFF, 0xD8]))
        let less = try copy(of: Self.tiff, program.decoder) { $0.limits.byteCount = whole.bytes.count - 1 }
        #expect(less.copy.quality == 85)
    }

    @Test func documentsAndPicturesFollowEachOther() throws {
        let program = try Self.three()
        try program.put("picture", DecoderProgram.picture(64, 48, [UInt8](repeating: 180, count: 64 * 48 * 3)))
        let sink = PictureInMemory()
        let document = try MarkedDocument(into: sink)
        let copies = try [Self.pdf, Self.tiff, Self.jpeg()].map {
            try document.add($0, order(program.decoder), seed: .ofNobody())
        }
        try document.finish()
        #expect(copies.map(\.pages.count) == [3, 0, 0] && copies.map(\.quality) == [85, 92, nil])
        let text = text(sink.bytes)
        #expect(text.contains("/Count 5 /Kids [") && text.contains("/MediaBox [0 0 793.71 595.28]"))
        #expect(throws: MarkError.noDecoder) { try document.add(Self.pdf, order(nil), seed: .ofNobody()) }
    }

    // MARK: Sizes

    /// Quality first, then pixels; each limit may be met exactly.
    @Test func whatIsTriedToBeShorter() throws {
        var (pixels, state): ([UInt8], UInt32) = ([], 1)
        for place in 0..<300 * 260 {
            state = state &* 1_664_525 &+ 1_013_904_223
            pixels += [UInt8(place % 200), UInt8(state >> 25), 90]
        }
        let original = try Picture(width: 300, height: 260, pixels: pixels).jpeg(quality: 95)
        func limited(_ byteCount: Int?, _ width: Int? = nil) throws -> MarkedCopy {
            try copy(of: original, nil) { $0.limits = .init(width: width, byteCount: byteCount) }.copy
        }
        let whole = try limited(nil)
        let good = try limited(whole.byteCount - 1)
        #expect(good.quality == 85 && good.picture.width == 300)
        #expect(try limited(good.byteCount).byteCount == good.byteCount)
        let poor = try limited(good.byteCount - 1)
        #expect(poor.quality == 75 && poor.picture.width == 300)
        let small = try limited(poor.byteCount - 1)
        #expect(small.quality == 75 && small.picture.width == 255 && small.picture.height == 221)
        // 0.85 of 221 are less than the 200 pixels that a side has at least.
        #expect(throws: MarkError.tooLong) { try limited(small.byteCount - 1) }
        // A picture that is smaller from the beginning is tried as it is.
        let narrow = try limited(nil, 150)
        #expect(narrow.quality == 92 && narrow.picture.width == 150)
        #expect(try limited(narrow.byteCount - 1, 150).quality == 85)
        #expect(try limited(nil, 299).quality == 92 && limited(nil, 300).quality == nil)
    }

    /// What cannot be decoded is told as what it is, also where it would only be made narrower.
    @Test func damagedPicturesAreNotMadeNarrower() throws {
        let original = try Self.jpeg()
        #expect {
            try copy(of: Array(original.dropLast(original.count / 3)), nil) { $0.limits.width = 100 }
        } throws: { if case .corrupt? = $0 as? MarkError { true } else { false } }
    }
}
