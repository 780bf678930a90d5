import VaultFormat

/// A table of logins that a browser or a password manager wrote: Chrome, Edge, Firefox, Safari, KeePassXC, KeePass 1,
/// LastPass, Bitwarden, Proton Pass, 1Password, Dashlane. They differ in the names of the columns.
struct PasswordTable {
    /// The meaning of each column; nil where it becomes a field of its own.
    private let meanings: [String?]
    private let header: [String]
    /// True of KeePassXC, which puts the name of the whole before each group.
    var hasRoot: Bool { header.first == "Group" && meanings.contains("notes") }
    var width: Int { header.count }

    private static let names: [String: [String]] = [
        "title": ["title", "name", "account"],
        "username": ["username", "login name", "user name", "login_username", "email"],
        "password": ["password", "login_password"],
        "url": ["url", "web site", "website", "login_uri"],
        "notes": ["notes", "comments", "note", "extra"],
        "totp": ["totp", "otpauth", "otpsecret", "login_totp"],
        "group": ["group", "folder", "grouping", "vault", "category"],
        "tags": ["tags"],
        "pinned": ["fav", "favorite", "favourite"],
        "created": ["created", "timecreated", "createtime"],
        "updated": ["last modified", "timepasswordchanged", "modifytime"],
        "type": ["type"],
        // Values that say nothing where they are 0 or no.
        "flag": ["icon", "reprompt", "archived"],
        // When a browser used it last.
        "": ["timelastused"],
    ]
    private static let meaningByName = Dictionary(
        uniqueKeysWithValues: names.flatMap { meaning, names in names.map { ($0, meaning) } })

    /// - Returns: nil where the columns are not those of logins.
    init?(_ header: [String]) {
        self.header = header
        meanings = header.map { Self.meaningByName[$0.lowercased()] }
        guard meanings.contains("password"), meanings.contains("username") || meanings.contains("url") else {
            return nil
        }
    }

    /// True of the table of Bitwarden, which has several values in a cell.
    private var isOfBitwarden: Bool { header.contains("login_uri") }

    /// The addresses in a cell of Bitwarden, with commas between; a comma in an address stays.
    private static func addresses(_ cell: String) -> [String] {
        var found: [String] = []
        for piece in cell.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            let isAddress =
                piece.contains(/^[A-Za-z][A-Za-z0-9+.\-]*:\/\//)
                || piece.contains(/^[\w\-]+(\.[\w\-]+)+(:[0-9]+)?(\/|$)/)
            if found.isEmpty || isAddress { found.append(piece) } else { found[found.count - 1] += "," + piece }
        }
        return found
    }

    /// The fields in a cell of Bitwarden, a line each; a line without a name goes on with the one before.
    private static func lines(_ cell: String) -> [(label: String, value: String)] {
        var found: [(label: String, value: String)] = []
        for line in cell.split(whereSeparator: \.isNewline).map(String.init) {
            if let colon = line.firstRange(of: ": ") {
                found.append((String(line[..<colon.lowerBound]), String(line[colon.upperBound...])))
            } else if line.hasSuffix(":") {
                found.append((String(line.dropLast()), ""))
            } else if found.isEmpty {
                found.append(("fields", line))
            } else {
                found[found.count - 1].value += "\n" + line
            }
        }
        return found
    }

    func card(_ row: [String], line: Int) -> ForeignItem {
        var card = ForeignItem(at: "line \(line)")
        var values: [String: String] = [:]
        for (index, value) in row.enumerated() where !value.isEmpty {
            switch meanings[index] {
            case nil where isOfBitwarden && header[index] == "fields":
                for (label, value) in Self.lines(value) { card.addOwn(label, value, isSensitive: true) }
            case "url" where isOfBitwarden && values["url"] == nil:
                let all = Self.addresses(value)
                values["url"] = all.first
                for address in all.dropFirst() { card.addOwn("url", address) }
            case "": continue
            case "flag": if !["0", "false", "no"].contains(value.lowercased()) { card.addOwn(header[index], value) }
            case let meaning? where values[meaning] == nil: values[meaning] = value
            default: card.addOwn(header[index], value, isSensitive: meanings[index] == "password")
            }
        }
        card.title = values["title"]
        card.group = values["group"]
        card.tags = (values["tags"] ?? "").split(separator: /[;,]/).map(\.trimmed)
        card.isPinned = ["1", "true", "yes"].contains((values["pinned"] ?? "").lowercased())
        (card.created, card.updated) = (values["created"].flatMap(Self.time), values["updated"].flatMap(Self.time))
        for (key, time) in [("created", card.created), ("updated", card.updated)] where time == nil {
            card.addOwn(key, values[key])
        }
        // LastPass writes notes as logins of this address.
        if values["url"] == "http://sn" { (values["type"], values["url"]) = ("note", nil) }
        if values["type"] == "note" {
            card.kind = "note"
            card.fields = [("text", values["notes"] ?? "")]
            for key in ["username", "password", "url", "totp"] {
                card.addOwn(key, values[key], isSensitive: key == "password" || key == "totp")
            }
        } else {
            card.fields = ["username", "password", "url", "notes", "totp"].map { ($0, values[$0] ?? "") }
            if let type = values["type"], type != "login" { card.addOwn("type", type) }
        }
        return card
    }

    /// RFC 3339, or seconds or milliseconds since 1970.
    private static func time(_ text: String) -> Timestamp? {
        guard let number = UInt64(text), number < 1 << 45 else { return Timestamp(text) }
        return Timestamp(microseconds: number < 1 << 36 ? number * 1_000_000 : number * 1000)
    }
}

extension ImportBatch {
    mutating func add(_ table: PasswordTable, _ reader: inout CSVReader) throws {
        var cards: [ForeignItem] = []
        while let (row, line) = try reader.row() {
            if row.count <= table.width {
                cards.append(table.card(row, line: line))
            } else {
                leaveOut("line \(line)", "\(row.count) fields under \(table.width) columns")
            }
        }
        let paths = cards.map { ($0.group ?? "").split(separator: "/", omittingEmptySubsequences: false) }
        // The name that a new database has says nothing; another one is part of the groups.
        if table.hasRoot, let root = paths.first?.first, KeePassSource.rootNames.contains(String(root)),
            paths.allSatisfy({ $0.first == root })
        {
            for index in cards.indices { cards[index].group = paths[index].dropFirst().joined(separator: "/") }
        }
        for card in cards { add(card) }
    }
}
