import VaultFormat
import VaultStore

extension ImportBatch {
    /// Cards from the JSON that Bitwarden exports without encryption: logins, notes, cards and identities.
    ///
    /// - Throws: `ImportError`.
    public init(bitwarden bytes: [UInt8]) throws {
        self.init()
        var budget = ImportBudget()
        try budget.takeValues(ofJSON: bytes.span)
        let document = try JSON(parsing: bytes)
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
        for (index, item) in items.enumerated() {
            try budget.takeRecord(line: 1)
            add(item, "item \(index + 1)", folders)
        }
    }

    private mutating func add(_ item: JSON, _ number: Phrase, _ folders: [String: String]) {
        let name = item["name"]?.text
        let place: Phrase = "\(number) '\(printable((name ?? "").utf8))'"
        let group = (item["folderId"]?.text ?? item["collectionIds"]?.items?.first?.text).flatMap { folders[$0] }
        var own = (item["fields"]?.items ?? []).map { field in
            RecordFields.CustomField(
                label: field["name"]?.text ?? "field", value: Self.plain(field["value"]),
                isSensitive: field["type"]?.number == 1)
        }
        var notes = item["notes"]?.text ?? ""
        var fields: [(key: String, value: String)] = []
        let kind: String
        switch item["type"]?.number {
        case 1:
            kind = "login"
            let login = item["login"] ?? .null
            for key in ["username", "password", "totp"] { fields.append((key, login[key]?.text ?? "")) }
            let places = (login["uris"]?.items ?? []).compactMap { $0["uri"]?.text }
            fields.append(("url", places.first ?? ""))
            own += places.dropFirst().map { RecordFields.CustomField(label: "url", value: $0) }
            own += Self.history(item)
        case 2: (kind, fields, notes) = ("note", [("text", notes)], "")
        case 3:
            kind = "bankcard"
            fields = Self.bankCard(item["card"] ?? .null, name)
            // A bank card takes no fields of its own.
            notes = Self.lines(notes, own)
            own = []
        case 4: (kind, fields) = ("contact", Self.identity(item["identity"] ?? .null, &own))
        default: return problems.append(ImportProblem(place, "is of a kind that is not taken"))
        }
        if !notes.isEmpty { fields.append(("notes", notes)) }
        guard let schema = Schema.named(kind) else { preconditionFailure("kinds are those of the table") }
        add(
            schema, title: name, at: place, group: group, isPinned: item["favorite"]?.flag == true, fields: fields,
            own: own
        ) { item.setTimes(&$0) }
    }

    private static func plain(_ value: JSON?) -> String {
        switch value {
        case .text(let text): text
        case nil, .null: ""
        case .some(let other): other.line
        }
    }

    private static func lines(_ notes: String, _ own: [RecordFields.CustomField]) -> String {
        ([notes] + own.map { "\($0.label): \($0.value)" }).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Passwords that were.
    private static func history(_ item: JSON) -> [RecordFields.CustomField] {
        (item["passwordHistory"]?.items ?? []).compactMap { old in
            old["password"]?.text.map { RecordFields.CustomField(label: "old_password", value: $0, isSensitive: true) }
        }
    }

    private static func bankCard(_ card: JSON, _ name: String?) -> [(key: String, value: String)] {
        var expiry = ""
        if let month = card["expMonth"]?.text, let year = card["expYear"]?.text, !month.isEmpty, !year.isEmpty {
            expiry = (month.count == 1 ? "0" : "") + month + "/" + year.suffix(2)
        }
        return [
            ("bank", card["brand"]?.text ?? name ?? ""), ("number", card["number"]?.text ?? ""),
            ("holder", card["cardholderName"]?.text ?? ""), ("expiry", expiry),
            ("security_code", card["code"]?.text ?? ""),
        ]
    }

    private static func identity(_ identity: JSON, _ own: inout [RecordFields.CustomField]) -> [(
        key: String, value: String
    )] {
        func joined(_ keys: [String], _ separator: String) -> String {
            keys.compactMap { identity[$0]?.text }.filter { !$0.isEmpty }.joined(separator: separator)
        }
        for (key, label) in [
            ("ssn", "ssn"), ("passportNumber", "passport"),
            ("licenseNumber", "licence"),
            ("username", "username"), ("phone", "telephone"),
        ] {
            guard let value = identity[key]?.text, !value.isEmpty else { continue }
            // A number that this program would not take as a phone's is kept in words.
            if key == "phone", Check.anyPhone.complaint(about: Check.anyPhone.normalized(value)) == nil { continue }
            own.append(
                RecordFields.CustomField(
                    label: label, value: value, isSensitive: key.hasSuffix("n") || key.hasSuffix("Number"))
            )
        }
        let phone = identity["phone"]?.text ?? ""
        let isPhone = Check.anyPhone.complaint(about: Check.anyPhone.normalized(phone)) == nil
        let place = ["address1", "address2", "address3", "city", "state", "postalCode", "country"]
        return [
            ("name", joined(["title", "firstName", "middleName", "lastName"], " ")), ("phone", isPhone ? phone : ""),
            ("email", joined(["email"], "")), ("company", joined(["company"], "")), ("address", joined(place, ", ")),
        ]
    }
}

extension JSON {
    /// Times of an item.
    fileprivate func setTimes(_ item: inout ImportItem) {
        let (created, updated) = (self["creationDate"]?.timestamp, self["revisionDate"]?.timestamp)
        if let created, let updated { (item.created, item.updated) = (created, max(created, updated)) }
    }

    /// A time as text; nil where there is none, or one before 1970.
    var timestamp: Timestamp? { text.flatMap { Timestamp($0) } }
}
