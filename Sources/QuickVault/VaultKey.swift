import VaultCrypto
import VaultFormat

/// A secret that opens a vault: a password, a recovery key or a device key. It is kept in memory that is locked, left
/// out of dumps and wiped.
public final class VaultKey: Sendable {
    let credential: Credential

    /// A password; composed Unicode (NFC) is made of it, so that it does not matter how it was typed.
    ///
    /// - Parameters:
    ///   - password: 1 byte to 1 MiB. What it was read into is for the caller to wipe.
    ///   - keyfile: the content of the keyfile that goes with it.
    /// - Throws: `FormatError.invalid` for a password that is empty or no UTF-8.
    public init(password: Span<UInt8>, keyfile: [UInt8]? = nil) throws {
        let digest = try keyfile.map { try SHA256.hash($0.span) }
        credential = try Credential(password: Self.secret(password, "an empty password"), keyfileDigest: digest)
    }

    /// A password as text.
    ///
    /// - Throws: as the other.
    public convenience init(password: String, keyfile: [UInt8]? = nil) throws {
        let bytes = Array(password.utf8)
        try self.init(password: bytes.span, keyfile: keyfile)
    }

    /// A printed recovery key.
    ///
    /// - Throws: `FormatError.invalid`, which names the line that is mistyped.
    public init(recoveryKey: String) throws {
        let bytes = Array(recoveryKey.utf8)
        credential = Credential(recoveryKey: try RecoveryKey.parse(Self.secret(bytes.span, "an empty recovery key")))
    }

    /// 32 random bytes that the system keeps for this app on this device (Spec/keys.md, 6).
    ///
    /// - Throws: `FormatError.invalid` for another number of bytes.
    public init(deviceKey: Span<UInt8>) throws {
        guard deviceKey.count == 32 else {
            throw FormatError(.invalid, "a device key of \(deviceKey.count) bytes instead of 32")
        }
        credential = Credential(deviceKey: try Secret(copying: deviceKey))
    }

    private static func secret(_ bytes: Span<UInt8>, _ fault: Phrase) throws -> Secret {
        guard !bytes.isEmpty else { throw FormatError(.invalid, fault) }
        return try Secret(copying: bytes)
    }
}
