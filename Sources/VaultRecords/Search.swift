public import VaultFormat
public import VaultStore

/// What somebody looks for among cards: words, all of which have to be found (Spec/records.md, 5).
public struct Query: Sendable {
    private let words: [[UInt8]]

    /// - Returns: nil where nothing is asked for.
    public init?(_ text: String) {
        words = Folding.fold(text).split { $0 == 0x20 || 0x09...0x0D ~= $0 }.map(Array.init)
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
        /// A word of it differs from the word by one typing error.
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
        let texts = Self.texts(card)
        var worst: Match?
        for word in words {
            var best: Match?
            for (place, key, text) in texts {
                guard let level = Self.level(of: word, in: text) else { continue }
                let match = Match(level: level, place: place, key: key)
                if best.map(match.isBefore) ?? true { best = match }
            }
            guard let best else { return nil }
            if worst.map({ $0.isBefore(best) }) ?? true { worst = best }
        }
        return worst
    }

    /// Where the words stand in a text, for showing them.
    public func ranges(in text: String) -> [Range<String.Index>] { words.compactMap { Self.range(of: $0, in: text) } }

    private static func range(of word: [UInt8], in text: String) -> Range<String.Index>? {
        func has(_ part: Substring) -> Bool {
            let folded = Folding.fold(String(part))
            return folded.starts(with: word) || contains(folded, word)
                || Pinyin.isTyped(word) && Pinyin.spells(word, folded)
        }
        // The shortest beginning that has it, and of that the shortest end.
        guard has(text[...]), let end = text.indices.map({ text.index(after: $0) }).first(where: { has(text[..<$0]) }),
            let start = text[..<end].indices.last(where: { has(text[$0..<end]) })
        else { return nil }
        return start..<end
    }

    private static func texts(_ card: Card) -> [(Place, String?, [UInt8])] {
        var texts: [(Place, String?, [UInt8])] = [(.title, nil, Folding.fold(card.title))]
        for tag in card.overview.tags { texts.append((.tag, tag, Folding.fold(tag))) }
        for line in card.lines { texts.append((.value, line.key, Folding.fold(line.value))) }
        return texts
    }

    private static func level(of word: [UInt8], in text: [UInt8]) -> Level? {
        if text.starts(with: word) { return text.count == word.count ? .exact : .prefix }
        if contains(text, word) { return .contains }
        if Pinyin.isTyped(word), Pinyin.spells(word, text) { return .pinyin }
        return isMistyped(word, in: text) ? .typo : nil
    }

    private static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
        guard text.count > word.count else { return false }
        var start = 0
        while start <= text.count - word.count {
            if text[start] == word[0], text[start..<start + word.count] == word[...] { return true }
            start += 1
        }
        return false
    }

    /// Whether a word of the text is `word` with a letter too many, too few, another, or two neighbours swapped; only
    /// of words of four letters and more.
    private static func isMistyped(_ word: [UInt8], in text: [UInt8]) -> Bool {
        guard word.count >= 4, word.allSatisfy({ 0x61...0x7A ~= $0 }) else { return false }
        return Folding.words(text).contains { differsByOne(word[...], $0) }
    }

    private static func differsByOne(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
        guard abs(a.count - b.count) <= 1 else { return false }
        let same = zip(a, b).prefix { $0 == $1 }.count
        let (x, y) = (a.dropFirst(same), b.dropFirst(same))
        if x.isEmpty || y.isEmpty { return x.count + y.count == 1 }
        let isOther = x.dropFirst() == y.dropFirst()
        let isMissing = x.dropFirst() == y || x == y.dropFirst()
        let isSwapped =
            x.count == y.count && x.count > 1 && x.first == y.dropFirst().first && y.first == x.dropFirst().first
            && x.dropFirst(2) == y.dropFirst(2)
        return isOther || isMissing || isSwapped
    }
}

/// A card that answers a query.
public struct Hit: Sendable {
    /// The record.
    public let entry: Entry
    /// The card.
    public let card: Card
    /// What answers.
    public let match: Query.Match
}

extension Vault {
    /// Cards that answer, the best first: by level, place, then those that were updated last.
    ///
    /// - Throws: as `card`.
    public func search(_ query: Query, among entries: [Entry]) throws -> [Hit] {
        try map(entries, limit: Self.cardByteCount) { entry, content -> Hit? in
            let card = try Card(entry, content)
            return query.match(card).map { Hit(entry: entry, card: card, match: $0) }
        }.compactMap(\.self).sorted { left, right in
            if left.match.level != right.match.level { return left.match.level < right.match.level }
            if left.match.place != right.match.place { return left.match.place < right.match.place }
            let (a, b) = (left.entry, right.entry)
            return a.updated == b.updated ? a.id < b.id : a.updated > b.updated
        }
    }
}
