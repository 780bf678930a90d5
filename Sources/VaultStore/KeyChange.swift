import VaultCrypto
public import VaultFormat

extension SlotArea {
    /// The area with a new slot in the place `number`, which was proven to open; a slot there gives it its id.
    ///
    /// - Throws: `FormatError` `.refused` for too few iterations, `.invalid` for too long a label.
    package func setting(
        _ number: Int, for credential: borrowing Credential, _ request: KeySlot.Request, keys: Keys,
        _ environment: inout Environment
    ) throws -> SlotArea {
        // Nobody is to need consent to open what is made here.
        let others = slots.filter { $0.number != number && $0.slot.knownKind == credential.kind }
        let sum = others.reduce(UInt64(request.iterations)) { $0 + UInt64($1.slot.iterations) }
        guard sum <= Limits.iterationsWithoutConsent || !credential.kind.usesPBKDF2 else {
            throw FormatError(
                .refused,
                "with this slot those of a \(credential.kind.name) ask for \(sum) PBKDF2 iterations; the most is \(Limits.iterationsWithoutConsent)"
            )
        }
        let id = try self[number]?.id ?? Bytes16(environment.random.bytes(16))
        let slot = try KeySlot(
            request, for: credential, keys: keys, id: id, now: environment.now(), random: &environment.random)
        guard let master = try slot.open(with: credential, vaultID: keys.vaultID), master.isEqual(to: keys.master)
        else {
            throw FormatError(.damaged, "a new key slot that does not open")
        }
        return try setting(number, to: slot)
    }
}

extension Vault {
    /// What the labels of its key slots say.
    ///
    /// - Throws: `FormatError` `.tampered`, `.malformed`.
    public func label(of slot: KeySlot) throws -> KeySlot.Label { try slot.label(keys: keys) }

    /// What finds tampering with this vault and reads nothing.
    public var auditKey: AuditKey { AuditKey(keys, epoch: root.header.epoch) }
}
