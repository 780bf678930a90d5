import CImage

/// The places of a mark on a picture, as a person sees it: layouts `sparse` and `single` (Spec/product/watermark.md, 3.1).
package struct SparseLayout {
    /// Pixels across and down.
    let width: Int
    let height: Int
    /// Pixels of an em.
    package let size: Double
    /// Degrees counter-clockwise.
    package let angle: Double

    /// Places at most.
    private static let placeCount = 20_000
    /// The step along the lines, in ems, when they are no longer: so that it does not tell how long they are.
    private static let step = 16.0

    private let lattice: MarkNumbers
    private let jitter: MarkNumbers
    private let style: MarkStyle

    package init(width: Int, height: Int, style: MarkStyle, lattice: MarkNumbers, jitter: MarkNumbers) throws {
        (self.width, self.height, self.style) = (width, height, style)
        (self.lattice, self.jitter) = (lattice, jitter)
        size = style.em(width: width, height: height)
        angle = style.angle + (try lattice.number(0) - 0.5) * 4 + (try jitter.number(0) - 0.5) * 0.1
    }

    /// The share of ink of this copy.
    package func opacity() throws -> Double { min(1, style.ink * (1 + (try jitter.number(1) - 0.5) * 0.04)) }

    /// The upper left corners of drawings of a size, ordered by y and then x.
    ///
    /// - Parameter lineCount: lines of the text.
    /// - Parameter lineWidth: of the longest line, in pixels, before it is turned.
    package func places(drawing: (width: Int, height: Int), lineCount: Int, lineWidth: Double) throws -> [(
        x: Int, y: Int
    )] {
        // Well within a stroke: the lighter of each pixel of several copies is to have the mark still.
        let most = min(2, size / 40)
        let shift = (x: (try jitter.number(2) - 0.5) * 2 * most, y: (try jitter.number(3) - 0.5) * 2 * most)
        guard style.layout != .single else {
            let place = corner(Double(width) / 2 + shift.x, Double(height) / 2 + shift.y, drawing)
            return [place]
        }
        var along = Self.step * size
        while along < lineWidth + style.gap * size { along *= 2 }
        var across = (1.4 * Double(lineCount) + style.gap) * size
        // As many as there may be, however thin the picture is.
        let reach = Double(width + height) + 2 * Double(drawing.width + drawing.height)
        while reach / along * (reach / across) > Double(Self.placeCount) {
            (along, across) = (along * 1.5, across * 1.5)
        }
        let phase = (along: try lattice.number(1) * along, across: try lattice.number(2) * across)
        let (sine, cosine) = Self.sineAndCosine(angle)
        var places: [(x: Int, y: Int)] = []
        // A row begins with a phase of up to one step, and every other one half a step later.
        let (columns, rows) = (Int(reach / along / 2) + 2, Int(reach / across / 2) + 1)
        for row in -rows...rows {
            for column in -columns...columns {
                let index = UInt32(truncatingIfNeeded: (row + 0x4000) << 16 | (column + 0x4000))
                let stagger = row & 1 == 0 ? 0 : along / 2
                // A little disorder, the same in all copies: a lattice that is too even can be taken out.
                let u = Double(column) * along + stagger + phase.along + (try lattice.number(index) - 0.5) * 0.12 * size
                let v = Double(row) * across + phase.across
                let x = Double(width) / 2 + u * cosine + v * sine
                let y = Double(height) / 2 - u * sine + v * cosine
                let place = corner(
                    x + (try wave(y, height, 3)) + shift.x, y + (try wave(x, width, 5)) + shift.y, drawing)
                if place.x < width, place.y < height, place.x + drawing.width > 0, place.y + drawing.height > 0 {
                    places.append(place)
                }
            }
        }
        return places
    }

    /// A slow wave of one pixel, the same in all copies.
    private func wave(_ at: Double, _ length: Int, _ index: UInt32) throws -> Double {
        let turns = try lattice.number(index) + (1 + lattice.number(index + 1)) * at / Double(length)
        return Self.sineAndCosine(360 * turns).0
    }

    private func corner(_ x: Double, _ y: Double, _ drawing: (width: Int, height: Int)) -> (x: Int, y: Int) {
        (Int((x - Double(drawing.width) / 2).rounded()), Int((y - Double(drawing.height) / 2).rounded()))
    }

    private static func sineAndCosine(_ degrees: Double) -> (Double, Double) {
        let pair = qv_sine_and_cosine(degrees)
        return (pair.sine, pair.cosine)
    }
}
