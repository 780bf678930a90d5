import Foundation
import Pictures
import Testing
import VaultCrypto
import Watermark

/// Facts of a marked picture, and the signals in it.
struct MarkedPictureTests {
    private let ids = (original: [UInt8](repeating: 1, count: 16), share: [UInt8](repeating: 2, count: 16))

    private func seed() throws -> WatermarkSeed { WatermarkSeed(try Secret(byteCount: 32)) }

    private func mark(
        _ picture: [UInt8], _ text: String = "copy", for recipient: String = "li",
        _ change: (inout MarkStyle) -> Void = { _ in }
    ) throws -> (bytes: [UInt8], marked: Watermark.Marked) {
        var style = MarkStyle()
        change(&style)
        let copy = PictureInMemory()
        let marked = try Watermark.mark(
            picture, MarkText(text, values: ["recipient": recipient]), style, seed: seed(), original: ids.original,
            share: ids.share, into: copy)
        return (copy.bytes, marked)
    }

    private static func flat(_ width: Int, _ height: Int, _ colour: [UInt8] = [180, 180, 180]) throws -> [UInt8] {
        let pixels = Array(repeatElement(colour, count: width * height).joined())
        return try Picture(width: width, height: height, pixels: pixels).jpeg(quality: 95)
    }

    /// Pixels without ink are counted in layouts of rows, which are everywhere; small text leaves fewer of them.
    @Test func whatIsSaidOfACopy() throws {
        let original = try Self.flat(400, 300)
        let clear = try mark(original).marked
        #expect(clear.layout == .clear && clear.drawing?.count == 32 && clear.isLight == nil)
        let strong = try mark(original) { $0.layout = .strong }.marked
        #expect(try (0.1..<0.9).contains(#require(strong.untouched)))
        #expect(try (#require(strong.untouched)..<0.97).contains(#require(clear.untouched)))
        for layout in [MarkStyle.Layout.sparse, .single] {
            let other = try mark(original) { $0.layout = layout }.marked
            #expect(other.layout == layout && other.drawing == nil && other.untouched == nil && other.isLight == false)
        }
    }

    /// A line that is cut has no slots. One that is not keeps them, so that copies for others are drawn alike.
    @Test(arguments: [
        ("void", true), ("void for any", true), ("void for any other use, void for any other use", false),
    ])
    func drawingsWithoutNames(_ words: String, _ isAlike: Bool) throws {
        let original = try Self.flat(400, 300)
        let drawings = try ["li", "zu"].map {
            try mark(original, "for {recipient} only, \(words)\n\(words) 2026", for: $0) { $0.size = 20 }.marked.drawing
        }
        #expect((drawings[0] == drawings[1]) == isAlike)
    }

