import VaultCrypto

/// The first 256 bytes of a page (Spec/container.md, 2.2).
public struct Header: Equatable, Sendable {
    static let byteCount = 256
    private static let copyFlag: UInt16 = 1

    static let magic: [UInt8] = [0x89] + Array("QVPAGE\n".utf8)

    /// The state from which a backup was made.
    public struct Origin: Equatable, Sendable {
        /// Sequence of the vault it was copied from.
        public let sequence: UInt64
        /// Fingerprint of the newest commit of the vault it was copied from.
        public let fingerprint: Bytes32
    }

    /// Names the vault for ever.
    public let vaultID: VaultID
    /// Which master key is in force.
    public let epoch: Epoch
    /// The sequence of the newest commit.
    public let sequence: UInt64
    /// First byte after the newest commit, where page T stands.
    public let logEnd: UInt64
    /// True if this is a backup, which is read-only.
    public private(set) var isCopy = false
    /// The state from which a backup was made; nil if this is no backup.
    public private(set) var origin: Origin?
    /// Bytes of the parity behind page T with which a backup was made; 0 for none.
    public private(set) var tailLength: UInt64 = 0
    /// Features that a writer must know; none is defined.
    public private(set) var writeFeatures: UInt32 = 0

    package init(vaultID: VaultID, epoch: Epoch, sequence: UInt64, logEnd: UInt64) {
        (self.vaultID, self.epoch, self.sequence, self.logEnd) = (vaultID, epoch, sequence, logEnd)
    }

    /// Flags, origin and tail: the bytes in which the header of a backup differs.
    static let copyPlaces = [10..<12, 80..<128]

    /// Makes it the header of a backup.
    mutating func markAsCopy(of origin: Origin, tailLength: UInt64) {
        (isCopy, self.origin, self.tailLength) = (true, origin, tailLength)
    }

    var bytes: [UInt8] {
        var fields = FieldWriter(byteCount: Self.byteCount)
        fields.put(Self.magic)
        fields.put(Layout.version)
        fields.put(isCopy ? Self.copyFlag : 0)
        fields.put(UInt32(0))
        fields.put(writeFeatures)
        fields.zeros(to: 32)
        fields.put(vaultID)
        fields.put(epoch.bytes)
        fields.put(sequence)
        fields.put(Layout.stored(logEnd))
        fields.put(origin?.sequence ?? 0)
        fields.put(origin?.fingerprint ?? .zero)
        fields.put(tailLength)
        fields.zeros(to: Self.byteCount)
        return fields.bytes
    }

    /// Reads the header of a sound page, after its magic and hash were checked.
    ///
    /// - Throws: `FormatError.unsupported`.
    init(parsing bytes: [UInt8]) throws {
        var fields = FieldReader(bytes)
        _ = fields.take(8)
        let version: UInt16 = fields.integer()
        guard version == Layout.version else { throw FormatError.unsupported("format version \(version)") }
        let flags: UInt16 = fields.integer()
        guard flags & ~Self.copyFlag == 0 else { throw FormatError.unsupported("page flags \(hex(flags))") }
        let required: UInt32 = fields.integer()
        guard required == 0 else { throw FormatError.unsupported("required features \(hex(required))") }
        writeFeatures = fields.integer()
        fields.skip(to: 32)
        vaultID = VaultID(fields.bytes16())
        epoch = Epoch(fields.bytes16())
        sequence = fields.integer()
        logEnd = Layout.place(ofStored: fields.integer())
        let originSequence: UInt64 = fields.integer()
        let originHash = fields.bytes32()
        let hasOrigin = originSequence != 0 || originHash != .zero
        isCopy = flags & Self.copyFlag != 0
        tailLength = isCopy ? fields.integer() : 0
        origin = isCopy || hasOrigin ? Origin(sequence: originSequence, fingerprint: originHash) : nil
    }
}
