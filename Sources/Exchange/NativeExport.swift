import Cards
import VaultCrypto
public import VaultFormat
public import VaultStore

/// Records as lines of JSON that give all of them back (Spec/product/export.md).
public struct NativeExport {
    private let vault: Vault

    /// The first line.
    public static let head = #"{"format":"quickvault-export","version":1}"#

    /// The destination of the attachments' bytes.
    public enum Attachments {
        /// Into the line, as base64.
        case inLine
        /// Into files of a folder with the attachment's id as their name; this is the folder's name in the line.
        case files(String)
    }

    /// Exports a vault's records.
    public init(_ vault: Vault) { self.vault = vault }

    /// The records exported as lines: all but files, folders, symlinks, thumbnails and what merges brought in, by id.
    public static func selected(_ entries: [Entry]) -> [Entry] {
        entries.filter { !$0.kind.isInTree && $0.kind != .thumbnail && $0.kind != .mergedSaves }.sorted {
            $0.id < $1.id
        }
    }

    /// The line of a record, without a line feed.
    ///
    /// - Throws: all that reading throws.
    public func line(_ entry: Entry, _ attachments: Attachments) throws -> String {
        var members: [(String, JSON)] = [
            ("id", .text(hexText(entry.id.bytes))), ("kind", .text(Self.kindName(entry.kind))),
        ]
        if let parent = entry.parent { members.append(("owner", .text(hexText(parent.bytes)))) }
        members += Self.members(entry.overview)
        members.append(("created", .text(entry.created.text)))
        members.append(("updated", .text(entry.updated.text)))
        try members += content(entry, attachments)
        return JSON.object(members).line
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

    private static func members(_ overview: Overview) -> [(String, JSON)] {
        var members: [(String, JSON)] = []
        if let title = String(validating: overview.title, as: UTF8.self) {
            members.append(("title", .text(title)))
        } else {
            members.append(("title_hex", .text(hexText(overview.title))))
        }
        if let group = overview.group { members.append(("group", .text(group))) }
        if !overview.tags.isEmpty { members.append(("tags", .list(overview.tags.map { .text($0) }))) }
        if overview.isPinned { members.append(("pinned", .bool(true))) }
        if let modified = overview.modified { members.append(("modified", .text("\(modified.nanoseconds)"))) }
        if let type = overview.mediaType { members.append(("type", .text(type))) }
        if let more = overview.unknownBytes { members.append(("overview", base64(more))) }
        return members
    }

    private func content(_ entry: Entry, _ attachments: Attachments) throws -> [(String, JSON)] {
        if entry.isAttachment {
            var hash = try SHA256()
            if case .files(let folder) = attachments {
                try vault.read(entry) { try hash.update($0) }
                return [
                    ("size", .unsigned(entry.length)), ("sha256", .text(hexText(try hash.finish()))),
                    ("file", .text("\(folder)/\(hexText(entry.id.bytes))")),
                ]
            }
            let bytes = try vault.content(of: entry, limit: Vault.maximumAttachmentByteCount)
            try hash.update(bytes.span)
            return [
                ("size", .unsigned(entry.length)), ("sha256", .text(hexText(try hash.finish()))),
                ("content", Self.base64(bytes)),
            ]
        }
        let bytes = try vault.content(of: entry, limit: Vault.cardByteCount)
        if entry.isCard {
            let fields = try Card(entry, bytes).fields
            // A record with additions of a newer program is exported whole.
            if fields.isPartlyUnknown { return [("content", Self.base64(bytes))] }
            return Self.members(fields)
        }
        if [Entry.Kind.watermark, Entry.Kind.share].contains(entry.kind),
            let fields = try? RecordFields(parsing: bytes), !fields.isPartlyUnknown
        {
            return Self.members(fields)
        }
        if entry.kind == .setting, let setting = try? Setting(parsing: bytes), !setting.isPartlyUnknown {
            return [("type", .text(setting.type.rawValue)), ("value", Self.value(setting))]
        }
        return [("content", Self.base64(bytes))]
    }

    private static func value(_ setting: Setting) -> JSON {
        switch setting.value {
        case .text(let text), .secret(let text): .text(text)
        case .number(let number): .text(number.description)
        case .flag(let flag): .bool(flag)
        case .list(let items): .list(items.map { .text($0) })
        case .file(let bytes): base64(bytes)
        }
    }

    private static func members(_ fields: RecordFields) -> [(String, JSON)] {
        let texts = fields.texts.sorted { $0.key < $1.key }
        var members: [(String, JSON)] = [("fields", .object(texts.map { ($0.key, .text($0.value)) }))]
        guard !fields.own.isEmpty else { return members }
        let own = fields.own.map { field in
            JSON.object(
                [("label", .text(field.label)), ("value", .text(field.value))]
                    + (field.isSensitive ? [("sensitive", .bool(true))] : []))
        }
        members.append(("own", .list(own)))
        return members
    }

    private static func base64(_ bytes: [UInt8]) -> JSON {
        .text(Base64.text(bytes))
    }
}
