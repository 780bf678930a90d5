import VaultCrypto

/// Passwords that are drawn at random.
enum GeneratedPassword {
    /// Capitals, small letters, digits and signs: 64, of which none looks like another, so that each character has 6 bits.
    private static let symbols = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%+-=@".utf8)

    /// A password that has a capital, a small letter, a digit and a sign, as web sites want it.
    static func forSite(count: Int = 20) throws -> Secret {
        var random = SystemRandom()
        while true {
            let drawn = try random.secret(byteCount: count)
            let secret = try Secret(byteCount: count) { out in
                drawn.withSpan { for index in $0.indices { out[index] = symbols[Int($0[index] & 63)] } }
            }
            // Drawing anew keeps all that qualify equally likely.
            if secret.withSpan({ hasAllClasses($0) }) { return secret }
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
