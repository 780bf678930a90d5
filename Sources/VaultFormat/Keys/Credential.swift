public import VaultCrypto

/// The secret with which a person or a program opens a slot.
public struct Credential: ~Copyable, Sendable {
    /// The kinds of key slots (Spec/container.md, 2.3).
    public enum Kind: UInt8, CaseIterable, Sendable {
        case password = 1
        case passwordAndKeyfile = 2
        case recoveryKey = 3
        case deviceKey = 4
    }

    /// The kind of slot that it opens.
    public let kind: Kind
    private let secret: Secret
    private let keyfileHash: [UInt8]

    /// A password as typed; it is normalised here. `keyfileDigest` is SHA-256 of the keyfile, when one is needed.
    ///
    /// - Throws: `FormatError.invalid` if it is not valid UTF-8, holds U+0000, or is longer than
    ///   `Limits.passwordByteCount`.
    public init(password: borrowing Secret, keyfileDigest: [UInt8]? = nil) throws {
        secret = try Self.normalized(password)
        kind = keyfileDigest == nil ? .password : .passwordAndKeyfile
        keyfileHash = keyfileDigest ?? []
    }

    private static func normalized(_ password: borrowing Secret) throws -> Secret {
        do {
            let secret = try PasswordHash.normalized(password)
            // HMAC pads its key with zeros: with U+0000 at the end two passwords would open one slot.
            let hasNUL = secret.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } }
            guard !hasNUL else { throw FormatError(.invalid, "the password holds the character U+0000") }
            guard secret.byteCount <= Limits.passwordByteCount else {
                throw FormatError(.invalid, "the password is longer than \(Limits.passwordByteCount) bytes")
            }
            return secret
        } catch CryptoError.notUTF8 {
            throw FormatError(.invalid, "the password is not valid UTF-8")
        }
    }

    /// The 20 decoded bytes of a recovery key.
    public init(recoveryKey: consuming Secret) {
        precondition(recoveryKey.byteCount == 20, "a recovery key has 160 bits")
        kind = .recoveryKey
        secret = recoveryKey
        keyfileHash = []
    }

    /// A 32-byte device key.
    public init(deviceKey: consuming Secret) {
        precondition(deviceKey.byteCount == 32, "a device key has 256 bits")
        kind = .deviceKey
        secret = deviceKey
        keyfileHash = []
    }

    /// The same password together with a keyfile.
    public borrowing func adding(keyfileDigest: [UInt8]) throws -> Credential {
        precondition(kind == .password, "a keyfile goes with a password")
        return try Credential(password: secret, keyfileDigest: keyfileDigest)
    }

    /// Wrap key ‖ commitment for a slot (Spec/keys.md, 2). This is the one slow step of the format.
    func slotKeys(
        slotID: Bytes16, salt: Salt, derivation: KeyDerivation, vaultID: VaultID, epoch: Epoch
    ) throws -> Secret {
        let stretched = try derivation.material(from: secret, salt: salt)
        let material = try Secret(byteCount: stretched.byteCount + keyfileHash.count) { out in
            stretched.withSpan { for i in $0.indices { out[i] = $0[i] } }
            for i in keyfileHash.indices { out[stretched.byteCount + i] = keyfileHash[i] }
        }
        return try deriveKey(
            from: material, salt: salt.bytes, .slot, vaultID: vaultID,
            context: slotID.bytes + [kind.rawValue] + epoch.bytes.bytes, byteCount: 64)
    }
}

extension KeyDerivation {
    /// True if a secret of this kind is used with it.
    func suits(_ kind: Credential.Kind) -> Bool { (self == .none) == (kind == .deviceKey) }
}

extension Credential.Kind {
    /// The Spec's name.
    public var name: Phrase {
        switch self {
        case .password: "password"
        case .passwordAndKeyfile: "password and keyfile"
        case .recoveryKey: "recovery key"
        case .deviceKey: "device key"
        }
    }
}
