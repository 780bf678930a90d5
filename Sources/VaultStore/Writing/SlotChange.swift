package import VaultIO
import VaultCrypto
public import VaultFormat

extension SlotArea {
    /// The area with a new slot in the place `number`, which was proven to open; a slot there gives it its id.
    ///
    /// - Throws: `FormatError` `.refused` for a cost outside the limits, `.invalid` for too long a label.
    package func setting(
        _ number: Int, for credential: borrowing Credential, _ request: KeySlot.Request, keys: Keys,
        _ environment: inout StoreEnvironment
    ) throws -> SlotArea {
        try checkCost(adding: request.derivation, for: credential.kind, at: number)
        let id = try self[number]?.id ?? Bytes16(environment.random.bytes(16))
        let slot = try KeySlot(
            request, for: credential, keys: keys, id: id, now: environment.now(), random: &environment.random)
        guard let master = try slot.open(with: credential, vaultID: keys.vaultID, epoch: keys.epoch),
            master.isEqual(to: keys.master)
        else {
            throw FormatError(.damaged, "a new key slot that does not open")
        }
        return setting(number, to: slot)
    }

    /// The area with a slot for a recipient in the place `number`; a slot there gives it its id. Nobody can prove here that it
    /// opens: that takes the identity.
    ///
    /// - Throws: `FormatError.invalid` for too long a label, or a public key of low order.
    package func setting(
        _ number: Int, for recipient: Recipient, _ request: KeySlot.Request, keys: Keys,
        _ environment: inout StoreEnvironment
    ) throws -> SlotArea {
        let id = try self[number]?.id ?? Bytes16(environment.random.bytes(16))
        let slot = try KeySlot(
            for: recipient, request, keys: keys, id: id, now: environment.now(), random: &environment.random)
        return setting(number, to: slot)
    }
}

extension KeySlot {
    /// True if a secret belongs to this slot of a vault. The caller has checked the cost.
    ///
    /// - Throws: `FormatError.tampered`.
    public func opens(with credential: borrowing Credential, in vault: Vault) throws -> Bool {
        try open(with: credential, vaultID: vault.id, epoch: vault.keys.epoch) != nil
    }
}

extension Vault {
    /// The labels of its key slots.
    ///
    /// - Throws: `FormatError` `.tampered`, `.malformed`.
    public func label(of slot: KeySlot) throws -> KeySlot.Label { try slot.label(keys: keys) }

    /// The key that finds tampering with this vault and reads nothing.
    public var auditKey: AuditKey { AuditKey(keys) }
}
