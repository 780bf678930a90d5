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
            if let group = entry.overview.group, folders[group] == nil { folders[group] = Self.uuid(folders.count + 1) }
            items.append(BitwardenItem(entry, card).json(entry.overview.group.flatMap { folders[$0] }))
        }
        let list = folders.sorted { $0.value < $1.value }.map { name, id -> JSON in ["id": id, "name": name] }
        let json: JSON = ["encrypted": false, "folders": list, "items": items]
        return json.line + "\n"
    }

    /// A number of a folder in this file, in the shape of a UUID.
    private static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

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

    private func text(_ key: String) -> String? { card.fields.texts[key] }

    func json(_ folder: String?) -> JSON {
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
        if !tags.isEmpty { fields.append(field(Self.tagsName, tags.json.line, isHidden: false)) }
        let (type, name, content) = content(passkeys)
        return [
            "id": JSON.null, "folderId": folder, "type": type, "reprompt": 0, "name": card.title,
            "notes": text(card.schema.name == "note" ? "text" : "notes"), "favorite": entry.overview.isPinned,
            "fields": fields,
            "passwordHistory": old.map { field -> JSON in ["lastUsedDate": entry.updated, "password": field.value] },
            "creationDate": entry.created, "revisionDate": entry.updated, name: content,
        ]
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
        ["name": name, "value": value, "type": isHidden ? 1 : 0]
    }

    /// The type of the item, and the member that only items of this type have.
    private func content(_ passkeys: [RecordFields.CustomField]) -> (Int, String, JSON) {
        switch card.schema.name {
        case "login":
            let uris = text("url").map { url -> [JSON] in [["uri": url, "match": JSON.null]] } ?? []
            let login: JSON = [
                "uris": uris, "username": text("username"), "password": text("password"), "totp": text("totp"),
                "fido2Credentials": passkeys.compactMap { try? JSON(parsing: Array($0.value.utf8)) },
            ]
            return (1, "login", login)
        case "bankcard":
            let expiry = (text("expiry") ?? "").split(separator: "/").map(String.init)
            let isWhole = expiry.count == 2
            let bankcard: JSON = [
                "cardholderName": text("holder"), "brand": text("bank"), "number": text("number"),
                "expMonth": isWhole ? "\(Int(expiry[0]) ?? 0)" : nil, "expYear": isWhole ? "20\(expiry[1])" : nil,
                "code": text("security_code"),
            ]
            return (3, "card", bankcard)
        case "contact":
            let identity: JSON = [
                "firstName": text("name"), "phone": text("phone"), "email": text("email"),
                "company": text("company"), "address1": text("address"),
            ]
            return (4, "identity", identity)
        case "ssh-key":
            let key: JSON = [
                "privateKey": text("private_key"), "publicKey": text("public_key"),
                "keyFingerprint": text("fingerprint"),
            ]
            return (5, "sshKey", key)
        default: return (2, "secureNote", ["type": 0])
        }
    }
}

extension String {
    /// True of a label, perhaps with the number of a further one behind it.
    fileprivate func isNumbered(_ label: String) -> Bool {
        self == label || withMark(label + " ").map { Int($0) != nil } ?? false
    }
}
