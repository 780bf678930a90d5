import Cards
import Synchronization
import VaultCrypto
public import VaultFormat
public import VaultStore
public import Watermark

/// The comparison of a leak with the copies that were given away (Spec/product/watermark.md, 8).
public struct ShareTrace: Sendable {
    /// A copy and its score.
    public struct Match: Sendable {
        /// The copy.
        public let share: Share
        /// Its score in standard deviations; nil where the leak is the very file.
        public let score: Double?

        /// The standing of the score.
        public var verdict: LeakTrace.Verdict { score.map { LeakTrace.Verdict($0) } ?? .found }
    }

    /// The result for one attachment.
    public enum Outcome: Sendable {
        /// Its copies that the leak may be, the likeliest first; with what the registration left, in pixels. Empty where it is
        /// none of them, or its copies bear no signal.
        case matches([Match], residual: Double)
        /// The original is not found in the leak.
        case notFound
        /// It is found, and does not lie well enough over the original to tell: the residual in pixels, and how well it fits, -1 to
        /// 1.
        case cannotTell(residual: Double, fit: Double)
        /// Copies of it were drawn with a font that draws otherwise here, and it is none of the rest.
        case otherFont
    }
}

/// A leaked file. What does not depend on an original is worked out once.
public final class LeakedFile {
    let source: any PictureSource
    /// SHA-256, hexadecimal.
    let digest: String
    /// True of a JPEG or PNG.
    private let isPicture: Bool
    private let leaks = Mutex<[LeakTrace.View: LeakTrace.Leak]>([:])

    /// - Throws: `MarkError`; what reading throws.
    public init(_ source: any PictureSource) throws {
        self.source = source
        digest = hexText(try source.sha256())
        isPicture = try !DocumentDecoder.decodes(MediaType(source))
    }

    /// The leak as it is looked at: a picture of the file, or the file itself.
    func leak(_ picture: any PictureSource, seen view: LeakTrace.View) throws -> LeakTrace.Leak {
        guard isPicture else { return try LeakTrace.Leak(picture).seen(view) }
        return try leaks.withLock { known in
            if let leak = known[view] { return leak }
            let leak = try known[.asItIs]?.seen(view) ?? LeakTrace.Leak(source).seen(view)
            known[view] = leak
            return leak
        }
    }
}

extension Vault {
    /// Finds copies that a leak may be.
    ///
    /// - Parameters:
    ///   - leak: a picture or PDF: the file itself, made smaller, cut, a photo of it. Of a PDF each page is compared with the
    ///     original's page of the same number, or with the picture that the original is.
    ///   - attachment: the original.
    ///   - corners: places in the leak of the original's four corners, as parts of its width and height, clockwise from the
    ///     upper left one; nil where they are to be found.
    ///   - view: how the leak is looked at.
    ///   - withPages: also pages on which it is not the first picture.
    ///   - decoder: what turns documents into pictures; nil where none is installed.
    ///   - unreadable: told which copies are left out, because their notes are malformed, or a picture of their page was purged.
    /// - Throws: as `content`; `MarkError`.
    public func trace(
        _ leak: LeakedFile, of attachment: Entry, corners: [(x: Double, y: Double)]? = nil,
        view: LeakTrace.View = .asItIs, withPages: Bool = true, decoder: DocumentDecoder? = .installed(),
        unreadable: (Share) -> Void = { _ in }
    ) throws -> ShareTrace.Outcome {
        let shares = try shares(of: attachment.id).filter { withPages || $0.attachment == attachment.id }
        if let same = shares.first(where: { $0.texts["sha256"] == leak.digest }) {
            return .matches([ShareTrace.Match(share: same, score: nil)], residual: 0)
        }
        let traced = shares.filter(\.hasSignal).compactMap {
            share in
            let traced = TracedShare(share)
            if traced == nil { unreadable(share) }
            return traced
        }
        var groups = Dictionary(grouping: traced) { $0.group }.values.sorted { $0.count > $1.count }
        guard !groups.isEmpty else { return .matches([], residual: 0) }
        var search = TraceSearch(corners: corners, decoder: decoder)
        var originals: [TracedShare.Original: [UInt8]] = [:]
        defer { for key in originals.keys { wipeBytes(&originals[key]!) } }
        for key in groups.map({ $0[0].original }) where originals[key] == nil {
            do { originals[key] = try original(attachment, key, decoder) } catch VaultError.noSuchRecord {
                // A picture of the page was purged.
                groups.filter { $0[0].original == key }.joined().forEach { unreadable($0.share) }
                groups.removeAll { $0[0].original == key }
            }
        }
        try search.forEachPicture(of: leak.source, dpi: DocumentDecoder.usualDPI) { search, page, picture in
            let leak = try leak.leak(picture, seen: view)
            for group in groups { try search.compare(leak, page: page, with: originals[group[0].original]!, group) }
        }
        search.malformed.forEach(unreadable)
        return search.outcome
    }

