package import VaultCrypto

/// One of the eight key slots of a page, which wraps the master key (Spec/container.md, 2.3).
public struct KeySlot: Equatable, Sendable {
    /// Bytes of a slot.
    public static let byteCount = 256

    /// The kind as stored; a number that `Credential.Kind` does not know belongs to a newer writer.
    public let kind: UInt8
    private let form: Form?
    /// Names the slot for as long as it exists.
    public let id: Bytes16
    let salt: Salt
    let nonce: [UInt8]
    let commitment: Bytes32
    let wrappedMaster: [UInt8]
    let labelNonce: [UInt8]
    let sealedLabel: [UInt8]
    /// All 256 bytes as they stand on the page.
    package let bytes: [UInt8]

    /// The kind and the derivation of a slot that this version knows.
    private struct Form: Equatable, Sendable {
        let kind: Credential.Kind
        let derivation: KeyDerivation
    }

    /// The content of the sealed label.
    public struct Label: Equatable, Sendable {
        /// When the slot was made.
        public let created: Timestamp
        /// At most 55 bytes of UTF-8; 23 where there is a recipient.
        public let text: String
        /// The one for whom the slot was made; nil for a slot of another kind.
        public let recipient: Recipient?

        /// A label as it will be stored.
        public init(created: Timestamp, text: String, recipient: Recipient? = nil) {
            (self.created, self.text, self.recipient) = (created, text, recipient)
        }

        static func byteLimit(of kind: Credential.Kind?) -> Int {
            Limits.labelByteCount - (kind == .identity ? X25519.byteCount : 0)
        }

        var bytes: [UInt8] {
            var plain = FieldWriter(byteCount: 64)
            plain.put(created)
            plain.put([UInt8(text.utf8.count)] + Array(text.utf8))
            plain.zeros(to: 64 - (recipient?.key.count ?? 0))
            plain.put(recipient?.key ?? [])
            return plain.bytes
        }

        /// - Throws: `FormatError.malformed`.
        init(parsing bytes: [UInt8], of kind: Credential.Kind?) throws {
            var fields = FieldReader(bytes)
            created = fields.timestamp()
            let count = Int(fields.integer(UInt8.self))
            guard created.microseconds <= Limits.counter, count <= Self.byteLimit(of: kind),
                let text = String(validating: fields.take(count), as: UTF8.self)
            else { throw FormatError.malformed("the label of a key slot") }
            self.text = text
            recipient = kind == .identity ? Recipient(key: Array(bytes[32...])) : nil
        }
    }

    /// The parameters of a new slot.
    public struct Request: Sendable {
        /// The function that a guess costs; a device key has none.
        public var derivation: KeyDerivation
        /// At most 55 bytes of UTF-8.
        public var label: String
        /// When its secret was set; now, if nil.
        public var created: Timestamp?

        /// A slot of this cost and name.
        public init(derivation: KeyDerivation = .standard, label: String = "password", created: Timestamp? = nil) {
            (self.derivation, self.label, self.created) = (derivation, label, created)
        }
    }

    /// A slot as it was asked for, of a secret that is at hand.
    ///
    /// - Throws: `FormatError` `.refused` for a cost outside the limits, `.invalid` for too long a label.
    package init(
        _ request: Request, for credential: borrowing Credential, keys: Keys, id: Bytes16, now: Timestamp,
        random: inout some RandomSource
    ) throws {
        let derivation: KeyDerivation = credential.kind.isRandom ? .none : request.derivation
        try derivation.check()
        guard derivation.suits(credential.kind) else {
            throw FormatError(.refused, "a \(credential.kind.name) is stretched in every key slot")
        }
        try request.checkLabel(of: credential.kind)
        precondition(credential.kind != .identity, "a recipient's slot is made with the public key")
        try self.init(
            for: credential, keys: keys, id: id, derivation: derivation,
            label: Label(created: request.created ?? now, text: request.label), random: &random)
    }

    /// A slot for `credential`, with fresh salt and nonces.
    package init(
        for credential: borrowing Credential, keys: Keys, id: Bytes16, derivation: KeyDerivation, label: Label,
        random: inout some RandomSource
    ) throws {
        precondition(label.text.utf8.count <= Limits.labelByteCount, "a label fits its slot")
        let salt = Salt(try random.bytes(32))
        let slotKeys = try credential.slotKeys(
            slotID: id, salt: salt, derivation: derivation, vaultID: keys.vaultID, epoch: keys.epoch)
        try self.init(credential.kind, derivation, id, salt, slotKeys, keys, label, &random)
    }

    /// A slot that the identity of a recipient opens. No secret of the recipient is needed.
    ///
    /// - Throws: `FormatError.invalid` for too long a label, or a public key of low order.
    package init(
        for recipient: Recipient, _ request: Request, keys: Keys, id: Bytes16, now: Timestamp,
        random: inout some RandomSource
    ) throws {
        try request.checkLabel(of: .identity)
        let secret = try random.secret(byteCount: X25519.byteCount)
        let ephemeral = Salt(try X25519.publicKey(of: secret))
        let lowOrder = FormatError(.invalid, "the recipient's public key is of low order: no secret belongs to it")
        let shared = try Recipient.shared(secret, with: recipient.key, else: lowOrder)
        let slotKeys = try recipient.slotKeys(shared, ephemeral, id, keys.vaultID, keys.epoch)
        let label = Label(created: request.created ?? now, text: request.label, recipient: recipient)
        try self.init(.identity, .none, id, ephemeral, slotKeys, keys, label, &random)
    }

