import VaultCrypto

/// A page: the root of a vault as one commit left it, at A, B or T (Spec/container.md, 2.1).
public struct Page: Equatable, Sendable {
    private static let hashed = 0..<4064

    /// Its header.
    public let header: Header
    /// Its key slots.
    public let slots: SlotArea
    /// The copy of the newest commit record, 1,024 bytes, not yet parsed: it is judged once the tags hold.
    package let recordBytes: [UInt8]
    /// All 4,096 bytes as they stand in the file.
    package let bytes: [UInt8]

    /// Reads a page that is sound.
    ///
    /// - Throws: `FormatError` `.notAVault` (magic), `.damaged` (hash), `.unsupported`.
    package init(parsing bytes: [UInt8]) throws {
        guard bytes.count == Layout.pageByteCount, bytes.starts(with: Header.magic) else {
            throw FormatError(.notAVault, "the magic of a page")
        }
        guard try SHA256.hash(bytes.span.extracting(Self.hashed)) == Array(bytes[Self.hashed.upperBound...]) else {
            throw FormatError.damaged("the SHA-256 of a page")
        }
        self.bytes = bytes
        header = try Header(parsing: Array(bytes[..<256]))
        slots = SlotArea(parsing: Array(bytes[256..<2304]))
        recordBytes = Array(bytes[2304..<3328])
    }

    /// The page for `record` with these slots.
    package init(header: Header, slots: SlotArea, record: CommitRecord, keys: Keys) throws {
        var fields = FieldWriter(byteCount: Layout.pageByteCount)
        fields.put(header.bytes)
        fields.put(slots.bytes)
        fields.put(record.bytes)
        try fields.putTagsAndHash(keys, byteCount: Layout.pageByteCount)
        (self.header, self.slots, recordBytes, bytes) = (header, slots, record.bytes, fields.bytes)
    }

    /// The page of a vault whose newest commit this is.
    ///
    /// - Parameters:
    ///   - origin: of a backup, the commit of the vault that it was copied from.
    ///   - tailLength: of a backup, the bytes of its parity.
    package init(
        naming record: CommitRecord, slots: SlotArea, keys: Keys, origin: Core? = nil, tailLength: UInt64 = 0
    ) throws {
        let core = record.core
        var header = Header(vaultID: core.vaultID, epoch: core.epoch, sequence: core.sequence, logEnd: core.end)
        if let origin {
            header.markAsCopy(
                of: .init(sequence: origin.sequence, fingerprint: origin.fingerprint), tailLength: tailLength)
        }
        try self.init(header: header, slots: slots, record: record, keys: keys)
    }

    /// A page of a backup: this one with the flag of a copy. What a newer program put on it stays.
    ///
    /// - Parameter origin: of a page of a backup, its own; nil for the newest commit of the page.
    package init(copying page: Page, origin: Header.Origin? = nil, keys: Keys, tailLength: UInt64 = 0) throws {
        let core = try page.record().core
        var header = page.header
        header.markAsCopy(
            of: origin ?? .init(sequence: core.sequence, fingerprint: core.fingerprint), tailLength: tailLength)
        var bytes = Array(page.bytes[..<Tagged.end(Layout.pageByteCount)])
        for range in Header.copyPlaces { bytes.replaceSubrange(range, with: header.bytes[range]) }
        var fields = FieldWriter(byteCount: Layout.pageByteCount)
        fields.put(bytes)
        try fields.putTagsAndHash(keys, byteCount: Layout.pageByteCount)
        try self.init(parsing: fields.bytes)
    }

    /// Checks both tags; with them the page is authentic and the master key committed.
    package func authenticate(_ keys: any Authenticator) throws {
        try Tagged.authenticate(bytes, keys, "the page's tags")
    }

    /// The newest commit record, held against the header and the slots (Spec/reader.md, 3.5).
    ///
    /// - Throws: `FormatError` `.malformed` where the page contradicts itself, `.unsupported`.
    package func record() throws -> CommitRecord {
        let record: CommitRecord
        do {
            record = try CommitRecord(parsing: recordBytes)
        } catch let error as FormatError where error.code == .damaged {
            throw FormatError.malformed(error.what)
        }
        let core = record.core
        guard core.vaultID == header.vaultID, core.epoch == header.epoch, core.sequence == header.sequence,
            core.end == header.logEnd
        else { throw FormatError.malformed("the page's header and its commit record differ") }
        guard core.writeFeatures & ~header.writeFeatures == 0 else {
            throw FormatError.malformed("a write feature of a commit, which its page does not have")
        }
        guard header.isCopy || header.origin == nil else {
            throw FormatError.malformed("an origin without the copy flag")
        }
        guard core.slotHash == (try slots.hash()) else {
            throw FormatError.malformed("the page's key slots are not those of its commit")
        }
        return record
    }

    /// True if the bytes begin with the magic of a page of a vault, sound or not.
    package static func hasMagic(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Header.magic)
    }
}
