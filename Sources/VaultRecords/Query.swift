import VaultFormat

/// What somebody looks for among cards: words, all of which have to be found (Spec/records.md, 5).
public struct Query: Sendable {
    /// The words, folded, and each as `Pinyin.plain` gives it: one after the other.
    private let letters: [UInt8]
    private let words: [Word]

    /// Where a word stands among the letters.
    private struct Word {
        let bytes: Range<Int>
        let plain: Range<Int>
        /// Whether it may be pinyin.
        let isTyped: Bool
    }

    /// - Returns: nil where nothing is asked for.
    public init?(_ text: String) {
        var letters: [UInt8] = []
        words = Folding.fold(text.utf8).split { $0 == 0x20 || 0x09...0x0D ~= $0 }.map { word in
            let start = letters.count
            letters += word
            let end = letters.count
            letters += Pinyin.plain(Array(word))
            return Word(bytes: start..<end, plain: end..<letters.count, isTyped: Pinyin.isTyped(Array(word)))
        }
        self.letters = letters
        if words.isEmpty { return nil }
    }

    /// How near a text comes to a word; the nearest is the least.
    public enum Level: Int, Comparable, Sendable {
        /// The text is the word.
        case exact
        /// It begins with it.
        case prefix
        /// It has it in it.
        case contains
        /// The word spells characters of it in pinyin.
        case pinyin
        /// A word of it differs from the word by one typing error, or characters of it are spelled with `z` for `zh`.
        case typo

        /// Nearer first.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Where something was found.
    public enum Place: Int, Comparable, Sendable {
        case title, tag, value

        /// What counts more first.
        public static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
    }

    /// What was found of one card: of its worst word the best.
    public struct Match: Sendable {
        /// How near it comes.
        public let level: Level
        /// Where it stands.
        public let place: Place
        /// The key of the field it stands in; a tag; nil for the title.
        public let key: String?
    }

    /// What of a card answers; nil where a word is not found.
    public func match(_ card: Card) -> Match? {
        // What was made here can be read.
        let content = card.fields.bytes
        var best: [Found?] = []
        guard let found = try? match(card.overview, content.span, using: &best) else { return nil }
        return try? found.answer(card.schema, card.overview, content.span).match
    }

    /// Where a word was found: in the first text of a card that comes so near, counted from the title.
    struct Found {
        let level: Level
        let place: Place
        let text: Int

        func isBefore(_ other: Found) -> Bool { (level, place) < (other.level, other.place) }

        /// What there is to say of it, and the line of the card, if it is one.
        ///
        /// - Throws: `FormatError.malformed`.
        func answer(
            _ schema: Schema?, _ overview: Overview, _ content: Span<UInt8>
        ) throws -> (match: Match, line: Card.Line?) {
            guard place == .value else {
                let tag = place == .tag ? overview.tags[text - 1] : nil
                return (Match(level: level, place: place, key: tag), nil)
            }
            var line: Card.Line?
            var next = 1 + overview.tags.count
            try RecordFields.forEachText(content) { key, value, own in
                if next == text {
                    let (key, value) = (String(utf8: key), String(utf8: value))
                    let field = own == nil ? schema?[key] : nil
                    line =
                        field.map { Card.Line($0, value) }
                        ?? Card.Line(key, value, isSensitive: own?.isSensitive ?? false)
                }
                next += 1
            }
            return (Match(level: level, place: place, key: line?.key), line)
        }
    }

    /// What of a card, as it is stored, answers: of its worst word the best.
    ///
    /// - Parameter best: room for what is found of each word; who looks at many cards lends the same again.
    /// - Throws: `FormatError.malformed`.
    func match(_ overview: Overview, _ content: Span<UInt8>, using best: inout [Found?]) throws -> Found? {
        best.removeAll(keepingCapacity: true)
        for _ in words { best.append(nil) }
        look(overview.title.span, .title, 0, &best)
        var text = 0
        for tag in overview.tags {
            text += 1
            let tag = Array(tag.utf8)
            look(tag.span, .tag, text, &best)
        }
        try RecordFields.forEachText(content) { _, value, _ in
            text += 1
            look(value, .value, text, &best)
        }
        var worst: Found?
        for found in best {
            guard let found else { return nil }
            if worst?.isBefore(found) ?? true { worst = found }
        }
        return worst
    }

