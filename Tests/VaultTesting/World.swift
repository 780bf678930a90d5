public import Values
import VaultCrypto
package import VaultIO

extension BytePath: ExpressibleByStringLiteral {
    /// A path in UTF-8.
    public init(stringLiteral text: String) { self.init(text) }
}

/// Random bytes that a test can foretell: a counter through SHA-256.
package struct CountingRandom: RandomSource, Sendable {
    private var counter: UInt64

    package init(seed: UInt64 = 0) { counter = seed << 32 }

    package mutating func fill(_ bytes: inout MutableSpan<UInt8>) throws {
        for start in stride(from: 0, to: bytes.count, by: 32) {
            let block = try SHA256.hash(Array("\(counter)".utf8).span)
            counter += 1
            for i in start..<min(start + 32, bytes.count) { bytes[i] = block[i - start] }
        }
    }
}

/// An environment over files in memory, with a clock that stands still and pauses that take no time.
package func testEnvironment(_ files: any FileSystem, seed: UInt64 = 0) -> StoreEnvironment {
    StoreEnvironment(
        files: files, now: { 1_767_323_045_000_000 }, random: CountingRandom(seed: seed), pause: { _ in })
}

/// A source of bytes for a stream.
package func reading(_ bytes: [UInt8]) -> (inout MutableSpan<UInt8>) throws -> Int {
    var offset = 0
    return { buffer in
        let count = min(buffer.count, bytes.count - offset)
        for i in 0..<count { buffer[i] = bytes[offset + i] }
        offset += count
        return count
    }
}
