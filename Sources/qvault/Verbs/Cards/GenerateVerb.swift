import VaultCrypto
import VaultFormat

extension Verb {
    static let keyGenerate = Verb(
        name: "key generate", summary: "make up a password, and say how hard it is to guess",
        options: [
            Option(.words, value: "N", help: "so many pronounceable words of 16 bits, 3 to 16 (5)"),
            Option(.characters, value: "N", help: "so many letters and digits of 5 bits instead, 10 to 64"),
            Option(
                .symbols, value: "N",
                help: "so many letters of both cases, digits and signs of 6 bits instead, 12 to 64"),
            .json,
        ],
        example: "qvault key generate --words 6", note: "six words of five letters: 96 bits"
    ) { arguments in
        let words = try arguments.number(.words, in: 3...16)
        let characters = try arguments.number(.characters, in: 10...64)
        let symbols = try arguments.number(.symbols, in: 12...64)
        guard [words, characters, symbols].count(where: { $0 != nil }) < 2 else {
            throw Failure(.usage, "key generate: one of --words, --characters and --symbols")
        }
        let text =
            try symbols.map { try GeneratedPassword.forSite(count: $0) } ?? characters.map(GeneratedPassword.letters)
            ?? GeneratedPassword.pronounceable(words ?? 5)
        let bits = symbols.map { $0 * 6 - 1 } ?? characters.map { $0 * 5 } ?? (words ?? 5) * 16
        // The characters that are drawn need no escape in JSON.
        let (before, after) = arguments.has(.json) ? ("{\"password\":\"", "\",\"bits\":\(bits)}\n") : ("", "\n")
        try writeAll(Array(before.utf8).span, to: 1, named: "standard output")
        try text.withSpan { try writeAll($0, to: 1, named: "standard output") }
        try writeAll(Array(after.utf8).span, to: 1, named: "standard output")
        guard !arguments.has(.json) else { return .done }
        Messages.note("\(bits) bits: drawn at random, so nobody needs fewer than 2^\(bits - 1) guesses on average")
        return .done
    }
}
