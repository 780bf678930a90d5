import Foundation
import Testing
import VaultCrypto
import Pictures
import Watermark

/// The dense layout: pixels that it leaves alone, its ink on every ground, and what copies have in common.
struct DenseMarkTests {
    private let ids = (original: [UInt8](repeating: 1, count: 16), share: [UInt8](repeating: 2, count: 16))

    private func seed() throws -> WatermarkSeed {
        let bytes = [UInt8](repeating: 7, count: 32)
        return WatermarkSeed(try Secret(copying: bytes.span))
    }

    private func text(_ recipient: String = "招商银行") throws -> MarkText {
        try MarkText("仅供{recipient}使用，他用无效", values: ["recipient": recipient])
    }

    private func mark(
        _ picture: [UInt8], _ style: MarkStyle = MarkStyle(), share: UInt8 = 2, for recipient: String = "招商银行"
    ) throws -> (bytes: [UInt8], marked: Watermark.Marked) {
        let copy = PictureInMemory()
        let marked = try Watermark.mark(
            picture, text(recipient), style, seed: seed(), original: ids.original,
            share: [UInt8](repeating: share, count: 16), into: copy)
        return (copy.bytes, marked)
    }

    private func light(_ picture: [UInt8]) throws -> (width: Int, height: Int, values: [Int]) {
        let pixels = try Picture(reading: picture, width: 9999, height: 9999)
        let values = stride(from: 0, to: pixels.pixels.count, by: 3).map { place in
            (299 * Int(pixels.pixels[place]) + 587 * Int(pixels.pixels[place + 1])
                + 114 * Int(pixels.pixels[place + 2])) / 1000
        }
        return (pixels.width, pixels.height, values)
    }

    private func layout(
        _ width: Int, _ height: Int, _ kind: MarkStyle.Layout = .clear, for recipient: String = "招商银行",
        hidesVariables: Bool = false
    ) throws -> RowLayout {
        var style = MarkStyle()
        style.layout = kind
        return try RowLayout(
            text(recipient), style, width: width, height: height,
            lattice: MarkNumbers(key: seed().latticeKey(ids.original)),
            share: MarkNumbers(key: seed().shareKey(ids.share)), hidesVariables: hidesVariables)
    }

    /// Layouts of rows.
    static let layouts: [MarkStyle.Layout] = [.clear, .strong, .light, .dense]

