/// The design of a layout of rows (Spec/product/watermark.md, 3.2 and 3.3). Lengths are in ems.
struct RowDesign: Sendable {
    /// The strokes between the rows of the sentence.
    enum Between: Sendable {
        case nothing
        /// Small text.
        case text
        /// Fine lines, which show on letters of the page alone.
        case lines
    }

    /// The share of ink that covers the picture.
    let opacity: Double
    /// The distance from row to row of the sentence.
    let pitch: Double
    let between: Between
    /// The parts of the opacity that noise changes from place to place, in broad and in fine cells.
    let slow, fine: Double
    /// The opacity of strokes on what is as dark, or light, as the ink itself; 0 where the layout has no such strokes.
    let core: Double
    /// The coverage of the bars behind slots, 0 to 255.
    let bar: Int
    /// The reach of the mean lightness that decides whether ink is light, where that within one em does not; 0 for none.
    let reach: Double
    /// True if sentences are kept whole: rows begin where a whole one shows, angles fit the picture, words are not cut.
    let isWhole: Bool

    static let dense = RowDesign(
        opacity: 0.34, pitch: 3, between: .text, slow: 0.30, fine: 0.36, core: 0, bar: 0, reach: 0, isWhole: false)
    static let clear = RowDesign(
        opacity: 0.16, pitch: 4.5, between: .lines, slow: 0, fine: 0, core: 0.5, bar: 64, reach: 4, isWhole: true)
    static let strong = RowDesign(
        opacity: 0.34, pitch: 3, between: .text, slow: 0.30, fine: 0.36, core: 0.5, bar: 64, reach: 4, isWhole: true)
    static let light = RowDesign(
        opacity: 0.14, pitch: 6, between: .nothing, slow: 0, fine: 0, core: 0.3, bar: 64, reach: 4, isWhole: true)

    /// Pixels of an em on a picture.
    func em(width: Int, height: Int) -> Double {
        let (width, height) = (Double(width), Double(height))
        let short = min(width, height)
        guard isWhole else { return max(14, short / 26) }
        // As large as the picture, and read when it is made small, unless a sentence of 20 characters would not fit.
        let usual = max((width * height).squareRoot() / 36, max(width, height) / 100)
        return max(14, min(usual, width / 22, short / 6))
    }

    /// Degrees of the rows: flatter on a picture that is much wider than high.
    func angle(_ wanted: Double, width: Int, height: Int) -> Double {
        guard isWhole else { return wanted }
        let most = 36 * Double(height) / Double(width)
        return max(-most, min(most, wanted))
    }
}
