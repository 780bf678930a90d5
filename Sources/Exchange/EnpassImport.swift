import VaultCrypto
import VaultFormat

extension ImportBatch {
    /// Cards from the JSON that Enpass exports, with attachments (Spec/product/export.md, 5).
    ///
    /// - Throws: `ImportError`.
    init(enpass document: JSON) throws {
        self.init()
        var folders: [String: String] = [:]
        for folder in document.each("folders") {
            if let id = folder["uuid"]?.text { folders[id] = Self.path(of: folder, in: document.each("folders")) }
        }
        var budget = TextBudget()
        for (index, item) in document.each("items").enumerated() {
            try budget.takeRecord(line: 1)
            add(enpassCard(item, "item \(index + 1)", folders))
        }
    }

    private mutating func enpassCard(_ item: JSON, _ number: Phrase, _ folders: [String: String]) -> ForeignItem {
        var card = ForeignItem(number, title: item["title"]?.text)
        let groups = item.each("folders").compactMap { $0.text.flatMap { folders[$0] } }
        (card.group, card.tags) = (groups.first, Array(groups.dropFirst()))
        card.parts += folders.keys.map { $0 }
        card.isPinned = item["favorite"]?.number == 1
        card.isDeleted = item["trashed"]?.number == 1
        (card.created, card.updated) = (item["createdAt"]?.secondsTimestamp, item["updated_at"]?.secondsTimestamp)
        let fields = item.each("fields")
        let isLogin = fields.contains { $0["type"]?.text == "password" && !$0.string("value").isEmpty }
        card.kind = isLogin ? "login" : "note"
        card.fields = [(isLogin ? "notes" : "text", item.string("note"))]
        takeFields(fields, isLogin, into: &card)
        for file in item.each("attachments") {
            let text = file.string("data").utf8.filter { $0 > 0x20 }
            if let bytes = Base64.decoded(text.span) {
                card.attach(file["name"]?.text ?? "file", bytes)
            } else {
                leaveOut(card.place, "\(file.string("name")): is no base64")
            }
        }
        let subtitle = item["subtitle"]?.text
        if !card.fields.contains(where: { $0.value == subtitle }) { card.addOwn("subtitle", subtitle) }
        card.addUnread("created", item["createdAt"], card.created)
        card.addUnread("updated", item["updated_at"], card.updated)
        card.addMore(of: item, besides: Self.ignoredByEnpass)
        return card
    }

    /// Members that only serve Enpass, or are taken by their meaning.
    static let ignoredByEnpass: Set<String> = [
        "uuid", "parent_uuid", "createdAt", "created_at", "updated_at", "value_updated_at", "order", "sensitive",
        "deleted", "type", "uid", "icon", "template_type", "favorite", "trashed", "auto_submit", "hash", "data",
        "last_used_at", "kind", "archived", "category", "category_name",
    ]

    /// The labels that Enpass gives to the fields of every login.
    private static let usualLabels: Set<String> = [
        "username", "password", "e-mail", "email", "website", "url", "one-time code", "totp",
    ]

    /// The names of a folder and of those above it, with slashes between.
    private static func path(of folder: JSON, in folders: [JSON], depth: Int = 0) -> String {
        let name = folder.string("title")
        guard depth < 32, let above = folder["parent_uuid"]?.text, !above.isEmpty,
            let parent = folders.first(where: { $0["uuid"]?.text == above })
        else { return name }
        return "\(path(of: parent, in: folders, depth: depth + 1))/\(name)"
    }

    private func takeFields(_ fields: [JSON], _ isLogin: Bool, into card: inout ForeignItem) {
        let keys = ["username": "username", "email": "username", "password": "password", "url": "url", "totp": "totp"]
        // A heading stands before the fields of a section.
        var heading: String?
        for field in fields {
            let label = field["label"]?.text
            if field["type"]?.text == "section" { heading = label }
            let (value, type) = (field.string("value"), field.string("type"))
            let isSensitive = field["sensitive"]?.number == 1
            if Self.usualLabels.contains((label ?? "").lowercased()) { card.parts.append(label) }
            if field["deleted"]?.number == 1 {
                card.addOwn("deleted " + (label ?? type), value, isSensitive: isSensitive)
                if !value.isEmpty { card.parts.append(label) }
            } else if isLogin, !value.isEmpty, let key = keys[type], !card.has(key) {
                card.fields.append((key, value))
            } else {
                card.addOwn((heading.map { $0 + " " } ?? "") + (label ?? type), value, isSensitive: isSensitive)
                if !value.isEmpty { card.parts += [label, heading] }
            }
            for time in ["updated_at", "value_updated_at"] {
                card.addUnread("\(label ?? type) \(time)", field[time], field[time]?.secondsTimestamp)
            }
            for old in field.each("history") {
                card.addOwn("old_\(type)", old["value"]?.text, isSensitive: isSensitive)
                card.addUnread("old_\(type)_updated", old["updated_at"], old["updated_at"]?.secondsTimestamp)
            }
        }
    }
}
