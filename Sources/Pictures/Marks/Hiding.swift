import VaultCrypto
public import Watermark

/// A part of a picture that a copy does not show (Spec/product/watermark.md, 9).
public enum Hiding: Equatable, Sendable {
    /// A part of the picture, or of a page, from 1; of each page where none is named.
    case part(MarkStyle.Focus, page: Int?)
    /// Digits of each number that text recognition reads.
    case digits(Digits)
    /// A text, wherever text recognition reads it.
    case text(String)
    /// The value of a card's field, wherever text recognition reads one of the forms in which it may be printed, and where such
    /// cards have it.
    case field(String, forms: [String], layout: CardLayout?)

    /// The digits of a number that are hidden.
    public enum Digits: Equatable, Sendable {
        /// All of them.
        case all
        /// So many from its start, or up to its end.
        case first(Int), last(Int)
        /// All but so many at its end.
        case butLast(Int)

        /// The range of a number's symbols.
        package func range(in number: Range<Int>) -> Range<Int> {
            switch self {
            case .all: number
            case .first(let count): number.lowerBound..<number.lowerBound + min(count, number.count)
            case .last(let count): number.upperBound - min(count, number.count)..<number.upperBound
            case .butLast(let count): number.lowerBound..<number.upperBound - min(count, number.count)
            }
        }
    }

    /// Reads what a person writes: `X,Y,WIDTH,HEIGHT` in percent, with `PAGE:` before it or not; `digits`, `digits:last4`,
    /// `digits:first6`, `digits:butlast4`; `text:` with a text.
    ///
    /// - Returns: nil where it is none of them.
    public init?(_ text: String) {
        if let found = text.prefixed("text:") {
            guard found.contains(where: { !$0.isWhitespace }) else { return nil }
            self = .text(found)
        } else if text == "digits" {
            self = .digits(.all)
        } else if let which = text.prefixed("digits:") {
            guard let digits = Digits(which) else { return nil }
            self = .digits(digits)
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let page = parts.count == 2 ? Int(parts[0]) : nil
            guard parts.count == 1 || page.map({ 1...200 ~= $0 }) == true,
                let part = MarkStyle.Focus(String(parts.last!))
            else { return nil }
            self = .part(part, page: page)
        }
    }

    /// As a person writes it.
    public var text: String {
        switch self {
        case .part(let part, let page): (page.map { "\($0):" } ?? "") + part.text
        case .digits(.all): "digits"
        case .digits(.first(let count)): "digits:first\(count)"
        case .digits(.last(let count)): "digits:last\(count)"
        case .digits(.butLast(let count)): "digits:butlast\(count)"
        case .text(let text): "text:" + text
        case .field(let name, _, _): name
        }
    }

    /// The box that is hidden of a picture of several, which are counted from 1; nil of another one, and of what stands in no box.
    func box(ofPicture number: Int, _ size: (width: Int, height: Int)) -> PixelBox? {
        guard case .part(let part, number?) = self else { return nil }
        return Self.box(part, size)
    }

    /// True if text recognition finds where it stands.
    public var isRead: Bool { if case .part = self { false } else { true } }

    /// The box where such cards have what is hidden; nil where that is not known.
    fileprivate func place(_ size: (width: Int, height: Int)) -> PixelBox? {
        guard case .field(_, _, let layout) = self else { return nil }
        return layout?.part(ofWidth: size.width, height: size.height).flatMap { Self.box($0, size) }
    }

    /// The whole pixels of a part.
    private static func box(_ part: MarkStyle.Focus, _ size: (width: Int, height: Int)) -> PixelBox? {
        let (across, down) = (Double(size.width) / 100, Double(size.height) / 100)
        let (left, top) = (Int(part.x * across), Int(part.y * down))
        let right = Int(((part.x + part.width) * across).rounded(.up))
        let bottom = Int(((part.y + part.height) * down).rounded(.up))
        return PixelBox(left: left, top: top, width: right - left, height: bottom - top)
    }

    /// The boxes that are hidden of a picture, by what was read and what was named.
    ///
    /// - Parameters:
    ///   - page: of a document, from 1; nil for a picture of its own.
    ///   - lines: what was read.
    fileprivate func boxes(
        _ size: (width: Int, height: Int), page: Int?, _ lines: [ReadLine], scale: Double
    ) -> [PixelBox] {
        guard case .part(let part, let wanted) = self else {
            return lines.flatMap { line in ranges(in: line).compactMap { line.box($0, scale: scale) } }
        }
        return wanted == nil || wanted == page ?? 1 ? [Self.box(part, size)].compactMap(\.self) : []
    }

    /// The symbols of a line that are hidden.
    private func ranges(in line: ReadLine) -> [Range<Int>] {
        switch self {
        case .part: []
        case .digits(let digits): line.numbers.compactMap { line.hidden(digits, of: $0) }
        case .text(let text): line.places(of: text)
        case .field(_, let forms, _): forms.flatMap { line.places(of: $0) }
        }
    }

