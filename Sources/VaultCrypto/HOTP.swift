import COpenSSL

/// Codes from a shared secret and a counter (RFC 4226); from the time with the counter of RFC 6238.
public enum HOTP {
    /// The hash beneath the HMAC.
    public enum Hash: String, Sendable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    /// The 31 bits that RFC 4226, 5.3 takes out of the HMAC of the counter.
    public static func truncated(secret: [UInt8], counter: UInt64, _ hash: Hash) throws(CryptoError) -> UInt32 {
        var digest = [UInt8](repeating: 0, count: 64)
        var count = 0
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
        let isDone =
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, hash.rawValue, nil, secret, secret.count, message, message.count, &digest,
                digest.count,
                &count) != nil
        try check(isDone ? 1 : 0, "EVP_Q_mac")
        let start = Int(digest[count - 1] & 15)
        return digest[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    }
}
