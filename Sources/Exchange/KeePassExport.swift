import Cards
import VaultCrypto
public import VaultFormat
public import VaultStore

/// Cards as the XML that KeePass 2 and KeePassXC import: an entry for each, its group as a path of groups, attachments
/// as binaries (Spec/product/export.md, 6).
public struct KeePassExport {
    /// The string of an entry that names its kind, unless it is a login.
    static let kindKey = "QuickVault kind"
    /// The string of an entry that lists show first.
    static let pinKey = "QuickVault pinned"

    /// The string of an entry that lists its tags as JSON, where a tag holds what KeePass takes for two tags.
    static let tagsKey = "QuickVault tags"
    /// The string of an entry that names its group, where a path of groups cannot.
    static let groupKey = "QuickVault group"
    /// Stands before the label of a field of one's own that KeePass would take for another.
    static let ownMark = "QuickVault own "
    /// Stands before the key of a value in base64: XML has no place for its characters.
    static let bytesMark = "QuickVault base64 "
    /// Keys that only this program understands.
    static let keysOfOurs: Set<String> = [kindKey, pinKey, tagsKey, groupKey]

    /// The texts of a JSON list; nil of anything else.
    static func list(_ json: String) -> [String]? {
        guard let items = (try? JSON(parsing: Array(json.utf8)))?.items else { return nil }
        let texts = items.compactMap(\.text)
        return texts.count == items.count ? texts : nil
    }

    /// The text that is given in base64; the base64 itself where it is none.
    static func decoded(_ base64: String) -> String {
        Base64.decoded(Array(base64.utf8).span).flatMap { String(validating: $0, as: UTF8.self) } ?? base64
    }

    private static let keys = [
        "username": "UserName", "password": "Password", "url": "URL", "notes": "Notes", "totp": "otp",
    ]

    private let vault: Vault
    private let attachments: [RecordID?: [Entry]]
    private let numbers: [RecordID: Int]
    private let files: [Entry]

    /// - Parameter records: cards, and the attachments that go with them.
    public init(_ vault: Vault, _ records: [Entry]) {
        self.vault = vault
        files = records.filter(\.isAttachment)
        attachments = Dictionary(grouping: files, by: \.parent)
        numbers = Dictionary(uniqueKeysWithValues: files.enumerated().map { ($1.id, $0) })
    }

    /// Hands out the document in pieces.
    ///
    /// - Throws: as `card` and `content`; what `put` throws.
    public func write(_ cards: [Entry], to put: (String) throws -> Void) throws {
        try put("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<KeePassFile>\n<Meta>\n")
        try put("<Generator>QuickVault</Generator>\n<Binaries>\n")
        for (number, file) in files.enumerated() {
            let bytes = try vault.content(of: file, limit: Vault.maximumAttachmentByteCount)
            try put("<Binary ID=\"\(number)\" Compressed=\"False\">\(Base64.text(bytes))</Binary>\n")
        }
        try put("</Binaries>\n</Meta>\n<Root>\n")
        var root = Group("QuickVault", at: "")
        for entry in cards { root.add(entry, (entry.overview.group ?? "").split(separator: "/")[...]) }
        try write(root, put)
        try put("</Root>\n</KeePassFile>\n")
    }

    /// A group of entries.
    private struct Group {
        let name: String
        /// Its names from the root, from which its UUID is made.
        let path: String
        var cards: [Entry] = []
        var groups: [Group] = []

        init(_ name: String, at path: String) { (self.name, self.path) = (name, path) }

        mutating func add(_ card: Entry, _ names: ArraySlice<Substring>) {
            guard let first = names.first else { return cards.append(card) }
            if groups.last?.name != String(first) || groups.isEmpty {
                let index = groups.firstIndex { $0.name == String(first) }
                if let index { return groups[index].add(card, names.dropFirst()) }
                groups.append(Group(String(first), at: "\(path)/\(first)"))
            }
            groups[groups.count - 1].add(card, names.dropFirst())
        }
    }

    private func write(_ group: Group, _ put: (String) throws -> Void) throws {
        let id = try SHA256.hash(Array("quickvault/1/keepass-group\0\(group.path)".utf8).span).prefix(16)
        try put("<Group>\n<UUID>\(Base64.text(Array(id)))</UUID>\n<Name>\(escaped(group.name))</Name>\n")
        for entry in group.cards { try put(text(of: entry)) }
        for child in group.groups { try write(child, put) }
        try put("</Group>\n")
    }

