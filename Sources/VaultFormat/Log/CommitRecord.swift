import VaultCrypto

/// The header of a commit (Spec/container.md, 3.2): its place, the chain, and hashes of its parts.
public struct Core: Equatable, Sendable {
    package static let byteCount = 512
    private static let magic: [UInt8] = [0x89] + Array("QVCMIT\n".utf8)
    private static let privatePlace = 208..<352
    private static let hashed = 0..<480

    /// The vault it belongs to.
    public let vaultID: VaultID
    /// The master key it was written under.
    public let epoch: Epoch
    /// 1 or more, growing from commit to commit.
    public let sequence: UInt64
    package let salt: Salt
    /// Start of the commit and of its payload area in the file, in bytes.
    public let start: UInt64
    /// Length of the payload area in bytes.
    public let payloadLength: UInt64
    /// Length in bytes of the commit's tail: commit record, check table, a copy of the manifest's head, padding.
    package let tailLength: UInt64
    /// The fingerprint of the commit before; zero in a vault's first.
    package let previous: Bytes32
    package let tableHash: Bytes32
    package let slotHash: Bytes32
    /// Features that a writer must know; none is defined.
    package let writeFeatures: UInt32
    /// The bytes that key slots need beside their own; nil if none does.
    package let extensionArea: ExtensionArea?
    /// All 512 bytes as they stand in the file.
    package let bytes: [UInt8]
    /// SHA-256 of these: it names the save, all that is in it, and every save before it.
    public let fingerprint: Bytes32

    /// The encrypted part.
    package struct PrivatePart: Equatable, Sendable {
        package let segment: SegmentLink
        /// Time of the commit, in microseconds since 1970.
        package let time: Timestamp
        /// The program that wrote it: at most 32 bytes of UTF-8, for people only.
        package let writer: String

        package init(segment: SegmentLink, time: Timestamp, writer: String) {
            (self.segment, self.time, self.writer) = (segment, time, writer)
        }
    }

    /// Makes and seals a core.
    package init(
        vaultID: VaultID, epoch: Epoch, sequence: UInt64, salt: Salt, start: UInt64, payloadLength: UInt64,
        tailLength: UInt64, previous: Bytes32, tableHash: Bytes32, slotHash: Bytes32, privatePart: PrivatePart,
        extensionArea: ExtensionArea? = nil, keys: Keys
    ) throws {
        var fields = FieldWriter(byteCount: Self.byteCount)
        fields.put(Self.magic)
        fields.put(Layout.version)
        fields.put(UInt16(0))
        fields.put(UInt32(0))
        fields.put(vaultID)
        fields.put(epoch.bytes)
        fields.put(sequence)
        fields.put(salt)
        fields.put(Layout.stored(start))
        fields.put(payloadLength)
        fields.put(tailLength)
        fields.put(previous)
        fields.put(tableHash)
        fields.put(slotHash)
        var cipher = try AESGCM(key: keys.commitKey(.privatePart, salt: salt))
        fields.put(try cipher.sealed(privatePart.bytes.span, nonce: .single, aad: fields.bytes))
        extensionArea?.write(to: &fields)
        try fields.putTagsAndHash(keys, byteCount: Self.byteCount)
        try self.init(parsing: fields.bytes)
    }

    /// Reads a core whose SHA-256 holds.
    ///
    /// - Throws: `FormatError` `.damaged` for magic, hash and places; `.unsupported`.
    package init(parsing bytes: [UInt8]) throws {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else {
            throw FormatError.damaged("the magic of a commit record")
        }
        guard try SHA256.hash(bytes.span.extracting(Self.hashed)) == Array(bytes[Self.hashed.upperBound...]) else {
            throw FormatError.damaged("the SHA-256 of a commit record")
        }
        self.bytes = bytes
        fingerprint = Bytes32(try SHA256.hash(bytes.span))
        var fields = FieldReader(bytes)
        _ = fields.take(8)
        let version: UInt16 = fields.integer()
        guard version == Layout.version else { throw FormatError.unsupported("commit record version \(version)") }
        let flags: UInt16 = fields.integer()
        guard flags == 0 else { throw FormatError.unsupported("commit record flags \(hex(flags))") }
        writeFeatures = fields.integer()
        vaultID = VaultID(fields.bytes16())
        epoch = Epoch(fields.bytes16())
        sequence = fields.integer()
        salt = Salt(fields.bytes32())
        start = Layout.place(ofStored: fields.integer())
        payloadLength = fields.integer()
        tailLength = fields.integer()
        previous = fields.bytes32()
        tableHash = fields.bytes32()
        slotHash = fields.bytes32()
        fields.skip(to: Self.privatePlace.upperBound)
        extensionArea = ExtensionArea(parsing: &fields)
        guard (1...Limits.counter).contains(epoch.counter), (1...Limits.counter).contains(sequence),
            start < Limits.fileByteCount, start % Layout.alignment == 0, payloadLength % Layout.alignment == 0,
            (Layout.alignment...Limits.payloadByteCount).contains(payloadLength), tailLength % Layout.alignment == 0,
            (Core.tailByteCount(payloadLength, head: 0)...Limits.payloadByteCount).contains(tailLength),
            extensionArea?.fits(before: start + payloadLength + tailLength) ?? true
        else { throw FormatError.damaged("epoch, sequence or places of a commit record") }
    }

