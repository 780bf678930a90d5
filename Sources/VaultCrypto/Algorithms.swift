import COpenSSL

/// The algorithms, fetched from libcrypto once: a fetch by name costs more than a small message.
@safe struct Algorithms: @unchecked Sendable {
    // libcrypto's algorithm objects are immutable and counted: safe to share.
    static let shared = Algorithms()

    let aes256GCM: OpaquePointer
    let aes256CTR: OpaquePointer
    let sha256: OpaquePointer
    let hmac: OpaquePointer

    private init() {
        guard let gcm = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil),
            let ctr = unsafe EVP_CIPHER_fetch(nil, "AES-256-CTR", nil),
            let sha = unsafe EVP_MD_fetch(nil, "SHA2-256", nil),
            let mac = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
        else { preconditionFailure("libcrypto's default provider has AES-256, SHA-256 and HMAC") }
        unsafe (aes256GCM, aes256CTR, sha256, hmac) = unsafe (gcm, ctr, sha, mac)
    }
}
