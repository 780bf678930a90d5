import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultStore

/// Vaults that a person unlocked for a while: their master keys in the user's keyring of the kernel, which no disk ever
/// sees (Spec/keys.md, 8).
enum Keyring {
    private static let prefix = "quickvault:"
    private static let magic = Array("QVSESS1\n".utf8)
    /// magic 8 ‖ epoch 16 ‖ deadline 8 ‖ timeout 8 ‖ master key 32; times in milliseconds.
    private static let byteCount = 72
    private static let deadlineOffset = 24, timeoutOffset = 32, masterOffset = 40

    private static func description(_ vaultID: VaultID) -> String { prefix + hexText(vaultID.bytes) }

    /// The master key of an unlocked vault, whose time begins anew; nil while it is locked.
    static func master(for header: Header) -> Secret? {
        guard let payload = payload(header) else { return nil }
        let timeout = payload.withSpan { span -> UInt64 in loadBigEndian(span, at: timeoutOffset) }
        guard let master = try? payload.slice(masterOffset..<byteCount) else { return nil }
        try? store(master, header, milliseconds: timeout)
        return master
    }

    /// Milliseconds for which a vault is unlocked; nil while it is locked.
    static func timeLeft(_ header: Header) -> UInt64? {
        guard let payload = payload(header) else { return nil }
        return payload.withSpan { span -> UInt64 in loadBigEndian(span, at: deadlineOffset) } - qv_boot_milliseconds()
    }

    /// What the kernel keeps of this vault under its present master key, if its time is not over.
    private static func payload(_ header: Header) -> Secret? {
        let key = unsafe qv_keyring_find(description(header.vaultID))
        guard key > 0, var payload = try? Secret(byteCount: byteCount) else { return nil }
        let count = payload.withMutableSpan { span in
            unsafe span.withUnsafeMutableBufferPointer { unsafe qv_keyring_read(key, $0.baseAddress, $0.count) }
        }
        let epoch = header.epoch.value.bytes
        let isRight = payload.withSpan { bytes in
            count == byteCount && magic.indices.allSatisfy { bytes[$0] == magic[$0] }
                && epoch.indices.allSatisfy { bytes[8 + $0] == epoch[$0] }
                && loadBigEndian(bytes, at: deadlineOffset) > qv_boot_milliseconds()
        }
        guard isRight else {
            qv_keyring_drop(key)
            return nil
        }
        return payload
    }

    /// Unlocks a vault until nobody has used it for so long.
    ///
    /// - Throws: `Failure`: the system has no keyring, or it is full.
    static func store(_ key: borrowing Secret, _ header: Header, milliseconds: UInt64) throws {
        let deadline = qv_boot_milliseconds() + milliseconds
        let payload = try Secret(byteCount: byteCount) { out in
            let open = magic + header.epoch.value.bytes + bigEndian(deadline) + bigEndian(milliseconds)
            for index in open.indices { out[index] = open[index] }
            key.withSpan { for index in $0.indices { out[masterOffset + index] = $0[index] } }
        }
        let stored = payload.withSpan { span in
            unsafe span.withUnsafeBufferPointer {
                unsafe qv_keyring_store(
                    description(header.vaultID), $0.baseAddress, $0.count, UInt32(milliseconds / 1000) + 1)
            }
        }
        guard stored < 0 else { return }
        switch errno {
        case EDQUOT, ENOMEM:
            throw Failure(
                .failure, "the kernel's keyring is full",
                hint: "'qvault lock --all' makes room; 'keyctl show @u' shows what else is in it")
        default:
            throw Failure(
                .failure,
                "the kernel's keyring cannot be used here: \(Phrase(stringLiteral: IOError("", Path(""), code: errno).reason))",
                hint: "containers often forbid it; give the password by --password-command instead")
        }
    }

    /// The same with the master key of a vault that is open.
    static func store(_ vault: Vault, milliseconds: UInt64) throws {
        try store(vault.keys.master, vault.header, milliseconds: milliseconds)
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }

    /// Locks a vault; false if it was locked.
    @discardableResult
    static func drop(_ vaultID: VaultID) -> Bool {
        let key = unsafe qv_keyring_find(description(vaultID))
        return key > 0 && qv_keyring_drop(key) == 0
    }

    /// Locks all vaults; how many there were.
    static func dropAll() -> Int { Int(max(0, unsafe qv_keyring_drop_all(prefix))) }
}
