import VaultFormat

/// A search for cards: words, all of which have to be found (Spec/product/records.md, 5).
public struct CardQuery: Sendable {
    /// The words, folded, and each as `Pinyin.plain` gives it: one after the other.
    private let letters: [UInt8]
    private let words: [Word]

    /// The range of a word among the letters.
    private struct Word {
        let bytes: Range<Int>
        let plain: Range<Int>
        /// True if it may be pinyin.
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

    /// The distance of a text from a word; the nearest is the least.
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

    /// The part of a card in which a word was found.
    public enum Place: Int, Comparable, Sendable {
        case title, tag, value

        /// The more important part first.
        public static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
    }

    /// The match of one card: the best match of its worst word.
    public struct Match: Sendable {
        /// The distance.
        public let level: Level
        /// The part of the card.
        public let place: Place
        /// The key of the field it stands in; a tag; nil for the title.
        public let key: String?
    }

    /// The match of a card; nil if a word is not found.
    public func match(_ card: Card) -> Match? {
        // Fields that were made here can be encoded and read.
        let content = card.fields.bytes
        var best: [Found?] = []
        guard let found = try? match(card.overview, content.span, using: &best) else { return nil }
        return try? found.answer(card.schema, card.overview, content.span).match
    }

    /// How well a name answers; nil if a word is not in it.
    public func match(name: String) -> Level? {
        var best: [Found?] = words.map { _ in nil }
        look(Array(name.utf8).span, .title, &best)
        let levels = best.compactMap { $0?.level }
        return levels.count == best.count ? levels.max() : nil
    }

    /// The place where a word was found: in the first text of a card that matches so well.
    struct Found {
        let level: Level
        let source: Source

        func isBefore(_ other: Found) -> Bool { (level, source.place) < (other.level, other.source.place) }

        /// The match and the line of the card, if it is a card.
        ///
        /// - Throws: `FormatError.malformed`.
        func answer(
            _ schema: Schema?, _ overview: Overview, _ content: Span<UInt8>
        ) throws -> (match: Match, line: Card.Line?) {
            let line: Card.Line?
            switch source {
            case .title: return (Match(level: level, place: .title, key: nil), nil)
            case .tag(let index): return (Match(level: level, place: .tag, key: overview.tags[index]), nil)
            case .value(.field(let key, let value)):
                let (key, value) = (String(utf8: content.extracting(key)), String(utf8: content.extracting(value)))
                line = schema?[key].map { Card.Line($0, value) } ?? Card.Line(key, value, isSensitive: false)
            case .value(.own(let index)):
                let own = try RecordFields(parsing: Array(copying: content)).own[index]
                line = Card.Line(own.label, own.value, isSensitive: own.isSensitive)
            }
            return (Match(level: level, place: .value, key: line?.key), line)
        }
    }

    enum Source {
        case title
        case tag(Int)
        case value(RecordFields.TextPlace)

        var place: Place {
            switch self {
            case .title: .title
            case .tag: .tag
            case .value: .value
            }
        }
    }

    /// The match of a card as it is stored: the best match of its worst word.
    ///
    /// - Parameter best: room for what is found of each word; who looks at many cards lends the same again.
    /// - Throws: `FormatError.malformed`.
    func match(_ overview: Overview, _ content: Span<UInt8>, using best: inout [Found?]) throws -> Found? {
        best.removeAll(keepingCapacity: true)
        for _ in words { best.append(nil) }
        look(overview.title.span, .title, &best)
        for (index, tag) in overview.tags.enumerated() {
            let tag = Array(tag.utf8)
            look(tag.span, .tag(index), &best)
        }
        try RecordFields.forEachText(content) { look($0, .value($1), &best) }
        var worst: Found?
        for found in best {
            guard let found else { return nil }
            if worst?.isBefore(found) ?? true { worst = found }
        }
        return worst
    }

    /// Looks for each word in a text, for something better than the best so far.
    private func look(_ text: Span<UInt8>, _ source: Source, _ best: inout [Found?]) {
        let makeup = Folding.makeup(of: text)
        guard makeup.isFolded else {
            let folded = Folding.fold(Array(copying: text))
            return lookFolded(folded.span, nil, source, &best)
        }
        lookFolded(text, makeup, source, &best)
    }

    private func lookFolded(_ text: Span<UInt8>, _ makeup: Folding.Makeup?, _ source: Source, _ best: inout [Found?]) {
        for index in words.indices {
            guard let level = level(of: words[index], in: text, makeup) else { continue }
            let found = Found(level: level, source: source)
            if best[index].map(found.isBefore) ?? true { best[index] = found }
        }
    }

    /// A line of a text in which a word is found, and of a long one the part that has it; at most 80 characters.
    public func excerpt(of text: String) -> String {
        if text.utf8.count <= 80, !text.utf8.contains(UInt8(ascii: "\n")) { return text }
        let line = text.split(separator: "\n").first { isFound(in: $0) } ?? text.prefix(80)
        var start = line.startIndex
        while let end = line.index(start, offsetBy: 80, limitedBy: line.endIndex), end < line.endIndex,
            !isFound(in: line[start..<end])
        {
            start = line.index(start, offsetBy: 40)
        }
        return String(line[start...].prefix(80))
    }

    private func isFound(in text: Substring) -> Bool { words.contains { isFound($0, in: text) } }

    private func isFound(_ word: Word, in text: Substring) -> Bool {
        let folded = Folding.fold(text.utf8)
        return (level(of: word, in: folded.span) ?? .typo) != .typo
    }

    /// The ranges of the words in a short text, for showing them.
    public func ranges(in text: String) -> [Range<String.Index>] { words.compactMap { range(of: $0, in: text) } }

    private func range(of word: Word, in text: String) -> Range<String.Index>? {
        // The shortest beginning that has it, and of that the shortest end.
        guard isFound(word, in: text[...]),
            let end = text.indices.map({ text.index(after: $0) }).first(where: { isFound(word, in: text[..<$0]) }),
            let start = text[..<end].indices.last(where: { isFound(word, in: text[$0..<end]) })
        else { return nil }
        return start..<end
    }

    /// - Parameter makeup: what the text is made of, if that is known.
    private func level(of word: Word, in text: Span<UInt8>, _ makeup: Folding.Makeup? = nil) -> Level? {
        let letters = letters.span
        let bytes = letters.extracting(word.bytes)
        let mayHaveLetters = makeup?.hasLetters ?? true
        if mayHaveLetters || !word.isTyped, let place = Self.place(of: bytes, in: text) {
            return place > 0 ? .contains : text.count == bytes.count ? .exact : .prefix
        }
        guard word.isTyped else { return nil }
        let mayBeSpelled = makeup?.hasIdeographs ?? true
        if mayBeSpelled, Pinyin.spells(bytes, text) { return .pinyin }
        // Among four letters or more, of which one is wrong, some pair of neighbours is right.
        guard bytes.count >= 4 else { return nil }
        if mayHaveLetters, Self.isMistyped(bytes, in: text) { return .typo }
        let plain = letters.extracting(word.plain)
        return mayBeSpelled && Pinyin.spells(plain, text, isPlain: true) ? .typo : nil
    }

    /// The first place of a word in a text.
    private static func place(of word: Span<UInt8>, in text: Span<UInt8>) -> Int? {
        guard text.count >= word.count else { return nil }
        for start in 0...text.count - word.count where text[start] == word[0] {
            var same = 1
            while same < word.count, text[start + same] == word[same] { same += 1 }
            if same == word.count { return start }
        }
        return nil
    }

    /// True if a word of the text, a run of letters and digits, is `word` with a letter too many, too few, another, or
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
