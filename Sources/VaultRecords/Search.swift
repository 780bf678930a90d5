public import VaultFormat
public import VaultStore

/// What somebody looks for among cards: words, all of which have to be found (Spec/records.md, 5).
public struct Query: Sendable {
    private let words: [Word]

    /// What is looked for, folded.
    private struct Word {
        let bytes: [UInt8]
        /// Whether it may be pinyin.
        let isTyped: Bool
        /// As `Pinyin.plain` gives it.
        let plain: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            isTyped = Pinyin.isTyped(bytes)
            plain = Pinyin.plain(bytes)
        }
    }

    /// - Returns: nil where nothing is asked for.
    public init?(_ text: String) {
        words = Folding.fold(text.utf8).split { $0 == 0x20 || 0x09...0x0D ~= $0 }.map { Word(Array($0)) }
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

        fileprivate func isBefore(_ other: Match) -> Bool { (level, place) < (other.level, other.place) }
    }

    /// What of a card answers; nil where a word is not found.
    public func match(_ card: Card) -> Match? {
        // What was made here can be read.
        let content = card.fields.bytes
        var matcher = Matcher(self)
        return try? matcher.match(card.overview, content.span)
    }

    /// Holds cards against a query, one after the other.
    struct Matcher {
        private let words: [Word]
        private var best: [Match?]

        init(_ query: Query) {
            words = query.words
            best = [Match?](repeating: nil, count: words.count)
        }

        /// What of a card, as it is stored, answers.
        ///
        /// - Throws: `FormatError.malformed`.
        mutating func match(_ overview: Overview, _ content: Span<UInt8>) throws -> Match? {
            for index in best.indices { best[index] = nil }
            look(.title, overview.title.span) { nil }
            for tag in overview.tags {
                let text = Array(tag.utf8)
                look(.tag, text.span) { tag }
            }
            try RecordFields.forEachText(content) { key, value in
                look(.value, value) { String(decoding: Array(copying: key), as: UTF8.self) }
            }
            return best.contains { $0 == nil } ? nil : best.compactMap(\.self).max { $0.isBefore($1) }
        }

        private mutating func look(_ place: Place, _ text: Span<UInt8>, _ key: () -> String?) {
            guard Folding.isFolded(text) else {
                let folded = Folding.fold(Array(copying: text))
                return lookFolded(place, folded.span, key)
            }
            lookFolded(place, text, key)
        }

        private mutating func lookFolded(_ place: Place, _ text: Span<UInt8>, _ key: () -> String?) {
            for index in words.indices {
                guard let level = Query.level(of: words[index], in: text) else { continue }
                if let known = best[index], (known.level, known.place) <= (level, place) { continue }
                best[index] = Match(level: level, place: place, key: key())
            }
        }
    }

    /// A line of a text in which a word is found, and of a long one the part that has it; at most 80 characters.
    public func excerpt(of text: String) -> String {
        let line = text.split(separator: "\n").first { isFound(in: $0) } ?? text.prefix(80)
        var rest = line
        while rest.count > 80, !isFound(in: rest.prefix(80)) { rest = rest.dropFirst(40) }
        return String(rest.prefix(80))
    }

    private func isFound(in text: Substring) -> Bool {
        let folded = Folding.fold(text.utf8)
        return words.contains { (Self.level(of: $0, in: folded.span) ?? .typo) != .typo }
    }

    /// Where the words stand in a short text, for showing them.
    public func ranges(in text: String) -> [Range<String.Index>] { words.compactMap { Self.range(of: $0, in: text) } }

    private static func range(of word: Word, in text: String) -> Range<String.Index>? {
        func has(_ part: Substring) -> Bool {
            let folded = Folding.fold(part.utf8)
            return (level(of: word, in: folded.span) ?? .typo) != .typo
        }
        // The shortest beginning that has it, and of that the shortest end.
        guard has(text[...]), let end = text.indices.map({ text.index(after: $0) }).first(where: { has(text[..<$0]) }),
            let start = text[..<end].indices.last(where: { has(text[$0..<end]) })
        else { return nil }
        return start..<end
    }

    private static func level(of word: Word, in text: Span<UInt8>) -> Level? {
        if let place = place(of: word.bytes.span, in: text) {
            return place > 0 ? .contains : text.count == word.bytes.count ? .exact : .prefix
        }
        guard word.isTyped else { return nil }
        if Pinyin.spells(word.bytes.span, text) { return .pinyin }
        guard word.bytes.count >= 4 else { return nil }
        return isMistyped(word.bytes.span, in: text) || Pinyin.spells(word.plain.span, text, isPlain: true)
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

/// A card that answers a query.
public struct Hit: Sendable {
    /// The record.
    public let entry: Entry
    /// What answers.
    public let match: Query.Match
    /// What is stored of the card; of very many that answer few are looked at.
    private let content: [UInt8]

    fileprivate init(_ entry: Entry, _ match: Query.Match, _ content: [UInt8]) {
        (self.entry, self.match, self.content) = (entry, match, content)
    }

    /// The card.
    public var card: Card {
        do { return try Card(entry, content) } catch {
            preconditionFailure("it was read when it was searched: \(error)")
        }
    }

    /// The line of the card that answers; nil where the title or a tag does.
    public var line: Card.Line? {
        guard match.place == .value, let key = match.key else { return nil }
        if let field = Schema.of(entry.kind)?[key], let value = RecordFields.text(key, in: content) {
            return Card.Line(field, value)
        }
        return card.lines.first { $0.key == key }
    }
}

extension Vault {
    /// Cards that answer, the best first: by level, place, then those that were updated last.
    ///
    /// - Parameter damaged: told which cards cannot be read; the rest is searched if it returns.
    /// - Throws: as `card`, unless `damaged` says otherwise.
    public func search(
        _ query: Query, among entries: [Entry], damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [Hit] {
        try map(entries, limit: Self.cardByteCount, with: { Query.Matcher(query) }, damaged: damaged) {
            matcher, entry, content in
            guard let match = try matcher.match(entry.overview, content) else { return nil }
            return Hit(entry, match, Array(copying: content))
        }.sorted { left, right in
            if left.match.level != right.match.level { return left.match.level < right.match.level }
            if left.match.place != right.match.place { return left.match.place < right.match.place }
            let (a, b) = (left.entry, right.entry)
            return a.updated == b.updated ? a.id < b.id : a.updated > b.updated
        }
    }
}
