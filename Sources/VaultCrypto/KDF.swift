import COpenSSL
import CUTF8Proc
import Synchronization

/// HKDF-SHA256 (RFC 5869, extract and expand), on one context for any number of derivations.
/// Sendable: the context is this value's alone, and the value is not copyable: hence safe to send.
@safe public struct HKDF: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    /// Makes a context.
    public init() throws(CryptoError) {
        guard let context = unsafe qv_hmac_sha256_new(Algorithms.shared.hmac) else {
            throw .libraryFailure(function: "EVP_MAC_CTX_new")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Fills `output` (at most 8,160 bytes) from input key material, a salt (may be empty) and an info string.
    public mutating func derive(
        from material: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        let context = unsafe context
        let result = unsafe output.withUnsafeMutableBufferPointer { out in
            unsafe material.withUnsafeBufferPointer { key in
                unsafe salt.withUnsafeBufferPointer { salt in
                    unsafe info.withUnsafeBufferPointer { info in
                        unsafe qv_hkdf_sha256(
                            context, key.baseAddress, key.count, salt.baseAddress, salt.count,
                            info.baseAddress, info.count, out.baseAddress, out.count)
                    }
                }
            }
        }
        try check(result, "EVP_MAC")
    }
}

/// Turning a password into a key.
public enum PasswordHash {
    private static let runs = Atomic<Int>(0)
    /// The number of calls of `pbkdf2` in this process.
    public static var count: Int { runs.load(ordering: .relaxed) }

    /// PBKDF2-HMAC-SHA256 (RFC 8018) with 32 bytes of output: more would double only the defender's cost.
    public static func pbkdf2(
        password: borrowing Secret, salt: Span<UInt8>, iterations: UInt32
    ) throws(CryptoError) -> Secret {
        runs.add(1, ordering: .relaxed)
        var output = try Secret(byteCount: 32)
        let result = output.withMutableSpan { out in
            password.withSpan { password in
                unsafe password.withUnsafeBytes { password in
                    unsafe salt.withUnsafeBufferPointer { salt in
                        unsafe out.withUnsafeMutableBufferPointer { out in
                            unsafe PKCS5_PBKDF2_HMAC(
                                password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count),
                                salt.baseAddress, Int32(salt.count), Int32(clamping: iterations),
                                Algorithms.shared.sha256, Int32(out.count), out.baseAddress)
                        }
                    }
                }
            }
        }
        try check(result, "PKCS5_PBKDF2_HMAC")
        return output
    }

    /// Iterations that take about `time` on this machine, rounded up to thousands.
    public static func iterations(taking time: Duration, atLeast least: UInt32) throws -> UInt32 {
        let probe = try Secret(byteCount: 32)
        let salt = [UInt8](repeating: 0, count: 32)
        // The shortest of three: what else the machine does only makes it longer.
        let took =
            try (0..<3).map { _ in
                try ContinuousClock().measure { _ = try pbkdf2(password: probe, salt: salt.span, iterations: least) }
            }.min() ?? time
        let wanted = Double(least) * (time / took) / 1000
        return max(least, UInt32(min(wanted.rounded(.up) * 1000, Double(Int32.max))))
    }

    /// The password in Normalization Form C (UAX #15): what a person types is one password, whatever the keyboard
    /// sends. Nothing is trimmed or case-folded.
    ///
    /// - Throws: `CryptoError.notUTF8` if the bytes are not valid UTF-8.
    public static func normalized(_ password: borrowing Secret) throws(CryptoError) -> Secret {
        let options = UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue
        // Decomposition makes at most 18 scalars of one byte's worth of input; 4 bytes each, and room to re-encode.
        let count = try decompose(password, options: options, into: nil)
        var scalars = try Secret(byteCount: (count + 1) * 4)
        _ = try password.withSpan { source throws(CryptoError) in
            try scalars.withMutableSpan { out throws(CryptoError) in
                try decompose(source, options: options, into: &out)
            }
        }
        let length = scalars.withMutableSpan { buffer in
            unsafe buffer.withUnsafeMutableBytes { raw in
                let scalars = unsafe raw.baseAddress!.assumingMemoryBound(to: utf8proc_int32_t.self)
                return unsafe utf8proc_reencode(scalars, count, utf8proc_option_t(rawValue: options))
            }
        }
        guard length > 0 else { throw .notUTF8 }
        return try scalars.slice(0..<length)
    }

    private static func decompose(
        _ password: borrowing Secret, options: UInt32, into out: Never?
    ) throws(CryptoError) -> Int {
        try password.withSpan { source throws(CryptoError) in
            let count = unsafe source.withUnsafeBufferPointer {
                unsafe utf8proc_decompose($0.baseAddress, $0.count, nil, 0, utf8proc_option_t(rawValue: options))
            }
            guard count > 0 else { throw .notUTF8 }
            return count
        }
    }

    private static func decompose(
        _ source: Span<UInt8>, options: UInt32, into out: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        let count = unsafe out.withUnsafeMutableBytes { raw in
            unsafe source.withUnsafeBufferPointer { source in
                unsafe utf8proc_decompose(
                    source.baseAddress, source.count, raw.baseAddress!.assumingMemoryBound(to: utf8proc_int32_t.self),
                    raw.count / 4, utf8proc_option_t(rawValue: options))
            }
        }
        guard count > 0 else { throw .notUTF8 }
    }
}
