import Cards
import VaultCrypto
public import VaultFormat
public import VaultStore
public import Watermark

/// A copy that was given away: to whom, what for, and what its trace takes (Spec/product/watermark.md, 7).
public struct Share: Sendable {
    /// Names the copy.
    public let id: RecordID
    /// The attachment that was copied.
    public let attachment: RecordID?
    /// The attachment's name then.
    public let name: [UInt8]
    /// The title of the card that it is attached to; nil where either is gone.
    public let card: String?
    /// When it was made.
    public let time: Timestamp
    /// The notes, by key.
    public let texts: [String: String]
    /// True if the original, or the card that it belongs to, is in the trash or was purged.
    public let isCardRemoved: Bool

    /// True if it shows an attachment: alone, or on a page with others.
    public func shows(_ attachment: RecordID) -> Bool {
        self.attachment == attachment
            || texts["sheet"].flatMap(Sheet.init)?.parts.contains { $0.attachment == attachment } ?? false
    }

    /// The parts of the original that it does not show; none where its note is malformed.
    public var hidden: [HiddenPart] { texts["hidden"].flatMap(HiddenPart.parts) ?? [] }

    /// Makes the note of a copy.
    ///
    /// - Parameters:
    ///   - profile: what the mark said.
    ///   - order: as the copy was made.
    ///   - revision: the attachment's.
    static func texts(
        _ copy: MarkedCopy, in file: any PictureSource, _ profile: MarkProfile, _ order: MarkedCopy.Order,
        until: String?, note: String?, revision: UInt64, sheet: Sheet?, seed: borrowing WatermarkSeed
    ) throws -> [String: String] {
        var style = order.style
        (style.size, style.isLight, style.layout) = (copy.picture.size, copy.picture.isLight, copy.picture.layout)
        var texts = style.texts
        texts["text"] = order.text.lines.joined(separator: "\n")
        (texts["recipient"], texts["purpose"]) = (profile.recipient, profile.purpose)
        (texts["width"], texts["height"]) = ("\(copy.picture.width)", "\(copy.picture.height)")
        (texts["bytes"], texts["sha256"]) = ("\(file.byteCount)", hexText(try file.sha256()))
        (texts["until"], texts["note"]) = (until, note)
        texts["quality"] = copy.quality.map { "\($0)" }
        texts["revision"] = "\(revision)"
        texts["sheet"] = sheet?.text
        texts["lattice_key"] = hexText(try seed.latticeKey(order.original))
        texts["drawn"] = order.text.slotted
        texts["drawing"] = copy.picture.drawing.map(hexText)
        if !copy.pages.isEmpty {
            texts["pages"] = copy.pages.map { SharedPage($0.picture).line }.joined(separator: "\n")
            texts["dpi"] = "\(order.dpi)"
        }
        if !copy.hidden.isEmpty { texts["hidden"] = HiddenPart.text(copy.hidden) }
        texts["share_key"] = hexText(try seed.shareKey(order.share))
        return texts
    }
}

/// A page of a copy, as a share notes it (Spec/product/watermark.md, 7).
struct SharedPage {
    let width, height: Int
    /// Pixels of an em.
    let size: Double
    /// The digest of its drawing with empty slots; nil of a layout that has none.
    let drawing: String?

    init(_ picture: Watermark.Marked) {
        (width, height, size) = (picture.width, picture.height, picture.size)
        drawing = picture.drawing.map(hexText)
    }

    /// - Returns: nil where it is no line of a page.
    init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, let width = Int(words[0]), let height = Int(words[1]), let size = Double(words[2]),
            1...30_000 ~= width, 1...30_000 ~= height, width * height <= 120_000_000, MarkStyle.sizes.contains(size)
        else { return nil }
        (self.width, self.height, self.size) = (width, height, size)
        drawing = words[3] == "-" ? nil : String(words[3])
    }

    var line: String { "\(width) \(height) \(MarkStyle.text(size)) \(drawing ?? "-")" }
}

extension Vault {
    package static func markID(of attachment: RecordID) throws -> RecordID {
        try RecordID(of: "watermark", named: attachment.bytes)
    }

    /// The id of the seed that says where marks stand.
    package static func seedRecordID() throws -> RecordID { try RecordID(of: "watermark-seed", named: "".utf8) }

