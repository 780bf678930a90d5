import VaultFormat

extension ImportBatch {
    /// Cards from the `data.json` of Proton Pass (Spec/product/export.md, 5).
    ///
    /// - Parameter files: the files of an item, where the export has them.
    /// - Throws: `ImportError`.
    init(proton document: JSON, files: ItemFiles = { _ in [] }) throws {
        self.init()
        guard let vaults = document["vaults"]?.members else {
            throw MalformedText("no vaults: not an export of Proton Pass", line: 1)
        }
        var budget = TextBudget()
        for (_, vault) in vaults {
            let (name, description) = (vault["name"]?.text, vault.string("description"))
            if !description.isEmpty {
                var note = ForeignItem(note: description, title: name, at: "vault '\(printable((name ?? "").utf8))'")
                note.group = name
                add(note)
            }
            for (index, item) in vault.each("items").enumerated() {
                try budget.takeRecord(line: 1)
                add(try Self.protonCard(item, "item \(index + 1)", name, files(item)))
            }
        }
    }

    private static func protonCard(
        _ item: JSON, _ number: Phrase, _ group: String?, _ files: [(name: String, content: [UInt8])]
    ) -> ForeignItem {
        let data = item["data"] ?? .null
        let metadata = data["metadata"] ?? .null
        var card = ForeignItem(number, title: metadata["name"]?.text)
        card.group = group
        card.isPinned = item["pinned"]?.flag == true
        card.isDeleted = item["state"]?.number == 2
        (card.created, card.updated) = (item["createTime"]?.secondsTimestamp, item["modifyTime"]?.secondsTimestamp)
        take(data["content"] ?? .null, of: data["type"]?.text, notes: metadata.string("note"), into: &card)
        for field in data.each("extraFields") {
            let value = field["data"]?["content"] ?? field["data"]?["totpUri"] ?? field["data"]?["timestamp"]
            card.addOwn(
                field["fieldName"]?.text ?? "field", value?.text ?? value?.line,
                isSensitive: field["type"]?.text != "text")
        }
        card.addOwn("alias", item["aliasEmail"]?.text)
        for (name, content) in files { card.attach(name, content) }
        card.addUnread("created", item["createTime"], card.created)
        card.addUnread("updated", item["modifyTime"], card.updated)
        card.addMore(of: item, besides: ignoredByProton)
        return card
    }

    /// Members that only serve Proton Pass, or are taken by their meaning.
    static let ignoredByProton: Set<String> = [
        "itemId", "shareId", "itemUuid", "contentFormatVersion", "createTime", "modifyTime", "state", "pinned", "type",
        "shareCount", "expirationDate", "version", "encrypted", "userId",
    ]

    private static func take(_ content: JSON, of type: String?, notes: String, into card: inout ForeignItem) {
        let text = content.string
        let known: Set<String>
        switch type {
        case "login":
            let name = text("itemUsername").isEmpty ? text("username") : text("itemUsername")
            let (mail, urls) = (text("itemEmail"), content.each("urls"))
            card.fields = [
                ("username", name.isEmpty ? mail : name), ("password", text("password")), ("totp", text("totpUri")),
                ("url", urls.first?.text ?? ""), ("notes", notes),
            ]
            if !name.isEmpty { card.addOwn("email", mail) }
            for url in urls.dropFirst() { card.addOwn("url", url.text) }
            for passkey in content.each("passkeys") { card.addOwn("passkey", passkey.line, isSensitive: true) }
            known = ["itemUsername", "username", "itemEmail", "password", "totpUri", "urls", "passkeys"]
        case "creditCard":
            card.kind = "bankcard"
            let expiry = text("expirationDate").split(separator: "-")
            card.fields = [
                ("bank", card.title ?? ""), ("number", text("number")), ("holder", text("cardholderName")),
                ("security_code", text("verificationNumber")), ("notes", notes),
                ("expiry", expiry.count == 2 ? "\(expiry[1])/\(String(expiry[0]).yearOfCard)" : text("expirationDate")),
            ]
            known = ["number", "cardholderName", "verificationNumber", "expirationDate"]
        default:
            card.kind = "note"
            card.fields = [("text", notes)]
            known = []
        }
        card.addRest(of: content, besides: known, isSensitive: type != "note")
    }
}
