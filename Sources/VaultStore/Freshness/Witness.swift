import VaultCrypto
public import VaultFormat

/// The relation of a vault to the newest state that this machine has seen (Spec/store.md, 8).
public enum Freshness: Equatable, Sendable {
    /// Nothing is remembered of it.
    case unknown
    /// It is what was seen last.
    case asSeen
    /// It follows what was seen last.
    case newer
    /// It was newer when it was seen last, at this sequence.
    case older(seen: UInt64)
    /// It has the sequence that was seen last, or a higher one, and another history.
    case forked(seen: UInt64)
    /// It was seen under a newer master key.
    case retired

    /// Nothing that this machine has seen is newer.
    public var isNewest: Bool {
        switch self {
        case .unknown, .asSeen, .newer: true
        case .older, .forked, .retired: false
        }
    }
}

/// The newest state that this machine has seen of a vault: 144 bytes (Spec/store.md, 8).
struct Witness: Equatable {
    static let byteCount = 144
    private static let magic: [UInt8] = [0x89] + Array("QVSEEN\n".utf8)
    private static let tagged = 0..<80
    private static let hashed = 0..<112

    let vaultID: VaultID
    let epoch: Epoch
    let sequence: UInt64
    let fingerprint: Bytes32
    let bytes: [UInt8]

    init(_ core: Core, keys: Keys) throws {
        var bytes = Self.magic + core.vaultID.bytes + core.epoch.value.bytes
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: core.sequence >> UInt64(56 - 8 * $0)) }
        bytes += core.fingerprint.bytes
        var mac = try HMACSHA256(key: keys.witness)
        bytes += try mac.tag(of: bytes.span)
        bytes += try SHA256.hash(bytes.span)
        (vaultID, epoch, sequence) = (core.vaultID, core.epoch, core.sequence)
        (fingerprint, self.bytes) = (core.fingerprint, bytes)
    }

    /// False of numbers that nobody's saves can have reached: a peer who has the password made them up, and they must not count
    /// against the live vault.
    var isPlausible: Bool { max(sequence, epoch.counter) <= Limits.remembered }

    /// True if it is of this commit, under these keys.
    func isOf(_ core: Core, _ keys: Keys) throws -> Bool {
        try epoch == core.epoch && sequence == core.sequence && fingerprint == core.fingerprint && isAuthentic(keys)
    }

    /// Parses a file; nil if it is no witness of this vault. Its HMAC is not checked.
    init?(parsing bytes: [UInt8], of vaultID: VaultID) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic), Array(bytes[8..<24]) == vaultID.bytes,
            (try? SHA256.hash(bytes.span.extracting(Self.hashed))) == Array(bytes[112...])
        else { return nil }
        self.vaultID = vaultID
        epoch = Epoch(Bytes16(Array(bytes[24..<40])))
        sequence = loadBigEndian(bytes.span, at: 40)
        fingerprint = Bytes32(Array(bytes[48..<80]))
        self.bytes = bytes
    }

    /// True if it must not give way to another one. Of a later epoch nobody has the keys here.
    func isNewer(than other: Witness, _ keys: Keys) throws -> Bool {
        if epoch != other.epoch { return epoch.counter > other.epoch.counter }
        return try sequence >= other.sequence && isAuthentic(keys)
    }

    func isAuthentic(_ keys: Keys) throws -> Bool {
        var mac = try HMACSHA256(key: keys.witness)
        let expected = try mac.tag(of: bytes.span.extracting(Self.tagged))
        return constantTimeEqual(expected.span, bytes.span.extracting(80..<112))
    }
}

extension Freshness {
    /// The fault of a vault that is not the newest state that this machine has seen; else nil.
    public var message: Phrase? {
        switch self {
        case .unknown, .asSeen, .newer: nil
        case .older(let seen): "older than this machine has seen: it was at save \(seen)"
        case .forked(let seen): "not what this machine has seen: it has another history since before save \(seen)"
        case .retired: "older than this machine has seen: its master key has been replaced"
        }
    }
}
