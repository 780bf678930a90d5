import CImage
import CZlib

/// A picture made very small: the lightness of its cells, in 16 steps (Spec/product/strip.md, 3). Two looks at one picture have
/// all but the same, through coding anew, scaling and printing; another picture has not.
package struct PictureDigest: Equatable, Sendable {
    /// Cells across and down, 1 to 255 each.
    package let columns, rows: Int
    /// The lightness of level 0, and from level to level: 0 to 255, 4 to 255.
    package let low, step: Int
    /// A level for each cell, row by row from the top, 0 to 15.
    package let levels: [UInt8]

    /// Cells at most.
    static let mostCells = 3000
    /// Cells at least: a few would fit any picture.
    static let leastCells = 60

    /// The lightness of a picture, made small: a byte a pixel, rows from the top.
    package struct Raster {
        package let width, height: Int
        package let bytes: [UInt8]
        /// The number of the picture's columns, and of its rows, for each of its own.
        let columnCounts, rowCounts: [Int]

        /// - Parameter picture: the picture's pixels across and down; nil where it is as large.
        package init(width: Int, height: Int, bytes: [UInt8], of picture: (width: Int, height: Int)? = nil) {
            (self.width, self.height, self.bytes) = (width, height, bytes)
            columnCounts = Self.counts(of: picture?.width ?? width, in: width)
            rowCounts = Self.counts(of: picture?.height ?? height, in: height)
        }

        /// Place p of a picture's side belongs to p * count / pixels.
        private static func counts(of pixels: Int, in count: Int) -> [Int] {
            let starts = (0...count).map { ($0 * pixels + count - 1) / count }
            return (0..<count).map { starts[$0 + 1] - starts[$0] }
        }
    }

    package init(columns: Int, rows: Int, low: Int, step: Int, levels: [UInt8]) {
        (self.columns, self.rows, self.low, self.step, self.levels) = (columns, rows, low, step, levels)
    }

    /// The digest with about so many cells.
    package init(_ raster: Raster, cellCount: Int) {
        let (width, height) = (raster.width, raster.height)
        rows = min(height, 255, max(1, Self.root(cellCount * height / width)))
        columns = min(width, 255, max(1, cellCount / rows))
        var means: [Int] = []
        for row in 0..<rows {
            let ys = Self.part(row, of: rows, height)
            for column in 0..<columns {
                let xs = Self.part(column, of: columns, width)
                var (sum, count) = (0, 0)
                for y in ys {
                    for x in xs {
                        let pixels = raster.columnCounts[x] * raster.rowCounts[y]
                        sum += pixels * Int(raster.bytes[y * width + x])
                        count += pixels
                    }
                }
                means.append((2 * sum + count) / (2 * count))
            }
        }
        let (low, high) = (means.min()!, means.max()!)
        let step = max(4, (high - low + 14) / 15)
        (self.low, self.step) = (low, step)
        levels = means.map { UInt8(($0 - low + step / 2) / step) }
    }

    /// The digest with the most cells of which the packed levels have no more than so many bytes.
    ///
    /// - Parameter byteCount: 100 at least: so many hold the fewest cells.
    package static func fitting(_ raster: Raster, byteCount: Int) -> PictureDigest {
        precondition(byteCount >= 100, "the fewest cells fit")
        var cells = mostCells
        while true {
            let digest = PictureDigest(raster, cellCount: cells)
            if digest.packed.count <= byteCount { return digest }
            cells = cells * 15 / 16
        }
    }

    /// The longer side of a raster, in pixels, at most.
    private static let rasterSide = Int(QV_RASTER_SIDE)

    /// Pixels of a side of the raster of a picture.
    ///
    /// - Parameter longer: the longer side of the picture.
    package static func rasterSide(_ side: Int, of longer: Int) -> Int {
        longer <= rasterSide ? side : max(1, (side * rasterSide + longer / 2) / longer)
    }

    /// The pixels of a raster that a cell covers, of so many side by side.
    package static func part(_ place: Int, of count: Int, _ length: Int) -> Range<Int> {
        place * length / count..<(place + 1) * length / count
    }

    /// The largest number whose square is not more.
    private static func root(_ number: Int) -> Int {
        var root = Int(Double(number).squareRoot())
        while root * root > number { root -= 1 }
        while (root + 1) * (root + 1) <= number { root += 1 }
        return root
    }

    /// True if it has as many cells as a reader wants, and no more than a picture of so many pixels can have.
    func fits(width: Int, height: Int) -> Bool {
        let longer = max(width, height)
        return levels.count >= Self.leastCells && columns <= Self.rasterSide(width, of: longer)
            && rows <= Self.rasterSide(height, of: longer)
    }

    /// The levels, two a byte, compressed (RFC 1950).
    package var packed: [UInt8] {
        let pairs = stride(from: 0, to: levels.count, by: 2).map { place in
            levels[place] << 4 | (place + 1 < levels.count ? levels[place + 1] : 0)
        }
        var count = compressBound(uLong(pairs.count))
        var out = [UInt8](repeating: 0, count: Int(count))
        let status = unsafe compress2(&out, &count, pairs, uLong(pairs.count), 9)
        precondition(status == Z_OK, "there is room")
        return Array(out[..<Int(count)])
    }

    /// Reads what is packed.
    ///
    /// - Returns: nil where it is malformed.
    package init?(columns: Int, rows: Int, low: Int, step: Int, packed: [UInt8]) {
        guard 1...255 ~= columns, 1...255 ~= rows, columns * rows <= Self.mostCells, 0...255 ~= low, 4...255 ~= step
        else { return nil }
        let pairs = (columns * rows + 1) / 2
        var out = [UInt8](repeating: 0, count: pairs)
        var count = uLong(pairs)
        let status = unsafe uncompress(&out, &count, packed, uLong(packed.count))
        guard status == Z_OK, Int(count) == pairs else { return nil }
        let levels = out.flatMap { [$0 >> 4, $0 & 15] }
        guard columns * rows == levels.count || levels.last == 0 else { return nil }
        self.init(columns: columns, rows: rows, low: low, step: step, levels: Array(levels[..<(columns * rows)]))
    }
}
