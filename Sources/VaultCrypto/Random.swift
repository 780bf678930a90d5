import COpenSSL

/// Where random bytes come from. The product uses the system's generator; tests pass their own.
public protocol RandomSource {
    /// Overwrites all of `bytes`.
    mutating func fill(_ bytes: inout MutableSpan<UInt8>) throws
}

extension RandomSource {
    /// `count` random bytes that are not secret (salts, nonces, ids).
    public mutating func bytes(_ count: Int) throws -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var span = result.mutableSpan
        try fill(&span)
        return result
    }

    /// `byteCount` random bytes in secret memory.
    public mutating func secret(byteCount: Int) throws -> Secret {
        var result = try Secret(byteCount: byteCount)
        try result.withMutableSpan { try fill(&$0) }
        return result
    }
}

/// libcrypto's generator (NIST SP 800-90A), seeded by the operating system.
public struct SystemRandom: RandomSource, Sendable {
    public init() {}

    public func fill(_ bytes: inout MutableSpan<UInt8>) throws {
        let result = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
        try check(result, "RAND_bytes")
    }
}
