package import VaultCrypto

/// One of the eight key slots of a page, which wraps the master key (Spec/container.md, 2.4).
public struct KeySlot: Equatable, Sendable {
    /// Bytes of a slot.
    public static let byteCount = 256

    /// The kind as stored; a number that `Credential.Kind` does not know belongs to a newer writer.
    public let kind: UInt8
    /// PBKDF2 iterations; 0 for a device key.
    public let iterations: UInt32
    /// Names the slot for as long as it exists.
    public let id: Bytes16
    let salt: Salt
    let nonce: [UInt8]
    let commitment: Bytes32
    let wrappedMaster: [UInt8]
    let labelNonce: [UInt8]
    let sealedLabel: [UInt8]

    /// What the label holds.
    public struct Label: Equatable, Sendable {
        /// When the slot was made, in microseconds since 1970.
        public let created: UInt64
        /// At most 55 bytes of UTF-8.
        public let text: String

        /// A label as it will be stored.
        public init(created: UInt64, text: String) {
            (self.created, self.text) = (created, text)
        }
    }

    /// What a new slot is made with.
    public struct Request: Sendable {
        /// PBKDF2 iterations, 100,000 or more; a device key has none.
        public var iterations: UInt32
        /// At most 55 bytes of UTF-8.
        public var label: String
        /// When its secret was set, in microseconds since 1970; now, if nil.
        public var created: UInt64?

        /// A slot of this cost and name.
        public init(
            iterations: UInt32 = Limits.minimumIterations, label: String = "password", created: UInt64? = nil
        ) {
            (self.iterations, self.label, self.created) = (iterations, label, created)
        }
    }

    /// A slot as it was asked for.
    ///
    /// - Throws: `FormatError` `.refused` for too few iterations, `.invalid` for too long a label.
    package init(
        _ request: Request, for credential: borrowing Credential, keys: Keys, id: Bytes16, now: UInt64,
        random: inout some RandomSource
    ) throws {
        let range = Limits.minimumIterations...Limits.maximumIterations
        guard range.contains(request.iterations) || !credential.kind.usesPBKDF2 else {
            throw FormatError(.refused, "\(request.iterations) iterations; the floor is \(range.lowerBound)")
        }
        guard request.label.utf8.count <= Limits.labelByteCount else {
            throw FormatError(.invalid, "a label has at most \(Limits.labelByteCount) bytes")
        }
        try self.init(
            for: credential, keys: keys, id: id, iterations: request.iterations,
            label: Label(created: request.created ?? now, text: request.label), random: &random)
    }

    /// A slot for `credential`, with fresh salt and nonces.
    package init(
        for credential: borrowing Credential, keys: Keys, id: Bytes16, iterations: UInt32, label: Label,
        random: inout some RandomSource
    ) throws {
        precondition(label.text.utf8.count <= Limits.labelByteCount, "a label fits its slot")
        let rounds = credential.kind.usesPBKDF2 ? iterations : 0
        let salt = Salt(try random.bytes(32))
        let nonce = try random.bytes(12)
        let labelNonce = try random.bytes(12)

        let slotKeys = try credential.slotKeys(slotID: id, salt: salt, iterations: rounds, vaultID: keys.vaultID)
        let commitment = Bytes32(slotKeys.withSpan { Array(copying: $0.extracting(32..<64)) })
        var fields = FieldWriter(byteCount: 100)
        Self.putOpenFields(credential.kind.rawValue, rounds, id, salt, nonce, commitment, to: &fields)
        let aad = fields.bytes + keys.vaultID.bytes
        var wrap = try AESGCM(key: slotKeys.slice(0..<32))
        let wrapped = try keys.master.withSpan { try wrap.sealed($0, nonce: Nonce(prefix: nonce.span), aad: aad) }

        var plain = FieldWriter(byteCount: 64)
        plain.put(label.created)
        plain.put([UInt8(label.text.utf8.count)] + Array(label.text.utf8))
        plain.unused(to: 64)
        var labels = try AESGCM(key: keys.slotLabel)
        let sealedLabel = try labels.sealed(
            plain.bytes.span, nonce: Nonce(prefix: labelNonce.span), aad: id.bytes + keys.vaultID.bytes)

        (kind, self.iterations, self.id, self.salt) = (credential.kind.rawValue, rounds, id, salt)
        (self.nonce, self.commitment, wrappedMaster) = (nonce, commitment, wrapped)
        (self.labelNonce, self.sealedLabel) = (labelNonce, sealedLabel)
    }

