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

    /// Says what of the picture changed besides strokes.
    fileprivate static func advise(_ copy: MarkedCopy, _ order: MarkedCopy.Order) {
        let unread = copy.pages.indices.filter { !copy.pages[$0].isHiddenAsAsked }.map { "\($0 + 1)" }
        if !unread.isEmpty {
            Messages.say("warning: not all that is to be hidden was read on pages \(unread.listed)")
        }
        for place in copy.unread.sorted() {
            Messages.say(
                "warning: '\(printable(order.hiding[place].text.utf8))' was not read in the picture: hidden is where such cards have it; look at the copy"
            )
        }
        if !copy.hidden.isEmpty {
            Messages.advise("hidden in the copy: \(copy.hidden.count)")
            if order.hiding.contains(where: \.isRead) {
                Messages.advise("look at the copy before it goes out: what was not read as text is still on it")
            }
        }
        if order.signing != nil, copy.picture.addedHeight == 0, copy.pages.isEmpty {
            Messages.say("warning: the picture is too narrow or too wide for a signed strip: the copy has none")
        }
        let unsigned = copy.pages.indices.filter { copy.pages[$0].picture.addedHeight == 0 }.map { "\($0 + 1)" }
        if order.signing != nil, !unsigned.isEmpty {
            Messages.say(
                "warning: pages too narrow or too wide for a signed strip, which have none: \(unsigned.listed)"
            )
        }
        let pictures = copy.pages.isEmpty ? [copy.picture] : copy.pages.map(\.picture)
        if pictures.contains(where: { $0.isReadWhenSmall == false }) {
            Messages.say(
                "warning: once a messenger has made the picture small, no whole sentence of the mark is read: a shorter --text or a larger --size helps"
            )
        }
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
    fileprivate static func check(_ path: BytePath, _ type: MediaType?) throws {
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
            "whole_rows": made.wholeRows,
            "size": picture.byteCount, "quality": copy.quality, "strip": made.addedHeight,
            "hidden": JSON.list(copy.hidden.map(\.json)),
        ]
    }
}

/// The marked copies of a verb, which are made and not out yet.
final class OutgoingCopies {
    private let target: CopyTarget
    private let arguments: Arguments
    /// The PDF that holds all of them, its bytes and its name; nil where each is a file of its own.
    private let document: (pages: MarkedDocument, sink: any PictureSink, path: BytePath?)?
    private var taken: Set<BytePath> = []
    private var last: OutgoingCopy?

    init(_ target: CopyTarget, _ arguments: Arguments) throws {
        (self.target, self.arguments) = (target, arguments)
        guard case .document(let path) = target else {
            document = nil
            return
        }
        let sink = try target.makeSink()
        document = (try MarkedDocument(into: sink), sink, path)
    }

    /// True if one PDF holds all of them: it is out when one of them is published.
    var isDocument: Bool { document != nil }

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
            let sink = try document?.sink ?? target.makeSink()
            let copy =
                if let document { try document.pages.add(original, order, seed: seed) } else {
                    try MarkedCopy(of: original, order, seed: seed, into: sink)
                }
            OutgoingCopy.advise(copy, order)
            let path = try document?.path ?? self.path(of: copy, sink, name, suffix)
            let outgoing = OutgoingCopy(copy: copy, picture: sink, path: path)
            if document == nil { try outgoing.finish(replacing: arguments.has(.force)) }
            if let path { taken.insert(path) }
            last = outgoing
            return outgoing
        } catch let error as MarkError { throw error.failure(shown, original) }
    }

    private func path(
        of copy: MarkedCopy, _ sink: any PictureSink, _ name: [UInt8], _ suffix: String?
    ) throws -> BytePath? {
        let type = try MediaType(sink)
        let path = try target.path(of: name, suffix, type, isRecoded: copy.quality != nil, taken: taken)
        if let path { try OutgoingCopy.check(path, type) }
        return path
    }

    /// Ends the PDF, if there is one, before it is noted and published.
    func finish() throws {
        guard let document else { return }
        try document.pages.finish()
        try last?.finish(replacing: arguments.has(.force))
    }
}

extension HiddenPart {
    /// Pixels of the original, from the upper left corner of its page.
    var json: JSON {
        ["page": page, "left": box.left, "top": box.top, "width": box.width, "height": box.height]
    }
}