    /// Looks for each word in a text, for something better than the best so far.
    private func look(_ text: Span<UInt8>, _ place: Place, _ number: Int, _ best: inout [Found?]) {
        guard Folding.isFolded(text) else {
            let folded = Folding.fold(Array(copying: text))
            return lookFolded(folded.span, place, number, &best)
        }
        lookFolded(text, place, number, &best)
    }

    private func lookFolded(_ text: Span<UInt8>, _ place: Place, _ number: Int, _ best: inout [Found?]) {
        for index in words.indices {
            guard let level = level(of: words[index], in: text) else { continue }
            let found = Found(level: level, place: place, text: number)
            if best[index].map(found.isBefore) ?? true { best[index] = found }
        }
    }

    /// A line of a text in which a word is found, and of a long one the part that has it; at most 80 characters.
    public func excerpt(of text: String) -> String {
        if text.utf8.count <= 80, !text.utf8.contains(UInt8(ascii: "\n")) { return text }
        let line = text.split(separator: "\n").first { isFound(in: $0) } ?? text.prefix(80)
        var rest = line
        while rest.count > 80, !isFound(in: rest.prefix(80)) { rest = rest.dropFirst(40) }
        return String(rest.prefix(80))
    }

    private func isFound(in text: Substring) -> Bool { words.contains { isFound($0, in: text) } }

    private func isFound(_ word: Word, in text: Substring) -> Bool {
        let folded = Folding.fold(text.utf8)
        return (level(of: word, in: folded.span) ?? .typo) != .typo
    }

    /// Where the words stand in a short text, for showing them.
    public func ranges(in text: String) -> [Range<String.Index>] { words.compactMap { range(of: $0, in: text) } }

    private func range(of word: Word, in text: String) -> Range<String.Index>? {
        // The shortest beginning that has it, and of that the shortest end.
        guard isFound(word, in: text[...]),
            let end = text.indices.map({ text.index(after: $0) }).first(where: { isFound(word, in: text[..<$0]) }),
            let start = text[..<end].indices.last(where: { isFound(word, in: text[$0..<end]) })
        else { return nil }
        return start..<end
    }

    private func level(of word: Word, in text: Span<UInt8>) -> Level? {
        let letters = letters.span
        let bytes = letters.extracting(word.bytes)
        if let place = Self.place(of: bytes, in: text) {
            return place > 0 ? .contains : text.count == bytes.count ? .exact : .prefix
        }
        guard word.isTyped else { return nil }
        if Pinyin.spells(bytes, text) { return .pinyin }
        guard bytes.count >= 4 else { return nil }
        return Self.isMistyped(bytes, in: text) || Pinyin.spells(letters.extracting(word.plain), text, isPlain: true)
            ? .typo : nil
    }

    /// Where a word first stands in a text.
    private static func place(of word: Span<UInt8>, in text: Span<UInt8>) -> Int? {
        guard text.count >= word.count else { return nil }
        for start in 0...text.count - word.count where text[start] == word[0] {
            var same = 1
            while same < word.count, text[start + same] == word[same] { same += 1 }
            if same == word.count { return start }
        }
        return nil
    }

    /// Whether a word of the text, a run of letters and digits, is `word` with a letter too many, too few, another, or
    /// two neighbours swapped.
    private static func isMistyped(_ word: Span<UInt8>, in text: Span<UInt8>) -> Bool {
        var start = 0
        for index in 0...text.count where index == text.count || isBetweenWords(text[index]) {
            if abs(index - start - word.count) <= 1, differsByOne(word, text.extracting(start..<index)) { return true }
            start = index + 1
        }
        return false
    }

    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte < 0x80 && !(0x30...0x39 ~= byte || 0x61...0x7A ~= byte)
    }

    /// - Parameters:
    ///   - a: no more than a letter longer or shorter than the other.
    private static func differsByOne(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        var start = 0
        while start < min(a.count, b.count), a[start] == b[start] { start += 1 }
        let (x, y) = (a.count - start, b.count - start)
        var end = 0
        while end < min(x, y), a[a.count - 1 - end] == b[b.count - 1 - end] { end += 1 }
        if x != y { return end == min(x, y) }
        let isSwapped = x > 1 && end >= x - 2 && a[start] == b[start + 1] && a[start + 1] == b[start]
        return x > 0 && (end == x - 1 || isSwapped)
    }
}
