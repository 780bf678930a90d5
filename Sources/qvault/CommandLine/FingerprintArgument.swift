import VaultFormat

extension Arguments {
    /// The digits of the fingerprint that `--expect` asks for: all 64, or the 32 that eight words stand for; nil without it.
    ///
    /// - Parameter hint: where a person finds it.
    /// - Throws: `Failure` for what is none.
    func expectedFingerprint(hint: Phrase) throws -> String? {
        guard let text = text(.expect) else { return nil }
        let (digits, wrong) = FingerprintWords.digits(text)
        guard let digits else {
            throw Failure(
                .usage,
                wrong.map { "'\(printable($0.utf8))' is no word of a fingerprint" }
                    ?? "a fingerprint has 64 hexadecimal digits or eight words", hint: hint)
        }
        return digits
    }
}
