import Foundation
import Testing
import Pictures
import Values
import Watermark

import Cards

/// Pages that a program draws, and pages that are pictures: what is kept, drawn and refused (Spec/product/documents.md, 4).
struct DecoderPageTests {
    /// A program that answers with what a test puts there for each call, and notes the calls.
    private final class Program {
        private let folder: URL
        var path: String { folder.appending(path: "program").path }

        init(_ pages: [UInt8]) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try put("pages", pages)
            let script = """
                #!/bin/sh
                cd \(folder.path)
                [ "$2" = pages ] && exec cat pages
                echo "$1 $3 $4 $5" >> calls
                [ -f "$3-$5" ] && exec cat "$3-$5"
                exit 0

                """
            let source = folder.appending(path: "script")
            try script.write(to: source, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: source.path)
            // Another process copies it: a program that a test beside this one starts would hold the file open for writing.
            try Process.run(URL(filePath: "/bin/cp"), arguments: [source.path, path]).waitUntilExit()
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func put(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: folder.appending(path: name)) }

        var calls: [String] {
            ((try? String(contentsOf: folder.appending(path: "calls"), encoding: .utf8)) ?? "").split(separator: "\n")
                .map(String.init)
        }

        func read(limit: Int = .max) throws -> [DocumentPage] {
            var pages: [DocumentPage] = []
            try DocumentDecoder(program: path).pages(of: Array("%PDF-".utf8), limit: limit) { page, _ in
                pages.append(page)
            }
            return pages
        }
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// The list of pages of an inch each, of which the first may be a picture.
    private static func list(_ count: Int, _ picture: [UInt8]? = nil) -> [UInt8] {
        var list = Array("QVDL".utf8) + number(count, 4)
        for place in 0..<count {
            let isPicture = place == 0 && picture != nil
            list += [isPicture ? 1 : 0, 1] + number(7200, 4) + number(7200, 4) + number(100, 4)
        }
        if let picture { list += number(0, 8) + number(picture.count, 8) + picture }
        return list
    }

    private static func drawing(_ width: Int, _ height: Int, gray: UInt8 = 180, most: Int = 255) -> [UInt8] {
        Array("P6\n\(width) \(height)\n\(most)\n".utf8) + [UInt8](repeating: gray, count: width * height * 3)
    }

    private static func jpeg() throws -> [UInt8] {
        let plain = try Picture(width: 144, height: 144, pixels: [UInt8](repeating: 180, count: 144 * 144 * 3)).jpeg(
            quality: 90)
        return plain[..<2] + [0xFF, 0xFE, 0, 8] + Array("secret".utf8) + [0xFF, 0xFF, 0xEC, 0, 2] + plain[2...]
    }

    @Test func aPictureIsKeptAndTheRestIsDrawn() throws {
        let program = try Program(Self.list(3, Self.jpeg()))
        try program.put("1-144", Self.drawing(144, 144))
        try program.put("2-200", Self.drawing(200, 200) + Self.drawing(202, 198))
        let pages = try program.read()
        #expect(pages.map(\.number) == [1, 2, 3] && pages.map(\.isKept) == [true, false, false])
        #expect(pages.allSatisfy { $0.width == 72 && $0.height == 72 })
        #expect(program.calls == ["20 1 1 144", "40 2 3 200", "20 4 4 10"])
        let sizes = try pages.map { try Watermark.size(of: $0.jpeg) }
        #expect(sizes.map(\.width) == [144, 200, 202] && sizes.map(\.height) == [144, 200, 198])
        let plain = try Self.jpeg().count - 15
        #expect(Data(pages[0].jpeg).range(of: Data("secret".utf8)) == nil && pages[0].jpeg.count == plain)
    }

    @Test func aPageThatShowsAnotherPictureIsDrawn() throws {
        let program = try Program(Self.list(2, Self.jpeg()))
        try program.put("1-144", Self.drawing(144, 144, gray: 90))
        for page in 1...2 { try program.put("\(page)-200", Self.drawing(200, 200)) }
        #expect(try program.read().map(\.isKept) == [false, false])
        #expect(program.calls == ["20 1 1 144", "40 1 2 200", "20 2 2 200", "20 3 3 10"])
    }

    @Test func pagesAreCountedTwice() throws {
        let program = try Program(Self.list(2))
        try program.put("1-200", Self.drawing(200, 200) + Self.drawing(200, 200))
        try program.put("3-10", [0])
        #expect(throws: MarkError.corrupt("its pages are counted in two ways")) { try program.read() }
        #expect(throws: MarkError.corrupt("its pages are counted in two ways")) { try program.read(limit: 2) }
        #expect(try program.read(limit: 1).count == 1, "who wants no more does not look for more")
    }

    @Test func lookingTakesTheFirstPage() throws {
        let program = try Program(Self.list(2))
        try program.put("1-100", Self.drawing(100, 100))
        let look = try DocumentDecoder(program: program.path).look(at: Array("%PDF-".utf8))
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
        let program = try Program(Self.list(1))
        try program.put("1-200", answer)
        let error = #expect(throws: MarkError.self) { try program.read() }
        #expect(error?.reason.description == "cannot be read: qvault-decode failed (\(what))")
    }

    /// Seven digits may be a number.
    @Test func numbersOfADrawing() throws {
        let program = try Program(Self.list(1))
        try program.put("1-200", Array("P6\n0000200 200\n255\n".utf8) + Self.drawing(200, 200).dropFirst(15))
        #expect(try program.read().count == 1)
        try program.put("1-200", Array("QVDE".utf8) + [20, 0, 0])
        #expect(throws: MarkError.encrypted) { try program.read() }
    }

    /// Files that only begin as a JPEG, in the place of a page.
    @Test(
        arguments: [
            ([], .page(1, .notAnImage)), ([0xFF, 0xD8], nil), ([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xDA, 0, 2], nil),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF], nil),
            ([0xFF, 0xD8, 0xFF, 0xE0, 0, 5, 1, 2], nil), ([0xFF, 0xD8, 0xFE, 0xE0, 0, 2, 0xFF, 0xDA, 0, 2], nil),
        ] as [([UInt8], MarkError?)])
    func picturesThatAreNone(_ picture: [UInt8], _ wanted: MarkError?) throws {
        let program = try Program(Self.list(1, picture))
        let error = #expect(throws: MarkError.self) { try program.read() }
        let isCut = error == .page(1, .corrupt("a JPEG without a scan"))
        #expect(wanted == nil ? isCut : error == wanted || error == .notAnImage, "\(error.map { "\($0)" } ?? "")")
        #expect(program.calls.isEmpty)
    }

    /// A scan with nothing before it is no picture; the page is drawn.
    @Test(arguments: [[0xFF, 0xD8, 0xFF, 0xDA, 0, 2], [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF, 0xDA, 0, 2]] as [[UInt8]])
    func picturesWithoutASizeAreDrawn(_ picture: [UInt8]) throws {
        let program = try Program(Self.list(1, picture))
        try program.put("1-200", Self.drawing(200, 200))
        #expect(try program.read().map(\.isKept) == [false] && program.calls == ["20 1 1 200", "20 2 2 10"])
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
        #expect(throws: Claim.Trouble.reading) { try mark(Watermark.byteCount) }
        #expect(throws: MarkError.tooLarge) { try mark(Watermark.byteCount + 1) }
    }
}
