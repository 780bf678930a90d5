import Cards
import VaultCrypto
public import VaultFormat
public import VaultStore
import Watermark

/// Pictures on one page of A4, cards at their true size (Spec/product/watermark.md, 10).
public struct Sheet: Hashable, Sendable {
    /// A picture on the page.
    public struct Part: Hashable, Sendable {
        /// The attachment that it shows, and its revision.
        public let attachment: RecordID, revision: UInt64
        /// Its size on the page, in pixels of it.
        public let width: Int, height: Int
    }

    /// The arrangement of pictures on a page.
    public enum Arrangement: String, CaseIterable, Sendable {
        /// One below the other.
        case column = "a4"
        /// Two abreast, where both fit into the page's width.
        case grid = "a4-grid"

        fileprivate var columns: Int { self == .grid ? 2 : 1 }
    }

    let arrangement: Arrangement
    /// From the top of the page to its end, in a row from the left; at least one.
    public let parts: [Part]
    /// Pixels of the page down.
    let height: Int

    /// Pixels of an inch, and of A4 across and down.
    package static let dpi = 300.0, width = 2480, pageHeight = 3508
    /// Millimetres between pictures, and from the edges of the page.
    private static let gap = 12.0, margin = 12.0
    /// The ratio by which a picture of a card alone may be longer or shorter than the card: others show what is around it.
    private static let likeness = 1.08

    /// - Parameters:
    ///   - pictures: attachments, the names of their cards' kinds, and pixels across and down as a person sees them.
    ///   - height: pixels of the page down.
    /// - Returns: nil where they do not fit.
    package init?(
        _ pictures: [(entry: Entry, kind: String?, width: Int, height: Int)], height: Int,
        _ arrangement: Arrangement = .column
    ) {
        let sizes = pictures.map { Self.size($0.kind, Double($0.width), Double($0.height)) }
        let (gap, across) = (Self.pixels(Self.gap), Double(Self.width) - 2 * Self.pixels(Self.margin))
        // Pictures of no known size are as wide as their share of a row.
        let cell = (across - Double(arrangement.columns - 1) * gap) / Double(arrangement.columns)
        let rows = Self.rows(sizes.map { $0?.across ?? cell }, arrangement)
        let room = Double(height) - 2 * Self.pixels(Self.margin) - Double(rows.count - 1) * gap
        let known = rows.map { row in sizes[row].reduce(0) { max($0, $1?.down ?? 0) } }
        let open = rows.indices.filter { sizes[rows[$0]].contains { $0 == nil } }
        let slot =
            open.isEmpty ? 0 : (room - known.reduce(0, +) + open.reduce(0) { $0 + known[$1] }) / Double(open.count)
        guard !pictures.isEmpty, known.reduce(0, +) <= room, open.isEmpty || slot >= Self.pixels(20) else { return nil }
        (self.height, self.arrangement) = (height, arrangement)
        parts = zip(pictures, sizes).map { picture, size in
            let scale = min(cell / Double(picture.width), slot / Double(picture.height))
            let (wide, high) = size ?? (Double(picture.width) * scale, Double(picture.height) * scale)
            return Part(
                attachment: picture.entry.id, revision: picture.entry.revision, width: max(1, Int(wide)),
                height: max(1, Int(high)))
        }
        guard rowHeights.reduce(0, +) + (rows.count - 1) * Int(gap) <= height else { return nil }
    }

    /// The parts of each row: as many as fit beside each other.
    private static func rows(_ widths: [Double], _ arrangement: Arrangement) -> [Range<Int>] {
        let (gap, across) = (pixels(gap), Double(width) - 2 * pixels(margin))
        var rows: [Range<Int>] = []
        var used = 0.0
        for (place, width) in widths.enumerated() {
            if let row = rows.last, row.count < arrangement.columns, used + gap + width <= across {
                rows[rows.count - 1] = row.lowerBound..<place + 1
                used += gap + width
            } else {
                rows.append(place..<place + 1)
                used = width
            }
        }
        return rows
    }

    private var rows: [Range<Int>] { Self.rows(parts.map { Double($0.width) }, arrangement) }

    private var rowHeights: [Int] { rows.map { row in parts[row].reduce(0) { max($0, $1.height) } } }

    /// Pixels of a card's true size, as a picture shows it; nil where the size is not known, or it shows more than the card.
    private static func size(_ kind: String?, _ width: Double, _ height: Double) -> (across: Double, down: Double)? {
        guard let size = kind.flatMap(CardSize.init), size.isShape(ofWidth: width, height: height, likeness: likeness)
        else { return nil }
        return width > height
            ? (pixels(size.across), pixels(size.down)) : (pixels(size.down), pixels(size.across))
    }

    private static func pixels(_ millimetres: Double) -> Double { millimetres / 25.4 * dpi }

