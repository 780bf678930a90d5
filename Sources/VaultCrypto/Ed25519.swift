import COpenSSL

/// Ed25519 (RFC 8032): keys of 32 bytes, signatures of 64.
public enum Ed25519 {
    /// Bytes of a key, secret or public.
    public static let keyByteCount = 32
    /// Bytes of a signature.
    public static let signatureByteCount = 64

    /// The public key of a secret one.
    public static func publicKey(of secret: borrowing Secret) throws(CryptoError) -> [UInt8] {
        try rawPublicKey(EVP_PKEY_ED25519, of: secret)
    }

    /// The signature of a message: the same each time.
    public static func signature(of message: [UInt8], by secret: borrowing Secret) throws(CryptoError) -> [UInt8] {
        precondition(secret.byteCount == keyByteCount, "a key has 32 bytes")
        var signature = [UInt8](repeating: 0, count: signatureByteCount)
        let result = secret.withSpan { secret in
            unsafe secret.withUnsafeBufferPointer {
                unsafe qv_ed25519_sign($0.baseAddress, message, message.count, &signature)
            }
        }
        try check(result, "EVP_DigestSign")
        return signature
    }

    /// True if a signature is that of a message by the owner of a key.
    public static func isSignature(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        precondition(publicKey.count == keyByteCount, "a key has 32 bytes")
        guard signature.count == signatureByteCount else { return false }
        return unsafe qv_ed25519_verify(publicKey, message, message.count, signature) == 1
    }
}
