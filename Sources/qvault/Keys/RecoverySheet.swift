import VaultCrypto
import VaultFormat
import VaultStore

/// A recovery key as it is printed: what it is for, its four lines, and how it is used.
enum RecoverySheet {
    static let label = "recovery key"

    /// The sheet's text.
    ///
    /// - Parameters:
    ///   - record: of the newest save when it is made: a copy without this save is older, or somebody else's.
    ///   - width: columns of its lines; nil where they are not broken.
    static func text(
        of key: borrowing Secret, for vault: BytePath, at record: CommitRecord, width: Int? = nil
    ) throws -> Secret {
        let parts: (Phrase, Phrase, Phrase, Phrase) = (
            "QuickVault recovery key of \(vault). It opens the vault if the password is forgotten. Copy all signs of each line, the last one too.",
            "Anyone with these four lines and the vault file can open it without a password. Keep them on paper, apart from it.",
            "To open: qvault ls -f \(vault) --recovery-key-file FILE, with the four lines in FILE.",
            "Save \(record.core.sequence) had the fingerprint \(FingerprintWords.text(record.core.fingerprint)): a file in which 'qvault verify --expect' with these words and the password finds no such save is older than this sheet, or forged."
        )
        let lines = try RecoveryKey.text(of: key)
        func broken(_ phrases: Phrase...) -> String {
            phrases.map { phrase in width.map { Self.broken(phrase.said, $0) } ?? phrase.said }
                .joined(separator: "\n") + "\n"
        }
        let head = Array((broken(parts.0) + "\n").utf8)
        let tail = Array(("\n" + broken(parts.1, parts.2, parts.3)).utf8)
        return try Secret.joining(head, lines, tail)
    }
}

extension RecoverySheet {
    /// A text in lines, of which none begins as one of the key does: with its number.
    private static func broken(_ text: String, _ width: Int) -> String {
        for width in stride(from: width, to: width / 2, by: -1) {
            let lines = linesFitting(text, width)
            let isLikeKey = lines.split(separator: "\n").contains { line in
                line.drop { $0 == " " }.prefixMatch(of: /[1-4][ .:)]/) != nil
            }
            if !isLikeKey { return lines }
        }
        return text
    }
}

extension VaultCreation {
    /// Adds a slot for a new recovery key.
    func addRecoveryKey() throws -> Secret {
        var random = SystemRandom()
        let key = try RecoveryKey.random(&random)
        try addSlot(
            for: Credential(recoveryKey: key.slice(0..<key.byteCount)), KeySlot.Request(label: RecoverySheet.label))
        return key
    }
}