    /// The page's pixels down, with room for a strip below it.
    package static func height(isSigned: Bool) -> Int {
        isSigned ? (pageHeight - StripGeometry.depth(belowWidth: width)) / 16 * 16 : pageHeight
    }

    /// Reads what a share notes: the arrangement and the page's pixels down, and a line for each part.
    ///
    /// - Returns: nil where it is malformed.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let (head, parts) = (lines[0].split(separator: " "), lines.dropFirst().map { Part($0) })
        guard head.count == 2, let arrangement = Arrangement(rawValue: String(head[0])), let height = Int(head[1]),
            1...Self.pageHeight ~= height, 1...100 ~= parts.count, let all = parts as? [Part]
        else { return nil }
        (self.parts, self.height, self.arrangement) = (all, height, arrangement)
        guard rowHeights.reduce(0, +) <= height else { return nil }
    }

    package var text: String { (["\(arrangement.rawValue) \(height)"] + parts.map(\.line)).joined(separator: "\n") }

    /// The place of each part, in pixels of the page.
    var places: [PixelBox] {
        let gap = Int(Self.pixels(Self.gap))
        var places: [PixelBox] = []
        var top = max(0, (height - rowHeights.reduce(-gap) { $0 + $1 + gap }) / 2)
        for (row, rowHeight) in zip(rows, rowHeights) {
            var left = max(0, (Self.width - parts[row].reduce(-gap) { $0 + $1.width + gap }) / 2)
            for part in parts[row] {
                let above = top + (rowHeight - part.height) / 2
                PixelBox(left: left, top: above, width: part.width, height: part.height).map { places.append($0) }
                left += part.width + gap
            }
            top += rowHeight + gap
        }
        return places
    }

    /// Draws the page: a JPEG.
    ///
    /// - Parameter pictures: of the parts, in their order: JPEG or PNG.
    /// - Throws: `PictureError`.
    package func drawn(_ pictures: [[UInt8]]) throws -> [UInt8] {
        var page = [UInt8](repeating: 255, count: Self.width * height * 3)
        defer { wipeBytes(&page) }
        for (place, content) in zip(places, pictures) {
            var picture = try Picture(reading: content, width: 2 * place.width, height: 2 * place.height)
            defer { picture.wipe() }
            picture.draw(
                onto: &page, width: Self.width, height: height, left: place.left, top: place.top, place.width,
                place.height)
        }
        return try Picture(width: Self.width, height: height, pixels: page).jpeg(quality: 92)
    }
}

extension Sheet.Part {
    /// Id, revision, and pixels across and down.
    fileprivate var line: String { "\(attachment) \(revision) \(width) \(height)" }

    fileprivate init?(_ line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let bytes = hexadecimalBytes(String(words[0])), bytes.count == 16,
            let revision = UInt64(words[1]), let width = Int(words[2]), let height = Int(words[3]),
            1...Sheet.width ~= width, 1...Sheet.pageHeight ~= height
        else { return nil }
        (attachment, self.revision, self.width, self.height) = (RecordID(bytes), revision, width, height)
    }
}

extension Picture {
    /// Draws it in another size, linear between its pixels.
    fileprivate func draw(
        onto page: inout [UInt8], width pageWidth: Int, height pageHeight: Int, left: Int, top: Int, _ wide: Int,
        _ high: Int
    ) {
        for y in 0..<high where top + y < pageHeight {
            let (row, below) = Self.neighbours(y, high, height)
            for x in 0..<wide where left + x < pageWidth {
                let (column, right) = Self.neighbours(x, wide, width)
                for channel in 0..<3 {
                    func value(_ x: Int, _ y: Int) -> Int { Int(pixels[(y * width + x) * 3 + channel]) }
                    let upper = value(column.first, row.first) * (256 - right) + value(column.last, row.first) * right
                    let lower = value(column.first, row.last) * (256 - right) + value(column.last, row.last) * right
                    let sum = upper * (256 - below) + lower * below
                    page[((top + y) * pageWidth + left + x) * 3 + channel] = UInt8((sum + 32_768) >> 16)
                }
            }
        }
    }

    /// The two pixels between which a place lies, and how far it is from the first, of 256.
    private static func neighbours(_ place: Int, _ count: Int, _ pixels: Int) -> ((first: Int, last: Int), Int) {
        let middle = max(0, (2 * place + 1) * pixels * 128 / count - 128)
        let first = min(pixels - 1, middle / 256)
        return ((first, min(pixels - 1, first + 1)), middle % 256)
    }
}

/// A page with its pictures.
public struct DrawnSheet: Sendable {
    /// The arrangement of its pictures.
    public let sheet: Sheet
    /// The page, a JPEG.
    public let jpeg: [UInt8]
    /// Pixels of the pictures across and down, as a person sees them.
    let sizes: [(width: Int, height: Int)]

