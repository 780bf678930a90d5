public import VaultCrypto

extension SlotArea {
    /// Finds the slot that `credential` opens and unwraps the master key (Spec/reader.md, 3).
    ///
    /// - Parameters:
    ///   - number: try this slot only, 1 … 8.
    ///   - acceptsAnyCost: the person agreed to more than `Limits.iterationsWithoutConsent`.
    /// - Throws: `FormatError` `.refused` before anything is hashed, `.wrongKey`, `.tampered`.
    public func unlock(
        with credential: borrowing Credential, vaultID: VaultID, number: Int? = nil, acceptsAnyCost: Bool = false
    ) throws -> Secret {
        let kind = credential.kind
        let candidates = slots.filter { $0.slot.knownKind == kind && (number ?? $0.number) == $0.number }.map(\.slot)
        if kind.usesPBKDF2 {
            for slot in candidates where slot.iterations < Limits.minimumIterations {
                throw FormatError(
                    .refused,
                    "a key slot asks for \(slot.iterations) PBKDF2 iterations; the floor is \(Limits.minimumIterations)")
            }
            let cost = candidates.reduce(UInt64(0)) { $0 + UInt64($1.iterations) }
            guard acceptsAnyCost || cost <= Limits.iterationsWithoutConsent else {
                throw FormatError(
                    .refused,
                    "the key slots ask for \(cost) PBKDF2 iterations; more than \(Limits.iterationsWithoutConsent) need your consent"
                )
            }
        }
        for slot in candidates {
            if let master = try slot.open(with: credential, vaultID: vaultID) { return master }
        }
        throw FormatError(.wrongKey, "no key slot belongs to this \(kind.name)")
    }
}

extension Credential.Kind {
    /// The Spec's name.
    public var name: String {
        switch self {
        case .password: "password"
        case .passwordAndKeyfile: "password and keyfile"
        case .recoveryKey: "recovery key"
        case .deviceKey: "device key"
        }
    }
}
