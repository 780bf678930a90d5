import CSystem

/// A source of random bytes. The product uses the system's generator; tests pass their own.
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

/// The kernel's generator, asked each time: nothing of it stays in this process, where a fork or a snapshot would copy it.
public struct SystemRandom: RandomSource, Sendable {
    /// The generator; it has no state of its own.
    public init() {}

    /// Overwrites all of `bytes`; throws `CryptoError.libraryFailure` if the kernel gives none.
    public func fill(_ bytes: inout MutableSpan<UInt8>) throws {
        let result = unsafe bytes.withUnsafeMutableBufferPointer { unsafe qv_fill_random($0.baseAddress, $0.count) }
        guard result == 0 else { throw CryptoError.libraryFailure(function: "getrandom") }
    }
}
