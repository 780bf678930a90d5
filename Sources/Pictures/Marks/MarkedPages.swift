import VaultCrypto
import VaultFormat
import VaultIO
public import Watermark

extension MarkedCopy {
    /// Makes a copy. Strokes and the signal are added to what is there; the picture is coded anew only where the limits or the kind of
    /// JPEG want that. Without the whole picture's signal, what no stroke touches stays as it is to the bit.
    ///
    /// - Parameter sink: gets the copy and nothing else; where this throws it may have a part of it.
    /// - Throws: `MarkError`, also `.tooLong` where it cannot be made as short as that; `CryptoError`; what reading and
    ///   writing throws.
    public init(
        of original: any PictureSource, _ order: Order, seed: borrowing WatermarkSeed, into sink: any PictureSink
    ) throws {
        let type = try MediaType(original)
        guard DocumentDecoder.decodes(type) else {
            try self.init(ofPicture: original, order, seed: seed, into: sink)
            try requireHidden(order)
            return
        }
        guard let decoder = order.decoder else { throw MarkError.noDecoder }
        guard type != .pdf else {
            try self.init(ofPages: original, decoder, order, seed: seed, into: sink)
            return
        }
        var jpeg = try decoder.picture(original)
        defer { wipeBytes(&jpeg) }
        try self.init(ofPicture: jpeg, order, seed: seed, into: sink)
        try requireHidden(order)
        quality = quality ?? Int(DocumentDecoder.quality)
    }

    /// A copy of a PDF: each page is marked as a picture, with numbers of its own, and the copy holds these pictures only. With
    /// `isLook` it is the first page as a JPEG.
    ///
    /// - Throws: as `init(of:)`; `MarkError.page`.
    init(
        ofPages original: any PictureSource, _ decoder: DocumentDecoder, _ order: Order, seed: borrowing WatermarkSeed,
        into sink: any PictureSink
    ) throws {
        guard order.isLook else {
            let writer = try PDFWriter(into: sink)
            try self.init(ofPages: original, decoder, order, seed: seed, behind: writer)
            try writer.finish()
            byteCount = sink.byteCount
            return
        }
        var order = order
        var copy: MarkedCopy?
        try decoder.pages(of: original, dpi: order.dpi, limit: 1) { page, count in
            order.page = CopyStatement.Page(number: 1, count: count)
            copy = try MarkedCopy(ofPicture: page.jpeg, order, seed: seed, into: sink)
        }
        guard let copy else { throw MarkError.decoderFailed("it stopped") }
        self = copy
    }

    /// The same pages behind those that a PDF has already.
    init(
        ofPages original: any PictureSource, _ decoder: DocumentDecoder, _ order: Order, seed: borrowing WatermarkSeed,
        behind writer: PDFWriter
    ) throws {
        var copies: [(copy: MarkedCopy, isKept: Bool)] = []
        var waiting: [DocumentPage] = []
        try decoder.pages(of: original, dpi: order.dpi) { page, count in
            waiting.append(page)
            guard waiting.count == Self.pagesAtOnce || page.number == count else { return }
            let limit = order.limits.byteCount.map { max(1, $0 / count - Self.pageOverhead) }
            // Most of the work on a page has one thread.
            let marked = try Parallel.map(waiting.count) { place in
                let page = waiting[place]
                var order = order
                order.page = CopyStatement.Page(number: page.number, count: count)
                order.limits.byteCount = limit
                let picture = PictureInMemory()
                do {
                    let copy = try MarkedCopy(ofPicture: page.jpeg, order, seed: seed, into: picture)
                    return (page: page, copy: copy, picture: picture)
                } catch let error as MarkError where error.isOfPage { throw MarkError.page(page.number, error) }
            }
            for (page, copy, picture) in marked {
                let added = Double(copy.picture.addedHeight) / Double(copy.picture.height)
                try writer.add(picture.bytes, width: page.width, height: page.height * (1 + added))
                copies.append((copy, page.isKept && copy.quality == nil))
            }
            waiting.removeAll()
        }
        self = copies[0].copy
        pages = copies.map { copy in
            Page(
                picture: copy.copy.picture, isKept: copy.isKept,
                isHiddenAsAsked: order.hiding.indices.allSatisfy {
                    !order.hiding[$0].isRead || copy.copy.found.contains($0)
                })
        }
        hidden = copies.flatMap(\.copy.hidden)
        found = copies.reduce(into: []) { $0.formUnion($1.copy.found) }
        try requireHidden(order)
        let qualities = copies.map { $0.copy.quality ?? ($0.isKept ? 100 : Int(DocumentDecoder.pageQuality)) }
        quality = pages.allSatisfy(\.isKept) ? nil : qualities.min()
    }

    /// Pages that are in memory and marked side by side.
    private static var pagesAtOnce: Int { 2 }
    /// Bytes of a page in a PDF besides its picture, and more.
    private static var pageOverhead: Int { 1024 }
}

/// Marked copies of several pictures and documents, in one PDF.
public final class MarkedDocument {
    private let writer: PDFWriter

    /// - Parameter sink: gets the PDF and nothing else.
    /// - Throws: what writing throws.
    public init(into sink: any PictureSink) throws { writer = try PDFWriter(into: sink) }

    /// Adds a copy: a page, or all of a document's. A picture stands on a page that fits on A4.
    ///
    /// - Throws: as `MarkedCopy.init(of:)`.
    public func add(
        _ original: any PictureSource, _ order: MarkedCopy.Order, seed: borrowing WatermarkSeed
    ) throws -> MarkedCopy {
        if let decoder = order.decoder, try MediaType(original) == .pdf {
            return try MarkedCopy(ofPages: original, decoder, order, seed: seed, behind: writer)
        }
        let picture = PictureInMemory()
        var order = order
        order.limits.pictureWidth = nil
        let copy = try MarkedCopy(of: original, order, seed: seed, into: picture)
        try writer.add(picture.bytes)
        return copy
    }

    /// Ends the PDF: its sink has all of it then.
    ///
    /// - Throws: what writing throws.
    public func finish() throws { try writer.finish() }
}
