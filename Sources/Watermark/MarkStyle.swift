/// The style of a mark.
public struct MarkStyle: Equatable, Sendable {
    /// A layout of marks (Spec/product/watermark.md, 3).
    public enum Layout: String, Sendable {
        /// The sentence in rows, and small text, all over the picture.
        case dense
        /// Marks in a lattice: between them the picture stays as it is to the bit.
        case sparse
        /// One mark in the middle.
        case single
    }

    /// The layout.
    public var layout = Layout.dense
    /// Degrees counter-clockwise.
    public var angle = 30.0
    /// The share of ink that covers the picture, 0.05 … 1; nil for 0.34 in the dense layout, 0.30 in the others.
    public var opacity: Double?
    /// Pixels of an em; nil for 1/26 of the picture's short side in the dense layout, 1/22 in the others, and at least 14.
    public var size: Double?
    /// Space between marks, in ems.
    public var gap = 1.5
    /// Black or white ink; nil for what stands out.
    public var isLight: Bool?
    /// Family of the font; nil for any.
    public var family: String?
    /// True if the whole picture bears the signal of its copy, and not only the strokes; never in another layout than the dense
    /// one.
    public var isTracedAllOver: Bool {
        get { layout == .dense && tracesWholePictures }
        set { tracesWholePictures = newValue }
    }
    private var tracesWholePictures = true

    /// The part of the picture with more ink; nil for none. Only the dense layout has one.
    public var focus: Focus?

    /// A part of a picture, in percent of its width and height, from the upper left corner.
    public struct Focus: Equatable, Sendable {
        /// The upper left corner.
        public let x, y: Double
        /// Its size.
        public let width, height: Double

        /// - Returns: nil where it is empty, or reaches beyond the picture.
        public init?(x: Double, y: Double, width: Double, height: Double) {
            guard x >= 0, y >= 0, width > 0, height > 0, x + width <= 100, y + height <= 100 else { return nil }
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }
    }

    /// Degrees that an angle may have.
    public static let angles = -90.0...90.0
    /// Opacities that there may be.
    public static let opacities = 0.05...1.0
    /// Pixels that an em may have.
    public static let sizes = 8.0...1000.0
    /// Ems that a gap may have.
    public static let gaps = 0.5...20.0

    /// The usual style.
    public init() {}

    /// The opacity that counts.
    var ink: Double { opacity ?? (layout == .dense ? 0.34 : 0.30) }

    /// Pixels of an em on a picture.
    func em(width: Int, height: Int) -> Double {
        size ?? max(14, Double(min(width, height)) / (layout == .dense ? 26 : 22))
    }
}
