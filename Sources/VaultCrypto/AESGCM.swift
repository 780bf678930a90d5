import COpenSSL

/// AES-256-GCM (NIST SP 800-38D) under one key: 12-byte nonces, 16-byte tags that follow the ciphertext.
///
/// A value keeps its key schedule and is reused for any number of messages. It is not safe to use from two threads
/// at once; make one for each.
/// Sendable: the context is this value's alone, and the value is not copyable: hence safe to send.
@safe public struct AESGCM: ~Copyable, @unchecked Sendable {
    /// Bytes that sealing adds.
    public static let tagByteCount = 16
    private let context: OpaquePointer

    /// Takes a 32-byte key.
    public init(key: Span<UInt8>) throws(CryptoError) {
        precondition(key.count == 32, "an AES-256 key has 32 bytes")
        unsafe context = try makeCipherContext(Algorithms.shared.aes256GCM, key: key)
    }

    /// Takes a 32-byte key.
    public init(key: borrowing Secret) throws(CryptoError) {
        self = try key.withSpan { span throws(CryptoError) in try AESGCM(key: span) }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Turns to another 32-byte key, which costs less than another value.
    public mutating func rekey(_ key: Span<UInt8>) throws(CryptoError) {
        precondition(key.count == 32, "an AES-256 key has 32 bytes")
        let context = unsafe context
        let result = unsafe key.withUnsafeBufferPointer {
            unsafe EVP_CipherInit_ex2(context, nil, $0.baseAddress, nil, 1, nil)
        }
        try check(result, "EVP_CipherInit_ex2")
    }

    /// Encrypts `plaintext` and writes ciphertext ‖ tag to `sealed`, which has 16 bytes more.
    public mutating func seal(
        _ plaintext: Span<UInt8>, nonce: Nonce, aad: Span<UInt8> = Span(), into sealed: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        precondition(sealed.count == plaintext.count + Self.tagByteCount, "room for the ciphertext and its tag")
        try start(nonce, encrypting: true)
        try authenticate(aad)
        let context = unsafe context
        let failed = unsafe sealed.withUnsafeMutableBufferPointer { out in
            unsafe plaintext.withUnsafeBufferPointer { unsafe Self.seal(context, $0, into: out.baseAddress!) }
        }
        if let failed { throw .libraryFailure(function: failed) }
    }

    /// Encrypts all of `buffer` but its last 16 bytes where it stands, and writes the tag to these.
    public mutating func seal(inPlace buffer: inout MutableSpan<UInt8>, nonce: Nonce) throws(CryptoError) {
        precondition(buffer.count >= Self.tagByteCount, "room for the tag")
        try start(nonce, encrypting: true)
        let context = unsafe context
        let failed = unsafe buffer.withUnsafeMutableBufferPointer { out in
            let plaintext = unsafe UnsafeBufferPointer(rebasing: out[..<(out.count - Self.tagByteCount)])
            return unsafe Self.seal(context, plaintext, into: out.baseAddress!)
        }
        if let failed { throw .libraryFailure(function: failed) }
    }

    /// Writes ciphertext ‖ tag; the call that failed, or nil.
    private static func seal(
        _ context: OpaquePointer, _ plaintext: UnsafeBufferPointer<UInt8>, into out: UnsafeMutablePointer<UInt8>
    ) -> StaticString? {
        guard unsafe update(context, plaintext, out) else { return "EVP_EncryptUpdate" }
        let end = unsafe out + plaintext.count
        var length: Int32 = 0
        guard unsafe EVP_EncryptFinal_ex(context, end, &length) == 1 else { return "EVP_EncryptFinal_ex" }
        let tagged = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, end)
        return tagged == 1 ? nil : "EVP_CTRL_AEAD_GET_TAG"
    }

    /// Checks the tag and decrypts; `plaintext` has 16 bytes less than `sealed`.
    ///
    /// - Throws: `CryptoError.authenticationFailed`; `plaintext` is then all zeros.
    public mutating func open(
        _ sealed: Span<UInt8>, nonce: Nonce, aad: Span<UInt8> = Span(), into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        precondition(sealed.count == plaintext.count + Self.tagByteCount, "a sealed message is 16 bytes longer")
        try start(nonce, encrypting: false)
        try authenticate(aad)
        let context = unsafe context
        let authentic = unsafe plaintext.withUnsafeMutableBufferPointer { out in
            unsafe sealed.withUnsafeBufferPointer { unsafe Self.open(context, $0, into: out.baseAddress) }
        }
        guard authentic else {
            wipe(&plaintext)
            throw .authenticationFailed
        }
    }

