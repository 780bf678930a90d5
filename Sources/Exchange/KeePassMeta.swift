import CZlib
import VaultCrypto
import VaultFormat

/// The part `Meta` of an export of KeePass: what entries refer to.
struct KeePassMeta {
    /// The UUID of the recycle bin; empty where there is none.
    private let bin: String
    /// Pictures of entries, by UUID.
    let icons: [String: XMLElement]
    /// Attachments by number.
    private let binaries: [String: XMLElement]
    private let limit: Int

    /// - Parameter limit: bytes of an attachment at most.
    init(_ meta: XMLElement?, limit: Int) {
        self.limit = limit
        bin = meta?["RecycleBinUUID"]?.text ?? ""
        var (binaries, icons): ([String: XMLElement], [String: XMLElement]) = ([:], [:])
        for binary in meta?["Binaries"]?.children ?? [] { binaries[binary.attributes["ID"] ?? ""] = binary }
        for icon in meta?["CustomIcons"]?.children ?? [] { icons[icon["UUID"]?.text ?? ""] = icon["Data"] }
        (self.binaries, self.icons) = (binaries, icons)
    }

    /// True if one of these groups is the recycle bin.
    func isInBin(_ groups: [XMLElement]) -> Bool { !bin.isEmpty && groups.contains { $0["UUID"]?.text == bin } }

    /// The attachments that no entry has, by other numbers than these; those that cannot be read are not among them.
    func binaries(besides used: Set<String>) -> [(name: String, content: [UInt8])] {
        binaries.keys.filter { !used.contains($0) }.sorted().compactMap { number in
            guard case .success(let bytes) = content(of: binaries[number]) else { return nil }
            return ("attachment \(number)", bytes)
        }
    }

    /// The bytes that a value gives, or refers to.
    func content(of value: XMLElement?) -> Result<[UInt8], ImportFileError> {
        guard let value else { return .failure(ImportFileError("has no content")) }
        guard let element = value.attributes["Ref"].map({ binaries[$0] }) ?? value else {
            return .failure(ImportFileError("its content is not in this file: import the .kdbx file itself"))
        }
        let text = element.text.utf8.filter { $0 > 0x20 }
        guard let bytes = Base64.decoded(text.span) else { return .failure(ImportFileError("is no base64")) }
        guard element.attributes["Compressed"] == "True" else { return checked(bytes) }
        guard let inflated = gunzipped(bytes, limit: limit + 1) else { return .failure(ImportFileError("is no gzip")) }
        return checked(inflated)
    }

    private func checked(_ bytes: [UInt8]) -> Result<[UInt8], ImportFileError> {
        bytes.count <= limit ? .success(bytes) : .failure(ImportFileError("is larger than an attachment may be"))
    }
}

extension XMLElement {
    /// The child elements of a name.
    func each(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The value of a string of an entry.
    func string(_ key: String) -> String? { each("String").first { $0["Key"]?.text == key }?["Value"]?.text }
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
