import COpenSSL

/// The algorithms, fetched from libcrypto once: a fetch by name costs more than a small message.
/// Sendable: libcrypto's algorithm objects are immutable and counted: safe to share.
@safe struct Algorithms: @unchecked Sendable {
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

/// Starts libcrypto with what this package uses of it and no more: without the tables of names of its old interface, and
/// without the machine's configuration, which could load any code as a provider. For a program that has the process to
/// itself, before anything else; it halves what libcrypto takes to start.
package func startLibcryptoForThisPackageAlone() {
    let options =
        OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ADD_ALL_CIPHERS
        | OPENSSL_INIT_NO_ADD_ALL_DIGESTS
    _ = OPENSSL_init_crypto(UInt64(options), nil)
}