    /// The picture, PDF or page of which a copy was made.
    private func original(_ attachment: Entry, _ shared: TracedShare.Original, _ decoder: DocumentDecoder?) throws
        -> [UInt8]
    {
        if let sheet = shared.sheet { return try drawn(sheet, decoder: decoder) }
        return try content(
            of: version(shared.revision, of: attachment), limit: Self.maximumAttachmentByteCount)
    }
}

/// One leak compared with the copies of one attachment.
private struct TraceSearch {
    let corners: [(x: Double, y: Double)]?
    let decoder: DocumentDecoder?
    private var matches: [ShareTrace.Match] = []
    /// Of the registration that is most likely right.
    private var best: (residual: Double, fit: Double, isSure: Bool)?
    private var isOtherFont = false
    /// Copies whose notes hide all of the original.
    private(set) var malformed: [Share] = []

    /// Nothing has to be compared any more.
    private struct Found: Error {}

    init(corners: [(x: Double, y: Double)]?, decoder: DocumentDecoder?) {
        (self.corners, self.decoder) = (corners, decoder)
    }

    var outcome: ShareTrace.Outcome {
        guard !isOtherFont || !matches.isEmpty else { return .otherFont }
        guard let best else { return .notFound }
        guard best.isSure || !matches.isEmpty else { return .cannotTell(residual: best.residual, fit: best.fit) }
        return .matches(matches.sorted { ($0.score ?? 0) > ($1.score ?? 0) }, residual: best.residual)
    }

    /// Calls a function with a picture, or with each page of a PDF until a copy is found.
    mutating func forEachPicture(
        of file: any PictureSource, dpi: Int, _ body: (inout TraceSearch, Int?, any PictureSource) throws -> Void
    ) throws {
        let type = try MediaType(file)
        guard DocumentDecoder.decodes(type) else { return try body(&self, nil, file) }
        guard let decoder else { throw MarkError.noDecoder }
        guard type == .pdf else { return try body(&self, nil, try decoder.picture(file)) }
        do {
            try decoder.pages(of: file, dpi: dpi) { page, _ in
                try body(&self, page.number, page.jpeg)
                if matches.contains(where: { $0.verdict == .found }) { throw Found() }
            }
        } catch is Found {}
    }

    /// Compares a picture with the copies of a group, page by page where the original is a PDF.
    ///
    /// - Parameter page: of the leak; nil where it is a picture.
    mutating func compare(_ leak: LeakTrace.Leak, page: Int?, with original: [UInt8], _ group: [TracedShare]) throws {
        try forEachPicture(of: original, dpi: group[0].dpi) { search, number, picture in
            guard page == nil || number == nil || page == number else { return }
            try search.compare(leak, with: picture, page: number, group)
        }
    }

    private mutating func compare(
        _ leak: LeakTrace.Leak, with original: any PictureSource, page: Int?, _ group: [TracedShare]
    ) throws {
        guard let (copy, drawing) = try group[0].copy(ofPage: page) else { return }
        guard try hexText(copy.drawing()) == drawing else {
            isOtherFont = true
            return
        }
        do {
            let shown = try HiddenPicture.hidden(
                group[0].hidden.filter { $0.page == page ?? 1 }.map(\.box), of: original)
            let trace = try LeakTrace(leak, of: shown, as: copy, corners: corners)
            let isBetter = best.map { trace.isSure == $0.isSure ? trace.residual < $0.residual : trace.isSure } ?? true
            if isBetter { best = (trace.residual, trace.fit, trace.isSure) }
            guard trace.isSure else { return }
            for one in group { if let match = try Self.match(one, page, trace) { add(match) } }
        } catch TraceError.noMatch {
            return
        } catch MarkError.allHidden {
            malformed += group.map(\.share)
        }
    }

