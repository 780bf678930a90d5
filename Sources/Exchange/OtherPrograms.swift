import VaultFormat

/// The programs whose JSON is taken.
public enum JSONProgram: String, Sendable {
    /// Their names, as options have them.
    case bitwarden, proton, enpass

    /// Told by the members of a document.
    init(of document: JSON) {
        let first = document["items"]?.items?.first
        if document["vaults"]?.members != nil {
            self = .proton
        } else if first?["template_type"] != nil
            || first?["fields"] != nil && document["encrypted"] == nil && first?["type"] == nil
        {
            self = .enpass
        } else {
            self = .bitwarden
        }
    }

    /// Members that only serve the program: what stands in them says nothing of an item.
    var ignored: Set<String> {
        switch self {
        case .bitwarden: ImportBatch.ignoredByBitwarden
        case .proton: ImportBatch.ignoredByProton
        case .enpass: ImportBatch.ignoredByEnpass
        }
    }
}

extension ImportBatch {
    /// The bytes of JSON in a source at most.
    private static let jsonByteCount = 48 << 20

    /// Cards from the JSON of another program: Bitwarden, Proton Pass or Enpass.
    ///
    /// - Parameter program: the one that wrote it; nil where its members tell.
    /// - Throws: `ImportError`.
    public init(json bytes: [UInt8], of program: JSONProgram? = nil) throws {
        let document = try Self.document(bytes)
        let program = program ?? JSONProgram(of: document)
        try self.init(document, of: program)
        addRest(of: document, besides: program.ignored)
    }

    private static func document(_ bytes: [UInt8]) throws -> JSON {
        var budget = TextBudget()
        try budget.takeValues(ofJSON: bytes.span)
        return try JSON(parsing: bytes)
    }

    private init(_ document: JSON, of program: JSONProgram, files: ItemFiles = { _ in [] }) throws {
        switch program {
        case .proton: try self.init(proton: document, files: files)
        case .enpass: try self.init(enpass: document)
        case .bitwarden: try self.init(bitwarden: document, files: files)
        }
    }

    /// Cards from a ZIP archive: `.1pux` of 1Password, the archives of Proton Pass and Bitwarden. Files that no item names are
    /// kept beside the cards.
    ///
    /// - Parameter limit: bytes of an attachment at most.
    /// - Throws: `ImportError`.
    public init(zip bytes: [UInt8], limit: Int) throws {
        guard let archive = ZipArchive(bytes) else { throw MalformedText("not a ZIP archive", line: 1) }
        func document(_ index: Int) throws -> JSON {
            try Self.document(archive.content(at: index, limit: Self.jsonByteCount))
        }
        if let index = archive.names.firstIndex(of: "export.data") {
            let data = try document(index)
            try self.init(onePassword: data) { id in
                let start = "files/\(id)__"
                guard let name = archive.names.first(where: { $0.hasPrefix(start) }) else { return nil }
                return try archive.content(name, limit: limit).map { (String(name.dropFirst(start.count)), $0) }
            }
            addRest(of: data, besides: Self.ignoredByOnePassword, files: unread(of: archive, limit: limit))
        } else if let index = Self.dataIndex(archive.names) {
            let data = try document(index)
            let program = JSONProgram(of: data)
            let folder = archive.names[index].dropLast("data.json".utf8.count)
            try self.init(data, of: program) { item in
                let places = (item["id"]?.text).map { ["attachments/\($0)/"] } ?? []
                let named = item.each("files").compactMap(\.text).map { "\(folder)files/\($0)" }
                return try archive.names.enumerated().filter { _, name in
                    named.contains(name) || !name.hasSuffix("/") && places.contains { name.hasPrefix(folder + $0) }
                }.map { ($1, try archive.content(at: $0, limit: limit)) }
            }
            addRest(of: data, besides: program.ignored, files: unread(of: archive, limit: limit))
        } else {
            throw ImportError.unsupported(
                "a ZIP archive without 'export.data' or 'data.json'",
                hint: "the archives of 1Password, Proton Pass and Bitwarden are taken")
        }
    }

    /// The number of the document in an archive: the one that stands highest.
    private static func dataIndex(_ names: [String]) -> Int? {
        names.indices.filter { names[$0] == "data.json" || names[$0].hasSuffix("/data.json") }
            .min { names[$0].split(separator: "/").count < names[$1].split(separator: "/").count }
    }

    /// The files of an archive that nobody has read; those that cannot be read are problems.
    private mutating func unread(of archive: ZipArchive, limit: Int) -> [(name: String, content: [UInt8])] {
        archive.unread.compactMap { index in
            do { return (archive.names[index], try archive.content(at: index, limit: limit)) } catch {
                leaveOut("the archive", (error as? MalformedText)?.what ?? "cannot be read")
                return nil
            }
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
            let key = colon.map { String(line[..<$0]) } ?? ""
            let value = colon.map { line[$0...].dropFirst().trimmed } ?? ""
            if line.hasPrefix("otpauth://"), !card.has("totp") {
                card.fields.append(("totp", line))
            } else if let field = keys[key.lowercased()], !card.has(field) {
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
