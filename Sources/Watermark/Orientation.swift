/// The transformation between the stored picture and the one a person sees (EXIF, orientations 1 to 8).
struct Orientation {
    let number: Int
    /// The width of the stored picture, in pixels.
    let width: Int
    let height: Int

    /// Pixels as a person sees them.
    var shown: (width: Int, height: Int) { number > 4 ? (height, width) : (width, height) }

    /// The stored place of a pixel that a person sees.
    func stored(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let (right, under) = (width - 1, height - 1)
        return switch number {
        case 2: (right - x, y)
        case 3: (right - x, under - y)
        case 4: (x, under - y)
        case 5: (y, x)
        case 6: (y, under - x)
        case 7: (right - y, under - x)
        case 8: (right - y, x)
        default: (x, y)
        }
    }

    /// The upper left corner in what is stored of a rectangle that a person sees.
    func storedCorner(_ x: Int, _ y: Int, _ size: (width: Int, height: Int)) -> (x: Int, y: Int) {
        let (a, b) = (stored(x, y), stored(x + size.width - 1, y + size.height - 1))
        return (min(a.x, b.x), min(a.y, b.y))
    }

    /// The side of the stored picture that a person sees at the bottom.
    var bottom: Side {
        switch number {
        case 3, 4: .top
        case 5, 6: .right
        case 7, 8: .left
        default: .bottom
        }
    }

    /// A side of a stored picture.
    enum Side { case bottom, top, right, left }
}
