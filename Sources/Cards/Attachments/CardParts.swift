import VaultCrypto
public import VaultFormat
public import VaultStore

extension Entry {
    /// True if it is a file that belongs to another record.
    public var isAttachment: Bool { kind == .attachment }
    /// True if it only serves the record that it belongs to, and is no record of its own to people.
    public var isPart: Bool { kind.isPart }
    /// True if it tells of a copy that was given away.
    public var isShare: Bool { kind == .share }
    /// The field of a share's record with the day, `YYYY-MM-DD`, on which the copy was asked back.
    public static let revokedKey = "revoked"
}

extension RecordID {
    /// The id of a record that is found by what it is, the same in every copy of a vault: the first 16 bytes of SHA-256 of
    /// `quickvault/1/KIND`, a zero byte and a name.
    ///
    /// - Throws: `CryptoError`.
    package init(of kind: String, named name: some Sequence<UInt8>) throws {
        let bytes = Array("quickvault/1/\(kind)".utf8) + [0] + Array(name)
        self.init(try SHA256.hash(bytes.span))
    }
}

extension Vault {
    /// Bytes of a mark's or a share's record at most.
    package static let markByteCount = 1 << 16

    /// Bytes of an attachment, unless a person allows more.
    public static let attachmentByteCount = 10 << 20
    /// Bytes of an attachment at most, whatever a person allows: it is read whole.
    public static let maximumAttachmentByteCount = 1 << 30

    /// The attachments of a record, by name.
    public static func attachments(of owner: RecordID, among entries: [Entry]) -> [Entry] {
        entries.filter { $0.isAttachment && $0.parent == owner }
            .sorted { $0.overview.title.lexicographicallyPrecedes($1.overview.title) }
    }

    /// The attachments of a record, by name.
    ///
    /// - Throws: as `entries`.
    public func attachments(of owner: Entry) throws -> [Entry] {
        Self.attachments(of: owner.id, among: try entries { $0.isAttachment && $0.parent == owner.id })
    }
}
