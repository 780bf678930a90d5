public import Cards
import VaultCrypto
public import VaultFormat
public import VaultStore
import Watermark

/// A file to attach; its bytes are wiped when nobody needs them any more.
public final class NewAttachment: Sendable {
    /// Its name; the last component of a path.
    public let name: [UInt8]
    /// Its bytes.
    public var content: [UInt8] { unsafe bytes }
    /// Its media type.
    public let type: MediaType
    /// When it was modified.
    public let modified: FileTime?

    // Changed once, at the end.
    nonisolated(unsafe) private var bytes: [UInt8]

    /// - Returns: nil where the content is none of the media types.
    public init?(name: [UInt8], content: [UInt8], modified: FileTime? = nil) {
        guard let type = MediaType(sniffing: content) else { return nil }
        unsafe (self.name, self.type, self.modified, bytes) = (name, type, modified, content)
    }

    /// A file of any type, as imports have them.
    public init(anyType content: [UInt8], name: [UInt8], modified: FileTime? = nil) {
        unsafe (self.name, self.modified, bytes) = (name, modified, content)
        type = MediaType(sniffing: content) ?? .other
    }

    deinit { unsafe wipeBytes(&bytes) }

    /// A JPEG; nil of what is no picture or document, or where the program that reads it is not installed.
    ///
    /// - Throws: `PictureError`, `MarkError`.
    func thumbnail() throws -> [UInt8]? {
        if type == .jpeg || type == .png { return try Picture.thumbnail(of: content) }
        guard DocumentDecoder.decodes(type), let decoder = DocumentDecoder.installed(seconds: 5) else { return nil }
        var look = try decoder.look(at: content)
        defer { wipeBytes(&look) }
        return try Picture.thumbnail(of: look)
    }
}

extension Vault {
    /// The thumbnail of an attachment, a JPEG, marked if the attachment has a mark; nil where it has none.
    ///
    /// - Throws: as `content`; `MarkError` where it cannot be marked.
    public func thumbnail(of attachment: Entry) throws -> [UInt8]? {
        let entry = try entries().first { $0.kind == .thumbnail && $0.parent == attachment.id }
        guard let entry else { return nil }
        let plain = try content(of: entry, limit: Self.attachmentByteCount)
        return try mark(of: attachment.id)?.drafted(on: plain, attachment.id, seed: .ofNobody()) ?? plain
    }
}

/// The result of attaching a file.
public struct Attached: Sendable {
    /// The attachment.
    public let id: RecordID
    /// True if it is a new version of one that had its name.
    public let isReplaced: Bool
    /// Why there is no thumbnail, in words; nil if there is one, or the media type has none.
    public let obstacle: Phrase?
}

extension VaultTransaction {
    /// Attaches a file to a record, with a thumbnail if it can be made: as a new version of what has its name there.
    ///
    /// - Parameters:
    ///   - entries: the live records of the vault.
    ///   - mark: what it is marked with from now on; nil for what it is marked with now.
    ///   - text: what it says, if that was read.
    ///   - attachment: what it is a new version of; nil for what has its name there.
    /// - Throws: all that storing throws.
    public func attach(
        _ file: NewAttachment, to owner: Entry, among entries: [Entry], mark: MarkProfile? = nil,
        text: AttachmentText? = nil, replacing attachment: Entry? = nil
    ) throws -> Attached {
        let old =
            attachment
            ?? entries.first { $0.isAttachment && $0.parent == owner.id && $0.overview.title == file.name }
        let id = try old?.id ?? makeID()
        var overview = old?.overview ?? Overview(title: file.name)
        overview.title = file.name
        overview.modified = file.modified
        overview.mediaType = file.type.rawValue
        try put(id, kind: .attachment, parent: owner.id, overview: overview, content: file.content)
        if let mark { try put(mark, as: Vault.markID(of: id), of: id, file.name) }
        let obstacle = try putThumbnail(of: file, id, among: entries)
        if let text {
            try put(text, of: id, file.name)
        } else if let old, let entry = try before.textEntry(of: old),
            try !before.hasText(of: old, readFrom: file.content)
        {
            // The text of what it was says nothing of what it is.
            try trash(entry)
        }
        return Attached(id: id, isReplaced: old != nil, obstacle: obstacle)
    }

    /// Gives an attachment the thumbnail of what it is now, or none if there can be none.
    ///
    /// - Returns: why there can be none.
    @discardableResult
    package func putThumbnail(of file: NewAttachment, _ id: RecordID, among entries: [Entry]) throws -> Phrase? {
        let old = entries.first { $0.kind == .thumbnail && $0.parent == id }
        let obstacle: Phrase?
        do {
            if var thumbnail = try file.thumbnail() {
                try put(
                    old?.id ?? makeID(), kind: .thumbnail, parent: id, overview: Overview(title: file.name),
                    content: thumbnail)
                wipeBytes(&thumbnail)
                return nil
            }
            obstacle = nil
        } catch let error as PictureError {
            obstacle = error.reason
        } catch let error as MarkError {
            obstacle = error.reason
        }
        if let old { try trash(old) }
        return obstacle
    }
}
