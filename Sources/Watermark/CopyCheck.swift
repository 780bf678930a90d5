import CTrace
import VaultFormat

/// A picture beside a signed strip, compared with the one that was signed (Spec/product/strip.md, 4).
public struct CopyCheck: Equatable, Sendable {
    /// The result.
    public enum Outcome: String, Equatable, Sendable {
        /// It is the picture, as far as its cells tell.
        case same
        /// It is the picture, and some of it was changed.
        case changed
        /// It is another picture.
        case other
        /// It is too small, cut or damaged to tell, or the signed picture shows nothing.
        case unknown
    }

    /// A part of the picture, in percent of its width and height.
    public struct Area: Equatable, Sendable {
        /// Its upper left corner.
        public let x, y: Double
        /// Its size.
        public let width, height: Double
    }

    /// The result.
    public let outcome: Outcome
    /// The parts that were changed.
    public let changed: [Area]
    /// The correlation of the lightness of cells, -1 to 1.
    public let correlation: Double
    /// The largest difference of a cell, in standard deviations.
    public let largest: Double
    /// The usual difference of a cell, in steps of lightness.
    public let noise: Double
    /// The part of what was looked at that picture and strip take, 0 to 1.
    public let part: Double
    /// Pixels of the signed picture across and down of a cell.
    public let cell: (width: Int, height: Int)

    /// The correlations from which a picture is the same, and up to which it is another.
    private static let sameCorrelation = 0.95, otherCorrelation = 0.8
    /// The usual difference of a cell, in steps of lightness, above which nothing can be told.
    private static let noiseLimit = 1.0
    /// The part of the cells that may have changed in a picture that is the same otherwise.
    private static let changedShare = 0.25
    /// Pixels of a cell in the picture that is compared, at least.
    private static let leastCell = 2.0

    /// Equal results.
    public static func == (left: CopyCheck, right: CopyCheck) -> Bool {
        left.outcome == right.outcome && left.changed == right.changed && left.correlation == right.correlation
            && left.largest == right.largest && left.noise == right.noise && left.part == right.part
            && left.cell == right.cell
    }

    /// Compares a picture with what was signed.
    ///
    /// - Parameters:
    ///   - picture: what was looked at, upright or not.
    ///   - corners: of the code in the picture, clockwise from the upper left one, in pixels.
    /// - Throws: `MarkError.noMemory`.
    package init(_ picture: GrayPicture, corners: [(x: Double, y: Double)], _ statement: CopyStatement) throws {
        precondition(corners.count == 4, "a code has four corners")
        let (digest, geometry) = (statement.digest, statement.geometry)
        let edges = { (count: Int, length: Int) -> [Double] in
            // A cell has whole pixels of the raster, and those whole pixels of the picture.
            let raster = PictureDigest.rasterSide(length, of: max(geometry.width, geometry.height))
            return (0...count).map { Double(($0 * raster / count * length + raster - 1) / raster) }
        }
        let (across, down) = (edges(digest.columns, geometry.width), edges(digest.rows, geometry.height))
        var differences = [Float](repeating: 0, count: digest.levels.count)
        var agreement = unsafe qv_agreement()
        let status = unsafe picture.withC { picture in
            unsafe across.withUnsafeBufferPointer { across in
                unsafe down.withUnsafeBufferPointer { down in
                    unsafe digest.levels.withUnsafeBufferPointer { levels in
                        unsafe differences.withUnsafeMutableBufferPointer { out in
                            var signed = unsafe qv_signed_picture()
                            unsafe (signed.width, signed.height) = (Double(geometry.width), Double(geometry.height))
                            unsafe (signed.columns, signed.rows) = (Int32(digest.columns), Int32(digest.rows))
                            unsafe (signed.across, signed.down) = (across.baseAddress, down.baseAddress)
                            unsafe signed.levels = levels.baseAddress
                            unsafe (signed.low, signed.step) = (Double(digest.low), Double(digest.step))
                            unsafe (signed.code_left, signed.code_top) = (Double(geometry.left), Double(geometry.top))
                            unsafe signed.module = Double(geometry.module)
                            unsafe signed.modules = Int32(StripGeometry.codeModules)
                            unsafe signed.corners = (
                                corners[0].x, corners[0].y, corners[1].x, corners[1].y, corners[2].x, corners[2].y,
                                corners[3].x, corners[3].y
                            )
                            unsafe agreement.differences = out.baseAddress
                            return unsafe qv_compare(picture, &signed, &agreement)
                        }
                    }
                }
            }
        }
        cell = (geometry.width / digest.columns, geometry.height / digest.rows)
        let (reach, scale) = unsafe (agreement.reach, agreement.scale)
        noise = status == 0 ? unsafe agreement.noise : 0
        let isReadable =
            status == 0 && reach > 0.98 && scale * Double(min(cell.width, cell.height)) >= Self.leastCell
        correlation = status == 0 ? unsafe agreement.correlation : 0
        part = status == 0 ? unsafe agreement.part : 0
        guard isReadable, unsafe agreement.has_pattern != 0 else {
            (outcome, changed, largest) = (.unknown, [], 0)
            return
        }
        largest = Double(differences.max() ?? 0)
        let isChanged = differences.map { $0 >= Float(QV_CHANGED) }
        let share = Double(isChanged.count { $0 }) / Double(isChanged.count)
        guard correlation >= Self.sameCorrelation, noise <= Self.noiseLimit, share <= Self.changedShare,
            unsafe agreement.has_tones != 0
        else {
            (outcome, changed) = (correlation <= Self.otherCorrelation ? .other : .unknown, [])
            return
        }
        changed = Self.areas(isChanged, columns: digest.columns)
            .map { box in
                let (width, height) = (Double(geometry.width) / 100, Double(geometry.height) / 100)
                let (left, top) = (across[box.left] / width, down[box.top] / height)
                return Area(
                    x: left, y: top, width: across[box.right] / width - left, height: down[box.bottom] / height - top)
            }
        outcome = changed.isEmpty ? .same : .changed
    }

    /// The boxes around cells that touch each other.
    private static func areas(
        _ isChanged: [Bool], columns: Int
    ) -> [(left: Int, top: Int, right: Int, bottom: Int)] {
        var left = isChanged
        var boxes: [(left: Int, top: Int, right: Int, bottom: Int)] = []
        for start in isChanged.indices where left[start] {
            var box = (left: columns, top: isChanged.count, right: 0, bottom: 0)
            var waiting = [start]
            left[start] = false
            while let cell = waiting.popLast() {
                let (x, y) = (cell % columns, cell / columns)
                box = (min(box.left, x), min(box.top, y), max(box.right, x + 1), max(box.bottom, y + 1))
                for next in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] where 0..<columns ~= next.0 && next.1 >= 0
                {
                    let place = next.1 * columns + next.0
                    guard place < left.count, left[place] else { continue }
                    left[place] = false
                    waiting.append(place)
                }
            }
            boxes.append(box)
        }
        return boxes
    }
}
