import COpenSSL

/// SHA-256 (FIPS 180-4), incremental.
@safe public struct SHA256: ~Copyable {
    /// Bytes of a digest.
    public static let byteCount = 32
    private let context: OpaquePointer

    /// Begins a message.
    public init() throws(CryptoError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .libraryFailure(function: "EVP_MD_CTX_new") }
        guard unsafe EVP_DigestInit_ex2(context, Algorithms.shared.sha256, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw .libraryFailure(function: "EVP_DigestInit_ex2")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Takes in more of the message.
    public mutating func update(_ bytes: Span<UInt8>) throws(CryptoError) {
        let context = unsafe context
        let result = unsafe bytes.withUnsafeBufferPointer { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        try check(result, "EVP_DigestUpdate")
    }

    /// The digest of all that was taken in.
    public consuming func finish() throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        try check(unsafe EVP_DigestFinal_ex(context, &digest, nil), "EVP_DigestFinal_ex")
        return digest
    }

    /// The digest of one message.
    public static func hash(_ bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        var hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish()
    }
}

/// HMAC-SHA256 (RFC 2104) under one key, for any number of messages.
/// Sendable: the context is this value's alone, and the value is not copyable: hence safe to send.
@safe public struct HMACSHA256: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    /// Takes a key of any length.
    public init(key: Span<UInt8>) throws(CryptoError) {
        guard let context = unsafe qv_hmac_sha256_new(Algorithms.shared.hmac) else {
            throw .libraryFailure(function: "EVP_MAC_CTX_new")
        }
        let result = unsafe key.withUnsafeBufferPointer {
            unsafe EVP_MAC_init(context, $0.baseAddress, $0.count, nil)
        }
        guard result == 1 else {
            unsafe EVP_MAC_CTX_free(context)
            throw .libraryFailure(function: "EVP_MAC_init")
        }
        unsafe self.context = context
    }

    /// Takes a key of any length.
    public init(key: borrowing Secret) throws(CryptoError) {
        self = try key.withSpan { span throws(CryptoError) in try HMACSHA256(key: span) }
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// The 32-byte tag of a message.
    public mutating func tag(of message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let context = unsafe context
        try check(unsafe EVP_MAC_init(context, nil, 0, nil), "EVP_MAC_init")
        let updated = unsafe message.withUnsafeBufferPointer {
            unsafe EVP_MAC_update(context, $0.baseAddress, $0.count)
        }
        try check(updated, "EVP_MAC_update")
        var tag = [UInt8](repeating: 0, count: 32)
        var length = 0
        try check(unsafe EVP_MAC_final(context, &tag, &length, tag.count), "EVP_MAC_final")
        return tag
    }

    /// True if `tag` is the message's, compared in constant time.
    public mutating func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) throws(CryptoError) -> Bool {
        let expected = try self.tag(of: message)
        return constantTimeEqual(expected.span, tag)
    }
}