    /// True if a word of what is hidden is not level, or if a number of which a part is hidden was read as two, one beside and
    /// above the other.
    fileprivate func isSloped(in lines: [ReadLine]) -> Bool {
        if lines.contains(where: { line in ranges(in: line).contains { line.isSloped($0) } }) { return true }
        guard case .digits(let digits) = self, digits != .all else { return false }
        let numbers = lines.flatMap { line in line.numbers.compactMap { line.box($0, scale: 1) } }
        return numbers.contains { first in
            numbers.contains { second in
                let gap = second.left - (first.left + first.width)
                let fall = abs(second.top + second.height / 2 - first.top - first.height / 2)
                return -first.height / 2 < gap && gap < 2 * first.height && fall > first.height / 8
                    && fall < first.height
            }
        }
    }
}

extension ReadLine {
    /// The symbols of a number that are hidden. More than 19 digits are no one number: all of them are.
    package func hidden(_ digits: Hiding.Digits, of number: Range<Int>) -> Range<Int>? {
        let places = number.filter { Self.isLikeDigit(symbols[$0].scalar) }
        let part = places.count > 19 ? places.indices : digits.range(in: places.indices)
        return part.isEmpty ? nil : places[part.lowerBound]..<places[part.upperBound - 1] + 1
    }
}

extension Hiding.Digits {
    fileprivate init?(_ text: String) {
        let kinds: [(String, (Int) -> Self)] = [("first", Self.first), ("last", Self.last), ("butlast", Self.butLast)]
        for (word, kind) in kinds {
            guard let count = text.prefixed(word).flatMap({ Int($0) }), 1...100 ~= count else { continue }
            self = kind(count)
            return
        }
        return nil
    }
}

extension String {
    fileprivate func prefixed(_ start: String) -> String? { hasPrefix(start) ? String(dropFirst(start.count)) : nil }
}

/// A part of an original that a copy does not show.
public struct HiddenPart: Equatable, Sendable {
    /// The page of a document, from 1; a picture is page 1.
    public let page: Int
    /// Its place in pixels of the page.
    public let box: PixelBox

    /// Reads a share's note (Spec/product/watermark.md, 7): a line for each part, with its page, the pixels of the page to its
    /// left and above it, and its width and height.
    ///
    /// - Returns: nil where a line is none of a part.
    static func parts(_ text: String) -> [HiddenPart]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let parts = lines.compactMap { line -> HiddenPart? in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            let numbers = words.compactMap { Int($0) }
            guard words.count == 5, numbers.count == 5, 1...200 ~= numbers[0],
                let box = PixelBox(left: numbers[1], top: numbers[2], width: numbers[3], height: numbers[4])
            else { return nil }
            return HiddenPart(page: numbers[0], box: box)
        }
        return parts.count == lines.count ? parts : nil
    }

    /// Parts as a share notes them.
    static func text(_ parts: [HiddenPart]) -> String {
        parts.map { part in
            let box = part.box
            return [part.page, box.left, box.top, box.width, box.height].map(String.init).joined(separator: " ")
        }.joined(separator: "\n")
    }
}

/// A picture of which parts are hidden, before anything else is done to it.
struct HiddenPicture {
    /// The picture.
    let picture: any PictureSource
    /// The boxes that were hidden, in pixels as a person sees it.
    let boxes: [PixelBox]
    /// The places in the list of hidings of those that are on it, and of those of them that were not read.
    let found: Set<Int>, unread: Set<Int>

    /// Hides what is asked for and on it.
    ///
    /// - Throws: `MarkError`; what reading and writing throws.
    init(_ original: any PictureSource, _ hidings: [Hiding], page: Int?, _ decoder: DocumentDecoder?) throws {
        var (boxes, found, unread): ([PixelBox], Set<Int>, Set<Int>) = ([], [], [])
        if !hidings.isEmpty {
            let size = try Watermark.size(of: original)
            var (lines, scale): ([ReadLine], Double) = ([], 1)
            if hidings.contains(where: \.isRead) {
                guard let decoder else { throw MarkError.noDecoder }
                (lines, scale) = try decoder.lines(in: original)
            }
            let areSloped = ReadLine.areSloped(lines)
            for (place, hiding) in hidings.enumerated() {
                let more = hiding.boxes(size, page: page, lines, scale: scale).filter {
                    $0.left < size.width && $0.top < size.height
                }
                // Boxes stand upright: digits of a line that falls would stay beside them.
                if !more.isEmpty, hiding.isRead, areSloped || hiding.isSloped(in: lines) { throw MarkError.sloped }
                // A page of a document may be a card's shape by chance.
                let placed = page == nil ? hiding.place(size) : nil
                for box in more + [placed].compactMap(\.self) where !boxes.contains(box) { boxes.append(box) }
                if !more.isEmpty || placed != nil { found.insert(place) }
                if more.isEmpty, placed != nil { unread.insert(place) }
            }
        }
        (self.found, self.unread) = (found, unread)
        self.boxes = boxes
        picture = try Self.hidden(boxes, of: original)
    }

    /// The picture with these parts hidden; itself where there are none.
    static func hidden(_ boxes: [PixelBox], of original: any PictureSource) throws -> any PictureSource {
        guard !boxes.isEmpty else { return original }
        let picture = PictureInMemory()
        try Watermark.hide(boxes, of: original, into: picture)
        return picture
    }
}
