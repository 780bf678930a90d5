package import VaultCrypto

// Whole messages of the format as arrays: small structures, never record content.
extension AESGCM {
    /// Ciphertext ‖ tag.
    package mutating func sealed(_ plaintext: Span<UInt8>, nonce: Nonce, aad: [UInt8] = []) throws -> [UInt8] {
        var out = [UInt8](repeating: 0, count: plaintext.count + Self.tagByteCount)
        var span = out.mutableSpan
        try seal(plaintext, nonce: nonce, aad: aad.span, into: &span)
        return out
    }

    /// The plaintext; nil when the tag does not match.
    package mutating func opened(_ sealed: Span<UInt8>, nonce: Nonce, aad: [UInt8] = []) throws -> [UInt8]? {
        guard sealed.count >= Self.tagByteCount else { return nil }
        var out = [UInt8](repeating: 0, count: sealed.count - Self.tagByteCount)
        var span = out.mutableSpan
        do {
            try open(sealed, nonce: nonce, aad: aad.span, into: &span)
        } catch .authenticationFailed {
            return nil
        }
        return out
    }
}

extension Array where Element == UInt8 {
    /// Lends part of the array for writing.
    package mutating func withMutableSlice<R>(
        _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws -> R
    ) rethrows -> R {
        try unsafe withUnsafeMutableBufferPointer { buffer in
            var span = unsafe MutableSpan(_unsafeElements: UnsafeMutableBufferPointer(rebasing: buffer[range]))
            return try body(&span)
        }
    }

    /// A copy of a span's bytes.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Span<UInt8> {
    /// True if both have the same bytes. How long it takes tells where they differ: not for secrets.
    package func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { theirs in
                let words = mine.count / 8
                for index in 0..<words {
                    let place = 8 * index
                    guard
                        unsafe mine.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                            == theirs.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    else { return false }
                }
                return unsafe mine[(8 * words)...].elementsEqual(theirs[(8 * words)...])
            }
        }
    }

    /// True if all bytes are zero.
    package var isZero: Bool {
        unsafe withUnsafeBytes { bytes in
            let words = bytes.count / 8
            for index in 0..<words where unsafe bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) != 0 {
                return false
            }
            return unsafe bytes[(8 * words)...].allSatisfy { $0 == 0 }
        }
    }
}

extension MutableSpan<UInt8> {
    /// Copies as many of the bytes to its front as it takes; returns how many.
    package mutating func copy(_ bytes: Span<UInt8>) -> Int {
        let part = bytes.extracting(first: Swift.min(count, bytes.count))
        unsafe withUnsafeMutableBytes { target in unsafe part.withUnsafeBytes { unsafe target.copyBytes(from: $0) } }
        return part.count
    }

    /// Fills it from the front of `bytes`, which are taken away; returns how many.
    package mutating func take(from bytes: inout ArraySlice<UInt8>) -> Int {
        let part = bytes.prefix(count)
        unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: part) }
        bytes = bytes.dropFirst(part.count)
        return part.count
    }
}

extension String {
    /// Text from its UTF-8; what is none becomes U+FFFD.
    package init(utf8 bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
