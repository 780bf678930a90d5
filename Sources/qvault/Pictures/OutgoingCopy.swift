import VaultFormat
import Pictures
import VaultStore
import Watermark

/// A marked copy that is made and not out yet.
struct OutgoingCopy {
    let copy: MarkedCopy
    /// Its bytes, or those of the PDF that it is a part of.
    let picture: any PictureSink
    /// The name that it gets; nil where it goes to no file.
    let path: BytePath?

    /// Makes it.
    ///
    /// - Parameters:
    ///   - name: the original's.
    ///   - suffix: what its name gets behind it.
    ///   - taken: names of other copies.
    fileprivate init(
        of original: any PictureSource, _ order: MarkedCopy.Order, seed: borrowing WatermarkSeed, named name: [UInt8],
        suffix: String?, for target: CopyTarget, besides taken: Set<BytePath>, _ arguments: Arguments
    ) throws {
        picture = try target.makeSink()
        copy = try MarkedCopy(of: original, order, seed: seed, into: picture)
        Self.advise(copy, order)
        let type = try MediaType(picture)
        path = try target.path(of: name, suffix, type, isRecoded: copy.quality != nil, taken: taken)
        if let path { try Self.check(path, type) }
        try finish(replacing: arguments.has(.force))
    }

    /// A part of a PDF.
    fileprivate init(_ copy: MarkedCopy, in document: OutgoingDocument) {
        (self.copy, picture, path) = (copy, document.sink, document.path)
    }

    /// Says what of the picture changed besides strokes.
    fileprivate static func advise(_ copy: MarkedCopy, _ order: MarkedCopy.Order) {
        let drawn = copy.pages.count { !$0.isKept }
        if drawn > 0 {
            Messages.advise(
                "pages drawn anew at \(order.dpi) dots per inch: \(drawn) of \(copy.pages.count); no text is in the copy"
            )
        } else if copy.pages.isEmpty, let quality = copy.quality {
            let (width, height) = (copy.picture.width, copy.picture.height)
            Messages.advise(
                "coded anew at quality \(quality), \(width) × \(height): what no stroke touches has changed a little too"
            )
        }
    }

    /// Writes the file under a name of its own.
    fileprivate func finish(replacing: Bool) throws {
        guard let path, let file = picture as? PendingFile else { return }
        do { try file.finish(as: path, replacing: replacing) } catch VaultError.exists(let path) {
            throw Failure.overwriting(path)
        }
    }

    /// Makes sure that a name does not say another kind of picture.
    private static func check(_ path: BytePath, _ type: MediaType?) throws {
        let name = String(decoding: path.lastComponent, as: UTF8.self).lowercased()
        let endings: [(String, MediaType?)] = [
            (".jpg", .jpeg), (".jpeg", .jpeg), (".png", .png), (".pdf", .pdf), (".heic", .heic), (".webp", nil),
            (".tif", nil), (".tiff", nil), (".gif", nil),
        ]
        guard let said = endings.first(where: { name.hasSuffix($0.0) }), said.1 != type else { return }
        let kind = type == .png ? "PNG" : type == .pdf ? "PDF" : "JPEG"
        throw Failure(
            .invalid, "\(path): the copy is a \(kind)", hint: "a name that ends with \(CopyTarget.ending(type))")
    }

    /// Gives it its name, if it has one.
    ///
    /// - Throws: `VaultError.exists` if somebody took it meanwhile; `IOError`.
    func publish() throws { if let path, let file = picture as? PendingFile { try file.publish(as: path) } }

    /// Its bytes, where it goes to no file.
    var bytes: [UInt8] { (picture as? PictureInMemory)?.bytes ?? [] }

    /// Members for `--json`.
    var members: JSON {
        let made = copy.picture
        return [
            "width": made.width, "height": made.height, "pages": copy.pages.isEmpty ? nil : copy.pages.count,
            "layout": made.layout.rawValue, "untouched": made.untouched, "faint": made.faintShare,
            "size": picture.byteCount, "quality": copy.quality,
        ]
    }
}

/// The marked copies of a verb, which are made and not out yet.
final class OutgoingCopies {
    private let target: CopyTarget
    private let arguments: Arguments
    /// The PDF that holds all of them; nil where each is a file of its own.
    let document: OutgoingDocument?
    private var taken: Set<BytePath> = []

    init(_ target: CopyTarget, _ arguments: Arguments) throws {
        (self.target, self.arguments, document) = (target, arguments, try OutgoingDocument(target))
    }

    /// Makes the copy of a picture.
    ///
    /// - Parameters:
    ///   - name: the original's.
    ///   - shown: its name in messages.
    ///   - suffix: what the copy's name gets behind it.
    func add(
        _ original: any PictureSource, _ order: MarkedCopy.Order, seed: borrowing WatermarkSeed, named name: [UInt8],
        shown: String, suffix: String? = nil
    ) throws -> OutgoingCopy {
        do {
            if let document { return try document.add(original, order, seed: seed) }
            let copy = try OutgoingCopy(
                of: original, order, seed: seed, named: name, suffix: suffix, for: target, besides: taken, arguments)
            if let path = copy.path { taken.insert(path) }
            return copy
        } catch let error as MarkError { throw error.failure(shown, original) }
    }
}

/// One PDF of several marked copies, which is made and not out yet.
final class OutgoingDocument {
    fileprivate let sink: any PictureSink
    /// The name that it gets.
    let path: BytePath
    private let document: MarkedDocument
    private var last: OutgoingCopy?

    /// - Returns: nil where the target is no document.
    init?(_ target: CopyTarget) throws {
        guard case .document(let path) = target else { return nil }
        (sink, self.path) = (try target.makeSink(), path)
        document = try MarkedDocument(into: sink)
    }

    /// Adds a copy.
    func add(
        _ original: any PictureSource, _ order: MarkedCopy.Order, seed: borrowing WatermarkSeed
    ) throws -> OutgoingCopy {
        let copy = try document.add(original, order, seed: seed)
        OutgoingCopy.advise(copy, order)
        let outgoing = OutgoingCopy(copy, in: self)
        last = outgoing
        return outgoing
    }

    /// Ends the PDF, before it is noted and published.
    func finish(replacing: Bool) throws {
        try document.finish()
        try last?.finish(replacing: replacing)
    }

    /// Gives it its name.
    func publish() throws { try last?.publish() }
}
