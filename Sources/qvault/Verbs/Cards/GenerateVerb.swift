import VaultCrypto
import VaultFormat

extension Verb {
    static let keyGenerate = Verb(
        name: "key generate", summary: "make up a password, and say how hard it is to guess", operands: "",
        operandCount: 0...0,
        options: [
            Option(.words, value: "N", help: "so many pronounceable words of 16 bits, 3 to 16 (5)"),
            Option(.characters, value: "N", help: "so many letters and digits of 5 bits instead, 10 to 64"),
            Option(
                .symbols, value: "N",
                help: "so many letters of both cases, digits and signs of 6 bits instead, 12 to 64"),
        ],
        example: ("qvault key generate --words 6", "six words of five letters: 96 bits")
    ) { arguments in
        let words = try arguments.number(.words, in: 3...16)
        let characters = try arguments.number(.characters, in: 10...64)
        let symbols = try arguments.number(.symbols, in: 12...64)
        guard [words, characters, symbols].count(where: { $0 != nil }) < 2 else {
            throw Failure(.usage, "key generate: one of --words, --characters and --symbols")
        }
        let text =
            try symbols.map { try GeneratedPassword.forSite(count: $0) } ?? characters.map(letters)
            ?? pronounceable(words ?? 5)
        try text.withSpan { try writeAll($0, to: 1, named: "standard output") }
        if symbols != nil { try writeAll([0x0A].span, to: 1, named: "standard output") }
        let bits = symbols.map { $0 * 6 - 1 } ?? characters.map { $0 * 5 } ?? (words ?? 5) * 16
        if !arguments.has(.quiet) {
            Messages.say("\(bits) bits: drawn at random, so nobody needs fewer than 2^\(bits - 1) guesses on average")
        }
        return .done
    }

    /// Words like those of a fingerprint, between hyphens, and a newline.
    private static func pronounceable(_ count: Int) throws -> Secret {
        var random = SystemRandom()
        let drawn = try random.secret(byteCount: count * 2)
        return try Secret(byteCount: count * 6) { out in
            drawn.withSpan { drawn in
                for word in 0..<count {
                    let letters = Fingerprint.word(UInt16(drawn[2 * word]) << 8 | UInt16(drawn[2 * word + 1]))
                    for index in 0..<5 { out[word * 6 + index] = letters[index] }
                    out[word * 6 + 5] = word == count - 1 ? 0x0A : 0x2D
                }
            }
        }
    }

    /// 32 letters and digits that nobody takes for one another, and a newline.
    private static func letters(_ count: Int) throws -> Secret {
        let symbols = Array("23456789abcdefghjkmnpqrstuvwxyz_".utf8)
        var random = SystemRandom()
        let drawn = try random.secret(byteCount: count)
        return try Secret(byteCount: count + 1) { out in
            drawn.withSpan { for index in $0.indices { out[index] = symbols[Int($0[index] & 31)] } }
            out[count] = 0x0A
        }
    }
}
