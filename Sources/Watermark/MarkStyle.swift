/// The style of a mark.
public struct MarkStyle: Equatable, Sendable {
    /// A layout of marks (Spec/product/watermark.md, 3).
    public enum Layout: String, CaseIterable, Sendable {
        /// The sentence in calm rows all over the picture, and fine lines through its letters: the page is still read.
        case clear
        /// The sentence in rows, and small text, all over the picture: harder to take off, and harder to read through.
        case strong
        /// The sentence in rows that are far apart, in little ink.
        case light
        /// `strong` as it was drawn at first; for copies that were made with it.
        case dense
        /// Marks in a lattice: between them the picture stays as it is to the bit.
        case sparse
        /// One mark in the middle.
        case single

        /// The design of its rows; nil for a layout without rows.
        var rows: RowDesign? {
            switch self {
            case .clear: .clear
            case .strong: .strong
            case .light: .light
            case .dense: .dense
            case .sparse, .single: nil
            }
        }
        /// True for layouts of rows all over the picture.
        public var hasRows: Bool { rows != nil }
    }

    /// The layout.
    public var layout = Layout.clear
    /// Degrees counter-clockwise.
    public var angle = 30.0
    /// The share of ink that covers the picture, 0.05 … 1; nil for that of the layout.
    public var opacity: Double?
    /// Pixels of an em; nil for what the layout gives a picture, at least 14.
    public var size: Double?
    /// Space between marks, in ems.
    public var gap = 1.5
    /// Black or white ink; nil for what stands out.
    public var isLight: Bool?
    /// Family of the font; nil for any.
    public var family: String?
    /// True if the whole picture bears the signal of its copy, and not only the strokes; never in a layout without rows.
    public var isTracedAllOver: Bool {
        get { layout.hasRows && tracesWholePictures }
        set { tracesWholePictures = newValue }
    }
    private var tracesWholePictures = true

    /// The part of the picture with more ink; nil for none. Only layouts of rows have one.
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
    var ink: Double { opacity ?? layout.rows?.opacity ?? 0.30 }

    /// Pixels of an em on a picture.
    func em(width: Int, height: Int) -> Double {
        size ?? layout.rows?.em(width: width, height: height) ?? max(14, Double(min(width, height)) / 22)
    }
}