    /// The mark of an attachment; nil where it has none.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func mark(of attachment: RecordID) throws -> MarkProfile? {
        guard let entry = try entry(Self.markID(of: attachment)), entry.kind == .watermark else { return nil }
        let content = try content(of: entry, limit: Self.markByteCount)
        do { return try MarkProfile(parsing: content) } catch let error as FormatError { throw error.at(entry.place) }
    }

    /// The seed that says where marks stand; nil where none was made yet.
    ///
    /// - Throws: as `content`; `FormatError.malformed`.
    public func watermarkSeed() throws -> WatermarkSeed? {
        guard let entry = try entry(Self.seedRecordID()) else { return nil }
        guard entry.kind == .watermarkSeed, entry.length == UInt64(WatermarkSeed.byteCount) else {
            throw FormatError(.malformed, "a watermark seed of another kind or length", at: entry.place)
        }
        var content = try content(of: entry, limit: WatermarkSeed.byteCount)
        defer { wipeBytes(&content) }
        return WatermarkSeed(try Secret(copying: content.span))
    }

    /// The attachment as people see it: marked, if it has a mark. Variables without a value are `…`.
    ///
    /// - Parameter present: where this vault is shown as it was once, the same as it is: its mark counts first.
    /// - Throws: as `content`; `MarkError`.
    public func shownContent(of attachment: Entry, present: Vault? = nil) throws -> [UInt8] {
        var original = try content(of: attachment, limit: Self.maximumAttachmentByteCount)
        let now = present ?? self
        guard let profile = try now.mark(of: attachment.id) ?? mark(of: attachment.id) else { return original }
        defer { wipeBytes(&original) }
        return try profile.drafted(on: original, attachment.id, seed: now.watermarkSeed() ?? .ofNobody())
    }

    /// Copies that were given away, the latest first; of all, or those that show an attachment, alone or with others. Those of cards in the trash and of purged
    /// ones are among them: a share is evidence, and stays until it is purged itself.
    ///
    /// - Parameter damaged: told which cannot be read; the rest is listed if it returns.
    /// - Throws: as `content`, unless `damaged` says otherwise; `FormatError.malformed`.
    public func shares(
        of attachment: RecordID? = nil, damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [Share] {
        let entries = try shareEntries()
        // A copy that cannot be read may be of any other attachment.
        let isAsked = { (entry: Entry) in attachment == nil || entry.parent == attachment }
        let damaged = { (entry: Entry, error: FormatError) in if isAsked(entry) { try damaged(entry, error) } }
        let titles = try cardTitles(of: entries)
        let gone = try Set(entries.compactMap(\.parent)).filter { try !isLiveWithOwner($0) }
        return try map(entries, limit: Self.markByteCount, damaged: damaged) { entry, content, shares in
            shares.append(
                Share(
                    id: entry.id, attachment: entry.parent, name: entry.overview.title,
                    card: entry.parent.flatMap { titles[$0] }, time: entry.created,
                    texts: try RecordFields(parsing: Array(copying: content)).texts,
                    isCardRemoved: entry.parent.map(gone.contains) ?? true))
        }.filter { share in attachment.map(share.shows) ?? true }.sorted {
            ($1.time, $0.texts["recipient"] ?? "", $0.id) < ($0.time, $1.texts["recipient"] ?? "", $1.id)
        }
    }

    /// The records of copies that were given away, those in the trash too, in no order.
    ///
    /// - Throws: as `entries`.
    func shareEntries() throws -> [Entry] { try presentEntries { $0.isShare } }

    private func isLiveWithOwner(_ attachment: RecordID) throws -> Bool {
        guard let entry = try entry(attachment) else { return false }
        return try entry.kind.isInTree || entry.parent.map { try self.entry($0) != nil } ?? true
    }

    /// The originals of copies that were given away, those in the trash too, in no order.
    ///
    /// - Throws: as `entries`.
    public func sharedOriginals() throws -> [Entry] {
        let ids = Set(try shareEntries().compactMap(\.parent))
        return try ids.isEmpty ? [] : presentEntries { ids.contains($0.id) && !$0.isTombstone }
    }

    /// The attachments that tracing copies takes: their originals, and all pictures of pages.
    ///
    /// - Throws: as `shares`.
    public func tracedAttachments() throws -> Set<RecordID> {
        try Set(shareEntries().compactMap(\.parent)).union(sharedRevisions().keys)
    }

    /// Tells which versions are the originals that copies were made of: tracing a copy takes them.
    ///
    /// - Throws: as `shares`.
    public func sharedVersions() throws -> (Entry) -> Bool {
        let revisions = try sharedRevisions()
        return { entry in
            !entry.isShare && !entry.isTombstone && revisions[entry.id]?.contains(entry.revision) ?? false
        }
    }

    /// The revisions of attachments that copies show, alone or on a page.
    private func sharedRevisions() throws -> [RecordID: Set<UInt64>] {
        var revisions: [RecordID: Set<UInt64>] = [:]
        for share in try shares(damaged: { _, _ in }) {
            if let id = share.attachment, let revision = share.texts["revision"].flatMap({ UInt64($0) }) {
                revisions[id, default: []].insert(revision)
            }
            for part in share.texts["sheet"].flatMap(Sheet.init)?.parts ?? [] {
                revisions[part.attachment, default: []].insert(part.revision)
            }
        }
        return revisions
    }
}

