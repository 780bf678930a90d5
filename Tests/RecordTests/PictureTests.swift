import Foundation
import Testing
import Pictures

/// Pictures as they are read: upright, over white, small; and what is no picture.
struct PictureTests {
    /// Red in the upper left quarter, blue below it, white elsewhere; 32 by 16.
    private func sample() throws -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<16 {
            for x in 0..<32 { pixels += x >= 16 ? [255, 255, 255] : y < 8 ? [255, 0, 0] : [0, 0, 255] }
        }
        return try Picture(width: 32, height: 16, pixels: pixels).jpeg(quality: 95)
    }

    /// The same with an EXIF block that says how to turn it.
    private func turned(_ orientation: UInt8, isLittle: Bool) throws -> [UInt8] {
        let tiff: [UInt8] =
            isLittle
            ? [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
            : [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
        let block = Array("Exif\0\0".utf8) + tiff
        let sample = try sample()
        return sample[..<2] + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + sample[2...]
    }

    /// The place of the red quarter for each orientation: left or right, above or below.
    @Test(arguments: 1...8) func isTurnedAsItsEXIFSays(_ orientation: Int) throws {
        let corners = ["", "LA", "RA", "RB", "LB", "LA", "RA", "RB", "LB"]
        for isLittle in [false, true] {
            let picture = try Picture(
                reading: turned(UInt8(orientation), isLittle: isLittle), width: 100, height: 100)
            #expect((picture.width, picture.height) == (orientation > 4 ? (16, 32) : (32, 16)))
            func isRed(_ x: Int, _ y: Int) -> Bool {
                let place = (y * picture.width + x) * 3
                return picture.pixels[place] > 200 && picture.pixels[place + 1] < 60 && picture.pixels[place + 2] < 60
            }
            let (right, below) = (picture.width - 3, picture.height - 3)
            let places = [("LA", 2, 2), ("RA", right, 2), ("LB", 2, below), ("RB", right, below)]
            #expect(places.filter { isRed($0.1, $0.2) }.map(\.0) == [corners[orientation]])
        }
    }

    @Test func thumbnailsKeepTheirShape() throws {
        let wide = try Picture(width: 1000, height: 10, pixels: [UInt8](repeating: 128, count: 30_000)).jpeg(
            quality: 90)
        let thumbnail = try Picture(reading: Picture.thumbnail(of: wide), width: 9999, height: 9999)
        #expect((thumbnail.width, thumbnail.height) == (256, 3))
        let small = try Picture(reading: Picture.thumbnail(of: sample()), width: 9999, height: 9999)
        #expect((small.width, small.height) == (32, 16))
    }

    /// Every kind of PNG, plain and interlaced, as a program sees it that shares nothing with libpng.
    @Test func everyKindOfPNG() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "qvault-png-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Scripts/pictures.py")
        let process = try Process.run(URL(filePath: "/usr/bin/python3"), arguments: [script.path, folder.path])
        process.waitUntilExit()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".png") }
        #expect(names.count == 30)
        for name in names {
            let data = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            let wanted = [UInt8](
                try Data(contentsOf: folder.appending(path: name.replacingOccurrences(of: ".png", with: ".rgb"))))
            let picture = try Picture(reading: data, width: 100, height: 100)
            #expect((picture.width, picture.height) == (13, 7))
            let worst = zip(picture.pixels, wanted).map { abs(Int($0) - Int($1)) }.max()
            #expect(try #require(worst) <= 2, "\(name)")
            for count in stride(from: 0, to: data.count, by: 7) {
                #expect(throws: PictureError.self) {
                    try Picture(reading: Array(data[..<count]), width: 100, height: 100)
                }
            }
        }
    }

    @Test func whatIsCutShortIsNoPicture() throws {
        let data = try sample()
        for count in 0..<data.count - 2 {
            #expect(throws: PictureError.self) { try Picture(reading: Array(data[..<count]), width: 64, height: 64) }
        }
    }

    /// Headers that promise more than there may be.
    @Test func bombs() throws {
        var jpeg = try sample()
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        #expect(throws: PictureError.tooLarge) { try Picture(reading: jpeg, width: 64, height: 64) }
        let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        let size: [UInt8] = [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 8, 2, 0, 0, 0]
        let crc: [UInt8] = [0xA3, 0x8A, 0x5E, 0x86]
        #expect(throws: PictureError.self) { try Picture(reading: head + size + crc, width: 64, height: 64) }
    }

    @Test(
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
            (Array("%PDF-1.7".utf8), .pdf),
            ([0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8), .heic),
            ([0, 0, 0, 24] + Array("ftypmif1".utf8) + [0, 0, 0, 0] + Array("avifmiaf".utf8), .heic),
            ([0, 0, 0, 24] + Array("ftypisom".utf8) + [0, 0, 0, 0] + Array("isommp41".utf8), nil),
            (Array("hello, environment: a text".utf8), nil), ([], nil), ([0xFF, 0xD8], nil),
            (Array("GIF89a".utf8), nil),
        ] as [([UInt8], MediaType?)])
    func isToldByItsFirstBytes(_ bytes: [UInt8], _ type: MediaType?) { #expect(MediaType(sniffing: bytes) == type) }
}
