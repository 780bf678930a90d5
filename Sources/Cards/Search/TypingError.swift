/// Words that are typed with errors.
enum TypingError {
    /// True if a word of the text, a run of letters and digits, is `word` but for one error; from eight letters on for two.
    static func isMistyped(_ word: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        let errors = word.count < 8 ? 1 : 2
        var start = 0
        for index in 0...text.count where index == text.count || Abbreviation.isBetweenWords(text[index]) {
            if isEqual(word, text.extracting(start..<index), but: errors) { return true }
            start = index + 1
        }
        return false
    }

    /// True if words are equal but for so many errors: a letter too many, too few, another, or two neighbours swapped.
    private static func isEqual(_ a: Span<UInt8>, _ b: Span<UInt8>, but errors: Int) -> Bool {
        guard abs(a.count - b.count) <= errors else { return false }
        var same = 0
        while same < min(a.count, b.count), a[same] == b[same] { same += 1 }
        let (a, b) = (a.extracting(same...), b.extracting(same...))
        if a.isEmpty || b.isEmpty { return a.count + b.count <= errors }
        guard errors > 0 else { return false }
        let isSwapped = a.count > 1 && b.count > 1 && a[0] == b[1] && a[1] == b[0]
        return isEqual(a.extracting(1...), b.extracting(1...), but: errors - 1)
            || isEqual(a.extracting(1...), b, but: errors - 1) || isEqual(a, b.extracting(1...), but: errors - 1)
            || isSwapped && isEqual(a.extracting(2...), b.extracting(2...), but: errors - 1)
    }
}
