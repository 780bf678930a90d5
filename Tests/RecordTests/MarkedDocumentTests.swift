import Foundation
import Testing
import Pictures
import VaultCrypto
import Cards
import Watermark

/// Copies of pictures in one PDF: what stands in it of each (Spec/product/documents.md).
struct MarkedDocumentTests {
    private func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
        try Picture(width: width, height: height, pixels: [UInt8](repeating: 180, count: width * height * 3)).jpeg(
            quality: 90)
    }

    /// The same with an EXIF block that says how to turn it.
    private func turned(_ orientation: UInt8, _ width: Int, _ height: Int) throws -> [UInt8] {
        let block: [UInt8] =
            Array("Exif\0\0MM\0*".utf8) + [
                0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0,
            ]
        let plain = try jpeg(width, height)
        return plain[..<2] + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + plain[2...]
    }

    private func run(_ words: [String], _ input: [UInt8] = []) throws -> [UInt8] {
        let (source, target) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        (process.arguments, process.standardInput, process.standardOutput) = (words, source, target)
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(input))
        try source.fileHandleForWriting.close()
        return [UInt8](target.fileHandleForReading.readDataToEndOfFile())
    }

    private func png(_ kind: String, _ width: Int, _ height: Int) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "qvault-document-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Scripts")
        _ = try run([
            "/usr/bin/python3", scripts.appending(path: "grounds.py").path, file.path, kind, "\(width)", "\(height)",
            "noise",
        ])
        return [UInt8](try Data(contentsOf: file))
    }

    private func order(_ change: (inout MarkedCopy.Order) -> Void = { _ in }) throws -> MarkedCopy.Order {
        var order = MarkedCopy.Order(
            try MarkText("copy", values: [:]), MarkStyle(), original: [UInt8](repeating: 1, count: 16),
            share: [UInt8](repeating: 2, count: 16))
        change(&order)
        return order
    }

    private func seed() throws -> WatermarkSeed { WatermarkSeed(try Secret(byteCount: 32)) }

    /// A PDF of these pictures, a letter for each byte.
    private func document(_ pictures: [[UInt8]]) throws -> (text: String, copies: [MarkedCopy]) {
        let sink = PictureInMemory()
        let document = try MarkedDocument(into: sink)
        let copies = try pictures.map { try document.add($0, order(), seed: seed()) }
        try document.finish()
        let text = String(String.UnicodeScalarView(sink.bytes.map { Unicode.Scalar($0) }))
        // Each object starts where the table says, and the table where the end says.
        let scalars = Array(text.unicodeScalars)
        func at(_ place: Int, _ words: String) -> Bool { scalars[place...].starts(with: words.unicodeScalars) }
        let end = try #require(
            Int(text.components(separatedBy: "startxref\n").last?.split(separator: "\n").first ?? ""))
        #expect(at(end, "xref\n0 "))
        let rows = String(String.UnicodeScalarView(scalars[end...])).components(separatedBy: "\n")
        let count = try #require(Int(rows[1].split(separator: " ")[1]))
        #expect(rows[2] == "0000000000 65535 f " && text.contains("/Size \(count) /Root 1 0 R"))
        for number in 1..<count {
            let row = rows[number + 2]
            #expect(row.count == 19 && row.hasSuffix(" 00000 n "))
            #expect(at(Int(row.prefix(10)) ?? 0, "\(number) 0 obj\n"), "\(number)")
        }
        #expect(rows[count + 2] == "trailer" && text.components(separatedBy: " 0 obj\n").count == count)
        return (text, copies)
    }

    @Test(
        arguments: [
            (1, "793.71 0 0 595.28 0 0"), (2, "-793.71 0 0 595.28 793.71 0"), (3, "-793.71 0 0 -595.28 793.71 595.28"),
            (4, "793.71 0 0 -595.28 0 595.28"),
            (5, "0 -595.28 -793.71 0 793.71 595.28"), (6, "0 -595.28 793.71 0 0 595.28"), (7, "0 595.28 793.71 0 0 0"),
            (8, "0 595.28 -793.71 0 793.71 0"),
        ])
    func pagesAreUpright(_ orientation: UInt8, _ matrix: String) throws {
        let (width, height) = orientation > 4 ? (300, 400) : (400, 300)
        let text = try document([turned(orientation, width, height)]).text
        #expect(text.contains("q \(matrix) cm /P Do Q") && text.contains("/MediaBox [0 0 793.71 595.28]"))
        #expect(
            text.contains(
                "/Width \(width) /Height \(height) /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode"))
    }

    @Test(arguments: [
        (300, 400, "595.28 793.71"), (300, 300, "595.28 595.28"), (330, 127, "841.89 324"), (320, 157, "841.89 413.05"),
    ])
    func pagesFitOnA4(_ width: Int, _ height: Int, _ box: String) throws {
        #expect(try document([jpeg(width, height)]).text.contains("/MediaBox [0 0 \(box)]"))
    }

    @Test(arguments: [
        ("rgb", 3, 8, "/DeviceRGB"), ("gray", 1, 8, "/DeviceGray"), ("rgb16", 3, 16, "/DeviceRGB"),
        ("gray16", 1, 16, "/DeviceGray"),
    ])
    func rowsOfAPNGAreTakenOver(_ kind: String, _ colours: Int, _ depth: Int, _ space: String) throws {
        let (text, copies) = try document([png(kind, 301, 203)])
        #expect(
            copies[0].quality == nil
                && text.contains("/ColorSpace \(space) /BitsPerComponent \(depth) /Filter /FlateDecode"))
        #expect(
            text.contains("/DecodeParms << /Predictor 15 /Colors \(colours) /BitsPerComponent \(depth) /Columns 301 >>")
        )
    }

    @Test func picturesFollowEachOther() throws {
        let (text, copies) = try document([png("rgba", 301, 203), jpeg(64, 64)])
        #expect(copies.map(\.quality) == [nil, nil] && text.contains("/Count 2 /Kids ["))
        for filter in ["/DCTDecode", "/FlateDecode"] {
            #expect(text.components(separatedBy: "/Filter \(filter)").count == 2, "\(filter)")
        }
    }

    @Test func grayPictures() throws {
        let ppm = Array("P6\n64 48\n255\n".utf8) + [UInt8](repeating: 180, count: 64 * 48 * 3)
        #expect(
            try document([run(["cjpeg", "-grayscale"], ppm)]).text.contains(
                "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode >>"))
    }

    // MARK: Sizes and faint marks

    @Test func aCopyAtItsLimitStays() throws {
        let original = try jpeg(640, 480)
        func copy(_ limit: Int?) throws -> MarkedCopy {
            try MarkedCopy(of: original, order { $0.limits.byteCount = limit }, seed: seed(), into: PictureInMemory())
        }
        let whole = try copy(nil)
        #expect(try whole.quality == nil && copy(whole.byteCount).quality == nil)
        let less = try copy(whole.byteCount - 1)
        #expect(less.quality != nil && less.byteCount < whole.byteCount && less.picture.width <= 640)
    }

    @Test func faintMarksAreAskedFor() throws {
        let white = try Picture(width: 400, height: 300, pixels: [UInt8](repeating: 250, count: 360_000)).jpeg(
            quality: 95)
        func copy(_ isAllowed: Bool) throws -> MarkedCopy {
            let order = try order {
                ($0.style.isLight, $0.style.layout, $0.allowsFaint) = (true, .sparse, isAllowed)
            }
            return try MarkedCopy(of: white, order, seed: seed(), into: PictureInMemory())
        }
        #expect { try copy(false) } throws: { if case .faint? = $0 as? MarkError { true } else { false } }
        #expect(try copy(true).picture.faintShare > 0.1)
    }
}
