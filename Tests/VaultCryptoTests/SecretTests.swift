import Foundation
import Testing
import VaultCrypto

/// Secrets, passwords and random bytes.
struct SecretTests {
    @Test func holdsWhatItWasGiven() throws {
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        let secret = try Secret(copying: bytes.span)
        #expect(secret.byteCount == 5)
        #expect(try secret.slice(1..<4).isEqual(to: Secret(copying: [2, 3, 4].span)))
        #expect(try !secret.isEqual(to: Secret(copying: [1, 2, 3, 4, 6].span)))
        #expect(try !secret.isEqual(to: Secret(copying: [1, 2, 3, 4].span)))
    }

    @Test func isLockedAndLeftOutOfDumps() throws {
        let secret = try Secret(byteCount: 32)
        let address = secret.withSpan { span in
            unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        let flags = try #require(memoryFlags(at: address))
        #expect(flags.contains("dd"), "not dumped: \(flags)")
        #expect(flags.contains("lo"), "locked: \(flags)")
    }

    @Test(arguments: [
        ("passe\u{301}", "pass\u{e9}"),  // decomposed
        ("\u{212B}ngstrom", "\u{c5}ngstrom"),  // a sign with a canonical twin
        ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"),  // Hangul
        ("plain ASCII, with  spaces ", "plain ASCII, with  spaces "),
        ("ﬁne", "ﬁne"),  // compatibility ligatures stay
        ("\u{0344}\u{0344}\u{0344}", "\u{308}\u{301}\u{308}\u{301}\u{308}\u{301}"),  // grows
    ])
    func passwordsAreNormalized(_ typed: String, _ expected: String) throws {
        let normal = try PasswordHash.normalized(Secret(copying: Array(typed.utf8).span))
        #expect(normal.withSpan { span in span.indices.map { span[$0] } } == Array(expected.utf8))
    }

    @Test(
        arguments: [[0xFF], [0xC0, 0x80], [0x61, 0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]]
    )
    func passwordsAreUTF8(_ bytes: [UInt8]) throws {
        #expect(throws: CryptoError.notUTF8) { try discard(PasswordHash.normalized(Secret(copying: bytes.span))) }
    }

    @Test func randomBytesDiffer() throws {
        var random = SystemRandom()
        #expect(try random.bytes(32) != random.bytes(32))
        #expect(try !random.secret(byteCount: 32).isEqual(to: random.secret(byteCount: 32)))
    }
}

private func discard(_ secret: consuming Secret) {}

/// The kernel's flags of the mapping that holds an address.
private func memoryFlags(at address: UInt) -> [Substring]? {
    // Read as a stream: the kernel says that its length is 0.
    guard let data = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd() else { return nil }
    let text = String(decoding: data, as: UTF8.self)
    var isThere = false
    for line in text.split(separator: "\n") {
        let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        if range.count == 2 { isThere = (range[0]..<range[1]).contains(address) }
        if isThere, line.hasPrefix("VmFlags:") { return line.dropFirst(8).split(separator: " ") }
    }
    return nil
}
