// VaultCrypto: the primitives of QuickVault, and nothing about its format.
//
// AES-256-GCM, AES-256-CTR, SHA-256, HMAC-SHA256, HKDF-SHA256, PBKDF2-HMAC-SHA256, Argon2id, random bytes and secret
// memory: thin, checked wrappers over OpenSSL's libcrypto (3.0 or later), which only this module imports. Password
// normalisation is utf8proc's. Every return code is checked; contexts are made once and reused, since setting up a
// key costs more than sealing a small message. Spec: keys.md says what each is used for.

/// Errors of the primitives. Authentication failures carry no detail on purpose.
public enum CryptoError: Error, Equatable, Sendable {
    /// A tag did not match: wrong key, or altered bytes.
    case authenticationFailed
    /// A password is not valid UTF-8.
    case notUTF8
    /// A library refused a call that can only fail for want of memory or through a broken installation.
    case libraryFailure(function: StaticString)
    /// No memory for a secret.
    case outOfMemory(byteCount: Int)

    /// Equal codes with equal context.
    public static func == (left: CryptoError, right: CryptoError) -> Bool {
        switch (left, right) {
        case (.authenticationFailed, .authenticationFailed), (.notUTF8, .notUTF8): true
        case (.libraryFailure(let a), .libraryFailure(let b)): a.description == b.description
        case (.outOfMemory(let a), .outOfMemory(let b)): a == b
        default: false
        }
    }
}

/// Throws `CryptoError.libraryFailure` unless a libcrypto call returned 1, its word for success.
func check(_ result: Int32, _ function: StaticString) throws(CryptoError) {
    guard result == 1 else { throw .libraryFailure(function: function) }
}