    /// A part of one of its pictures as the part of the page where it is drawn; other hidings as they are.
    public func onPage(_ hiding: Hiding) -> Hiding {
        guard case .part(let part, let number?) = hiding, 1...sizes.count ~= number else { return hiding }
        let (place, size) = (sheet.places[number - 1], sizes[number - 1])
        // All that the black of the picture runs into.
        func percent(
            _ start: Double, _ length: Double, _ first: Int, _ count: Int, of pixels: Int, _ whole: Int
        ) -> (start: Double, length: Double) {
            let (first, count, whole) = (Double(first), Double(count), Double(whole))
            let beside = max(2, 2 * count / Double(pixels))
            let low = max(first, first + start / 100 * count - beside)
            let high = min(first + count, whole, first + (start + length) / 100 * count + beside)
            let from = 100 * low / whole
            return (from, min(100 * high / whole, 100) - from)
        }
        let across = percent(part.x, part.width, place.left, place.width, of: size.width, Sheet.width)
        let down = percent(part.y, part.height, place.top, place.height, of: size.height, sheet.height)
        let drawn = MarkStyle.Focus(x: across.start, y: down.start, width: across.length, height: down.length)
        // There is no page 0: what cannot be placed is not found, and no copy is made.
        return drawn.map { .part($0, page: nil) } ?? .part(part, page: 0)
    }
}

extension Vault {
    /// Puts pictures on one page.
    ///
    /// - Parameters:
    ///   - entries: attachments, from the top of the page on.
    ///   - arrangement: their arrangement on it.
    ///   - hiding: parts of them, by their numbers, are hidden before they are drawn: their pixels run into each other then. Other
    ///     hidings are of the page.
    ///   - isSigned: leaves room for a strip.
    /// - Returns: nil where they do not fit.
    /// - Throws: as `content`; `MarkError`, `PictureError`.
    public func sheet(
        of entries: [Entry], _ arrangement: Sheet.Arrangement = .column, hiding: [Hiding] = [], isSigned: Bool,
        decoder: DocumentDecoder?
    ) throws -> DrawnSheet? {
        let height = Sheet.height(isSigned: isSigned)
        var pictures = try entries.map { try plainPicture($0, decoder) }
        defer { for place in pictures.indices { wipeBytes(&pictures[place]) } }
        let placed = try zip(entries, pictures).map { entry, picture in
            let kind = try entry.parent.flatMap { try self.entry($0) }.flatMap { Schema.of($0.kind)?.name }
            let (width, height) = try Watermark.size(of: picture)
            return (entry: entry, kind: kind, width: width, height: height)
        }
        guard let sheet = Sheet(placed, height: height, arrangement) else { return nil }
        for (index, place) in placed.enumerated() {
            let boxes = hiding.compactMap { $0.box(ofPicture: index + 1, (place.width, place.height)) }
            guard !boxes.isEmpty else { continue }
            let hidden = PictureInMemory()
            try Watermark.hide(boxes, of: pictures[index], into: hidden)
            wipeBytes(&pictures[index])
            pictures[index] = hidden.bytes
        }
        return DrawnSheet(sheet: sheet, jpeg: try sheet.drawn(pictures), sizes: placed.map { ($0.width, $0.height) })
    }

    /// Draws a page again, from the revisions that it shows.
    ///
    /// - Throws: `VaultError.noSuchRecord` for a part that is gone; as `sheet`.
    func drawn(_ sheet: Sheet, decoder: DocumentDecoder?) throws -> [UInt8] {
        var pictures: [[UInt8]] = []
        defer { for place in pictures.indices { wipeBytes(&pictures[place]) } }
        for part in sheet.parts {
            guard let entry = try presentEntry(part.attachment), !entry.isTombstone else {
                throw VaultError.noSuchRecord(BytePath(Array("\(part.attachment)".utf8)))
            }
            pictures.append(try plainPicture(version(part.revision, of: entry), decoder))
        }
        return try sheet.drawn(pictures)
    }

    /// The version of an attachment that was shared; what is there now, where that version is gone.
    func version(_ revision: UInt64, of attachment: Entry) throws -> Entry {
        guard revision != attachment.revision else { return attachment }
        let past = try changes(of: attachment.id).first { $0.entry.revision == revision && $0.entry.state == .live }
        return past?.entry ?? attachment
    }

    /// An attachment as a JPEG or PNG.
    private func plainPicture(_ entry: Entry, _ decoder: DocumentDecoder?) throws -> [UInt8] {
        var content = try content(of: entry, limit: Self.maximumAttachmentByteCount)
        guard DocumentDecoder.decodes(try MediaType(content)) else { return content }
        defer { wipeBytes(&content) }
        guard let decoder else { throw MarkError.noDecoder }
        return try decoder.picture(content)
    }
}
