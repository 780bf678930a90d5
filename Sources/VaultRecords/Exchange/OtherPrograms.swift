import VaultFormat
import VaultStore

extension ImportBatch {
    /// The bytes of JSON in a source at most.
    private static let jsonByteCount = 48 << 20

    /// Cards from the JSON of another program: Bitwarden, Proton Pass or Enpass, told by their members.
    ///
    /// - Throws: `ImportError`.
    public init(json bytes: [UInt8]) throws {
        try self.init(otherProgram: Self.document(bytes))
    }

    private static func document(_ bytes: [UInt8]) throws -> JSON {
        var budget = ImportBudget()
        try budget.takeValues(ofJSON: bytes.span)
        return try JSON(parsing: bytes)
    }

    private init(
        otherProgram document: JSON, files: (String) throws -> [(name: String, content: [UInt8])] = { _ in [] }
    ) throws {
        if document["vaults"]?.members != nil {
            try self.init(proton: document)
        } else if document["items"]?.items?.first?["template_type"] != nil
            || document["items"]?.items?.first?["fields"] != nil
                && document["encrypted"] == nil && document["items"]?.items?.first?["type"] == nil
        {
            try self.init(enpass: document)
        } else {
            try self.init(bitwarden: document, files: files)
        }
    }

    /// Cards from a ZIP archive: `.1pux` of 1Password, the archives of Proton Pass and Bitwarden.
    ///
    /// - Parameter limit: bytes of an attachment at most.
    /// - Throws: `ImportError`.
    public init(zip bytes: [UInt8], limit: Int) throws {
        guard let archive = ZipArchive(bytes) else { throw ImportError.malformed("not a ZIP archive", line: 1) }
        func document(_ name: String) throws -> JSON? {
            try archive.content(name, limit: Self.jsonByteCount).map(Self.document)
        }
        if let data = try document("export.data") {
            try self.init(onePassword: data) { id in
                let name = archive.names.first { $0.hasPrefix("files/\(id)__") }
                return try name.flatMap { try archive.content($0, limit: limit) }
            }
        } else if let name = archive.names.first(where: { $0 == "data.json" || $0.hasSuffix("/data.json") }),
            let data = try document(name)
        {
            try self.init(otherProgram: data) { id in
                guard !id.isEmpty else { return [] }
                return try archive.names.enumerated()
                    .filter { $1.hasPrefix("attachments/\(id)/") && !$1.hasSuffix("/") }
                    .map { ($1, try archive.content(at: $0, limit: limit)) }
            }
        } else {
            throw ImportError.unsupported(
                "a ZIP archive without 'export.data' or 'data.json'",
                hint: "the archives of 1Password, Proton Pass and Bitwarden are taken")
        }
    }

    /// Adds an entry of pass, the standard Unix password manager: the password in the first line, then `key: value`.
    ///
    /// - Parameters:
    ///   - name: its path in the store, without `.gpg`.
    ///   - text: the decrypted file.
    public mutating func add(pass name: String, text: [UInt8]) {
        var card = ForeignItem(at: "\(printable(name.utf8))")
        let parts = name.split(separator: "/").map(String.init)
        card.title = parts.last
        if parts.count > 1 { card.group = parts.dropLast().joined(separator: "/") }
        guard let text = String(validating: text, as: UTF8.self) else {
            card.kind = "note"
            card.attach(parts.last ?? "file", text)
            return add(card)
        }
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String($0) ?? "" }
        // A file with the line ends of Windows.
        if lines.dropLast().allSatisfy({ $0.utf8.last == 0x0D }), lines.count > 1 {
            lines = lines.map { $0.unicodeScalars.last == "\r" ? String($0.unicodeScalars.dropLast()) : $0 }
        }
        card.fields.append(("password", lines.isEmpty ? "" : lines.removeFirst()))
        let keys = [
            "username": "username", "user": "username", "login": "username", "email": "username", "url": "url",
            "website": "url",
        ]
        var notes: [String] = []
        for line in lines {
            let colon = line.firstIndex(of: ":")
            let (key, value) = (
                colon.map { String(line[..<$0]) } ?? "", colon.map { line[$0...].dropFirst().trimmed } ?? ""
            )
            if line.hasPrefix("otpauth://"), !card.fields.contains(where: { $0.key == "totp" }) {
                card.fields.append(("totp", line))
            } else if let field = keys[key.lowercased()], !card.fields.contains(where: { $0.key == field }) {
                card.fields.append((field, value))
            } else if !key.isEmpty, !value.isEmpty, !key.contains(" "), !value.hasPrefix("//") {
                card.addOwn(key, value, isSensitive: true)
            } else {
                notes.append(line)
            }
        }
        while notes.last?.isEmpty == true { notes.removeLast() }
        card.fields.append(("notes", notes.joined(separator: "\n")))
        add(card)
    }
}
