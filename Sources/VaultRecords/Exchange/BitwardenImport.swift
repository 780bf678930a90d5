import VaultFormat
import VaultStore

extension ImportBatch {
    /// Cards from the JSON that Bitwarden exports without encryption: logins, notes, cards, identities and SSH keys
    /// (Spec/product/export.md, 5).
    ///
    /// - Parameter files: the attachments of an item, by its id, where the export has them.
    /// - Throws: `ImportError`.
    init(bitwarden document: JSON, files: (String) throws -> [(name: String, content: [UInt8])] = { _ in [] }) throws {
        self.init()
        if document["encrypted"]?.flag == true {
            throw ImportError.unsupported("the export is encrypted", hint: "export it as '.json' without a password")
        }
        guard let items = document["items"]?.items else {
            throw ImportError.malformed("no list of items: not an export of Bitwarden", line: 1)
        }
        var folders: [String: String] = [:]
        for folder in (document["folders"]?.items ?? []) + (document["collections"]?.items ?? []) {
            if let id = folder["id"]?.text, let name = folder["name"]?.text { folders[id] = name }
        }
        var budget = ImportBudget()
        for (index, item) in items.enumerated() {
            try budget.takeRecord(line: 1)
            var card = Self.card(item, "item \(index + 1)", folders)
            for (name, content) in try files(item["id"]?.text ?? "") { card.attach(name, content) }
            add(card)
        }
    }

    /// Members of an item that are taken elsewhere, or only serve Bitwarden.
    private static let known: Set<String> = [
        "id", "organizationId", "folderId", "collectionIds", "type", "name", "notes", "favorite", "fields", "login",
        "card",
        "identity", "sshKey", "secureNote", "passwordHistory", "revisionDate", "creationDate", "deletedDate",
        "reprompt",
    ]

    private static func card(_ item: JSON, _ number: Phrase, _ folders: [String: String]) -> ForeignItem {
        var card = ForeignItem(at: "\(number) '\(printable((item["name"]?.text ?? "").utf8))'")
        card.title = item["name"]?.text
        card.group = (item["folderId"]?.text ?? item["collectionIds"]?.items?.first?.text).flatMap { folders[$0] }
        card.isPinned = item["favorite"]?.flag == true
        card.isDeleted = item["deletedDate"]?.text != nil
        card.created = item["creationDate"]?.timestamp
        card.updated = item["revisionDate"]?.timestamp
        for field in item["fields"]?.items ?? [] {
            let value = field["value"].flatMap { $0.isNull ? nil : $0.text ?? $0.line }
            card.addOwn(field["name"]?.text ?? "field", value, isSensitive: field["type"]?.number == 1)
        }
        take(item, into: &card)
        card.addRest(of: item, besides: known)
        return card
    }

    private static func take(_ item: JSON, into card: inout ForeignItem) {
        let notes = item["notes"]?.text ?? ""
        switch item["type"]?.number {
        case 1: takeLogin(item, into: &card)
        case 3: takeBankCard(item["card"], into: &card)
        case 4: takeIdentity(item["identity"], into: &card)
        case 5:
            card.kind = "ssh-key"
            let key = item["sshKey"]
            card.fields = [
                ("private_key", key?["privateKey"]?.text ?? ""), ("public_key", key?["publicKey"]?.text ?? ""),
                ("fingerprint", key?["keyFingerprint"]?.text ?? ""),
            ]
            card.addRest(of: key, besides: ["privateKey", "publicKey", "keyFingerprint"], isSensitive: true)
        default:
            // A note, or an item of a newer version: all of it in fields of its own.
            card.kind = "note"
            card.fields = [("text", notes)]
            for key in ["login", "card", "identity", "sshKey"] {
                if let content = item[key], !content.isNull { card.addOwn(key, content.line, isSensitive: true) }
            }
            return
        }
        card.fields.append(("notes", notes))
    }

    private static func takeLogin(_ item: JSON, into card: inout ForeignItem) {
        let login = item["login"] ?? .null
        for key in ["username", "password", "totp"] { card.fields.append((key, login[key]?.text ?? "")) }
        let uris = login["uris"]?.items ?? []
        card.fields.append(("url", uris.first?["uri"]?.text ?? ""))
        for uri in uris.dropFirst() { card.addOwn("url", uri["uri"]?.text) }
        for uri in uris where uri["match"]?.number != nil { card.addOwn("match", uri.line) }
        for passkey in login["fido2Credentials"]?.items ?? [] {
            card.addOwn("passkey", passkey.line, isSensitive: true)
        }
        card.addRest(
            of: login, besides: ["username", "password", "totp", "uris", "fido2Credentials", "passwordRevisionDate"])
        for old in item["passwordHistory"]?.items ?? [] {
            card.addOwn("old_password", old["password"]?.text, isSensitive: true)
        }
    }

    private static func takeBankCard(_ item: JSON?, into card: inout ForeignItem) {
        card.kind = "bankcard"
        var expiry = ""
        if let month = item?["expMonth"]?.text, let year = item?["expYear"]?.text, !month.isEmpty, !year.isEmpty {
            expiry = (month.count == 1 ? "0" : "") + month + "/" + year.suffix(2)
        } else {
            for key in ["expMonth", "expYear"] { card.addOwn(key, item?[key]?.text) }
        }
        card.fields = [
            ("bank", item?["brand"]?.text ?? card.title ?? ""), ("number", item?["number"]?.text ?? ""),
            ("holder", item?["cardholderName"]?.text ?? ""), ("expiry", expiry),
            ("security_code", item?["code"]?.text ?? ""),
        ]
        let known: Set<String> = ["brand", "number", "cardholderName", "code", "expMonth", "expYear"]
        card.addRest(of: item, besides: known, isSensitive: true)
    }

    private static func takeIdentity(_ identity: JSON?, into card: inout ForeignItem) {
        func joined(_ keys: [String], _ separator: String) -> String {
            keys.compactMap { identity?[$0]?.text }.filter { !$0.isEmpty }.joined(separator: separator)
        }
        card.kind = "contact"
        let name = ["title", "firstName", "middleName", "lastName"]
        let place = ["address1", "address2", "address3", "city", "state", "postalCode", "country"]
        let whole = joined(name, " ")
        card.fields = [
            ("name", whole.isEmpty ? card.title ?? "" : whole), ("phone", joined(["phone"], "")),
            ("email", joined(["email"], "")), ("company", joined(["company"], "")), ("address", joined(place, ", ")),
        ]
        let numbers = ["ssn": "ssn", "passportNumber": "passport", "licenseNumber": "licence"]
        for (key, label) in numbers.sorted(by: { $0.value > $1.value }) {
            card.addOwn(label, identity?[key]?.text, isSensitive: true)
        }
        let known = Set(name + place + ["phone", "email", "company"] + numbers.keys)
        card.addRest(of: identity, besides: known)
    }
}

extension JSON {
    /// A time as text; nil where there is none, or one before 1970.
    var timestamp: Timestamp? { text.flatMap { Timestamp($0) } }
    /// A time in seconds since 1970.
    var secondsTimestamp: Timestamp? {
        number.flatMap { 0..<1 << 40 ~= $0 ? Timestamp(microseconds: UInt64($0) * 1_000_000) : nil }
    }
}
