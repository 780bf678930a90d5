import Foundation
import Pictures
import Testing
import VaultCrypto
import Watermark

/// Parts of a picture that are hidden before it is marked (Spec/product/watermark.md, 9).
struct HidingTests {
    /// White, with a red part.
    private static func picture(_ width: Int, _ height: Int) throws -> [UInt8] {
        try Picture(width: width, height: height, pixels: [UInt8](repeating: 255, count: width * height * 3))
            .jpeg(quality: 95)
    }

    private func hidden(_ picture: [UInt8], _ boxes: PixelBox?...) throws -> [UInt8] {
        let copy = PictureInMemory()
        try Watermark.hide(boxes.map { try #require($0) }, of: picture, into: copy)
        return copy.bytes
    }

    /// A box is where a person sees it, whatever the picture's orientation, and reaches to whole squares.
    @Test(arguments: 1...8)
    func boxesStandWhereAPersonSeesThem(_ orientation: Int) throws {
        let jpeg = try Self.picture(160, 96)
        // An EXIF block with nothing but the orientation.
        let exif: [UInt8] =
            [0xFF, 0xE1, 0, 34] + Array("Exif".utf8) + [0, 0] + Array("MM".utf8)
            + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
        let turned = Array(jpeg[..<2]) + exif + jpeg[2...]
        let size = try Watermark.size(of: turned)
        #expect(size == (orientation > 4 ? (96, 160) : (160, 96)))
        let box = PixelBox(left: 20, top: 20, width: 8, height: 30)
        let seen = try Picture(reading: hidden(turned, box), width: 999, height: 999)
        #expect((seen.width, seen.height) == size)
        for y in 0..<seen.height {
            for x in 0..<seen.width {
                let isWithin = 20..<28 ~= x && 20..<50 ~= y
                let isOutside = !(4..<44 ~= x && 4..<66 ~= y)
                let light = seen.pixels[3 * (y * seen.width + x)]
                if isWithin { #expect(light < 8, "\(x), \(y)") }
                if isOutside { #expect(light > 247, "\(x), \(y)") }
            }
        }
    }

    /// Two originals that differ in nothing but what is hidden have the same copy, byte for byte: nothing depends on it.
    @Test(arguments: [MarkStyle.Layout.dense, .sparse, .single], [nil, 200]) func nothingDependsOnWhatIsHidden(
        _ layout: MarkStyle.Layout, _ width: Int?
    ) throws {
        func copy(_ light: UInt8) throws -> [UInt8] {
            var pixels = [UInt8](repeating: 0, count: 400 * 304 * 3)
            for y in 0..<304 {
                for x in 0..<400 {
                    // Whole units of blocks.
                    let isHidden = 96..<240 ~= x && 64..<128 ~= y
                    let value = isHidden ? light &* UInt8(x % 7 + 1) : UInt8(90 + x / 4)
                    for c in 0..<3 { pixels[3 * (y * 400 + x) + c] = value }
                }
            }
            let original = try Picture(width: 400, height: 304, pixels: pixels).jpeg(quality: 90)
            var style = MarkStyle()
            (style.layout, style.size) = (layout, 16)
            let ids = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
            var order = MarkedCopy.Order(
                try MarkText("copy", values: [:]), style, original: ids.0, share: ids.1,
                limits: MarkedCopy.Limits(width: width))
            order.allowsFaint = true
            order.hiding = [try #require(Hiding("25,22,34,19"))]
            let sink = PictureInMemory()
            let made = try MarkedCopy(of: original, order, seed: WatermarkSeed(Secret(byteCount: 32)), into: sink)
            #expect(made.hidden.map(\.box) == [PixelBox(left: 100, top: 66, width: 136, height: 59)])
            return sink.bytes
        }
        let one = try copy(1)
        #expect(try one == copy(30) && one == copy(17))
    }

    @Test func somethingHasToBeLeft() throws {
        let picture = try Self.picture(100, 60)
        let upper = PixelBox(left: 0, top: 0, width: 100, height: 30)
        #expect(throws: MarkError.allHidden) {
            try hidden(picture, PixelBox(left: 0, top: 0, width: 100, height: 60))
        }
        #expect(throws: MarkError.allHidden) {
            try hidden(picture, upper, PixelBox(left: 0, top: 20, width: 100, height: 30_000))
        }
        #expect(try Watermark.size(of: hidden(picture, upper)) == (100, 60))
        #expect(PixelBox(left: -1, top: 0, width: 1, height: 1) == nil)
        #expect(PixelBox(left: 0, top: 0, width: 0, height: 1) == nil)
        #expect(PixelBox(left: 0, top: 0, width: 1, height: 30_001) == nil)
        #expect(PixelBox(left: .max, top: 0, width: 9, height: 1) == nil)
        #expect(PixelBox(left: 0, top: 30_000, width: 1, height: 1) == nil)
    }

    @Test func hidingsAreReadAsTheyAreWritten() throws {
        for text in [
            "10,20,30.5,40", "2:0,0,50,50", "digits", "digits:last4", "digits:first6", "digits:butlast4",
            "text:1101 01",
            "text:a:b",
        ] {
            #expect(Hiding(text)?.text == text)
        }
        for text in [
            "", "text:", "text: ", "digits:", "digits:last", "digits:last0", "digits:last101", "digits:mid4", "digit",
            "0,0,0,10", "10,10,95,10", "-1,0,10,10", "1,2,3", "1,2,3,4,5", "0:1,2,3,4", "x:1,2,3,4", "201:1,2,3,4",
            ":1,2,3,4", "nan,0,10,10",
        ] {
            #expect(Hiding(text) == nil, "\(text)")
        }
    }
}
