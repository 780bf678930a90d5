import VaultFormat

extension JSON {
    /// A path: text, and where it is not UTF-8 its bytes in hexadecimal too.
    static func path(_ path: BytePath, key: String = "path") -> JSON {
        if let text = String(validating: path.bytes, as: UTF8.self) { return [key: text] }
        return [key: path.description, key + "_hex": hexText(path.bytes)]
    }
}
