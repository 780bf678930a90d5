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

    private func png(_ kind: String, _ width: Int, _ height: Int, _ chunks: String...) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "qvault-document-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        let scripts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Scripts")
        _ = try run(
            [
                "/usr/bin/python3", scripts.appending(path: "grounds.py").path, file.path, kind, "\(width)",
                "\(height)",
                "noise",
            ] + chunks)
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
    private func document(
        _ pictures: [[UInt8]], _ change: (inout MarkedCopy.Order) -> Void = { _ in }
    ) throws -> (text: String, copies: [MarkedCopy]) {
        let sink = PictureInMemory()
        let document = try MarkedDocument(into: sink)
        let copies = try pictures.map { try document.add($0, order(change), seed: seed()) }
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
        (300, 175, "841.89 491.10"),
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

    /// A JPEG of one colour, 64 by 64: each block has no more than the end of its coefficients (ITU-T T.81).
    private func flat(_ components: UInt8, isOfAdobe: Bool) -> [UInt8] {
        func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] { [0xFF, marker, 0, UInt8(body.count + 2)] + body }
        let table = [1] + [UInt8](repeating: 0, count: 16)
        var jpeg: [UInt8] = [0xFF, 0xD8]
        if isOfAdobe { jpeg += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]) }
        jpeg += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        jpeg += segment(0xC4, [0] + table) + segment(0xC4, [0x10] + table)
        jpeg += segment(0xC0, [8, 0, 64, 0, 64, components] + (1...components).flatMap { [$0, 0x11, 0] })
        jpeg += segment(0xDA, [components] + (1...components).flatMap { [$0, 0] } + [0, 63, 0])
        return jpeg + [UInt8](repeating: 0, count: 16 * Int(components)) + [0xFF, 0xD9]
    }

    /// Inks of Adobe's programs are inverted; colours never are, whoever wrote them.
    @Test(arguments: [
        (4, true, "/DeviceCMYK", true), (4, false, "/DeviceCMYK", false), (3, true, "/DeviceRGB", false),
        (3, false, "/DeviceRGB", false), (1, false, "/DeviceGray", false),
    ])
    func inksOfAdobe(_ components: UInt8, _ isOfAdobe: Bool, _ space: String, _ isInverted: Bool) throws {
        let (text, copies) = try document([flat(components, isOfAdobe: isOfAdobe)]) { $0.allowsFaint = true }
        #expect(copies[0].quality == nil && text.contains("/ColorSpace \(space) /BitsPerComponent 8"))
        #expect(text.contains("/Decode [1 0 1 0 1 0 1 0]") == isInverted)
    }

    /// A profile of three colours with straight curves (ICC.1).
    private static let profile: [UInt8] = {
        func number(_ value: Int) -> [UInt8] { DecoderProgram.number(value, 4) }
        let white = [0xF6D6, 0x10000, 0xD32D].flatMap(number)
        let points = [
            ("wtpt", white), ("rXYZ", [0x6FA2, 0x38F5, 0x390].flatMap(number)),
            ("gXYZ", [0x6299, 0xB785, 0x18DA].flatMap(number)), ("bXYZ", [0x24A0, 0xF84, 0xB6CF].flatMap(number)),
        ].map { ($0.0, Array("XYZ \0\0\0\0".utf8) + $0.1) }
        let curves = ["rTRC", "gTRC", "bTRC"].map { ($0, Array("curv\0\0\0\0\0\0\0\0".utf8)) }
        var (table, data): ([UInt8], [UInt8]) = (number(7), [])
        for (name, body) in points + curves {
            table += Array(name.utf8) + number(128 + 4 + 7 * 12 + data.count) + number(body.count)
            data += body
        }
        let head = number(0) + [2, 0x40, 0, 0] + Array("mntrRGB XYZ ".utf8) + [7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        let rest = Array("acsp".utf8) + [UInt8](repeating: 0, count: 28) + white + [UInt8](repeating: 0, count: 48)
        return number(128 + table.count + data.count) + head + rest + table + data
    }()

    /// The profile of a picture is an object of its own; one that does not fit its colours is left behind.
    @Test func profilesStay() throws {
        func space(_ picture: [UInt8]) throws -> String {
            let text = try document([picture]).text
            #expect(text.contains(" /N 3 >>\nstream\n") || !text.contains("/ICCBased"))
            return try #require(
                text.components(separatedBy: "/ColorSpace ").last?.components(separatedBy: " /Bits").first)
        }
        func jpeg(_ profile: [UInt8]) throws -> [UInt8] {
            try JPEGHeader.rewritten(self.jpeg(64, 64), orientation: 1, profile: profile)
        }
        #expect(try space(jpeg(Self.profile)).hasPrefix("[/ICCBased "))
        #expect(try space(jpeg([UInt8](repeating: 7, count: 300))) == "/DeviceRGB")
        let packed = PictureHeaderTests.deflated(Self.profile).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        let chunk = "iCCP=\(["61", "00", "00"].joined())\(packed.joined())"
        #expect(try space(png("rgb", 64, 48, chunk)).hasPrefix("[/ICCBased "))
        #expect(try space(png("gray", 64, 48, chunk)) == "/DeviceGray")
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
