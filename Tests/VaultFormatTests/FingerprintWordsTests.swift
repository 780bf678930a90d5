import Testing
import VaultFormat

/// Fingerprints for people (Spec/store.md, 8).
struct FingerprintWordsTests {
    private let fingerprint = Bytes32((0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) })

    @Test func wordsHoldTheFirstHalf() {
        let words = FingerprintWords.text(fingerprint)
        let half = "\(fingerprint)".prefix(32)
        #expect(words.split(separator: "-").count == 8 && words.utf8.count == 47)
        #expect(FingerprintWords.digits(words).digits ?? "" == half)
        #expect(FingerprintWords.digits(words.uppercased().replacing("-", with: "  ")).digits ?? "" == half)
        #expect(FingerprintWords.digits("\(fingerprint)".uppercased()).digits ?? "" == "\(fingerprint)")
        #expect(FingerprintWords.text(.zero) == Array(repeating: "babab", count: 8).joined(separator: "-"))
    }

    @Test func theWrongWordIsNamed() {
        let words = FingerprintWords.text(fingerprint)
        #expect(FingerprintWords.digits(words.dropFirst(6) + "-xylon") == (nil, "xylon"))
        #expect(FingerprintWords.digits(String(words.dropFirst(6))) == (nil, nil))
        #expect(FingerprintWords.digits(words + "-babab") == (nil, nil))
        #expect(FingerprintWords.digits("\(fingerprint)".dropLast() + "g").digits == nil)
        #expect(FingerprintWords.digits("").digits == nil)
    }
}
