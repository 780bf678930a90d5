/// A fingerprint for people (Spec/store.md, 8): eight words that hold its first 16 bytes, each two as consonant, vowel,
/// consonant, vowel, consonant.
package enum FingerprintWords {
    private static let consonants = Array("bdfghjklmnprstvz")
    private static let vowels = Array("aiou")
    private static let count = 8

    /// The words of a fingerprint.
    package static func text(_ fingerprint: Bytes32) -> String {
        let bytes = fingerprint.bytes
        return (0..<count).map { index in
            String(decoding: word(UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1])), as: UTF8.self)
        }.joined(separator: "-")
    }

    /// The five letters of a word.
    package static func word(_ value: UInt16) -> [UInt8] {
        let value = Int(value)
        return [
            consonants[value >> 12], vowels[value >> 10 & 3], consonants[value >> 6 & 15], vowels[value >> 4 & 3],
            consonants[value & 15],
        ].compactMap(\.asciiValue)
    }

    /// The digits of a fingerprint that a person typed: all 64, or the 32 that eight words stand for. Case, and how words are
    /// set apart, do not matter.
    ///
    /// - Returns: no digits of anything else, and the first word that is none.
    package static func digits(_ text: String) -> (digits: String?, wrong: Substring?) {
        let text = text.lowercased()
        if text.utf8.count == 64, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) {
            return (text, nil)
        }
        let words = text.split { !$0.isLetter }
        let values = words.compactMap(value)
        guard values.count == count, words.count == count else {
            return (nil, words.first { value($0) == nil })
        }
        return (hexText(values.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }), nil)
    }

    private static func value(_ word: Substring) -> Int? {
        let letters = Array(word)
        guard letters.count == 5 else { return nil }
        return letters.indices.reduce(Int?(0)) { value, place in
            let alphabet = place % 2 == 0 ? consonants : vowels
            guard let value, let digit = alphabet.firstIndex(of: letters[place]) else { return nil }
            return value * alphabet.count + digit
        }
    }
}
