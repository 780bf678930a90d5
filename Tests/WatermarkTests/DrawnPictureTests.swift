import Testing
import VaultCrypto
import Pictures
import Watermark

/// PNGs that were drawn and not photographed: their copies have few colours, and stay ones of a palette.
struct DrawnPictureTests {
    private let original = [UInt8](repeating: 1, count: 16), share = [UInt8](repeating: 2, count: 16)

    private func seed() throws -> WatermarkSeed {
        let bytes = [UInt8](repeating: 8, count: 32)
        return WatermarkSeed(try Secret(copying: bytes.span))
    }

    private func text() throws -> MarkText {
        try MarkText("仅供{recipient}使用，他用无效", values: ["recipient": "招商银行"])
    }

    private func style(_ layout: MarkStyle.Layout, isTraced: Bool) -> MarkStyle {
        var style = MarkStyle()
        (style.layout, style.isTracedAllOver) = (layout, isTraced)
        return style
    }

    /// The copy, and the lightness of its pixels and of the original's.
    private func copy(_ picture: [UInt8], _ style: MarkStyle) throws -> (
        bytes: [UInt8], before: [UInt8], after: [UInt8]
    ) {
        let copy = PictureInMemory()
        _ = try Watermark.mark(
            picture, text(), style, seed: seed(), original: original, share: share, into: copy)
        let (before, after) = try (
            Picture(reading: picture, width: 9999, height: 9999),
            Picture(reading: copy.bytes, width: 9999, height: 9999)
        )
        let everyThird = { (pixels: [UInt8]) in stride(from: 0, to: pixels.count, by: 3).map { pixels[$0] } }
        return (copy.bytes, everyThird(before.pixels), everyThird(after.pixels))
    }

    /// The type of a PNG's colours: 2 for red, green and blue, 3 for a palette.
    private func colourType(_ png: [UInt8]) -> UInt8 { png[25] }

    @Test(arguments: ["gray", "rgb", "palette"], [MarkStyle.Layout.clear, .strong, .light]) func coloursStayFew(
        _ kind: String, _ layout: MarkStyle.Layout
    ) throws {
        let picture = try DenseMarkTests.png(kind, 800, 600, "dark-table")
        let copy = try copy(picture, style(layout, isTraced: true))
        #expect(colourType(copy.bytes) == colourType(picture))
        // Two colours of the picture, three of the signal, and inks: with fields and a tint there are more than 200.
        #expect(Set(copy.after).count <= 64, "\(Set(copy.after).count)")
        #expect(zip(copy.before, copy.after).count { abs(Int($0) - Int($1)) > 8 } > copy.before.count / 30)
    }

    @Test(arguments: ["rgb", "palette"]) func pixelsWithoutAStrokeStay(_ kind: String) throws {
        let style = style(.clear, isTraced: false)
        let copy = try copy(DenseMarkTests.png(kind, 800, 600, "dark-table"), style)
        let layout = try RowLayout(
            text(), style, width: 800, height: 600, lattice: MarkNumbers(key: seed().latticeKey(original)),
            share: MarkNumbers(key: seed().shareKey(share)))
        let map = try layout.map()
        var bare = 0
        for y in 1..<599 {
            for x in 1..<799 {
                // A whole stroke may reach half a pixel farther than a smooth one.
                let near = (y - 1...y + 1).flatMap { y in (x - 1...x + 1).map { y * 800 + $0 } }
                guard near.allSatisfy({ map.all[$0] == 0 && map.cores[$0] == 0 }) else { continue }
                bare += 1
                #expect(copy.before[y * 800 + x] == copy.after[y * 800 + x])
            }
        }
        #expect(bare > 50_000)
    }

    /// Bars behind slots stay, though they cover less than half of a pixel.
    @Test func barsStay() throws {
        let style = style(.clear, isTraced: false)
        let copy = try copy(DenseMarkTests.png("gray", 800, 600, "white"), style)
        let bars = try RowLayout(
            text(), style, width: 800, height: 600, lattice: MarkNumbers(key: seed().latticeKey(original)), share: nil,
            hidesVariables: true
        ).map().rows
        // Most pixels with ink are those of bars.
        let counts = Dictionary(bars.filter { $0 > 0 }.map { ($0, 1) }, uniquingKeysWith: +)
        let bar = counts.max { $0.value < $1.value }?.key
        let places = bars.indices.filter { bars[$0] == bar }
        #expect(places.count > 2000)
        #expect(places.count { copy.after[$0] < copy.before[$0] } > places.count * 98 / 100)
    }

    /// A picture with grain keeps its fields, a tint and its filters.
    @Test func grainIsNoDrawing() throws {
        let copy = try copy(DenseMarkTests.png("rgb", 800, 600, "noise"), style(.clear, isTraced: true))
        #expect(Set(copy.after).count > 200)
    }
}