    private func text(of entry: Entry) throws -> String {
        let card = try vault.card(entry)
        var text = "<Entry>\n<UUID>\(Base64.text(entry.id.bytes))</UUID>\n<IconID>0</IconID>\n"
        let tags = entry.overview.tags.joined(separator: ";")
        text += "<Tags>\(escaped(tags))</Tags>\n"
        let expiry = expiry(of: card)
        text += """
            <Times><CreationTime>\(seconds(entry.created))</CreationTime>\
            <LastModificationTime>\(seconds(entry.updated))</LastModificationTime>\
            <LastAccessTime>\(seconds(entry.updated))</LastAccessTime><ExpiryTime>\(seconds(expiry ?? entry.updated))</ExpiryTime>\
            <Expires>\(expiry == nil ? "False" : "True")</Expires><UsageCount>0</UsageCount>\
            <LocationChanged>\(seconds(entry.updated))</LocationChanged></Times>\n
            """
        text += string("Title", card.title, isProtected: false)
        if card.schema.name != "login" { text += string(Self.kindKey, card.schema.name, isProtected: false) }
        if entry.overview.isPinned { text += string(Self.pinKey, "yes", isProtected: false) }
        text += labels(of: entry)
        let history = card.fields.own.first { $0.label == "history" && $0.isSensitive }.flatMap {
            versions(entry, $0.value)
        }
        for line in card.lines
        where !(line.key == "expires" && expiry != nil) && !(line.key == "history" && history != nil) {
            text += string(key(of: line), line.value, isProtected: line.isSensitive)
        }
        for file in attachments[entry.id] ?? [] {
            let name = escaped(file.title)
            text += "<Binary><Key>\(name)</Key><Value Ref=\"\(numbers[file.id] ?? 0)\"/></Binary>\n"
        }
        return text + (history ?? "") + "</Entry>\n"
    }

    /// The expiry that KeePass can hold: in whole seconds.
    private func expiry(of card: Card) -> Timestamp? {
        guard let field = card.fields.own.first(where: { $0.label == "expires" }), !field.isSensitive,
            let time = Timestamp(field.value), seconds(time) == field.value
        else { return nil }
        return time
    }

    /// Tags and group, where KeePass would take them for others.
    private func labels(of entry: Entry) -> String {
        var text = ""
        if entry.overview.tags.contains(where: { $0.contains(/[;,]/) || $0 != $0.trimmed }) {
            let list = JSON.list(entry.overview.tags.map { .text($0) }).line
            text += string(Self.tagsKey, list, isProtected: false)
        }
        if let group = entry.overview.group, group.split(separator: "/").joined(separator: "/") != group {
            text += string(Self.groupKey, group, isProtected: false)
        }
        return text
    }

    /// The key of a field: KeePass has names for some, and no two of one name.
    private func key(of line: Card.Line) -> String {
        guard line.label == nil else { return Self.keys[line.key] ?? line.key }
        let isTaken = line.key == "Title" || Self.keys.values.contains(line.key) || line.key.hasPrefix("QuickVault ")
        return isTaken ? Self.ownMark + line.key : line.key
    }

    /// The older versions that came with an import from KeePass; nil of anything else.
    private func versions(_ entry: Entry, _ json: String) -> String? {
        guard let versions = (try? JSON(parsing: Array(json.utf8)))?.items else { return nil }
        let texts = versions.compactMap { version -> String? in
            guard let strings = version["strings"]?.members, let time = version["updated"]?.text,
                strings.allSatisfy({ $0.1.text != nil }), version["attachments"] == nil
            else { return nil }
            let lines = strings.map { string($0, $1.text ?? "", isProtected: $0 == "Password") }
            let tags = version["tags"]?.text.map { "<Tags>\(escaped($0))</Tags>\n" } ?? ""
            return """
                <Entry>\n<UUID>\(Base64.text(entry.id.bytes))</UUID>\n\(tags)\
                <Times><LastModificationTime>\(escaped(time))</LastModificationTime></Times>\n\(lines.joined())</Entry>\n
                """
        }
        return texts.count == versions.count ? "<History>\n\(texts.joined())</History>\n" : nil
    }

    private func string(_ key: String, _ value: String, isProtected: Bool) -> String {
        guard value.isXML else {
            return string(Self.bytesMark + key, Base64.text(Array(value.utf8)), isProtected: isProtected)
        }
        let mark = isProtected ? " ProtectInMemory=\"True\"" : ""
        return "<String><Key>\(escaped(key))</Key><Value\(mark)>\(escaped(value))</Value></String>\n"
    }

    /// RFC 3339 in whole seconds, which is all that KeePass reads.
    private func seconds(_ time: Timestamp) -> String { String(time.text.prefix(19)) + "Z" }
}

extension String {
    /// True if XML 1.0 has a place for all its characters (2.2).
    fileprivate var isXML: Bool {
        unicodeScalars.allSatisfy {
            ![0xFFFE, 0xFFFF].contains($0.value) && ($0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0))
        }
    }

    /// What stands behind a mark; nil where it does not begin with it.
    func withMark(_ mark: String) -> String? { hasPrefix(mark) ? String(dropFirst(mark.count)) : nil }

    /// The same without a mark at its beginning.
    func withoutMark(_ mark: String) -> String { withMark(mark) ?? self }
}

/// Text for XML 1.0, 2.4; the readers of lines would make CR LF one character. A character that XML has no place for
/// becomes U+FFFD.
private func escaped(_ text: String) -> String {
    let special = { (byte: UInt8) in [0x26, 0x3C, 0x3E, 0x0D, 0x22].contains(byte) }
    guard text.utf8.contains(where: special) || !text.isXML else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\r": result += "&#13;"
        default: result.unicodeScalars.append(String(scalar).isXML ? scalar : "\u{FFFD}")
        }
    }
    return result
}
