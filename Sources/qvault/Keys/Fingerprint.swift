import VaultFormat

/// A fingerprint for people (Spec/store.md, 8): 64 hexadecimal digits, or eight words that hold its first 16 bytes.
enum Fingerprint {
    private static let consonants = Array("bdfghjklmnprstvz")
    private static let vowels = Array("aiou")
    private static let wordCount = 8

    /// Each two bytes as a word of consonant, vowel, consonant, vowel, consonant.
    static func words(_ fingerprint: Bytes32) -> String {
        let bytes = fingerprint.bytes
        return (0..<wordCount).map { index in
            String(decoding: word(UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1])), as: UTF8.self)
        }.joined(separator: "-")
    }

    /// The five letters of a word.
    static func word(_ value: UInt16) -> [UInt8] {
        let value = Int(value)
        return [
            consonants[value >> 12], vowels[value >> 10 & 3], consonants[value >> 6 & 15], vowels[value >> 4 & 3],
            consonants[value & 15],
        ].compactMap(\.asciiValue)
    }

    /// The digits of a fingerprint that a person typed: all 64, or the 32 that eight words stand for. Case, and how
    /// words are set apart, do not matter.
    ///
    /// - Throws: `Failure` `.usage`.
    static func digits(_ text: String) throws -> String {
        let text = text.lowercased()
        if text.utf8.count == 64, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 }),
            text.allSatisfy(\.isHexDigit)
        {
            return text
        }
        let words = text.split { !$0.isLetter }
        let values = words.map(value)
        guard values.count == wordCount, !values.contains(nil) else {
            let wrong = zip(words, values).first { $1 == nil }?.0
            throw Failure(
                .usage,
                wrong.map { "'\(printable($0.utf8))' is no word of a fingerprint" }
                    ?? "a fingerprint has 64 hexadecimal digits or eight words",
                hint: "'qvault info' shows a vault's")
        }
        return hexText(values.flatMap { [UInt8(($0 ?? 0) >> 8), UInt8(($0 ?? 0) & 0xFF)] })
    }

    private static func value(_ word: Substring) -> Int? {
        let letters = Array(word)
        guard letters.count == 5 else { return nil }
        var value = 0
        for (index, letter) in letters.enumerated() {
            let alphabet = index % 2 == 0 ? consonants : vowels
            guard let digit = alphabet.firstIndex(of: letter) else { return nil }
            value = value * alphabet.count + digit
        }
        return value
    }
}
