import CTrace
public import VaultFormat
import Watermark

/// A photo of a card that lies on a table, and the card alone, as it is seen from above (Spec/product/watermark.md, 11).
public struct CardPhoto: Sendable {
    /// Four corners in a photo, clockwise from the upper left one of the card.
    public struct Corners: Equatable, Sendable {
        /// X and Y of each, in pixels of the photo as a person sees it: 8 numbers.
        public let places: [Double]

        /// - Returns: nil where they are not within the photo, or not the corners of an area, clockwise.
        public init?(_ places: [Double], width: Int, height: Int) {
            let (across, down) = (Double(width), Double(height))
            func corner(_ number: Int) -> (x: Double, y: Double) {
                (places[2 * (number % 4)], places[2 * (number % 4) + 1])
            }
            // Round corners, and those that lens and hand cut, lie a little outside.
            guard places.count == 8, (0..<4).allSatisfy({ -0.01 * across...1.01 * across ~= corner($0).x }),
                (0..<4).allSatisfy({ -0.01 * down...1.01 * down ~= corner($0).y })
            else { return nil }
            let turns = (0..<4).map { number in
                let (a, b, c) = (corner(number), corner(number + 1), corner(number + 2))
                return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x)
            }
            guard turns.allSatisfy({ $0 > 1 }) else { return nil }
            self.places = places
        }

        private init(places: [Double]) { self.places = places }

        /// The same card turned clockwise by quarters.
        public func turned(_ quarters: Int) -> Corners {
            let first = (8 - 2 * (quarters % 4)) % 8
            return Corners(places: Array(places[first...] + places[..<first]))
        }
    }

    /// Why a photo gives no card.
    public enum Obstacle: Error, Equatable, Sendable {
        /// Nothing in it has four straight sides and the shape of a card.
        case noCard
        /// It shows more than one.
        case severalCards
        /// The card would have fewer than 100 pixels a side.
        case tooSmall

        /// For people.
        public var reason: Phrase {
            switch self {
            case .noCard: "shows no card whose four edges stand out"
            case .severalCards: "shows more than one card"
            case .tooSmall: "shows a card of less than 100 pixels a side"
            }
        }
    }

    /// Pixels of the long side of the picture in which a card is looked for, and least pixels of a card's side.
    private static let longSide = 1200, leastSide = 100.0
    /// The quality of the JPEG that is made.
    private static let quality: Int32 = 95

    private let content: [UInt8]
    private let size: CardSize?
    /// Pixels across and down, as a person sees it.
    public let width: Int, height: Int

    /// - Parameters:
    ///   - content: a JPEG or PNG.
    ///   - kind: the name of the card's kind, whose size may be known; nil for any card, passport or licence.
    /// - Throws: `MarkError`.
    public init(_ content: [UInt8], kind: String?) throws {
        (self.content, size) = (content, kind.flatMap(CardSize.init))
        (width, height) = try Watermark.size(of: content)
    }

    /// Finds the card.
    ///
    /// - Throws: `Obstacle`, `PictureError`.
    public func corners() throws -> Corners {
        var photo = try Picture(reading: content, width: Self.longSide, height: Self.longSide)
        defer { photo.wipe() }
        let ratios = size.map { [$0.ratio] } ?? CardSize.ratios
        var places = [Double](repeating: 0, count: 8)
        let status = unsafe photo.withColours { photo in
            unsafe ratios.withUnsafeBufferPointer { ratios in
                unsafe places.withUnsafeMutableBufferPointer {
                    unsafe qv_find_card(photo, ratios.baseAddress, Int32(ratios.count), $0.baseAddress)
                }
            }
        }
        switch status {
        case QV_CARD_FOUND: break
        case QV_CARD_SEVERAL: throw Obstacle.severalCards
        case QV_CARD_NO_MEMORY: throw PictureError.noMemory
        default: throw Obstacle.noCard
        }
        let seen = Self.scaled(places, from: (photo.width, photo.height), to: (width, height))
        guard let corners = Corners(seen, width: width, height: height) else { throw Obstacle.noCard }
        return corners
    }

    /// Places in a picture that is made larger or smaller.
    private static func scaled(
        _ places: [Double], from: (width: Int, height: Int), to: (width: Int, height: Int)
    ) -> [Double] {
        let scale = [Double(to.width) / Double(from.width), Double(to.height) / Double(from.height)]
        return places.enumerated().map { $1 * scale[$0 % 2] }
    }

    /// The card alone: a JPEG, as large as it is in the photo. Of a photo with more than 40 million pixels it is smaller.
    ///
    /// - Throws: `Obstacle`, `PictureError`.
    public func straightened(_ corners: Corners) throws -> [UInt8] {
        let most = (Double(Picture.drawnPixelCount) / (Double(self.width) * Double(self.height))).squareRoot()
        var photo = try Picture(
            reading: content, width: Int(Double(self.width) * min(1, most)),
            height: Int(Double(self.height) * min(1, most)))
        defer { photo.wipe() }
        let places = Self.scaled(
            corners.places, from: (self.width, self.height), to: (photo.width, photo.height))
        let (width, height) = side(of: places, in: photo)
        guard min(width, height) >= Self.leastSide else { throw Obstacle.tooSmall }
        guard width * height <= Double(Picture.drawnPixelCount) else { throw PictureError.tooLarge }
        let (across, down) = (Int(width.rounded()), Int(height.rounded()))
        var bytes = [UInt8](repeating: 0, count: across * down * 3)
        let status = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            unsafe photo.withColours { photo in
                unsafe places.withUnsafeBufferPointer {
                    unsafe qv_flatten(photo, $0.baseAddress, Int32(across), Int32(down), bytes.baseAddress)
                }
            }
        }
        guard status == 0 else { throw Obstacle.noCard }
        var card = Picture(width: across, height: down, pixels: consume bytes, profile: photo.profile)
        defer { card.wipe() }
        return try card.jpeg(quality: Self.quality)
    }

    /// Pixels across and down of the card: of its longest sides, and in its true shape where that is known.
    private func side(of pixels: [Double], in photo: Picture) -> (width: Double, height: Double) {
        func length(_ a: Int, _ b: Int) -> Double {
            let (x, y) = (pixels[2 * b] - pixels[2 * a], pixels[2 * b + 1] - pixels[2 * a + 1])
            return (x * x + y * y).squareRoot()
        }
        let (width, height) = (max(length(0, 1), length(2, 3)), max(length(1, 2), length(3, 0)))
        let seen = unsafe pixels.withUnsafeBufferPointer {
            unsafe qv_card_ratio($0.baseAddress, Double(photo.width), Double(photo.height))
        }
        guard let known = size?.ratio else {
            return seen > 0 ? (max(width, height * seen), max(width, height * seen) / seen) : (width, height)
        }
        let ratio = (seen > 0 ? seen : width / height) < 1 ? 1 / known : known
        let long = max(width, height * ratio)
        return (long, long / ratio)
    }
}

extension Picture {
    /// Calls a function with the pixels as C has them.
    fileprivate func withColours<Result>(_ body: (UnsafePointer<qv_colours>) throws -> Result) rethrows -> Result {
        try unsafe pixels.withUnsafeBufferPointer { bytes in
            var colours = unsafe qv_colours(width: Int32(width), height: Int32(height), bytes: bytes.baseAddress)
            return try unsafe body(&colours)
        }
    }
}