    /// Where no mark has its middle on the picture there is one in the picture's middle.
    @Test func smallPicturesHaveOneMark() throws {
        var (style, layouts): (MarkStyle, Set<MarkStyle.Layout>) = (MarkStyle(), [])
        (style.layout, style.size) = (.sparse, 12)
        let keys = (lattice: try seed().latticeKey(ids.original), share: try seed().shareKey(ids.share))
        for side in stride(from: 30, to: 330, by: 10) {
            for (width, height) in [(side, 20), (20, side), (side, side)] {
                let layout = try SparseLayout(
                    width: width, height: height, style: style, lattice: MarkNumbers(key: keys.lattice),
                    jitter: MarkNumbers(key: keys.share))
                let corners = try layout.places(drawing: (202, 202), lineCount: 1, lineWidth: 2)
                // Half a pixel may be rounded in either way: what is so near to an edge does not count.
                let found = [-1, 1].map { more in
                    corners.contains { -more..<width + more ~= $0.x + 101 && -more..<height + more ~= $0.y + 101 }
                }
                guard found[0] == found[1] else { continue }
                let marked = try mark(Self.flat(width, height), "mmmmmmmm") { $0 = style }.marked
                #expect(marked.layout == (found[0] ? .sparse : .single), "\(width) \(height)")
                layouts.insert(marked.layout)
            }
        }
        #expect(layouts == [.sparse, .single])
        #expect(throws: MarkError.tooSmall) {
            try mark(Self.flat(300, 200, [255, 255, 255])) { ($0.isLight, $0.layout) = (true, .single) }
        }
    }

    /// A PNG is marked as a person sees it, to the pixel, however it is stored.
    @Test(arguments: [MarkStyle.Layout.sparse, .single], ["gray", "rgb16"])
    func aTurnedPNGIsMarkedAlike(_ layout: MarkStyle.Layout, _ kind: String) throws {
        func seen(_ orientation: Int) throws -> Picture {
            let (width, height) = orientation > 4 ? (203, 301) : (301, 203)
            let exif = "4d4d002a0000000800010112000300000001000\(orientation)000000000000"
            let original = try DenseMarkTests.png(kind, width, height, "white", "eXIf=\(exif)")
            let copy = try mark(original, "a b\nc") { ($0.layout, $0.size, $0.angle) = (layout, 30, 20) }
            return try Picture(reading: copy.bytes, width: 999, height: 999)
        }
        let upright = try seen(1)
        #expect(upright.width == 301 && upright.pixels.contains { $0 < 200 })
        for orientation in 2...8 { #expect(try seen(orientation) == upright, "\(orientation)") }
    }

    @Test(arguments: [([200, 100, 50], 124.2), ([10, 220, 30], 135.6), ([30, 20, 250], 49.2)] as [([UInt8], Float)])
    func lightnessOfColours(_ colour: [UInt8], _ light: Float) throws {
        let gray = try GrayPicture(Self.flat(64, 32, colour), longSide: 16)
        #expect(gray.width == 16 && gray.height == 8 && gray.values.count == 128)
        #expect(gray.values.allSatisfy { abs($0 - light) < 2 }, "\(gray.values[0])")
    }

    // MARK: Signals

    /// Waves and grain: what registration takes.
    private static func waves(_ width: Int, _ height: Int) throws -> [UInt8] {
        var (pixels, state): ([UInt8], UInt32) = ([], 1)
        for place in 0..<width * height {
            let (x, y) = (place % width, place / width)
            state = state &* 1_664_525 &+ 1_013_904_223
            let wave = 90 + (x / 37 + y / 23) % 3 * 40 + Int(state >> 27)
            pixels += [UInt8(wave), UInt8(wave - x % 50), UInt8(wave - y % 70)]
        }
        return try Picture(width: width, height: height, pixels: pixels).jpeg(quality: 92)
    }

    /// A copy that is traced all over bears two signals; of any other only that of its strokes counts.
    @Test func theWholePictureCounts() throws {
        let (original, text) = (try Self.waves(800, 600), try MarkText("copy", values: [:]))
        var style = MarkStyle()
        (style.isTracedAllOver, style.opacity) = (true, 0.1)
        let copy = PictureInMemory()
        let marked = try Watermark.mark(
            original, text, style, seed: seed(), original: ids.original, share: ids.share, into: copy)
        style.size = marked.size
        let key = try seed().latticeKey(ids.original)
        let told = LeakTrace.Copy(text, style, width: 800, height: 600, latticeKey: key)
        #expect(try told.drawing() == marked.drawing)
        let trace = try LeakTrace(LeakTrace.Leak(copy), of: original, as: told)
        let share = try seed().shareKey(ids.share)
        let strokes = try trace.score(shareKey: share, isTracedAllOver: false)
        let all = try trace.score(shareKey: share, isTracedAllOver: true)
        #expect(all > strokes + 1 && all > 6, "\(all) \(strokes)")
        let other = [UInt8](repeating: 9, count: 32)
        #expect(try trace.score(shareKey: other, isTracedAllOver: true) < 4.75)
        #expect(trace.residual <= LeakTrace.residualLimit && trace.matchCount > 20)
    }
}
