import VaultFormat

/// The words in capitals that stand for what a person types: `FILE`, `KEY=VALUE`.
enum Placeholder {
    /// A text with its placeholders in the person's language.
    static func said(_ text: String) -> String {
        guard Language.current != .english else { return text }
        var (said, word) = ("", "")
        for character in text + " " {
            if character.isASCII, character.isUppercase {
                word.append(character)
            } else {
                // A single letter is one in every language.
                said += word.count > 1 ? Phrase(stringLiteral: word).said : word
                word = ""
                said.append(character)
            }
        }
        return String(said.dropLast())
    }
}
