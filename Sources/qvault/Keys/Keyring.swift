import CSystem
import Glibc
import VaultCrypto
import VaultFormat
import VaultIO
import VaultStore

/// Vaults that a person unlocked for a while: their master keys in the user's keyring of the kernel, which no disk ever
/// sees (Spec/keys.md, 9).
enum Keyring {
    private static let prefix = "quickvault:"
    private static let magic = Array("QVSESS2\n".utf8)
    /// magic 8 ‖ epoch 16 ‖ deadline 8 ‖ timeout 8 ‖ end 8 ‖ master key 32; times in milliseconds.
    private static let byteCount = 80
    private static let deadlineOffset = 24, timeoutOffset = 32, endOffset = 40, masterOffset = 48

    private static func description(_ vaultID: VaultID) -> String { prefix + hexText(vaultID.bytes) }

    /// The master key of an unlocked vault, whose time begins anew; nil while it is locked.
    static func master(for header: Header) -> Secret? {
        guard let (key, payload) = payload(header), var renewed = try? payload.secret.slice(0..<byteCount) else {
            return nil
        }
        let time = min(payload.timeout, payload.end - payload.now)
        let deadline = bigEndian(payload.now + time)
        renewed.withMutableSpan { for index in deadline.indices { $0[deadlineOffset + index] = deadline[index] } }
        // The key that was found, and no other: somebody may have locked the vault meanwhile.
        renewed.withSpan { span in
            _ = unsafe span.withUnsafeBufferPointer {
                unsafe qv_keyring_renew(key, $0.baseAddress, $0.count, seconds(time))
            }
        }
        return try? payload.secret.slice(masterOffset..<byteCount)
    }

    private static func seconds(_ milliseconds: UInt64) -> UInt32 { UInt32(milliseconds / 1000) + 1 }

    /// The data of an unlocked vault in the kernel's keyring.
    private final class Payload {
        let secret: Secret
        /// In milliseconds; `now` is when it was looked at.
        let now: UInt64, deadline: UInt64, timeout: UInt64, end: UInt64

        init(_ secret: consuming Secret) {
            now = qv_boot_milliseconds()
            deadline = secret.withSpan { loadBigEndian($0, at: deadlineOffset) }
            timeout = secret.withSpan { loadBigEndian($0, at: timeoutOffset) }
            end = secret.withSpan { loadBigEndian($0, at: endOffset) }
            self.secret = secret
        }

        /// True if its numbers are such as `store` writes, and its time is not over.
        var isValid: Bool {
            1000...longest ~= timeout && deadline > now && deadline <= now + timeout && deadline <= end
                && secret.withSpan { bytes in magic.indices.allSatisfy { bytes[$0] == magic[$0] } }
        }
    }

    /// The longest time for which a vault may be unlocked without use, in milliseconds.
    static let longest: UInt64 = TimeSpan.day

    /// Milliseconds for which a vault is unlocked; nil while it is locked.
    static func timeLeft(_ header: Header) -> UInt64? {
        payload(header).map { $0.payload.deadline - $0.payload.now }
    }

    /// The data of this vault under its present master key, if it has not expired.
    private static func payload(_ header: Header) -> (key: Int32, payload: Payload)? {
        let key = unsafe qv_keyring_find(description(header.vaultID))
        guard key > 0, var secret = try? Secret(byteCount: byteCount) else { return nil }
        let count = secret.withMutableSpan { span in
            unsafe span.withUnsafeMutableBufferPointer { unsafe qv_keyring_read(key, $0.baseAddress, $0.count) }
        }
        let payload = Payload(secret)
        guard count == byteCount, payload.isValid else {
            qv_keyring_drop(key)
            return nil
        }
        // An older copy of the vault, or a newer one, is another matter.
        let epoch = header.epoch.value.bytes
        return payload.secret.withSpan { bytes in epoch.indices.allSatisfy { bytes[8 + $0] == epoch[$0] } }
            ? (key, payload) : nil
    }

    /// Unlocks a vault until nobody has used it for `milliseconds`, and for no longer than `most` in all.
    static func store(_ key: borrowing Secret, _ header: Header, milliseconds: UInt64, most: UInt64) throws {
        let now = qv_boot_milliseconds()
        let time = min(milliseconds, most)
        let payload = try Secret(byteCount: byteCount) { out in
            let open =
                magic + header.epoch.value.bytes + bigEndian(now + time) + bigEndian(milliseconds)
                + bigEndian(now + most)
            for index in open.indices { out[index] = open[index] }
            key.withSpan { for index in $0.indices { out[masterOffset + index] = $0[index] } }
        }
        let stored = payload.withSpan { span in
            unsafe span.withUnsafeBufferPointer {
                unsafe qv_keyring_store(description(header.vaultID), $0.baseAddress, $0.count, seconds(time))
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
                "the kernel's keyring cannot be used here: \(Phrase(stringLiteral: IOError("", BytePath(""), code: errno).reason))",
                hint: "containers often forbid it; give the password by --password-command instead")
        }
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }

    /// Locks a vault. Where there is no keyring none is unlocked.
    static func drop(_ vaultID: VaultID) throws {
        let key = unsafe qv_keyring_find(description(vaultID))
        guard key <= 0 || qv_keyring_drop(key) == 0 else { throw stillUnlocked }
    }

    /// Locks all vaults; how many there were.
    static func dropAll() throws -> Int {
        let count = unsafe qv_keyring_drop_all(prefix)
        guard count >= 0 else { throw stillUnlocked }
        return Int(count)
    }

    private static var stillUnlocked: Failure {
        Failure(
            .failure, "NOT locked: the kernel's keyring keeps the key",
            hint: "it goes when its time is over, and when the machine is started anew")
    }
}
