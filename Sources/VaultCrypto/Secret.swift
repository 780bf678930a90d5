import COpenSSL
import CSystem

/// libcrypto's heap for secrets: locked, between guard pages, left out of core dumps. What does not fit into it, a long
/// password, gets pages of its own.
private enum SecureHeap {
    static let isReady = CRYPTO_secure_malloc_init(1 << 18, 32) != 0
}

/// A fixed number of secret bytes outside the Swift heap: locked where the system's limit allows, left out of core
/// dumps, wiped when it goes. It cannot be copied or grown, so no second copy is ever left behind.
/// Sendable: the pointer is this value's alone, and the value is not copyable: hence safe to send.
@safe public struct Secret: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    /// Number of bytes.
    public let byteCount: Int

    /// Makes `byteCount` zero bytes.
    ///
    /// - Throws: `CryptoError.outOfMemory`.
    public init(byteCount: Int) throws(CryptoError) {
        precondition(byteCount > 0, "a secret has at least one byte")
        let small = SecureHeap.isReady ? unsafe CRYPTO_secure_zalloc(byteCount, nil, 0) : nil
        guard let memory = unsafe small ?? qv_secret_map(byteCount) else { throw .outOfMemory(byteCount: byteCount) }
        unsafe base = memory
        self.byteCount = byteCount
    }

    /// Makes a secret of `byteCount` bytes and lets `fill` write them in place.
    public init<E: Error>(byteCount: Int, filledBy fill: (inout MutableSpan<UInt8>) throws(E) -> Void) throws {
        var secret = try Secret(byteCount: byteCount)
        try secret.withMutableSpan { span throws(E) in try fill(&span) }
        self = secret
    }

    /// Makes a secret with a copy of `bytes`; the caller still owns, and should wipe, the original.
    public init(copying bytes: Span<UInt8>) throws(CryptoError) {
        let secret = try Secret(byteCount: bytes.count)
        let target = unsafe secret.base
        unsafe bytes.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: source.count) }
        }
        self = secret
    }

    deinit {
        guard unsafe CRYPTO_secure_allocated(base) == 0 else {
            unsafe CRYPTO_secure_clear_free(base, byteCount, nil, 0)
            return
        }
        unsafe OPENSSL_cleanse(base, byteCount)
        unsafe qv_secret_unmap(base, byteCount)
    }

    /// Lends the bytes for reading.
    public borrowing func withSpan<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let bytes = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: byteCount)
        return try body(unsafe Span(_unsafeElements: bytes))
    }

    /// Lends the bytes for writing.
    public mutating func withMutableSpan<R: ~Copyable, E: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let bytes = unsafe UnsafeMutableBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: byteCount)
        var span = unsafe MutableSpan(_unsafeElements: bytes)
        return try body(&span)
    }

    /// A new secret with bytes `range` of this one.
    public borrowing func slice(_ range: Range<Int>) throws(CryptoError) -> Secret {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "slice of a secret within its bounds")
        return try withSpan { span throws(CryptoError) in try Secret(copying: span.extracting(range)) }
    }

    /// True if the two hold the same bytes; takes the same time whatever they hold.
    public borrowing func isEqual(to other: borrowing Secret) -> Bool {
        withSpan { mine in other.withSpan { constantTimeEqual(mine, $0) } }
    }
}

/// True if two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBufferPointer { a in
        unsafe right.withUnsafeBufferPointer { b in unsafe CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0 }
    }
}

/// Overwrites bytes with zeros in a way that the compiler does not remove.
public func wipe(_ bytes: inout MutableSpan<UInt8>) {
    unsafe bytes.withUnsafeMutableBufferPointer { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
}

/// Overwrites what is no secret of its own and shall still not stay in memory.
package func wipeBytes(_ bytes: inout [UInt8]) {
    var span = bytes.mutableSpan
    wipe(&span)
}
