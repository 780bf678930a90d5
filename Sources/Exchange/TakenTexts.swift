import VaultFormat

/// The texts of a source that an import has taken, so that what is left can be kept too.
struct TakenTexts {
    private var texts: Set<String> = []

    mutating func insert(_ text: String) { texts.insert(text) }

    mutating func formUnion(_ others: some Sequence<String>) { texts.formUnion(others) }

    /// Adds all texts and numbers of a JSON text; nothing of any other.
    mutating func formUnion(leavesOf text: String) {
        guard let first = text.utf8.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return }
        if let json = try? JSON(parsing: Array(text.utf8)) { json.addLeaves(to: &texts) }
    }

    /// A copy of a source without these texts and numbers, and without members that are ignored or empty; nil if nothing is
    /// left.
    func rest(of source: JSON, besides ignored: Set<String>) -> JSON? { source.without(texts, ignored) }
}

extension JSON {
    /// Adds all texts in it, and numbers as text.
    fileprivate func addLeaves(to texts: inout Set<String>) {
        switch self {
        case .list(let items): for item in items { item.addLeaves(to: &texts) }
        case .object(let members): for (_, value) in members { value.addLeaves(to: &texts) }
        case .text(let text): texts.insert(text)
        default: texts.insert(line)
        }
    }

    /// The members that are times: they say nothing as long as they are.
    private static let times: Set<String> = [
        "createdAt", "created_at", "updatedAt", "updated_at", "value_updated_at", "last_used_at", "creationDate",
        "revisionDate", "deletedDate", "lastUsedDate", "passwordRevisionDate", "createTime", "modifyTime",
        "CreationTime", "LastModificationTime", "LastAccessTime", "LocationChanged", "ExpiryTime",
    ]

    /// The members that are yes or no.
    private static let flags: Set<String> = [
        "favorite", "trashed", "archived", "pinned", "auto_submit", "sensitive", "deleted", "guarded", "multiline",
        "edit", "viewPassword",
    ]

    /// The members that are numbers.
    private static let numbers: Set<String> = [
        "decryptedSize", "favIndex", "indexAtSource", "order", "uid", "contentFormatVersion", "shareCount", "time",
    ]

    /// The members that are lists or objects where they say nothing.
    private static let structured: Set<String> = [
        "icon", "collectionIds", "permissions", "Binary", "Binaries", "CustomIcons", "MemoryProtection",
        "DeletedObjects",
    ]

    /// True where a member that is ignored is what its program writes there. Anything else is kept, whatever its name.
    private func isUsual(as key: String) -> Bool {
        if Self.times.contains(key) { return isTime }
        switch self {
        case .list, .object: return Self.structured.contains(key)
        case .text(let text) where Self.flags.contains(key): return ["", "Y", "N"].contains(text)
        case .text(let text) where Self.numbers.contains(key): return text.isEmpty || Int64(text) != nil
        case .integer(let number) where Self.flags.contains(key): return 0...1 ~= number
        default: return true
        }
    }

    /// True of a number, and of a text that is a time: in RFC 3339, or as KDBX 4 has it, 8 bytes in base64.
    private var isTime: Bool {
        switch self {
        case .text(let text): text.isEmpty || Timestamp(text) != nil || text.utf8.count == 12 && text.hasSuffix("=")
        case .list, .object: false
        default: true
        }
    }

    fileprivate func without(_ taken: Set<String>, _ ignored: Set<String>) -> JSON? {
        switch self {
        case .null, .bool(false): return nil
        case .text(let text): return text.isEmpty || taken.contains(text) ? nil : self
        case .list(let items):
            let rest = items.compactMap { $0.without(taken, ignored) }
            return rest.isEmpty ? nil : .list(rest)
        case .object(let members):
            let rest = members.filter { key, value in
                !ignored.contains(key) || !value.isUsual(as: key)
            }.compactMap { key, value in value.without(taken, ignored).map { (key, $0) } }
            return rest.isEmpty ? nil : .object(rest)
        default: return taken.contains(line) || line == "0" ? nil : self
        }
    }
}