    /// True if the bytes begin as a core does.
    package static func hasMagic(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: magic) }

    /// The offset of the commit record in the file.
    public var recordOffset: UInt64 { start + payloadLength }
    package var tableOffset: UInt64 { recordOffset + UInt64(CommitRecord.byteCount) }
    /// Blocks of the payload area. Each has a row in the check table, and what follows the table has one more.
    package var blockCount: UInt64 { Self.blockCount(payloadLength) }
    package var tableByteCount: UInt64 { (blockCount + 1) * UInt64(CheckTable.rowByteCount) }
    /// The place of the copy of the manifest's head, behind the check table.
    package var headCopyOffset: UInt64 { tableOffset + tableByteCount }
    /// First byte after the commit.
    public var end: UInt64 { recordOffset + tailLength }

    private static func blockCount(_ payloadLength: UInt64) -> UInt64 {
        Layout.align(payloadLength, to: UInt64(Layout.blockByteCount)) / 65_536
    }

    /// Bytes that follow a payload area, without padding, with a head of a manifest segment of `head` bytes.
    package static func tailByteCount(_ payloadLength: UInt64, head: UInt64) -> UInt64 {
        UInt64(CommitRecord.byteCount) + (blockCount(payloadLength) + 1) * UInt64(CheckTable.rowByteCount) + head
    }

    /// Checks both tags.
    package func authenticate(_ keys: any Authenticator) throws {
        try Tagged.authenticate(bytes, keys, "the tags of commit \(sequence)")
    }

    /// Decrypts the private part; call after `authenticate`.
    package func privatePart(keys: Keys) throws -> PrivatePart {
        var cipher = try AESGCM(key: keys.commitKey(.privatePart, salt: salt))
        guard
            let plain = try cipher.opened(
                bytes.span.extracting(Self.privatePlace), nonce: .single,
                aad: Array(bytes[..<Self.privatePlace.lowerBound]))
        else { throw FormatError.tampered("the private part of commit \(sequence)") }
        return try PrivatePart(parsing: plain, salt: salt, headCopy: headCopyOffset)
    }
}

extension Core.PrivatePart {
    private static let byteCount = 128

    init(parsing bytes: [UInt8], salt: Salt, headCopy: UInt64) throws {
        var fields = FieldReader(bytes)
        let (offset, length): (UInt64, UInt64) = (Layout.place(ofStored: fields.integer()), fields.integer())
        let headLength: UInt32 = fields.integer()
        fields.skip(to: 24)
        segment = SegmentLink(
            offset: offset, length: length, headLength: UInt64(headLength), headCopy: headCopy, salt: salt,
            headHash: fields.bytes32())
        time = fields.timestamp()
        let text = fields.take(32)
        let end = text.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        guard time.microseconds <= Limits.counter, let writer = String(validating: text[..<end], as: UTF8.self)
        else {
            throw FormatError.malformed("the private part of a commit")
        }
        self.writer = writer
    }

    var bytes: [UInt8] {
        var fields = FieldWriter(byteCount: Self.byteCount)
        fields.put(Layout.stored(segment.offset))
        fields.put(segment.length)
        fields.put(UInt32(segment.headLength))
        fields.zeros(to: 24)
        fields.put(segment.headHash)
        fields.put(time)
        fields.put(Array(writer.utf8.prefix(32)))
        fields.zeros(to: Self.byteCount)
        return fields.bytes
    }
}

/// A core and a copy of the core before it: 1,024 bytes (Spec/container.md, 3.2).
public struct CommitRecord: Equatable, Sendable {
    /// Bytes of a record: two cores.
    public static let byteCount = 1024

    /// The core of this commit.
    public let core: Core
    /// The 512 bytes of the core of the commit that ends where this one starts; nil in the first commit of the log.
    package let previousCore: [UInt8]?

    package init(core: Core, previous: Core?) {
        self.core = core
        previousCore = previous?.bytes
    }

    /// Reads a record; errors as for `Core`. The copy is not judged.
    package init(parsing bytes: [UInt8]) throws {
        guard bytes.count == Self.byteCount else { throw FormatError.damaged("a commit record that is cut short") }
        core = try Core(parsing: Array(bytes[..<Core.byteCount]))
        let copy = Array(bytes[Core.byteCount...])
        previousCore = copy.allSatisfy { $0 == 0 } ? nil : copy
    }

    package var bytes: [UInt8] { core.bytes + (previousCore ?? [UInt8](repeating: 0, count: Core.byteCount)) }
}

extension Core {
    /// Holds the place of this commit's own segment, and that of the copy of its head, against the commit.
    ///
    /// - Throws: `FormatError.malformed`.
    package func check(_ segment: SegmentLink) throws {
        try segment.check(endsBy: recordOffset)
        guard segment.offset >= start, segment.headCopy + segment.headLength <= end else {
            throw FormatError(.malformed, "the place of a manifest segment", at: segment.offset)
        }
    }
}
