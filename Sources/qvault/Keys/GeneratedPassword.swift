import VaultCrypto
import VaultFormat

/// Passwords that are drawn at random.
enum GeneratedPassword {
    /// Capitals, small letters, digits and signs: 64, of which none looks like another, so that each character has 6 bits.
    private static let signs = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%+-=@".utf8)
    /// 32 letters and digits that nobody takes for one another.
    private static let letters = Array("23456789abcdefghjkmnpqrstuvwxyz_".utf8)

    /// A password that has a capital, a small letter, a digit and a sign, as web sites want it.
    static func forSite(count: Int = 20) throws -> Secret {
        while true {
            let secret = try drawn(count, of: signs)
            // Drawing anew keeps all that qualify equally likely.
            if secret.withSpan({ hasAllClasses($0) }) { return secret }
        }
    }

    /// Letters and digits.
    static func letters(_ count: Int) throws -> Secret { try drawn(count, of: letters) }

    /// Words like those of a fingerprint, between hyphens.
    static func pronounceable(_ count: Int) throws -> Secret {
        var random = SystemRandom()
        let drawn = try random.secret(byteCount: count * 2)
        return try Secret(byteCount: count * 6 - 1) { out in
            drawn.withSpan { drawn in
                for word in 0..<count {
                    let letters = FingerprintWords.word(UInt16(drawn[2 * word]) << 8 | UInt16(drawn[2 * word + 1]))
                    for index in 0..<5 { out[word * 6 + index] = letters[index] }
                    if word < count - 1 { out[word * 6 + 5] = UInt8(ascii: "-") }
                }
            }
        }
    }

    /// So many of 32 or 64 characters.
    private static func drawn(_ count: Int, of symbols: [UInt8]) throws -> Secret {
        var random = SystemRandom()
        let drawn = try random.secret(byteCount: count)
        return try Secret(byteCount: count) { out in
            drawn.withSpan { for index in $0.indices { out[index] = symbols[Int($0[index]) % symbols.count] } }
        }
    }

    private static func hasAllClasses(_ text: Span<UInt8>) -> Bool {
        var classes: Set<Int> = []
        for index in text.indices {
            switch text[index] {
            case 0x41...0x5A: classes.insert(0)
            case 0x61...0x7A: classes.insert(1)
            case 0x30...0x39: classes.insert(2)
            default: classes.insert(3)
            }
        }
        return classes.count == 4
    }
}
