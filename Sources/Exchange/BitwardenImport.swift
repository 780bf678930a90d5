import Cards
import VaultFormat

extension ImportBatch {
    /// Cards from the JSON that Bitwarden exports without encryption: logins, notes, cards, identities and SSH keys
    /// (Spec/product/export.md, 5).
    ///
    /// - Parameter files: the attachments of an item, where the export has them.
    /// - Throws: `ImportError`.
    init(bitwarden document: JSON, files: ItemFiles = { _ in [] }) throws {
        self.init()
        if document["encrypted"]?.flag == true {
            throw ImportError.unsupported("the export is encrypted", hint: "export it as '.json' without a password")
        }
        guard let items = document["items"]?.items else {
            throw MalformedText("no list of items: not an export of Bitwarden", line: 1)
        }
        var folders: [String: String] = [:]
        for folder in document.each("folders") + document.each("collections") {
            if let id = folder["id"]?.text, let name = folder["name"]?.text { folders[id] = name }
        }
        var budget = TextBudget()
        for (index, item) in items.enumerated() {
            try budget.takeRecord(line: 1)
            var card = Self.card(item, "item \(index + 1)", folders)
            for (name, content) in try files(item) { card.attach(name, content) }
            add(card)
        }
    }

    /// Members that only serve Bitwarden, or are taken by their meaning.
    static let ignoredByBitwarden: Set<String> = [
        "id", "organizationId", "folderId", "collectionIds", "type", "object", "favorite", "revisionDate",
        "creationDate", "deletedDate", "lastUsedDate", "passwordRevisionDate", "expMonth", "expYear", "permissions",
        "edit", "viewPassword", "linkedId",
    ]

    /// Members of an item that are taken part by part.
    private static let known: Set<String> = [
        "name", "notes", "fields", "login", "card", "identity", "sshKey", "secureNote", "passwordHistory", "reprompt",
    ]

    private static func card(_ item: JSON, _ number: Phrase, _ folders: [String: String]) -> ForeignItem {
        var card = ForeignItem(number, title: item["name"]?.text)
        let places = ([item["folderId"]] + item.each("collectionIds")).compactMap { $0?.text }
            .compactMap { folders[$0] }
        (card.group, card.tags) = (places.first, Array(places.dropFirst()))
        card.isPinned = item["favorite"]?.flag == true
        card.isDeleted = item["deletedDate"]?.text != nil
        (card.created, card.updated) = (item["creationDate"]?.timestamp, item["revisionDate"]?.timestamp)
        card.addUnread("created", item["creationDate"], card.created)
        card.addUnread("updated", item["revisionDate"], card.updated)
        let fields = item.each("fields")
        let kind = fields.first { $0["name"]?.text == BitwardenItem.kindName }?["value"]?.text.flatMap {
            Schema.named($0)
        }
        take(item, into: &card)
        if let kind, item["type"]?.number == 2 {
            card.kind = kind.name
            let notes = item.string("notes")
            card.fields = notes.isEmpty ? [] : [(kind["notes"] == nil ? "text" : "notes", notes)]
        }
        for field in fields { takeField(field, into: &card) }
        for old in item.each("passwordHistory") {
            card.addOwn("old_password", old["password"]?.text, isSensitive: true)
        }
        if let asks = item["reprompt"]?.number, asks != 0 { card.addOwn("reprompt", "\(asks)") }
        card.addRest(of: item, besides: known.union(ignoredByBitwarden))
        // A field without a value has no place in a card; its name is kept.
        let named = fields.filter { field in
            ["value", "linkedId"].contains { !["", "null"].contains(field[$0]?.text ?? field[$0]?.line ?? "") }
        }
        card.addMore(of: item, besides: ignoredByBitwarden, named.map { $0["name"]?.text } + [kind?.name])
        return card
    }

