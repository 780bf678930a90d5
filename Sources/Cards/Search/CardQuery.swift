public import VaultFormat

/// Words that are looked for in records, all of which have to be found (Spec/product/records.md, 5).
public struct CardQuery: Sendable {
    /// The words, folded; of each what `Pinyin.plain` makes of it, and other names for it: one after the other.
    private var letters: [UInt8] = []
    private var words: [Word] = []

    /// The ranges of a word among the letters.
    private struct Word {
        let bytes: Range<Int>
        let plain: Range<Int>
        let others: [Range<Int>]
        /// True if it may be pinyin.
        let isTyped: Bool
        /// True if it has letters alone: in numbers nobody guesses errors.
        let isLetters: Bool
    }

    /// - Returns: nil where nothing is asked for.
    public init?(_ text: String) {
        self.init(words: Folding.fold(text.utf8).split { $0 == 0x20 || 0x09...0x0D ~= $0 }.map { (Array($0), false) })
        if words.isEmpty { return nil }
    }

    /// - Parameter words: folded; in the order in which `best` has them. What is taken as it is is neither pinyin nor mistyped.
    init(words: [(bytes: [UInt8], isAsItIs: Bool)]) {
        for (word, isAsItIs) in words {
            let bytes = add(word)
            let isTyped = !isAsItIs && Pinyin.isTyped(word)
            self.words.append(
                Word(
                    bytes: bytes, plain: add(Pinyin.plain(word)),
                    others: isAsItIs ? [] : QueryKinds.others(word).map { add($0) }, isTyped: isTyped,
                    isLetters: isTyped && word.allSatisfy { 0x61...0x7A ~= $0 }))
        }
    }

    private mutating func add(_ bytes: [UInt8]) -> Range<Int> {
        letters += bytes
        return letters.count - bytes.count..<letters.count
    }

    /// Letters of a word that is looked for as pinyin in pages of text, at least.
    private static let spelledByteCount = 5

    /// The number of words.
    var count: Int { words.count }

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
        /// The word has the initials of words of a title: `pse` for Photoshop Express.
        case initials
        /// A word of it differs from the word by one typing error, of eight letters or more by two; or characters of it are
        /// spelled with `z` for `zh`.
        case typo

        /// Nearer first.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The part of a record in which a word was found: the kind is not in it, but what people call such records.
    public enum Place: Int, Comparable, Sendable {
        case title, tag, value, kind

        /// The more important part first.
        public static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
    }

    /// The match of one card: the best match of its worst word.
    public struct Match: Sendable {
        /// The distance.
        public let level: Level
        /// The part of the card.
        public let place: Place
        /// The key of the field it stands in; a tag; nil for the title and the kind.
        public let key: String?
    }

    /// The match of a card; nil if a word is not found.
    public func match(_ card: Card) -> Match? {
        // Fields that were made here can be encoded and read.
        let content = card.fields.bytes
        var best: [Found?] = []
        guard let found = try? match(card.schema.kind, card.overview, content.span, using: &best) else { return nil }
        return try? found.answer(card.schema, card.overview, content.span).match
    }

    /// How well a name answers; nil if a word is not in it.
    public func match(name: String) -> Level? {
        var best: [Found?] = words.map { _ in nil }
        look(Array(name.utf8).span, .title, &best)
        let levels = best.compactMap { $0?.level }
        return levels.count == best.count ? levels.max() : nil
    }