extension WatermarkSeed {
    /// No secret, for what nobody else gets to see: a look at a mark before there is a seed, and thumbnails, which are too
    /// small to take anything out of them.
    public static func ofNobody() throws -> WatermarkSeed { WatermarkSeed(try Secret(byteCount: byteCount)) }
}

extension MarkProfile {
    /// Makes sure that a picture can be marked so.
    ///
    /// - Throws: `MarkError`.
    public func attempt(on picture: [UInt8]) throws {
        let nobody = RecordID([UInt8](repeating: 0, count: 16))
        _ = try drafted(on: picture, nobody, seed: .ofNobody())
    }

    /// A picture with this mark, for looking at; no copy that is given away.
    ///
    /// - Throws: `MarkError`.
    public func drafted(on picture: [UInt8], _ attachment: RecordID, seed: borrowing WatermarkSeed) throws -> [UInt8] {
        // Its own id is that of no share.
        var order = MarkedCopy.Order(
            try markText(day: nil), style, original: attachment.bytes, share: try Vault.markID(of: attachment).bytes)
        order.allowsFaint = true
        order.decoder = DocumentDecoder.installed()
        let copy = PictureInMemory()
        _ = try MarkedCopy(of: picture, order, seed: seed, into: copy)
        return copy.bytes
    }
}

extension VaultTransaction {
    /// Makes the seed that says where marks stand, if there is none.
    func requireSeed() throws { if try entry(Vault.seedRecordID()) == nil { _ = try watermarkSeed() } }

    /// The seed that says where marks stand; where there is none, one is made and stored. Asked for once a save.
    ///
    /// - Throws: all that reading and storing throws.
    public func watermarkSeed() throws -> WatermarkSeed {
        if let seed = try before.watermarkSeed() { return seed }
        let id = try Vault.seedRecordID()
        let isAsked = try entry(id) != nil
        precondition(!isAsked, "one seed a save")
        let secret = try makeSecret(byteCount: WatermarkSeed.byteCount)
        var content = secret.withSpan { Array(copying: $0) }
        defer { wipeBytes(&content) }
        try put(
            id, kind: .watermarkSeed, parent: nil, overview: Overview(title: Array("watermark-seed".utf8)),
            content: content)
        return WatermarkSeed(secret)
    }

    /// Gives an attachment a mark, or takes it away. The attachment itself stays as it is.
    ///
    /// - Throws: all that storing throws.
    public func setMark(_ profile: MarkProfile?, on attachment: Entry) throws {
        let id = try Vault.markID(of: attachment.id)
        if let profile {
            try put(profile, as: id, of: attachment.id, attachment.overview.title)
        } else if let old = try entry(id) {
            try trash(old)
        }
    }

    func put(_ profile: MarkProfile, as id: RecordID, of attachment: RecordID, _ name: [UInt8]) throws {
        try requireSeed()
        try put(id, kind: .watermark, parent: attachment, overview: Overview(title: name), content: profile.bytes)
    }

    /// Notes a copy that is given away.
    ///
    /// - Parameters:
    ///   - file: the copy.
    ///   - id: what it was made with.
    ///   - until: the last day for which it was given away, `YYYY-MM-DD`.
    ///   - note: what the person noted.
    ///   - page: the page of which it is a copy, and the names of what stands on it; nil for the attachment alone.
    /// - Throws: all that storing throws.
    public func put(
        _ copy: MarkedCopy, in file: any PictureSource, as id: RecordID, of attachment: Entry, _ profile: MarkProfile,
        _ order: MarkedCopy.Order, until: String? = nil, note: String? = nil,
        page: (sheet: Sheet, names: [UInt8])? = nil,
        seed: borrowing WatermarkSeed
    ) throws {
        precondition(order.share == id.bytes, "the copy was made with its id")
        var fields = RecordFields()
        fields.texts = try Share.texts(
            copy, in: file, profile, order, until: until, note: note, revision: attachment.revision, sheet: page?.sheet,
            seed: seed)
        try put(
            id, kind: .share, parent: attachment.id,
            overview: Overview(title: page?.names ?? attachment.overview.title), content: fields.bytes)
    }

    /// Notes that a copy was asked back.
    ///
    /// - Parameter day: `YYYY-MM-DD`.
    /// - Throws: `VaultError.noSuchRecord`; all that storing throws.
    public func revoke(_ share: Share, on day: String) throws {
        guard let entry = try before.presentEntry(share.id), entry.isShare else {
            throw VaultError.noSuchRecord(BytePath(share.name))
        }
        var fields = try RecordFields(parsing: before.content(of: entry, limit: Vault.markByteCount))
        fields.texts[Entry.revokedKey] = day
        try put(share.id, kind: .share, parent: entry.parent, overview: entry.overview, content: fields.bytes)
        // Records that lay in the trash with their card stay there.
        if entry.state != .live, let changed = try self.entry(share.id) { try trash(changed) }
    }
}
