import Foundation
import Pictures
import Testing
import VaultCrypto
import Watermark

/// Strips below pictures of every orientation and kind (Spec/product/strip.md, 1).
struct SignedStripTests {
    private static let order = try! SignedStrip.Order(
        recipient: "招商银行", purpose: "开户", day: "2026-11-28", until: "2026-12-31",
        lines: ["给：招商银行", "用途：开户", "有效期至 2026-12-31"], smallLines: ["key a-b-c-d"])

    /// Gray that grows to the right and downwards, with some dark boxes.
    private static func pixels(_ width: Int, _ height: Int) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let isBox = (x / 40 + y / 30) % 5 == 0
                let light = isBox ? 40 : 90 + 120 * x / width + 40 * y / height
                for c in 0..<3 { pixels[3 * (y * width + x) + c] = UInt8(light) }
            }
        }
        return pixels
    }

    private static func marked(
        _ picture: [UInt8], _ order: SignedStrip.Order = order
    ) throws -> (copy: [UInt8], facts: Watermark.Marked) {
        let sink = PictureInMemory()
        let seed = WatermarkSeed(try Secret(byteCount: WatermarkSeed.byteCount) { $0[3] = 1 })
        let facts = try Watermark.mark(
            picture, MarkText("仅供测试", values: [:]), MarkStyle(), seed: seed, original: [UInt8](repeating: 1, count: 16),
            share: [UInt8](repeating: 2, count: 16), signing: order, into: sink)
        return (sink.bytes, facts)
    }

    /// The module at a place of the code.
    private static func isDark(_ copy: Picture, left: Int, top: Int, module: Int, _ x: Int, _ y: Int) -> Bool {
        copy.pixels[3 * ((top + y * module + module / 2) * copy.width + left + x * module + module / 2)] < 128
    }

    /// A JPEG of any orientation and size has its strip where a person sees the bottom, with a code of 81 modules, and its
    /// picture is as it is without a strip.
    @Test(arguments: 1...8, [(1000, 700), (1001, 713)])
    func stripsStandBelowWhatAPersonSees(_ orientation: Int, _ size: (Int, Int)) throws {
        let stored = orientation > 4 ? (size.1, size.0) : size
        let jpeg = try Picture(width: stored.0, height: stored.1, pixels: Self.pixels(stored.0, stored.1)).jpeg(
            quality: 92)
        let exif: [UInt8] =
            [0xFF, 0xE1, 0, 34] + Array("Exif".utf8) + [0, 0] + Array("MM".utf8)
            + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
        let turned = Array(jpeg[..<2]) + exif + jpeg[2...]
        let (copy, facts) = try Self.marked(turned)
        #expect((facts.width, facts.height) == size)
        let height = (89 * 6 + 15) / 16 * 16
        #expect(height..<height + 16 ~= facts.addedHeight)
        let seen = try Picture(reading: copy, width: 9999, height: 9999)
        #expect(
            (seen.width, seen.height) == (size.0, size.1 + facts.addedHeight) || orientation > 4 && seen.width >= size.0
        )
        let (left, top) = (size.0 - 85 * 6, size.1 + facts.addedHeight - height + 24)
        for (x, y, isFinder) in [
            (0, 0, true), (80, 0, true), (0, 80, true), (1, 1, false), (3, 3, true), (77, 3, true),
        ] {
            #expect(Self.isDark(seen, left: left, top: top, module: 6, x, y) == isFinder, "\(x), \(y)")
        }
    }

    /// A picture of 672 pixels is wide enough, and one of 671 is not.
    @Test func aWidePictureFits() throws {
        #expect(SignedStrip.obstacle(width: 672, height: 1) == nil)
        #expect(SignedStrip.obstacle(width: 671, height: 400) == .tooNarrowToSign(672))
        let narrow = try Picture(width: 671, height: 400, pixels: Self.pixels(671, 400)).jpeg(quality: 90)
        #expect(throws: MarkError.tooNarrowToSign(672)) { _ = try Self.marked(narrow) }
        let wide = try Picture(width: 672, height: 400, pixels: Self.pixels(672, 400)).jpeg(quality: 90)
        #expect(try Self.marked(wide).facts.addedHeight >= 544)
    }

    /// The strip of a very wide picture takes a third of its width, and with it would be more than is marked.
    @Test func aVeryWidePictureHasNone() throws {
        #expect(SignedStrip.obstacle(width: 18_000, height: 600) == nil)
        #expect(SignedStrip.obstacle(width: 20_000, height: 20) == .tooLargeToSign)
        #expect(SignedStrip.obstacle(width: 700, height: 29_500) == .tooLargeToSign)
        let wide = try Picture(width: 20_000, height: 64, pixels: Self.pixels(20_000, 64)).jpeg(quality: 90)
        #expect(throws: MarkError.tooLargeToSign) { _ = try Self.marked(wide) }
    }

    /// The lowest picture, and one of noise, have cells enough for a reader.
    @Test(arguments: [1, 2, 40, 700]) func pictures(ofHeight height: Int) throws {
        var number: UInt32 = 7
        let noise = (0..<(700 * height * 3)).map { _ -> UInt8 in
            number = number &* 1_664_525 &+ 1_013_904_223
            return UInt8(number >> 24)
        }
        let raster = PictureDigest.Raster(width: 640, height: height, bytes: Array(noise[..<(640 * height)]))
        let digest = PictureDigest.fitting(raster, byteCount: 194)
        #expect(digest.levels.count >= 60 && digest.packed.count <= 194)
        if height >= 40 {
            let jpeg = try Picture(width: 700, height: height, pixels: noise).jpeg(quality: 90)
            #expect(try Self.marked(jpeg).facts.addedHeight > 0)
        }
    }

    /// As much text as a strip holds still leaves room for cells, and more is refused.
    @Test func longTexts() throws {
        func order(_ recipient: String, _ purpose: String) throws -> SignedStrip.Order {
            try SignedStrip.Order(
                recipient: recipient, purpose: purpose, day: "2026-11-28", until: "2026-12-31",
                lines: [recipient, purpose],
                smallLines: [])
        }
        let jpeg = try Picture(width: 700, height: 500, pixels: Self.pixels(700, 500)).jpeg(quality: 90)
        let most = try order(String(repeating: "r", count: 100), String(repeating: "用", count: 33) + "p")
        #expect(try Self.marked(jpeg, most).facts.addedHeight > 0)
        #expect(throws: MarkError.tooMuchToSign(200)) { _ = try order(String(repeating: "r", count: 500), "") }
        #expect(throws: MarkError.self) { _ = try order("a\u{1B}[31m", "") }
        #expect(throws: MarkError.self) { _ = try order("\u{202E}evil", "") }
    }
}
