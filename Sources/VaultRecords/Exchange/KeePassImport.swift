import CZlib
import VaultCrypto
import VaultFormat

extension ImportBatch {
    /// Logins from the XML that KeePass 2 and KeePassXC export, with what is attached to them. What lies in the recycle
    /// bin and older versions of entries are not taken.
    ///
    /// - Parameter limit: bytes of an attachment at most.
    /// - Throws: `ImportError`.
    public init(keePass bytes: [UInt8], limit: Int) throws {
        self.init()
        let document = try XMLElement.parse(bytes, passingOver: ["History"])
        guard document.name == "KeePassFile", let root = document["Root"] else {
            throw ImportError.malformed(
                "no export of KeePass 2: it begins with <\(document.name)>", line: document.line)
        }
        let meta = document["Meta"]
        var source = KeePassSource(bin: meta?["RecycleBinUUID"]?.text ?? "", limit: limit)
        for binary in meta?["Binaries"]?.children ?? [] {
            if let id = binary.attributes["ID"] { source.binaries[id] = binary }
        }
        for group in root.children where group.name == "Group" { add(group, nil, source) }
    }

    private mutating func add(_ group: XMLElement, _ parent: String?, _ source: KeePassSource) {
        if let id = group["UUID"]?.text, !id.isEmpty, id == source.bin { return }
        for child in group.children {
            if child.name == "Entry" { add(entry: child, parent, source) }
            guard child.name == "Group" else { continue }
            let name = child["Name"]?.text ?? ""
            add(child, [parent, name].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "/"), source)
        }
    }

    private mutating func add(entry: XMLElement, _ group: String?, _ source: KeePassSource) {
        let place: Phrase = "line \(entry.line)"
        let keys = ["UserName": "username", "Password": "password", "URL": "url", "Notes": "notes", "otp": "totp"]
        var (title, fields): (String?, [(key: String, value: String)]) = (nil, [])
        var own: [RecordFields.CustomField] = []
        for string in entry.children where string.name == "String" {
            guard let key = string["Key"]?.text, let value = string["Value"] else { continue }
            guard value.attributes["Protected"] != "True" else {
                problems.append(
                    ImportProblem(place, "\(key): its value is encrypted: export as XML from KeePass or KeePassXC"))
                continue
            }
            let text = value.text.replacing("\r\n", with: "\n")
            if key == "Title" {
                title = text
            } else if let known = keys[key] {
                fields.append((known, text))
            } else {
                let isSensitive = value.attributes["ProtectInMemory"] == "True"
                own.append(RecordFields.CustomField(label: key, value: text, isSensitive: isSensitive))
            }
        }
        let tags = (entry["Tags"]?.text ?? "").split(maxSplits: Card.tagCount) { ";,".contains($0) }.map(\.trimmed)
            .filter { !$0.isEmpty }
        let files = attachments(of: entry, place, source)
        guard let schema = Schema.named("login") else { preconditionFailure("there are logins") }
        add(
            schema, title: title, at: place, group: group.flatMap { $0.isEmpty ? nil : $0 }, tags: tags, fields: fields,
            own: own
        ) {
            $0.attachments = files
            let times = entry["Times"]
            let created = times?["CreationTime"].flatMap { Timestamp($0.text) }
            let updated = times?["LastModificationTime"].flatMap { Timestamp($0.text) }
            if let created, let updated { ($0.created, $0.updated) = (created, max(created, updated)) }
        }
    }

    private mutating func attachments(of entry: XMLElement, _ place: Phrase, _ source: KeePassSource) -> [NewAttachment]
    {
        var files: [NewAttachment] = []
        for binary in entry.children where binary.name == "Binary" {
            let name = binary["Key"]?.text ?? ""
            switch source.content(of: binary["Value"]) {
            case .success(let bytes):
                if let file = NewAttachment(name: Array(name.utf8), content: bytes) {
                    files.append(file)
                } else {
                    problems.append(ImportProblem(place, "\(name): is no JPEG, PNG, HEIC or PDF"))
                }
            case .failure(let error): problems.append(ImportProblem(place, "\(name): \(error.what)"))
            }
        }
        return files
    }
}

private struct KeePassSource {
    /// The UUID of the recycle bin.
    let bin: String
    let limit: Int
    /// Attachments by number.
    var binaries: [String: XMLElement] = [:]

    struct Failure: Error { let what: Phrase }

    init(bin: String, limit: Int) { (self.bin, self.limit) = (bin, limit) }

    /// The bytes that a value gives, or refers to.
    func content(of value: XMLElement?) -> Result<[UInt8], Failure> {
        guard let value else { return .failure(Failure(what: "has no content")) }
        guard let element = value.attributes["Ref"].map({ binaries[$0] }) ?? value else {
            return .failure(Failure(what: "refers to an attachment that is not there"))
        }
        let text = element.text.utf8.filter { $0 > 0x20 }
        guard let bytes = Base64.decoded(text.span) else { return .failure(Failure(what: "is no base64")) }
        guard element.attributes["Compressed"] == "True" else { return checked(bytes) }
        guard let inflated = gunzipped(bytes, limit: limit + 1) else { return .failure(Failure(what: "is no gzip")) }
        return checked(inflated)
    }

    private func checked(_ bytes: [UInt8]) -> Result<[UInt8], Failure> {
        bytes.count <= limit ? .success(bytes) : .failure(Failure(what: "is larger than an attachment may be"))
    }
}

/// The content of gzip data, at most `limit` bytes of it; nil where it is damaged.
private func gunzipped(_ data: [UInt8], limit: Int) -> [UInt8]? {
    var stream = unsafe z_stream()
    // 16: with the header of gzip.
    guard unsafe inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
        return nil
    }
    defer { unsafe inflateEnd(&stream) }
    var input = data
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    return unsafe input.withUnsafeMutableBufferPointer { bytes -> [UInt8]? in
        unsafe stream.next_in = bytes.baseAddress
        unsafe stream.avail_in = UInt32(bytes.count)
        while true {
            let (status, room) = unsafe piece.withUnsafeMutableBufferPointer { out in
                unsafe stream.next_out = out.baseAddress
                unsafe stream.avail_out = UInt32(out.count)
                return unsafe (inflate(&stream, Z_NO_FLUSH), Int(stream.avail_out))
            }
            guard status == Z_OK || status == Z_STREAM_END else { return nil }
            output += piece[..<(piece.count - room)]
            if status == Z_STREAM_END || output.count >= limit { return output }
        }
    }
}
