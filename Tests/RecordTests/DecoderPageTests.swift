import Foundation
import Testing
import Pictures
import Values
import Watermark

import Cards

/// Pages that a program draws, and pages that are pictures: what is kept, drawn and refused (Spec/product/documents.md, 4).
struct DecoderPageTests {
    private func read(_ program: DecoderProgram, limit: Int = .max) throws -> [DocumentPage] {
        var pages: [DocumentPage] = []
        try program.decoder.pages(of: Array("%PDF-".utf8), limit: limit) { page, _ in pages.append(page) }
        return pages
    }

    private static func list(_ count: Int, _ picture: [UInt8]? = nil) -> [UInt8] {
        DecoderProgram.list(count, picture)
    }

    private static func drawing(_ width: Int, _ height: Int, gray: UInt8 = 180, most: Int = 255) -> [UInt8] {
        DecoderProgram.drawing(width, height, gray: gray, most: most)
    }

    private static func jpeg() throws -> [UInt8] {
        let plain = try Picture(width: 144, height: 144, pixels: [UInt8](repeating: 180, count: 144 * 144 * 3)).jpeg(
            quality: 90)
        return plain[..<2] + [0xFF, 0xFE, 0, 8] + Array("secret".utf8) + [0xFF, 0xFF, 0xEC, 0, 2] + plain[2...]
    }

    @Test func aPictureIsKeptAndTheRestIsDrawn() throws {
        let program = try DecoderProgram(Self.list(3, Self.jpeg()))
        try program.put("1-144", Self.drawing(144, 144))
        try program.put("2-200", Self.drawing(200, 200) + Self.drawing(202, 198))
        let pages = try read(program)
        #expect(pages.map(\.number) == [1, 2, 3] && pages.map(\.isKept) == [true, false, false])
        #expect(pages.allSatisfy { $0.width == 72 && $0.height == 72 })
        #expect(program.calls == ["20 1 1 144", "40 2 3 200", "20 4 4 10"])
        let sizes = try pages.map { try Watermark.size(of: $0.jpeg) }
        #expect(sizes.map(\.width) == [144, 200, 202] && sizes.map(\.height) == [144, 200, 198])
        let plain = try Self.jpeg().count - 15
        #expect(Data(pages[0].jpeg).range(of: Data("secret".utf8)) == nil && pages[0].jpeg.count == plain)
    }

    @Test func aPageThatShowsAnotherPictureIsDrawn() throws {
        let program = try DecoderProgram(Self.list(2, Self.jpeg()))
        try program.put("1-144", Self.drawing(144, 144, gray: 90))
        for page in 1...2 { try program.put("\(page)-200", Self.drawing(200, 200)) }
        #expect(try read(program).map(\.isKept) == [false, false])
        #expect(program.calls == ["20 1 1 144", "40 1 2 200", "20 2 2 200", "20 3 3 10"])
    }

    @Test func pagesAreCountedTwice() throws {
        let program = try DecoderProgram(Self.list(2))
        try program.put("1-200", Self.drawing(200, 200) + Self.drawing(200, 200))
        try program.put("3-10", [0])
        #expect(throws: MarkError.corrupt("its pages are counted in two ways")) { try read(program) }
        #expect(throws: MarkError.corrupt("its pages are counted in two ways")) { try read(program, limit: 2) }
        #expect(try read(program, limit: 1).count == 1, "who wants no more does not look for more")
    }

    @Test func lookingTakesTheFirstPage() throws {
        let program = try DecoderProgram(Self.list(2))
        try program.put("1-100", Self.drawing(100, 100))
        let look = try program.decoder.look(at: Array("%PDF-".utf8))
        #expect(try Watermark.size(of: look).width == 100 && program.calls == ["20 1 1 100"])
    }

    @Test(
        arguments: [
            (drawing(203, 200), "it draws another size"), (drawing(200, 197), "it draws another size"),
            (drawing(200, 200, most: 254), "it draws another size"),
            (Array("P6\n00000200 200\n255\n".utf8), "it draws no picture"),
            (Array("P6\nx 200\n255\n".utf8), "it draws no picture"),
            (Array("P5\n200 200\n255\n".utf8), "it draws no picture"),
            (Array("P6 200 200\n255\n".utf8), "it draws no picture"), ([], "it stopped"),
            (Array(drawing(200, 200).dropLast()), "it stopped"), (Array("QVxx".utf8), "it draws no picture"),
        ] as [([UInt8], String)])
    func drawingsThatAreNone(_ answer: [UInt8], _ what: String) throws {
        let program = try DecoderProgram(Self.list(1))
        try program.put("1-200", answer)
        let error = #expect(throws: MarkError.self) { try read(program) }
        #expect(error?.reason.description == "cannot be read: qvault-decode failed (\(what))")
    }

    /// Seven digits may be a number.
    @Test func numbersOfADrawing() throws {
        let program = try DecoderProgram(Self.list(1))
        try program.put("1-200", Array("P6\n0000200 200\n255\n".utf8) + Self.drawing(200, 200).dropFirst(15))
        #expect(try read(program).count == 1)
        try program.put("1-200", Array("QVDE".utf8) + [20, 0, 0])
        #expect(throws: MarkError.encrypted) { try read(program) }
    }