    /// The records whose title, tags or kind answer, the best first; those that answer alike stay as they were.
    public func ranked(_ entries: [Entry]) -> [Entry] {
        var best: [Found?] = []
        var found: [(place: Int, match: Found)] = []
        for (place, entry) in entries.enumerated() {
            look(entry.kind, entry.overview, &best)
            if let match = Self.worst(best) { found.append((place, match)) }
        }
        found.sort { $0.match.isBefore($1.match) || !$1.match.isBefore($0.match) && $0.place < $1.place }
        return found.map { entries[$0.place] }
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
            case .title, .kind, .setting: return (Match(level: level, place: source.place, key: nil), nil)
            case .attachmentText:
                line = Card.Line(ofAttachment: try AttachmentText(parsing: Array(copying: content)).text)
            case .tag(let index): return (Match(level: level, place: .tag, key: overview.tags[index]), nil)
            case .value(.field(let key, let value)):
                let (key, value) = (String(utf8: content.extracting(key)), String(utf8: content.extracting(value)))
                line = schema?[key].map { Card.Line($0, value) } ?? Card.Line(key, value, isSensitive: false)
            case .value(.own(let index, _)):
                let own = try RecordFields(parsing: Array(copying: content)).own[index]
                line = Card.Line(own.label, own.value, isSensitive: own.isSensitive)
            }
            return (Match(level: level, place: .value, key: line?.key), line)
        }
    }

    enum Source {
        case title, kind, setting, attachmentText
        case tag(Int)
        case value(RecordFields.TextPlace)

        var place: Place {
            switch self {
            case .title: .title
            case .tag: .tag
            case .value, .setting, .attachmentText: .value
            case .kind: .kind
            }
        }
    }

    /// The match of a card as it is stored: the best match of its worst word.
    ///
    /// - Parameter best: room for what is found of each word; who looks at many cards lends the same again.
    /// - Throws: `FormatError.malformed`.
    func match(
        _ kind: Entry.Kind, _ overview: Overview, _ content: Span<UInt8>, using best: inout [Found?]
    ) throws -> Found? {
        look(kind, overview, &best)
        try RecordFields.forEachText(content) { look($0, .value($1), &best) }
        return Self.worst(best)
    }

    /// The worst of what was found; nil where a word was not.
    static func worst(_ best: [Found?]) -> Found? {
        var worst: Found?
        for found in best {
            guard let found else { return nil }
            if worst?.isBefore(found) ?? true { worst = found }
        }
        return worst
    }

    /// Begins with a record: looks for each word in what lists show of it.
    func look(_ kind: Entry.Kind, _ overview: Overview, _ best: inout [Found?]) {
        best.removeAll(keepingCapacity: true)
        for word in words {
            best.append(level(of: word, asNameOf: kind).map { Found(level: $0, source: .kind) })
        }
        look(overview.title.span, .title, &best)
        for (index, tag) in overview.tags.enumerated() {
            let tag = Array(tag.utf8)
            look(tag.span, .tag(index), &best)
        }
    }

    /// Looks for each word in a text, for something better than the best so far.
    func look(_ text: Span<UInt8>, _ source: Source, _ best: inout [Found?]) {
        let makeup = Folding.makeup(of: text)
        guard makeup.isFolded else {
            let folded = Folding.fold(Array(copying: text))
            return lookFolded(folded.span, nil, source, &best)
        }
        lookFolded(text, makeup, source, &best)
    }

    private func lookFolded(_ text: Span<UInt8>, _ makeup: Folding.Makeup?, _ source: Source, _ best: inout [Found?]) {
        for index in words.indices {
            let level = level(of: words[index], in: text, makeup, source)
            guard let level else { continue }
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
        // A character may have any number of marks.
        return String(String.UnicodeScalarView(line[start...].prefix(80).unicodeScalars.prefix(320)))
    }

    private func isFound(in text: Substring) -> Bool { words.contains { isFound($0, in: text) } }

    private func isFound(_ word: Word, in text: Substring) -> Bool {
        let folded = Folding.fold(text.utf8)
        return (level(of: word, in: folded.span, nil, .kind) ?? .typo) != .typo
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

    /// - Parameters:
    ///   - makeup: what the text is made of, if that is known.
    ///   - source: what it is the text of: people abbreviate titles; pages of text have something like any short word.
    private func level(
        of word: Word, in text: Span<UInt8>, _ makeup: Folding.Makeup?, _ source: Source
    ) -> Level? {
        let letters = letters.span
        let bytes = letters.extracting(word.bytes)
        let mayHaveLetters = makeup?.hasLetters ?? true
        if mayHaveLetters || !word.isTyped, let place = Self.place(of: bytes, in: text) {
            return place > 0 ? .contains : text.count == bytes.count ? .exact : .prefix
        }
        for other in word.others where Self.place(of: letters.extracting(other), in: text) != nil { return .contains }
        var isLong = false
        if case .attachmentText = source { isLong = true }
        guard word.isTyped, !isLong || bytes.count >= Self.spelledByteCount else { return nil }
        let mayBeSpelled = makeup?.hasIdeographs ?? true
        if mayBeSpelled, Pinyin.spells(bytes, text) { return .pinyin }
        guard word.isLetters, !isLong else { return nil }
        if source.place == .title, mayHaveLetters, Abbreviation.initials(bytes, of: text) { return .initials }
        guard bytes.count >= 4 else { return nil }
        if mayHaveLetters, TypingError.isMistyped(bytes, in: text) { return .typo }
        let plain = letters.extracting(word.plain)
        return mayBeSpelled && Pinyin.spells(plain, text, isPlain: true) ? .typo : nil
    }

    /// A kind is meant by a whole name, or by one that is spelled from its first to its last character.
    private func level(of word: Word, asNameOf kind: Entry.Kind) -> Level? {
        let bytes = letters.span.extracting(word.bytes)
        var level: Level?
        for name in QueryKinds.folded(kind) {
            if bytes.isEqual(to: name.span) { return .exact }
            guard word.isTyped, name.count >= 6, name[0] >= 0x80, Pinyin.spells(bytes, name.span) else { continue }
            let isPart =
                Pinyin.spells(bytes, name.span.extracting(3...))
                || Pinyin.spells(bytes, name.span.extracting(..<(name.count - 3)))
            if !isPart { level = .pinyin }
        }
        return level
    }

    /// The first place of a word in a text.
    private static func place(of word: Span<UInt8>, in text: Span<UInt8>) -> Int? {
        guard text.count >= word.count, !word.isEmpty else { return nil }
        for start in 0...text.count - word.count where text[start] == word[0] {
            var same = 1
            while same < word.count, text[start + same] == word[same] { same += 1 }
            if same == word.count { return start }
        }
        return nil
    }
}
