import CImage

/// A part of a picture, in pixels as a person sees it.
public struct PixelBox: Equatable, Sendable {
    /// The upper left corner.
    public let left, top: Int
    /// Pixels across and down, 1 at least.
    public let width, height: Int

    /// - Returns: nil where it is empty, or begins outside of any picture: above, to its left, or beyond 30,000 pixels.
    public init?(left: Int, top: Int, width: Int, height: Int) {
        let side = Int(QV_IMAGE_SIDE)
        guard 0..<side ~= left, 0..<side ~= top, 1...side ~= width, 1...side ~= height else { return nil }
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
    }
}

extension Watermark {
    /// Pixels of the squares that are hidden as a whole: as many as a unit of most JPEGs has.
    package static let hiddenSide = 16

    /// Makes parts of a picture black. They are extended to whole squares of 16 by 16 stored pixels, and of a JPEG to whole units
    /// of its blocks: no coefficient stays of what they showed (Spec/product/watermark.md, 9).
    ///
    /// - Parameters:
    ///   - boxes: not empty.
    ///   - sink: gets the picture, of the same kind, without other metadata than a marked copy has.
    /// - Throws: `MarkError`, also `.allHidden` where nothing else would be left; what reading and writing throws.
    public static func hide(_ boxes: [PixelBox], of picture: any PictureSource, into sink: any PictureSink) throws {
        precondition(!boxes.isEmpty)
        guard picture.byteCount <= byteCount else { throw MarkError.tooLarge }
        let facts = try look(picture)
        let orientation = Orientation(facts)
        let squares = boxes.map { orientation.storedSquares($0, side: hiddenSide) }
        guard !covers(squares, orientation) else { throw MarkError.allHidden }
        try unsafe squares.withUnsafeBufferPointer { squares in
            var mark = unsafe qv_mark()
            unsafe (mark.hidden, mark.hidden_count) = (squares.baseAddress, squares.count)
            try unsafe draw(&mark, on: picture, facts, into: sink)
        }
        try check(sink, facts, (Int(facts.width), Int(facts.height)))
    }

    /// True if boxes leave no square of a picture.
    private static func covers(_ boxes: [qv_box], _ picture: Orientation) -> Bool {
        let (across, down) = ((picture.width - 1) / hiddenSide + 1, (picture.height - 1) / hiddenSide + 1)
        var hidden = [Bool](repeating: false, count: across * down)
        for box in boxes {
            for y in Int(box.top) / hiddenSide..<min(down, Int(box.bottom) / hiddenSide) {
                for x in Int(box.left) / hiddenSide..<min(across, Int(box.right) / hiddenSide) {
                    hidden[y * across + x] = true
                }
            }
        }
        return hidden.allSatisfy(\.self)
    }
}

extension Orientation {
    /// The stored pixels of a box that a person sees, extended to whole squares: its right and lower edge may reach beyond the
    /// picture.
    fileprivate func storedSquares(_ box: PixelBox, side: Int) -> qv_box {
        let right = min(box.left + box.width, shown.width) - 1, under = min(box.top + box.height, shown.height) - 1
        let (a, b) = (stored(min(box.left, right), min(box.top, under)), stored(right, under))
        func low(_ place: Int) -> UInt32 { UInt32(place / side * side) }
        func high(_ place: Int) -> UInt32 { UInt32((place / side + 1) * side) }
        return qv_box(
            left: low(min(a.x, b.x)), top: low(min(a.y, b.y)), right: high(max(a.x, b.x)), bottom: high(max(a.y, b.y)))
    }
}
