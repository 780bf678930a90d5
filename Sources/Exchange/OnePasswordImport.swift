import Cards
import VaultFormat

extension ImportBatch {
    /// Cards from the `export.data` in a `.1pux` of 1Password (Spec/product/export.md, 5).
    ///
    /// - Parameter file: the name and the content of a document in the archive, by its id.
    /// - Throws: `ImportError`.
    init(onePassword document: JSON, file: (String) throws -> (name: String, content: [UInt8])?) throws {
        self.init()
        guard let accounts = document["accounts"]?.items else {
            throw MalformedText("no accounts: not an export of 1Password", line: 1)
        }
        var budget = TextBudget()
        for vault in accounts.flatMap({ $0.each("vaults") }) {
            for (index, item) in vault.each("items").enumerated() {
                try budget.takeRecord(line: 1)
                var source = OnePasswordItem(item, "item \(index + 1)", vault["attrs"]?["name"]?.text)
                for (id, name) in source.files {
                    if let found = try file(id) {
                        source.card.attach(name ?? found.name, found.content)
                    } else {
                        leaveOut(source.card.place, "\(name ?? id): its content is not in the export")
                    }
                }
                add(source.card)
            }
        }
    }

    /// Members that only serve 1Password, or are taken by their meaning.
    static let ignoredByOnePassword: Set<String> = [
        "uuid", "favIndex", "createdAt", "updatedAt", "state", "categoryUuid", "id", "fieldType", "designation",
        "guarded", "multiline", "dontGenerate", "placeholder", "documentId", "keyboard", "correction",
        "capitalization", "decryptedSize", "time", "ps", "pbe", "pgrng", "clipboardFilter", "date", "monthYear",
        "indexAtSource", "avatar", "type",
    ]
}

/// An item of 1Password: fields of a login, and sections with fields of many types.
private struct OnePasswordItem {
    var card: ForeignItem
    /// The own fields so far, label and value.
    private var labelled: Set<String> = []
    /// Ids and names of its documents.
    private(set) var files: [(id: String, name: String?)] = []

    private static let kinds = [
        "001": "login", "002": "bankcard", "003": "note", "005": "login", "109": "wifi", "110": "server",
        "114": "ssh-key",
    ]
    /// The fields here, by kind and by the id of a field there.
    private static let keys: [String: [String: String]] = [
        "bankcard": [
            "ccnum": "number", "cardholder": "holder", "cvv": "security_code", "expiry": "expiry", "bank": "bank",
        ],
        "wifi": ["network_name": "network", "wireless_password": "password", "wireless_security": "security"],
        "server": ["url": "host", "username": "username", "password": "password"],
    ]

    init(_ item: JSON, _ number: Phrase, _ group: String?) {
        let (overview, details) = (item["overview"] ?? .null, item["details"] ?? .null)
        card = ForeignItem(number, title: overview["title"]?.text)
        card.group = group
        card.kind = Self.kinds[item.string("categoryUuid")] ?? "note"
        card.tags = overview.each("tags").compactMap(\.text)
        card.isPinned = (item["favIndex"]?.number ?? 0) != 0
        if item["state"]?.text == "archived" { card.tags.append("archived") }
        (card.created, card.updated) = (item["createdAt"]?.secondsTimestamp, item["updatedAt"]?.secondsTimestamp)
        card.fields.append((card.kind == "note" ? "text" : "notes", details.string("notesPlain")))
        takeLogin(details)
        take(overview.string("url"), as: "url", label: "url")
        for address in overview.each("urls") {
            let label = address.string("label")
            card.parts.append(label)
            take(address.string("url"), as: "url", label: ["", "website"].contains(label) ? "url" : "url \(label)")
        }
        for section in details.each("sections") { takeSection(section) }
        if card.kind == "bankcard" { take(card.title ?? "", as: "bank", label: "bank") }
        for old in details.each("passwordHistory") {
            card.addOwn("old_password", old["value"]?.text, isSensitive: true)
        }
        if let document = details["documentAttributes"] { takeFile(document) }
        card.parts += files.compactMap(\.name)
        card.addUnread("created", item["createdAt"], card.created)
        card.addUnread("updated", item["updatedAt"], card.updated)
        card.addMore(of: item, besides: ImportBatch.ignoredByOnePassword)
    }