    /// Reads a slot; nil when it is empty.
    ///
    /// - Throws: `FormatError` `.damaged` for nonzero unused bytes, `.unsupported` for reserved ones.
    init?(parsing bytes: [UInt8]) throws {
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        var fields = FieldReader(bytes)
        kind = fields.integer()
        let reserved = fields.take(3)
        iterations = fields.integer()
        id = fields.bytes16()
        salt = fields.bytes32()
        nonce = fields.take(12)
        commitment = fields.bytes32()
        wrappedMaster = fields.take(48)
        labelNonce = fields.take(12)
        sealedLabel = fields.take(80)
        guard let known = Credential.Kind(rawValue: kind) else {
            guard kind != 0 else { throw FormatError.damaged("an empty key slot holds bytes") }
            return
        }
        guard fields.unused(to: Self.byteCount) else { throw FormatError.damaged("unused bytes of a key slot") }
        guard reserved == [0, 0, 0] else { throw FormatError.unsupported("reserved bytes of a key slot") }
        guard known.usesPBKDF2 || iterations == 0 else { throw FormatError.damaged("iterations of a device key slot") }
    }

    /// The slot's kind, if this version knows it.
    public var knownKind: Credential.Kind? { Credential.Kind(rawValue: kind) }

    /// Unwraps the master key; nil when the credential does not belong to this slot. The caller has bounded the
    /// iterations.
    ///
    /// - Throws: `FormatError` `.tampered` when the slot was altered.
    package func open(with credential: borrowing Credential, vaultID: VaultID) throws -> Secret? {
        guard credential.kind.rawValue == kind else { return nil }
        let slotKeys = try credential.slotKeys(slotID: id, salt: salt, iterations: iterations, vaultID: vaultID)
        guard slotKeys.withSpan({ constantTimeEqual($0.extracting(32..<64), commitment.bytes.span) }) else {
            return nil
        }
        var fields = FieldWriter(byteCount: 100)
        Self.putOpenFields(kind, iterations, id, salt, nonce, commitment, to: &fields)
        var wrap = try AESGCM(key: slotKeys.slice(0..<32))
        var master = try Secret(byteCount: 32)
        do {
            try master.withMutableSpan {
                try wrap.open(
                    wrappedMaster.span, nonce: Nonce(prefix: nonce.span), aad: (fields.bytes + vaultID.bytes).span,
                    into: &$0)
            }
        } catch CryptoError.authenticationFailed {
            throw FormatError.tampered("the wrapped master key of a key slot")
        }
        return master
    }

    /// Decrypts the label.
    package func label(keys: Keys) throws -> Label {
        var labels = try AESGCM(key: keys.slotLabel)
        guard
            let plain = try labels.opened(
                sealedLabel.span, nonce: Nonce(prefix: labelNonce.span), aad: id.bytes + keys.vaultID.bytes)
        else { throw FormatError.tampered("the label of a key slot") }
        var fields = FieldReader(plain)
        let created: UInt64 = fields.integer()
        let count = Int(fields.integer(UInt8.self))
        guard created <= Limits.counter, count <= Limits.labelByteCount,
            let text = String(validating: fields.take(count), as: UTF8.self),
            fields.unused(to: 64)
        else { throw FormatError.malformed("the label of a key slot") }
        return Label(created: created, text: text)
    }

    /// The slot's 256 bytes.
    package var bytes: [UInt8] {
        var fields = FieldWriter(byteCount: Self.byteCount)
        Self.putOpenFields(kind, iterations, id, salt, nonce, commitment, to: &fields)
        fields.put(wrappedMaster)
        fields.put(labelNonce)
        fields.put(sealedLabel)
        fields.unused(to: Self.byteCount)
        return fields.bytes
    }

    /// Bytes 0 … 99: all that the wrapped key authenticates, with the vault id.
    private static func putOpenFields(
        _ kind: UInt8, _ iterations: UInt32, _ id: Bytes16, _ salt: Salt, _ nonce: [UInt8], _ commitment: Bytes32,
        to fields: inout FieldWriter
    ) {
        fields.put([kind, 0, 0, 0])
        fields.put(iterations)
        fields.put(id)
        fields.put(salt)
        fields.put(nonce)
        fields.put(commitment)
    }
}