    /// A field with a name of one's own. One that this program exported is a field of the kind.
    private static func takeField(_ field: JSON, into card: inout ForeignItem) {
        let name = field["name"]?.text ?? "field"
        // A field may stand for another one of the item, by number.
        let link = field["linkedId"].flatMap { $0.isNull ? nil : "linked to \($0.line)" }
        let value = field["value"].flatMap { $0.isNull ? nil : $0.text ?? $0.line } ?? link
        if name == BitwardenItem.kindName, value == card.kind { return }
        if name == BitwardenItem.tagsName, let tags = value.flatMap(KeePassExport.list) {
            (card.tags, card.parts) = (tags, card.parts + [value])
            return
        }
        if let key = name.withMark(BitwardenItem.fieldMark), Schema.named(card.kind)?[key] != nil {
            card.fields.append((key, value ?? ""))
        } else {
            card.addOwn(name, value, isSensitive: field["type"]?.number == 1)
        }
    }

    private static func take(_ item: JSON, into card: inout ForeignItem) {
        let notes = item.string("notes")
        switch item["type"]?.number {
        case 1: takeLogin(item["login"] ?? .null, into: &card)
        case 3: takeBankCard(item["card"] ?? .null, into: &card)
        case 4: takeIdentity(item["identity"] ?? .null, into: &card)
        case 5:
            card.kind = "ssh-key"
            let key = item["sshKey"] ?? .null
            card.fields = [
                ("private_key", key.string("privateKey")), ("public_key", key.string("publicKey")),
                ("fingerprint", key.string("keyFingerprint")),
            ]
        default:
            // A note, or an item of a newer version: all else of it goes into `more`.
            card.kind = "note"
            card.fields = [("text", notes)]
            return
        }
        card.fields.append(("notes", notes))
    }

    private static func takeLogin(_ login: JSON, into card: inout ForeignItem) {
        for key in ["username", "password", "totp"] { card.fields.append((key, login.string(key))) }
        let uris = login.each("uris")
        card.fields.append(("url", uris.first?.string("uri") ?? ""))
        for uri in uris.dropFirst() { card.addOwn("url", uri["uri"]?.text) }
        for uri in uris where uri["match"]?.number != nil { card.addOwn("match", uri.line) }
        for passkey in login.each("fido2Credentials") { card.addOwn("passkey", passkey.line, isSensitive: true) }
        let known: Set<String> = ["username", "password", "totp", "uris", "fido2Credentials"]
        card.addRest(of: login, besides: known.union(ignoredByBitwarden))
    }

    private static func takeBankCard(_ item: JSON, into card: inout ForeignItem) {
        card.kind = "bankcard"
        var expiry = ""
        let (month, year) = (item.string("expMonth"), item.string("expYear"))
        if !month.isEmpty, !year.isEmpty {
            expiry = (month.count == 1 ? "0" : "") + month + "/" + year.yearOfCard
        } else {
            for key in ["expMonth", "expYear"] { card.addOwn(key, item[key]?.text) }
        }
        card.fields = [
            ("bank", item["brand"]?.text ?? card.title ?? ""), ("number", item.string("number")),
            ("holder", item.string("cardholderName")), ("expiry", expiry), ("security_code", item.string("code")),
        ]
        let known: Set<String> = ["brand", "number", "cardholderName", "code"]
        card.addRest(of: item, besides: known.union(ignoredByBitwarden), isSensitive: true)
    }

    private static func takeIdentity(_ identity: JSON, into card: inout ForeignItem) {
        func joined(_ keys: [String], _ separator: String) -> String {
            keys.map(identity.string).filter { !$0.isEmpty }.joined(separator: separator)
        }
        card.kind = "contact"
        let name = ["title", "firstName", "middleName", "lastName"]
        let place = ["address1", "address2", "address3", "city", "state", "postalCode", "country"]
        let whole = joined(name, " ")
        card.fields = [
            ("name", whole.isEmpty ? card.title ?? "" : whole), ("phone", identity.string("phone")),
            ("email", identity.string("email")), ("company", identity.string("company")),
            ("address", joined(place, ", ")),
        ]
        let numbers = ["ssn": "ssn", "passportNumber": "passport", "licenseNumber": "licence"]
        for (key, label) in numbers.sorted(by: { $0.value > $1.value }) {
            card.addOwn(label, identity[key]?.text, isSensitive: true)
        }
        let known = Set(name + place + ["phone", "email", "company"] + numbers.keys)
        card.addRest(of: identity, besides: known)
        // They are part of the name and the address.
        card.parts += (name + place).map { identity[$0]?.text }
    }
}
