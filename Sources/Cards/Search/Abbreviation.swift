/// Names in initials, as people abbreviate them.
enum Abbreviation {
    /// Letters of an abbreviation.
    private static let letterCount = 2...6

    /// True if letters are the initials of neighbouring words of a text, two at least; a word may give one of its other
    /// consonants too: `pe` and `pse` for `photoshop express`.
    static func initials(_ letters: Span<UInt8>, of text: Span<UInt8>) -> Bool {
        guard letterCount ~= letters.count else { return false }
        for start in text.indices where text[start] == letters[0] && (start == 0 || isBetweenWords(text[start - 1])) {
            if goOn(letters, 1, text, start, isFirst: true, mayTake: true) { return true }
        }
        return false
    }

    /// True if the letters from `spent` on stand behind `place`.
    ///
    /// - Parameters:
    ///   - isFirst: whether one word alone was used.
    ///   - mayTake: whether the present word may give another letter.
    private static func goOn(
        _ letters: Span<UInt8>, _ spent: Int, _ text: Span<UInt8>, _ place: Int, isFirst: Bool, mayTake: Bool
    ) -> Bool {
        guard spent < letters.count else { return !isFirst }
        let letter = letters[spent]
        var index = place + 1
        while index < text.count, !isBetweenWords(text[index]) {
            if mayTake, text[index] == letter, !"aeiou".utf8.contains(letter),
                goOn(letters, spent + 1, text, index, isFirst: isFirst, mayTake: false)
            {
                return true
            }
            index += 1
        }
        while index < text.count, isBetweenWords(text[index]) { index += 1 }
        return index < text.count && text[index] == letter
            && goOn(letters, spent + 1, text, index, isFirst: false, mayTake: true)
    }

    /// True of what is neither a letter nor a digit, nor a part of a character that is not ASCII. Text is folded.
    static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte < 0x80 && !(0x30...0x39 ~= byte || 0x61...0x7A ~= byte)
    }
}
