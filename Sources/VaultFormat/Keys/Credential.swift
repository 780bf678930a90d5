public import VaultCrypto

/// The secret with which a person or a program opens a slot.
public struct Credential: ~Copyable, Sendable {
    /// The kinds of key slots (Spec/container.md, 2.3).
    public enum Kind: UInt8, CaseIterable, Sendable {
        case password = 1
        case passwordAndKeyfile = 2
        case recoveryKey = 3
        case deviceKey = 4
        /// A recipient's identity: the slot is made with the public key alone.
        case identity = 5
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

    /// The secret key of a recipient.
    public init(identity: consuming Identity) throws {
        kind = .identity
        secret = try identity.secret.slice(0..<identity.secret.byteCount)
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
        if kind == .identity { return try identityKeys(slotID, salt, vaultID, epoch) }
        let stretched = try derivation.material(from: secret, salt: salt)
        let material = try Secret(byteCount: stretched.byteCount + keyfileHash.count) { out in
            stretched.withSpan { for i in $0.indices { out[i] = $0[i] } }
            for i in keyfileHash.indices { out[stretched.byteCount + i] = keyfileHash[i] }
        }
        return try deriveKey(
            from: material, salt: salt.bytes, .slot, vaultID: vaultID,
            context: slotID.bytes + [kind.rawValue] + epoch.bytes.bytes, byteCount: 64)
    }

    /// The slot's salt is the public key that was made for it, and for nothing else.
    private func identityKeys(_ slotID: Bytes16, _ ephemeral: Salt, _ vaultID: VaultID, _ epoch: Epoch) throws -> Secret
    {
        let recipient = Recipient(key: try X25519.publicKey(of: secret))
        let lowOrder = FormatError.malformed("a key slot whose public key is of low order")
        let shared = try Recipient.shared(secret, with: ephemeral.bytes, else: lowOrder)
        return try recipient.slotKeys(shared, ephemeral, slotID, vaultID, epoch)
    }
}

extension Recipient {
    /// The bytes that a secret key shares with a public one; an error where that is of low order.
    static func shared(
        _ secret: borrowing Secret, with key: [UInt8], else error: FormatError
    ) throws -> Secret {
        do { return try X25519.shared(secret, with: key) } catch CryptoError.authenticationFailed { throw error }
    }

    /// Wrap key ‖ commitment of a slot, from the bytes that both sides share (Spec/keys.md, 2).
    func slotKeys(
        _ shared: borrowing Secret, _ ephemeral: Salt, _ slotID: Bytes16, _ vaultID: VaultID, _ epoch: Epoch
    ) throws -> Secret {
        try deriveKey(
            from: shared, salt: ephemeral.bytes + key, .slot, vaultID: vaultID,
            context: slotID.bytes + [Credential.Kind.identity.rawValue] + epoch.bytes.bytes, byteCount: 64)
    }
}

extension KeyDerivation {
    /// True if a secret of this kind is used with it.
    func suits(_ kind: Credential.Kind) -> Bool { (self == .none) == kind.isRandom }
}

extension Credential.Kind {
    /// True if the secret is random by itself, so that nothing is gained by stretching it.
    var isRandom: Bool { self == .deviceKey || self == .identity }

    /// The Spec's name.
    public var name: Phrase {
        switch self {
        case .password: "password"
        case .passwordAndKeyfile: "password and keyfile"
        case .recoveryKey: "recovery key"
        case .deviceKey: "device key"
        case .identity: "identity"
        }
    }
}
