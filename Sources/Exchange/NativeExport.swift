import Cards
import Values
import VaultCrypto
public import VaultFormat
public import VaultStore

/// Records as lines of JSON that give all of them back (Spec/product/export.md).
public struct NativeExport {
    private let vault: Vault

    /// The first line.
    public static let head = #"{"format":"quickvault-export","version":1}"#

    /// The names of the lines, and of the page for people, in the folder of an export.
    public static let (linesName, pageName) = (Array("records.jsonl".utf8), Array("index.html".utf8))
    /// The name of the folder with attachments there.
    public static let attachmentsName = Array("attachments".utf8)

    /// The destination of the attachments' bytes.
    public enum Attachments {
        /// Into the line, as base64.
        case inLine
        /// Into files; their paths beneath the folder of the export.
        case files((Entry) -> String)
    }

    /// Exports a vault's records.
    public init(_ vault: Vault) { self.vault = vault }

    /// The records exported as lines: all but files, folders, symlinks, what is made of attachments, and what merges brought in, by id.
    public static func selected(_ entries: [Entry]) -> [Entry] {
        let made: Set<Entry.Kind> = [.thumbnail, .attachmentText]
        return entries.filter { !$0.kind.isInTree && !made.contains($0.kind) && !$0.kind.isOfStore }.sorted {
            $0.id < $1.id
        }
    }

    /// The paths of attachments beneath the folder of an export: the first digits of their ids, and their titles where these are
    /// names of files that people can read; else whole ids. A title may be any bytes where another program stored it.
    public static func paths(of attachments: [Entry]) -> [RecordID: String] {
        let names = attachments.map { entry -> (id: RecordID, name: String) in
            let id = hexText(entry.id.bytes)
            let title = String(validating: entry.overview.title, as: UTF8.self)
            guard let title, title.utf8.count <= nameByteCount, TreeName.isValid(entry.overview.title),
                printable(title.utf8) == title
            else { return (entry.id, id) }
            return (entry.id, "\(id.prefix(8))-\(title)")
        }
        let counts = Dictionary(names.map { ($0.name, 1) }, uniquingKeysWith: +)
        let folder = String(decoding: attachmentsName, as: UTF8.self)
        return Dictionary(
            names.map { ($0.id, "\(folder)/" + (counts[$0.name] == 1 ? $0.name : hexText($0.id.bytes))) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Bytes of a title at most, so that its file's name has fewer than 255.
    private static let nameByteCount = 200

    /// The line of a record, without a line feed.
    ///
    /// - Throws: all that reading throws.
    public func line(_ entry: Entry, _ attachments: Attachments) throws -> String {
        let head: JSON = ["id": entry.id, "kind": Self.kindName(entry.kind), "owner": entry.parent]
        return try JSON(
            joining: head.withoutNulls, Self.members(entry.overview),
            ["created": entry.created, "updated": entry.updated], content(entry, attachments)
        ).line
    }

    /// The name of a kind in an export.
    static func kindName(_ kind: Entry.Kind) -> String {
        switch kind {
        case .attachment: "attachment"
        case .setting: "setting"
        case .watermark: "watermark"
        case .share: "share"
        case .watermarkSeed: "watermark-seed"
        default: Schema.of(kind)?.name ?? "kind-\(kind.rawValue)"
        }
    }

    private static func members(_ overview: Overview) -> JSON {
        let title = String(validating: overview.title, as: UTF8.self)
        let members: JSON = [
            "title": title, "title_hex": title == nil ? hexText(overview.title) : nil, "group": overview.group,
            "tags": overview.tags.isEmpty ? nil : overview.tags, "pinned": overview.isPinned ? true : nil,
            "modified": overview.modified.map { "\($0.nanoseconds)" }, "type": overview.mediaType,
            "overview": overview.unknownBytes.map { Base64.text($0) },
        ]
        return members.withoutNulls
    }

    private func content(_ entry: Entry, _ attachments: Attachments) throws -> JSON {
        if entry.isAttachment {
            var hash = try SHA256()
            if case .files(let path) = attachments {
                try vault.read(entry) { try hash.update($0) }
                return ["size": entry.length, "sha256": hexText(try hash.finish()), "file": path(entry)]
            }
            let bytes = try vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
            try hash.update(bytes.span)
            return ["size": entry.length, "sha256": hexText(try hash.finish()), "content": Base64.text(bytes)]
        }
        let bytes = try vault.content(of: entry, limit: Vault.cardByteCount)
        // A record with additions of a newer program is exported whole.
        func whole() -> JSON { ["content": Base64.text(bytes)] }
        if entry.isCard {
            let fields = try Card(entry, bytes).fields
            return fields.isPartlyUnknown ? whole() : Self.members(fields)
        }
        if [Entry.Kind.watermark, Entry.Kind.share].contains(entry.kind),
            let fields = try? RecordFields(parsing: bytes), !fields.isPartlyUnknown
        {
            return Self.members(fields)
        }
        if entry.kind == .setting, let setting = try? Setting(parsing: bytes), !setting.isPartlyUnknown {
            return ["type": setting.type.rawValue, "value": setting.json]
        }
        return whole()
    }

    private static func members(_ fields: RecordFields) -> JSON {
        let texts = fields.texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        let own = fields.own.map { field in
            JSON(joining: ["label": field.label, "value": field.value], field.isSensitive ? ["sensitive": true] : [:])
        }
        return JSON(joining: ["fields": JSON.object(texts)], own.isEmpty ? [:] : ["own": own])
    }
}