    /// Checks the tag at the end of `buffer`, and decrypts all before it where it stands.
    ///
    /// - Throws: `CryptoError.authenticationFailed`; `buffer` is then all zeros.
    public mutating func open(inPlace buffer: inout MutableSpan<UInt8>, nonce: Nonce) throws(CryptoError) {
        precondition(buffer.count >= Self.tagByteCount, "a sealed message has a tag")
        try start(nonce, encrypting: false)
        let context = unsafe context
        let authentic = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe Self.open(context, UnsafeBufferPointer(bytes), into: bytes.baseAddress)
        }
        guard authentic else {
            wipe(&buffer)
            throw .authenticationFailed
        }
    }

    /// Writes the plaintext of ciphertext ‖ tag; whether the tag is right.
    private static func open(
        _ context: OpaquePointer, _ sealed: UnsafeBufferPointer<UInt8>, into out: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        let body = unsafe UnsafeBufferPointer(rebasing: sealed[..<(sealed.count - tagByteCount)])
        guard unsafe update(context, body, out) else { return false }
        // libcrypto takes the tag through a mutable pointer, and only reads it.
        let tag = unsafe UnsafeMutablePointer(mutating: sealed.baseAddress! + body.count)
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1 else { return false }
        var length: Int32 = 0
        var none: UInt8 = 0
        return unsafe EVP_DecryptFinal_ex(context, &none, &length) == 1
    }

    private func start(_ nonce: Nonce, encrypting: Bool) throws(CryptoError) {
        let context = unsafe context
        let result = unsafe nonce.withUnsafePointer {
            unsafe EVP_CipherInit_ex2(context, nil, nil, $0, encrypting ? 1 : 0, nil)
        }
        try check(result, "EVP_CipherInit_ex2")
    }

    private func authenticate(_ aad: Span<UInt8>) throws(CryptoError) {
        guard !aad.isEmpty else { return }
        let context = unsafe context
        let done = unsafe aad.withUnsafeBufferPointer { unsafe update(context, $0, nil) }
        guard done else { throw .libraryFailure(function: "EVP_CipherUpdate") }
    }
}

/// The keystream of AES-256-CTR (NIST SP 800-38A) with a 128-bit big-endian counter that starts at zero, readable
/// from any position.
/// Sendable: the context is this value's alone, and the value is not copyable: hence safe to send.
@safe public struct AESCTR: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    /// Takes a 32-byte key.
    public init(key: Span<UInt8>) throws(CryptoError) {
        precondition(key.count == 32, "an AES-256 key has 32 bytes")
        unsafe context = try makeCipherContext(Algorithms.shared.aes256CTR, key: key)
    }

    /// Takes a 32-byte key.
    public init(key: borrowing Secret) throws(CryptoError) {
        self = try key.withSpan { span throws(CryptoError) in try AESCTR(key: span) }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Overwrites `out` with the keystream from byte `position` on.
    public mutating func keystream(from position: UInt64, into out: inout MutableSpan<UInt8>) throws(CryptoError) {
        out.update(repeating: 0)
        try apply(from: position, to: &out)
    }

    /// Encrypts, or decrypts, `bytes` in place with the keystream from byte `position` on.
    public mutating func apply(from position: UInt64, to bytes: inout MutableSpan<UInt8>) throws(CryptoError) {
        let counter = Nonce(high: 0, low: position >> 36)
        let block = counter.bytes + (0..<4).map { UInt8(truncatingIfNeeded: position >> (28 - 8 * $0)) }
        let context = unsafe context
        try check(unsafe EVP_EncryptInit_ex2(context, nil, nil, block, nil), "EVP_EncryptInit_ex2")
        var skipped = [UInt8](repeating: 0, count: Int(position % 16))
        let done = unsafe skipped.withUnsafeMutableBufferPointer { lead in
            unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe update(context, UnsafeBufferPointer(lead), lead.baseAddress)
                    && update(context, UnsafeBufferPointer(bytes), bytes.baseAddress)
            }
        }
        guard done else { throw .libraryFailure(function: "EVP_EncryptUpdate") }
    }
}

/// Feeds `input` in pieces that a C `int` can count; `out` nil means additional data.
private func update(
    _ context: OpaquePointer, _ input: UnsafeBufferPointer<UInt8>, _ out: UnsafeMutablePointer<UInt8>?
) -> Bool {
    var done = 0
    while done < input.count {
        let count = min(input.count - done, 1 << 30)
        var length: Int32 = 0
        let target = unsafe out.map { unsafe $0 + done }
        let result = unsafe EVP_CipherUpdate(context, target, &length, input.baseAddress! + done, Int32(count))
        guard result == 1, Int(length) == count else { return false }
        done += count
    }
    return true
}

private func makeCipherContext(_ cipher: OpaquePointer, key: Span<UInt8>) throws(CryptoError) -> OpaquePointer {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .libraryFailure(function: "EVP_CIPHER_CTX_new") }
    let result = unsafe key.withUnsafeBufferPointer {
        unsafe EVP_CipherInit_ex2(context, cipher, $0.baseAddress, nil, 1, nil)
    }
    guard result == 1 else {
        unsafe EVP_CIPHER_CTX_free(context)
        throw .libraryFailure(function: "EVP_CipherInit_ex2")
    }
    return unsafe context
}