    private init(
        _ kind: Credential.Kind, _ derivation: KeyDerivation, _ id: Bytes16, _ salt: Salt,
        _ slotKeys: borrowing Secret, _ keys: Keys, _ label: Label, _ random: inout some RandomSource
    ) throws {
        let nonce = try random.bytes(12)
        let labelNonce = try random.bytes(12)
        let commitment = Bytes32(slotKeys.withSpan { Array(copying: $0.extracting(32..<64)) })
        var fields = FieldWriter(byteCount: 100)
        Self.putOpenFields(kind, derivation, id, salt, nonce, commitment, to: &fields)
        let aad = fields.bytes + keys.vaultID.bytes + keys.epoch.bytes.bytes
        var wrap = try AESGCM(key: slotKeys.slice(0..<32))
        let wrapped = try keys.master.withSpan { try wrap.sealed($0, nonce: Nonce(prefix: nonce.span), aad: aad) }

        var labels = try AESGCM(key: keys.slotLabel)
        fields.put(wrapped)
        fields.put(labelNonce)
        fields.put(
            try labels.sealed(
                label.bytes.span, nonce: Nonce(prefix: labelNonce.span), aad: id.bytes + keys.vaultID.bytes))
        fields.zeros(to: Self.byteCount)
        guard let slot = KeySlot(parsing: fields.bytes) else { preconditionFailure("a slot that was just written") }
        self = slot
    }

    /// Reads a slot; nil when it is empty.
    init?(parsing bytes: [UInt8]) {
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        self.bytes = bytes
        var fields = FieldReader(bytes)
        kind = fields.integer()
        let derivation = KeyDerivation(parsing: fields.take(7))
        id = fields.bytes16()
        salt = Salt(fields.bytes32())
        nonce = fields.take(12)
        commitment = fields.bytes32()
        wrappedMaster = fields.take(48)
        labelNonce = fields.take(12)
        sealedLabel = fields.take(80)
        if let derivation, let kind = Credential.Kind(rawValue: kind), derivation.suits(kind) {
            form = Form(kind: kind, derivation: derivation)
        } else {
            form = nil
        }
    }

    /// The slot's kind; nil where this version does not know the kind or the derivation: a newer writer made the slot, and
    /// it is skipped.
    public var knownKind: Credential.Kind? { form?.kind }

    /// The function that stretches the secret; nil as for the kind.
    public var derivation: KeyDerivation? { form?.derivation }

    /// PBKDF2 iterations; nil where it is not stretched so.
    public var iterations: UInt32? {
        guard case .pbkdf2(let iterations) = derivation else { return nil }
        return iterations
    }

    /// Unwraps the master key; nil when the credential does not belong to this slot. The caller has bounded the cost.
    ///
    /// - Throws: `FormatError` `.tampered` when the slot was altered.
    package func open(
        with credential: borrowing Credential, vaultID: VaultID, epoch: Epoch
    ) throws -> Secret? {
        guard let form, credential.kind == form.kind else { return nil }
        let slotKeys = try credential.slotKeys(
            slotID: id, salt: salt, derivation: form.derivation, vaultID: vaultID, epoch: epoch)
        guard slotKeys.withSpan({ constantTimeEqual($0.extracting(32..<64), commitment.bytes.span) }) else {
            return nil
        }
        let aad = bytes[..<Self.openByteCount] + vaultID.bytes + epoch.bytes.bytes
        var wrap = try AESGCM(key: slotKeys.slice(0..<32))
        var master = try Secret(byteCount: 32)
        do {
            try master.withMutableSpan {
                try wrap.open(
                    wrappedMaster.span, nonce: Nonce(prefix: nonce.span), aad: Array(aad).span, into: &$0)
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
        return try Label(parsing: plain, of: knownKind)
    }

    /// Bytes 0 … 99: all that the wrapped key authenticates, with the vault id and the epoch.
    private static let openByteCount = 100

    private static func putOpenFields(
        _ kind: Credential.Kind, _ derivation: KeyDerivation, _ id: Bytes16, _ salt: Salt, _ nonce: [UInt8],
        _ commitment: Bytes32, to fields: inout FieldWriter
    ) {
        fields.put([kind.rawValue] + derivation.slotBytes)
        fields.put(id)
        fields.put(salt)
        fields.put(nonce)
        fields.put(commitment)
    }
}

extension KeySlot.Request {
    /// - Throws: `FormatError.invalid` for too long a label.
    fileprivate func checkLabel(of kind: Credential.Kind) throws {
        let limit = KeySlot.Label.byteLimit(of: kind)
        guard label.utf8.count <= limit else { throw FormatError(.invalid, "a label has at most \(limit) bytes") }
    }
}