    /// Copies that differ in names only are told apart together; one that may be it is looked at once more with its own name.
    private static func match(_ one: TracedShare, _ page: Int?, _ trace: LeakTrace) throws -> ShareTrace.Match? {
        let isTracedAllOver = one.style.isTracedAllOver
        let key = try one.shareKey(ofPage: page)
        var score = try trace.score(shareKey: key, isTracedAllOver: isTracedAllOver)
        guard score >= 3, let copy = try one.copy(ofPage: page)?.copy else { return nil }
        let closer = try trace.compared(with: copy)
        score = max(score, try closer.score(shareKey: key, isTracedAllOver: isTracedAllOver))
        return LeakTrace.Verdict(score) == .none ? nil : ShareTrace.Match(share: one.share, score: score)
    }

    /// Keeps the best score of each copy.
    private mutating func add(_ match: ShareTrace.Match) {
        guard let place = matches.firstIndex(where: { $0.share.id == match.share.id }) else {
            matches.append(match)
            return
        }
        if (match.score ?? 0) > (matches[place].score ?? 0) { matches[place] = match }
    }
}

extension Share {
    /// True if its copy bears a signal, which layouts of rows do; or if a newer program drew it in a layout of its own.
    fileprivate var hasSignal: Bool {
        guard let layout = texts["layout"] else { return false }
        return MarkStyle.Layout(rawValue: layout)?.hasRows ?? true
    }
}

/// A share with what its trace needs.
private struct TracedShare {
    let share: Share
    let style: MarkStyle
    let original: Original
    /// Dots per inch of drawn pages.
    let dpi: Int
    /// The parts of the original that the copy does not show.
    let hidden: [HiddenPart]
    private let text: MarkText
    private let pages: [SharedPage]
    private let latticeKey, key: [UInt8]

    /// A revision of the attachment, or a page of several, of which a copy was made.
    struct Original: Hashable {
        let revision: UInt64
        let sheet: Sheet?
    }

    /// - Returns: nil where its notes are malformed.
    init?(_ share: Share) {
        var texts = share.texts
        guard let style = try? MarkStyle(taking: &texts), let drawn = texts["drawn"],
            let text = try? MarkText(slotted: drawn), let lattice = texts["lattice_key"].flatMap(hexadecimalBytes),
            let key = texts["share_key"].flatMap(hexadecimalBytes), lattice.count == 32, key.count == 32,
            let revision = texts["revision"].flatMap({ UInt64($0) }),
            let hidden = texts["hidden"].map({ HiddenPart.parts($0) }) ?? []
        else { return nil }
        let words = [texts["width"] ?? "", texts["height"] ?? "", style.size.map(MarkStyle.text) ?? ""]
        let whole = (words + [texts["drawing"] ?? "-"]).joined(separator: " ")
        let lines = texts["pages"].map { $0.split(separator: "\n") } ?? [whole[...]]
        pages = lines.compactMap { SharedPage($0) }
        dpi = texts["dpi"].flatMap { Int($0) } ?? DocumentDecoder.usualDPI
        guard pages.count == lines.count, DocumentDecoder.dpiRange.contains(dpi) else { return nil }
        (self.share, self.style, self.text, self.hidden) = (share, style, text, hidden)
        (latticeKey, self.key) = (lattice, key)
        let sheet = texts["sheet"].map { Sheet($0) }
        guard sheet == nil || sheet! != nil else { return nil }
        original = Original(revision: revision, sheet: sheet ?? nil)
    }

    /// Copies of one group differ in names and signals only.
    var group: [String] {
        let keys = [
            "drawing", "width", "height", "pages", "dpi", "lattice_key", "angle", "opacity", "ink", "trace", "focus",
            "hidden", "revision", "sheet",
        ]
        return keys.map { share.texts[$0] ?? "" }
    }

    /// The parameters of a page without its signal, and the digest of its drawing; nil for a page that bears none.
    ///
    /// - Parameter page: from 1; nil for a picture.
    func copy(ofPage page: Int?) throws -> (copy: LeakTrace.Copy, drawing: String)? {
        let place = (page ?? 1) - 1
        guard pages.indices.contains(place), let drawing = pages[place].drawing else { return nil }
        var style = style
        style.size = pages[place].size
        let key = try WatermarkSeed.key(latticeKey, ofPage: page)
        let copy = LeakTrace.Copy(text, style, width: pages[place].width, height: pages[place].height, latticeKey: key)
        return (copy, drawing)
    }

    func shareKey(ofPage page: Int?) throws -> [UInt8] { try WatermarkSeed.key(key, ofPage: page) }
}
