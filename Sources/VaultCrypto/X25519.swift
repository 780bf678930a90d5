import COpenSSL

/// X25519 (RFC 7748): keys of 32 bytes.
public enum X25519 {
    /// Bytes of a key, secret or public, and of what two of them share.
    public static let byteCount = 32

    /// The public key of a secret one.
    public static func publicKey(of secret: borrowing Secret) throws(CryptoError) -> [UInt8] {
        try rawPublicKey(EVP_PKEY_X25519, of: secret)
    }

    /// The bytes that a secret key shares with a public one.
    ///
    /// - Throws: `CryptoError.authenticationFailed` for a public key of low order, which shares nothing.
    public static func shared(_ secret: borrowing Secret, with publicKey: [UInt8]) throws(CryptoError) -> Secret {
        precondition(secret.byteCount == byteCount && publicKey.count == byteCount, "keys have 32 bytes")
        var output = try Secret(byteCount: byteCount)
        let result = output.withMutableSpan { out in
            secret.withSpan { secret in
                unsafe out.withUnsafeMutableBufferPointer { out in
                    unsafe secret.withUnsafeBufferPointer {
                        unsafe qv_x25519($0.baseAddress, publicKey, out.baseAddress)
                    }
                }
            }
        }
        guard result == 1 else { throw .authenticationFailed }
        return output
    }
}

/// The public key of a secret one, both of 32 bytes.
///
/// - Parameter type: of libcrypto.
func rawPublicKey(_ type: Int32, of secret: borrowing Secret) throws(CryptoError) -> [UInt8] {
    precondition(secret.byteCount == 32, "a key has 32 bytes")
    var key = [UInt8](repeating: 0, count: 32)
    let result = secret.withSpan { secret in
        unsafe secret.withUnsafeBufferPointer { unsafe qv_public_key(type, $0.baseAddress, &key) }
    }
    try check(result, "EVP_PKEY_get_raw_public_key")
    return key
}