    /// Puts a value into its field, if that is free; else into a field of its own, unless it is there already.
    ///
    /// - Returns: true if the label says what it is.
    @discardableResult
    private mutating func take(_ value: String, as key: String?, label: String, isSensitive: Bool = false) -> Bool {
        guard !value.isEmpty, !card.fields.contains(where: { $0.key == key && $0.value == value }) else { return false }
        if let key, Schema.named(card.kind)?[key] != nil, !card.has(key) {
            card.fields.append((key, value))
            return false
        }
        if labelled.insert("\(label)\u{0}\(value)").inserted { card.addOwn(label, value, isSensitive: isSensitive) }
        return true
    }

    /// The labels of fields that every login has, in the words of the program.
    private static let usualLabels: Set<String> = ["username", "password", "email", "website", "one-time password"]

    private mutating func takeLogin(_ details: JSON) {
        for field in details.each("loginFields") {
            let designation = field.string("designation")
            let label = field["name"]?.text ?? field["id"]?.text ?? "field"
            if Self.usualLabels.contains(label.lowercased()) || label == designation { card.parts.append(label) }
            let isPassword = field["fieldType"]?.text == "P" || designation == "password"
            take(
                field.string("value"), as: ["username", "password"].contains(designation) ? designation : nil,
                label: label.isEmpty ? "field" : label, isSensitive: isPassword)
        }
        take(details.string("password"), as: "password", label: "password", isSensitive: true)
    }

    private mutating func takeSection(_ section: JSON) {
        // Two sections may have fields of one name.
        let heading = section.string("title")
        // A section without a title has a made-up name.
        if let name = section["name"]?.text, name.hasPrefix("Section_") || name == "linked items" {
            card.parts.append(name)
        }
        for field in section.each("fields") {
            guard let (type, value) = field["value"]?.members?.first else { continue }
            let title = field.string("title")
            let name = title.isEmpty ? field["id"]?.text ?? type : title
            let label = heading.isEmpty ? name : "\(heading) \(name)"
            if case .object(let parts) = value, type == "address" { card.parts += parts.map(\.1.text) }
            switch type {
            case "file": takeFile(value)
            case "sshKey":
                take(value.string("privateKey"), as: "private_key", label: label, isSensitive: true)
                let parts = value["metadata"] ?? .null
                take(parts.string("publicKey"), as: "public_key", label: "public key")
                take(parts.string("fingerprint"), as: "fingerprint", label: "fingerprint")
                take(parts["keyType"]?.line ?? "", as: nil, label: "key type")
            default:
                let key = Self.keys[card.kind]?[field.string("id")] ?? (type == "totp" ? "totp" : nil)
                let isSensitive = ["concealed", "totp", "creditCardNumber"].contains(type)
                let isLabelled = take(Self.text(value, type), as: key, label: label, isSensitive: isSensitive)
                if isLabelled || Self.usualLabels.contains(title.lowercased()) { card.parts += [title, heading] }
            }
        }
    }

    private static func text(_ value: JSON, _ type: String) -> String {
        switch (type, value) {
        case (_, .text(let text)): text
        // A month as 203101.
        case ("monthYear", .integer(let month)) where 200_001...209_912 ~= month:
            (month % 100 < 10 ? "0" : "") + "\(month % 100)/\(String(month / 100).suffix(2))"
        case ("date", .integer): value.secondsTimestamp.map { String($0.text.prefix(10)) } ?? value.line
        case ("email", let mail): mail["email_address"]?.text ?? mail.line
        case (_, .null): ""
        case ("address", .object(let parts)): parts.compactMap(\.1.text).filter { !$0.isEmpty }.joined(separator: ", ")
        default: value.line
        }
    }

    private mutating func takeFile(_ document: JSON) {
        guard let id = document["documentId"]?.text else { return }
        files.append((id, document["fileName"]?.text))
    }
}