    /// Files that only begin as a JPEG, in the place of a page.
    @Test(
        arguments: [
            ([], .page(1, .notAnImage)), ([0xFF, 0xD8], nil), ([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xDA, 0, 2], nil),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF], nil),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0, 5, 1, 2], nil), ([0xFF, 0xD8, 0xFE, 0xE0, 0, 2, 0xFF, 0xDA, 0, 2], nil),
        ] as [([UInt8], MarkError?)])
    func picturesThatAreNone(_ picture: [UInt8], _ wanted: MarkError?) throws {
        let program = try DecoderProgram(Self.list(1, picture))
        let error = #expect(throws: MarkError.self) { try read(program) }
        let isCut = error == .page(1, .corrupt("a JPEG without a scan"))
        #expect(wanted == nil ? isCut : error == wanted || error == .notAnImage, "\(error.map { "\($0)" } ?? "")")
        #expect(program.calls.isEmpty)
    }

    /// A scan with nothing before it is no picture; the page is drawn.
    @Test(arguments: [[0xFF, 0xD8, 0xFF, 0xDA, 0, 2], [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xDA, 0, 2]] as [[UInt8]])
    func picturesWithoutASizeAreDrawn(_ picture: [UInt8]) throws {
        let program = try DecoderProgram(Self.list(1, picture))
        try program.put("1-200", Self.drawing(200, 200))
        #expect(try read(program).map(\.isKept) == [false] && program.calls == ["20 1 1 200", "20 2 2 10"])
    }

    /// A picture whose frame says a size or components that no JPEG of ours has: the page is drawn.
    @Test(arguments: [(0, 144, 3), (144, 0, 3), (144, 144, 2)])
    func framesThatSayNothingAreDrawn(_ width: Int, _ height: Int, _ components: UInt8) throws {
        let frame =
            [0xFF, 0xC0, 0, 8, 8] + DecoderProgram.number(height, 2) + DecoderProgram.number(width, 2) + [components]
        let program = try DecoderProgram(Self.list(1, [0xFF, 0xD8] + frame + [0xFF, 0xDA, 0, 2]))
        try program.put("1-200", Self.drawing(200, 200))
        #expect(try read(program).map(\.isKept) == [false] && program.calls == ["20 1 1 200", "20 2 2 10"])
    }

    /// A page without a size is refused before anything is compared with it.
    @Test func pagesWithoutASize() throws {
        let program = try DecoderProgram(DecoderProgram.list(1, Self.jpeg(), width: 0, height: 0))
        #expect(throws: MarkError.decoderFailed("it makes no sense")) { try read(program) }
        #expect(program.calls.isEmpty)
    }

    /// What is wrong with the only picture that is looked at needs no number of a page.
    @Test func lookingSaysWhatIsWrong() throws {
        let program = try DecoderProgram(Self.list(2, [0xFF, 0xD8]))
        #expect(throws: MarkError.corrupt("a JPEG without a scan")) {
            try program.decoder.look(at: Array("%PDF-".utf8))
        }
        try program.put("picture", DecoderProgram.picture(2, 1, [1, 2, 3, 4, 5, 6]))
        let look = try program.decoder.look(at: Array("II*\0".utf8))
        #expect(try Watermark.size(of: look).width == 2 && program.calls.isEmpty)
    }

    private final class Claim: PictureSource {
        enum Trouble: Error { case reading }
        let byteCount: Int
        init(_ byteCount: Int) { self.byteCount = byteCount }
        func read(into buffer: inout MutableSpan<UInt8>, at offset: Int) throws { throw Trouble.reading }
    }

    @Test func longFilesAreNotRead() {
        let decoder = DocumentDecoder(program: "/nonexistent")
        #expect(throws: Claim.Trouble.reading) { try decoder.picture(Claim(Watermark.byteCount)) }
        #expect(throws: MarkError.tooLarge) { try decoder.picture(Claim(Watermark.byteCount + 1)) }
        #expect(throws: Claim.Trouble.reading) { try decoder.pages(of: Claim(DocumentDecoder.byteCount)) { _, _ in } }
        #expect(throws: MarkError.tooLarge) { try decoder.pages(of: Claim(DocumentDecoder.byteCount + 1)) { _, _ in } }
        func mark(_ byteCount: Int) throws {
            let zeros = [UInt8](repeating: 0, count: 16)
            _ = try Watermark.mark(
                Claim(byteCount), MarkText("copy", values: [:]), MarkStyle(), seed: .ofNobody(), original: zeros,
                share: zeros, into: PictureInMemory())
        }
        #expect(throws: Claim.Trouble.reading) { try LeakTrace.Leak(Claim(Watermark.byteCount)) }
        #expect(throws: MarkError.tooLarge) { try LeakTrace.Leak(Claim(Watermark.byteCount + 1)) }
        #expect(throws: Claim.Trouble.reading) { try mark(Watermark.byteCount) }
        #expect(throws: MarkError.tooLarge) { try mark(Watermark.byteCount + 1) }
    }
}