    /// Kinds of PNG: gray and colours of 8 and 16 bits, alpha, a palette, one bit.
    static func png(
        _ kind: String, _ width: Int, _ height: Int, _ drawing: String, _ chunks: String...
    ) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "qvault-dense-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments =
            [
                URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .appending(path: "Scripts/grounds.py").path, file.path, kind, "\(width)", "\(height)", drawing,
            ] + chunks
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return [UInt8](try Data(contentsOf: file))
    }

    @Test(arguments: ["gray", "gray16", "rgb", "rgb16", "rgba", "palette"], layouts) func pixelsWithoutAStrokeStay(
        _ kind: String, _ rows: MarkStyle.Layout
    ) throws {
        let original = try Self.png(kind, 301, 203, "noise")
        var style = MarkStyle()
        (style.isTracedAllOver, style.layout) = (false, rows)
        let (before, after) = (try light(original), try light(mark(original, style).bytes))
        let maps = try layout(301, 203, rows).map()
        let map = zip(maps.all, maps.cores).map { max($0, $1) }
        var (same, changed) = (0, 0)
        for place in map.indices {
            if map[place] == 0 {
                same += 1
                guard before.values[place] == after.values[place] else {
                    Issue.record("pixel \(place): \(before.values[place]), \(after.values[place])")
                    return
                }
            } else if before.values[place] != after.values[place] {
                changed += 1
            }
        }
        #expect(
            same > map.count / 3 && changed > map.count / ([.strong, .dense].contains(rows) ? 10 : 20),
            "\(same) \(changed)")
    }

    @Test func blocksOfAJPEGWithoutAStrokeStay() throws {
        let ground = try light(Self.png("rgb", 640, 400, "noise"))
        let original = try Picture(
            width: 640, height: 400, pixels: ground.values.flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
        ).jpeg(quality: 90)
        let (before, after) = (try light(original), try light(mark(original).bytes))
        let map = try layout(640, 400).map().all
        // Blocks of colour are of 16 pixels, and what smooths them reaches a pixel farther.
        for top in stride(from: 16, to: 384, by: 16) {
            for left in stride(from: 16, to: 624, by: 16) {
                let near = (top - 16..<top + 32).flatMap { y in (left - 16..<left + 32).map { y * 640 + $0 } }
                guard near.allSatisfy({ map[$0] == 0 }) else { continue }
                for y in top..<top + 16 {
                    for x in left..<left + 16 { #expect(before.values[y * 640 + x] == after.values[y * 640 + x]) }
                }
            }
        }
        #expect(zip(before.values, after.values).filter { abs($0 - $1) > 8 }.count > map.count / 10)
    }

    /// Strokes can be seen on white, black, gray, a card on a dark table, and halves of both.
    @Test(arguments: ["white", "black", "gray", "dark-table", "halves", "stripes", "noise"], layouts)
    func strokesStandOut(_ drawing: String, _ rows: MarkStyle.Layout) throws {
        for kind in ["gray", "rgb"] {
            let original = try Self.png(kind, 800, 600, drawing)
            var style = MarkStyle()
            style.layout = rows
            let marked = try mark(original, style).marked
            #expect(marked.faintShare <= 0.1, "\(marked.faintShare)")
            #expect(marked.layout == rows && marked.isLight == nil)
        }
    }

    @Test func inkOfTheGroundIsFaint() throws {
        var style = MarkStyle()
        (style.isLight, style.layout) = (true, .sparse)
        let white = try Self.png("gray", 400, 300, "nearly-white")
        #expect(try mark(white, style).marked.faintShare > 0.9)
    }

    /// Colours hidden under transparent pixels do not go out, marked or not.
    @Test(arguments: [MarkStyle.Layout.dense, .sparse]) func hiddenColoursStay(_ layout: MarkStyle.Layout) throws {
        let original = try Self.png("rgba", 400, 300, "hidden")
        var style = MarkStyle()
        style.layout = layout
        let marked = try mark(original, style).bytes
        #expect(marked[25] == 2, "no alpha channel")
        let pixels = try light(marked).values
        let white = pixels.filter { $0 == 255 }.count
        #expect(white > pixels.count / 4)
        // The hidden stripes would differ from row to row.
        let (a, b) = (
            try light(mark(original, style).bytes).values,
            try light(mark(Self.png("rgba", 400, 300, "clear"), style).bytes).values
        )
        #expect(a == b)
    }

    /// The orientation of a file turns nothing for the person who looks at it.
    @Test(arguments: 2...8) func isUprightForAPerson(_ orientation: Int) throws {
        let plain = try Picture(width: 400, height: 304, pixels: [UInt8](repeating: 200, count: 400 * 304 * 3)).jpeg(
            quality: 95)
        let turned = orientation > 4
        let stored =
            turned
            ? try Picture(width: 304, height: 400, pixels: [UInt8](repeating: 200, count: 400 * 304 * 3)).jpeg(
                quality: 95) : plain
        let block: [UInt8] =
            Array("Exif\0\0MM\0*".utf8) + [
                0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0,
            ]
        let file = Array(stored[..<2] + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + stored[2...])
        let (upright, seen) = (try light(mark(plain).bytes), try light(mark(file).bytes))
        #expect((seen.width, seen.height) == (400, 304))
        let differences = zip(upright.values, seen.values).map { abs($0 - $1) }
        #expect(differences.reduce(0, +) < differences.count * 2, "\(differences.reduce(0, +) / 1000)")
    }

    /// Two copies for others have their constant words and the small text in the same places.
    @Test func copiesCoincide() throws {
        let original = try Self.png("gray", 800, 600, "white")
        let copies = try [("招商银行", 2), ("建设银行", 3), ("交通银行", 4)].map {
            try light(mark(original, share: $0.1, for: $0.0).bytes).values
        }
        let lightest = copies[0].indices.map { place in copies.map { $0[place] }.max() ?? 0 }
        let inked = copies[0].map { $0 < 235 }
        let left = zip(inked, lightest).filter { $0 && $1 < 240 }.count
        #expect(Double(left) > 0.7 * Double(inked.filter { $0 }.count))
        #expect(copies[0] != copies[1])
        #expect(
            try mark(original, share: 2).bytes == mark(original, share: 2).bytes, "the same numbers give the same bytes"
        )
    }

    @Test func theWholeFrameBearsASignal() throws {
        let original = try Self.png("gray", 400, 300, "gray")
        var style = MarkStyle()
        style.isTracedAllOver = true
        let (one, other) = (
            try light(mark(original, style, share: 2).bytes).values,
            try light(mark(original, style, share: 3).bytes).values
        )
        let map = try layout(400, 300).map().all
        let bare = map.indices.filter { map[$0] == 0 }
        #expect(bare.contains { one[$0] != other[$0] } && bare.allSatisfy { abs(one[$0] - other[$0]) <= 4 })
    }

    /// Long sentences are wrapped, and none of the layout's numbers runs away.
    @Test(arguments: [(40, 30), (3000, 20), (20, 3000), (200, 2000), (1000, 1000)]) func oddShapes(
        _ width: Int, _ height: Int
    ) throws {
        let original = try Self.png("gray", width, height, "white")
        let long = String(repeating: "一家名字很长的公司", count: 20)
        let copy = PictureInMemory()
        _ = try Watermark.mark(
            original, MarkText("仅供{recipient}使用", values: ["recipient": long]), MarkStyle(), seed: seed(),
            original: ids.original, share: ids.share, into: copy)
        #expect(try light(copy.bytes).values.contains { $0 < 240 })
    }
}
