import VaultCrypto

/// The end of a page and of a core: audit tag and owner tag over all before, and SHA-256 over all of that.
enum Tagged {
    /// The offset of the tags in a structure of `byteCount` bytes.
    static func end(_ byteCount: Int) -> Int { byteCount - 3 * SHA256.byteCount }

    /// Checks the tags that there is a key for.
    static func authenticate(_ bytes: [UInt8], _ keys: any Authenticator, _ what: Phrase) throws {
        let end = end(bytes.count)
        try keys.checkTags(
            audit: Bytes32(bytes.span.extracting(end..<end + 32)),
            owner: Bytes32(bytes.span.extracting(end + 32..<end + 64)), of: bytes.span.extracting(..<end), what)
    }
}

extension FieldWriter {
    /// Zeros, tags and hash, up to the end of a structure of `byteCount` bytes.
    mutating func putTagsAndHash(_ keys: Keys, byteCount: Int) throws {
        zeros(to: Tagged.end(byteCount))
        let tags = try keys.tags(of: bytes.span)
        put(tags.audit)
        put(tags.owner)
        put(Bytes32(try SHA256.hash(bytes.span)))
    }
}
