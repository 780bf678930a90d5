import Cards
public import VaultFormat
public import VaultStore

extension Vault {
    /// Cards as the JSON that Bitwarden imports, without encryption: logins, bank cards, contacts and SSH keys as items of
    /// these types, all others as notes with their fields (Spec/product/export.md, 6). It has no place for attachments.
    ///
    /// - Throws: as `card`.
    public func bitwarden(_ entries: [Entry]) throws -> String {
        var folders: [String: String] = [:]
        var items: [JSON] = []
        for (entry, card) in zip(entries, try cards(entries)) {
            var folder = JSON.null
            if let group = entry.overview.group {
                let id = folders[group] ?? Self.uuid(folders.count + 1)
                folders[group] = id
                folder = .text(id)
            }
            items.append(BitwardenItem(entry, card).json(folder))
        }
        let list = folders.sorted { $0.value < $1.value }.map { JSON.object([("id", .text($1)), ("name", .text($0))]) }
        return JSON.object([("encrypted", .bool(false)), ("folders", .list(list)), ("items", .list(items))]).line + "\n"
    }

    /// A number of a folder in this file, in the shape of a UUID.
    private static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

/// A card as an item of Bitwarden.
struct BitwardenItem {
    /// The field that names a kind which Bitwarden does not have.
    static let kindName = "QuickVault kind"
    /// The field that lists the tags as JSON.
    static let tagsName = "QuickVault tags"
    /// Stands before the key of a field of the kind for which the item has no place.
    static let fieldMark = "QuickVault field "

    private let entry: Entry
    private let card: Card

    init(_ entry: Entry, _ card: Card) { (self.entry, self.card) = (entry, card) }

    /// The fields of the kind that have members of an item; the others become its fields.
    private static let members: [String: Set<String>] = [
        "login": ["username", "password", "url", "totp", "notes"], "note": ["text"],
        "bankcard": ["bank", "number", "holder", "expiry", "security_code", "notes"],
        "contact": ["name", "phone", "email", "company", "address", "notes"],
        "ssh-key": ["private_key", "public_key", "fingerprint", "notes"],
    ]

    private func text(_ key: String) -> JSON { card.fields.texts[key].map { .text($0) } ?? .null }

    func json(_ folder: JSON) -> JSON {
        let known = Self.members[card.schema.name] ?? ["notes"]
        let passkeys = passkeys
        let old = card.fields.own.filter { $0.isSensitive && $0.label.isNumbered("old_password") }
        let rest = card.lines.filter { line in
            !(line.label != nil && known.contains(line.key)) && !(passkeys + old).contains { $0.label == line.key }
        }
        var fields = rest.map { line in
            field((line.label == nil ? "" : Self.fieldMark) + line.key, line.value, isHidden: line.isSensitive)
        }
        if Self.members[card.schema.name] == nil {
            fields.insert(field(Self.kindName, card.schema.name, isHidden: false), at: 0)
        }
        let tags = entry.overview.tags
        if !tags.isEmpty {
            fields.append(field(Self.tagsName, JSON.list(tags.map { .text($0) }).line, isHidden: false))
        }
        let (type, name, members) = content(passkeys)
        return .object([
            ("id", .null), ("folderId", folder), ("type", .integer(type)), ("reprompt", .integer(0)),
            ("name", .text(card.title)), ("notes", card.schema.name == "note" ? text("text") : text("notes")),
            ("favorite", .bool(entry.overview.isPinned)), ("fields", .list(fields)),
            (
                "passwordHistory",
                .list(
                    old.map {
                        .object([("lastUsedDate", .text(entry.updated.text)), ("password", .text($0.value))])
                    })
            ),
            ("creationDate", .text(entry.created.text)), ("revisionDate", .text(entry.updated.text)),
            (name, .object(members)),
        ])
    }

    /// The passkeys of a login, as they came from Bitwarden.
    private var passkeys: [RecordFields.CustomField] {
        guard card.schema.name == "login" else { return [] }
        return card.fields.own.filter {
            $0.isSensitive && $0.label.isNumbered("passkey")
                && (try? JSON(parsing: Array($0.value.utf8)))?.members != nil
        }
    }

    private func field(_ name: String, _ value: String, isHidden: Bool) -> JSON {
        .object([("name", .text(name)), ("value", .text(value)), ("type", .integer(isHidden ? 1 : 0))])
    }

    /// The type of the item, and the member that only items of this type have.
    private func content(_ passkeys: [RecordFields.CustomField]) -> (
        type: Int64, name: String, members: [(String, JSON)]
    ) {
        switch card.schema.name {
        case "login":
            let keys = passkeys.compactMap { try? JSON(parsing: Array($0.value.utf8)) }
            let uris = card.fields.texts["url"].map { [JSON.object([("uri", .text($0)), ("match", .null)])] } ?? []
            let texts = ["username", "password", "totp"].map { ($0, text($0)) }
            return (1, "login", [("uris", .list(uris))] + texts + [("fido2Credentials", .list(keys))])
        case "bankcard":
            let expiry = (card.fields.texts["expiry"] ?? "").split(separator: "/").map(String.init)
            let isWhole = expiry.count == 2
            let members = [
                ("cardholderName", text("holder")), ("brand", text("bank")), ("number", text("number")),
                ("expMonth", isWhole ? .text("\(Int(expiry[0]) ?? 0)") : .null),
                ("expYear", isWhole ? .text("20\(expiry[1])") : .null), ("code", text("security_code")),
            ]
            return (3, "card", members)
        case "contact":
            let members = [
                ("firstName", "name"), ("phone", "phone"), ("email", "email"), ("company", "company"),
                ("address1", "address"),
            ]
            return (4, "identity", members.map { ($0, text($1)) })
        case "ssh-key":
            let members = [
                ("privateKey", "private_key"), ("publicKey", "public_key"), ("keyFingerprint", "fingerprint"),
            ]
            return (5, "sshKey", members.map { ($0, text($1)) })
        default: return (2, "secureNote", [("type", .integer(0))])
        }
    }
}

extension String {
    /// True of a label, perhaps with the number of a further one behind it.
    fileprivate func isNumbered(_ label: String) -> Bool {
        self == label || withMark(label + " ").map { Int($0) != nil } ?? false
    }
}
