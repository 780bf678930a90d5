public import VaultCrypto

/// The purposes of Spec/keys.md, 1 to 3: one label for each.
package enum Purpose: String, CaseIterable, Sendable {
    case slot, segment, padding, rest, header, record, witness, salt
    case recordRoot = "record-root"
    case manifestRoot = "manifest-root"
    case ownerTag = "owner-tag"
    case slotLabel = "slot-label"
    case auditRoot = "audit-root"
    case auditTag = "audit-tag"
    case privatePart = "private"

    /// HKDF's info string.
    func info(_ vaultID: VaultID, _ context: [UInt8] = []) -> [UInt8] {
        Array("quickvault/1/\(rawValue)".utf8) + [0] + vaultID.bytes + context
    }
}

/// Derives `byteCount` bytes from a secret for one purpose.
package func deriveKey(
    from material: borrowing Secret, salt: [UInt8] = [], _ purpose: Purpose, vaultID: VaultID, context: [UInt8] = [],
    byteCount: Int = 32
) throws -> Secret {
    var hkdf = try HKDF()
    return try Secret(byteCount: byteCount) { out in
        try material.withSpan {
            try hkdf.derive(from: $0, salt: salt.span, info: purpose.info(vaultID, context).span, into: &out)
        }
    }
}

/// The keys of an open vault, all derived from its master key (Spec/keys.md, 3).
public final class Keys: Sendable {
    /// The vault that the keys belong to.
    public let vaultID: VaultID
    /// The master key's epoch.
    public let epoch: Epoch
    package let master: Secret
    package let ownerTag: Secret
    /// The keys that an audit key holds.
    public let audit: AuditKeys
    package let slotLabel: Secret
    package let witness: Secret
    package let salt: Secret
    private let manifestRoot: Secret
    package let recordRoot: Secret
    package let header: Secret

    /// Takes the 32-byte master key.
    public init(master: consuming Secret, vaultID: VaultID, epoch: Epoch) throws {
        (self.vaultID, self.epoch) = (vaultID, epoch)
        ownerTag = try deriveKey(from: master, .ownerTag, vaultID: vaultID)
        audit = try AuditKeys(root: deriveKey(from: master, .auditRoot, vaultID: vaultID), vaultID: vaultID)
        slotLabel = try deriveKey(from: master, .slotLabel, vaultID: vaultID)
        witness = try deriveKey(from: master, .witness, vaultID: vaultID)
        salt = try deriveKey(from: master, .salt, vaultID: vaultID)
        manifestRoot = try deriveKey(from: master, .manifestRoot, vaultID: vaultID)
        recordRoot = try deriveKey(from: master, .recordRoot, vaultID: vaultID)
        header = try deriveKey(from: recordRoot, .header, vaultID: vaultID)
        self.master = master
    }

    /// A key of the commit with this salt: segment, private part, padding or rest.
    package func commitKey(_ purpose: Purpose, salt: Salt) throws -> Secret {
        switch purpose {
        case .segment, .privatePart, .padding, .rest:
            try deriveKey(from: manifestRoot, salt: salt.bytes, purpose, vaultID: vaultID)
        default: preconditionFailure("\(purpose) is no key of a commit")
        }
    }

    /// The two tags, audit and owner, of bytes on a page or in a commit record.
    package func tags(of bytes: Span<UInt8>) throws -> (audit: Bytes32, owner: Bytes32) {
        var mac = try HMACSHA256(key: ownerTag)
        let owner = Bytes32(try mac.tag(of: bytes))
        return (try audit.tag(of: bytes, owner: owner), owner)
    }

    /// As the protocol says: both tags.
    public func checkTags(audit: Bytes32, owner: Bytes32, of bytes: Span<UInt8>, _ what: Phrase) throws {
        let expected = try tags(of: bytes)
        let right = constantTimeEqual(expected.audit.bytes.span, audit.bytes.span)
        guard constantTimeEqual(expected.owner.bytes.span, owner.bytes.span) && right else {
            throw FormatError.tampered(what)
        }
    }
}

/// Keys that detect tampering: all keys of a vault, or its audit keys alone.
public protocol Authenticator: Sendable {
    /// Checks, in constant time, the tags over bytes of a page or a commit record that it has the key of.
    ///
    /// - Throws: `FormatError.tampered`.
    func checkTags(audit: Bytes32, owner: Bytes32, of bytes: Span<UInt8>, _ what: Phrase) throws
}

extension Keys: Authenticator {}

/// The keys that find tampering and read nothing (Spec/keys.md, 3).
public final class AuditKeys: Authenticator {
    /// The vault that they belong to.
    public let vaultID: VaultID
    package let root: Secret
    package let tag: Secret

    /// Takes the 32-byte audit root.
    public init(root: consuming Secret, vaultID: VaultID) throws {
        self.vaultID = vaultID
        tag = try deriveKey(from: root, .auditTag, vaultID: vaultID)
        self.root = root
    }

    /// The audit tag of bytes with their owner tag behind them: so it tells whether that one was changed.
    func tag(of bytes: Span<UInt8>, owner: Bytes32) throws -> Bytes32 {
        var mac = try HMACSHA256(key: tag)
        return Bytes32(try mac.tag(of: (Array(copying: bytes) + owner.bytes).span))
    }

    /// As the protocol says: the audit tag alone.
    public func checkTags(audit: Bytes32, owner: Bytes32, of bytes: Span<UInt8>, _ what: Phrase) throws {
        guard constantTimeEqual(try tag(of: bytes, owner: owner).bytes.span, audit.bytes.span) else {
            throw FormatError.tampered(what)
        }
    }
}

/// Ciphers of stored records, one at a time: one HKDF for each, on one context and into one secret.
package struct RecordCipher: ~Copyable {
    private let keys: Keys
    private var hkdf: HKDF
    private var key: Secret
    /// HKDF's info string, the same for all: the salt names the record.
    private let info: [UInt8]
    /// The cipher of the record that it was last turned to.
    package var cipher: AESGCM
    private var current: Salt?

    package init(_ keys: Keys) throws {
        let hkdf = try HKDF()
        let key = try Secret(byteCount: 32)
        let cipher = try AESGCM(key: key)
        self.keys = keys
        self.hkdf = hkdf
        self.key = key
        self.cipher = cipher
        info = Purpose.record.info(keys.vaultID, [])
    }

    /// Turns to the stored record with this salt.
    package mutating func turn(to record: Salt) throws {
        guard record != current else { return }
        current = nil
        let info = info
        try record.withSpan { salt in
            try key.withMutableSpan { out in
                try keys.recordRoot.withSpan { try hkdf.derive(from: $0, salt: salt, info: info.span, into: &out) }
            }
        }
        try key.withSpan { try cipher.rekey($0) }
        current = record
    }
}
