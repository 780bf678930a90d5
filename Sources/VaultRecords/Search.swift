public import VaultFormat
public import VaultStore

/// What somebody looks for among cards: words, all of which have to be found (Spec/records.md, 5).
public struct Query: Sendable {
    private let words: [[UInt8]]

    /// - Returns: nil where nothing is asked for.
    public init?(_ text: String) {
        words = Folding.fold(text.utf8).split { $0 == 0x20 || 0x09...0x0D ~= $0 }.map(Array.init)
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
        try? match(card.overview, card.fields.bytes)
    }

    /// The same of a card as it is stored.
    ///
    /// - Throws: `FormatError.malformed`.
    func match(_ overview: Overview, _ content: [UInt8]) throws -> Match? {
        var best = [Match?](repeating: nil, count: words.count)
        func look(_ place: Place, _ key: @autoclosure () -> String?, _ text: some Collection<UInt8>) {
            let text = Folding.fold(text)
            for (index, word) in words.enumerated() {
                let known = best[index]
                guard let level = Self.level(of: word, in: text.span) else { continue }
                guard known.map({ (level, place) < ($0.level, $0.place) }) ?? true else { continue }
                best[index] = Match(level: level, place: place, key: key())
            }
        }
        look(.title, nil, overview.title)
        for tag in overview.tags { look(.tag, tag, tag.utf8) }
        try RecordFields.forEachText(content) { key, value in
            look(.value, String(decoding: key, as: UTF8.self), value)
        }
        return best.contains { $0 == nil } ? nil : best.compactMap(\.self).max { $0.isBefore($1) }
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

    private static func range(of word: [UInt8], in text: String) -> Range<String.Index>? {
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

    private static func level(of word: [UInt8], in text: Span<UInt8>) -> Level? {
        if let place = place(of: word.span, in: text) {
            return place > 0 ? .contains : text.count == word.count ? .exact : .prefix
        }
        guard Pinyin.isTyped(word) else { return nil }
        if Pinyin.spells(word, text) { return .pinyin }
        guard word.count >= 4 else { return nil }
        return isMistyped(word, in: text) || Pinyin.spells(Pinyin.plain(word), text, isPlain: true) ? .typo : nil
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
    private static func isMistyped(_ word: [UInt8], in text: Span<UInt8>) -> Bool {
        var start = 0
        for index in 0...text.count where index == text.count || isBetweenWords(text[index]) {
            if abs(index - start - word.count) <= 1,
                differsByOne(word[...], Array(copying: text.extracting(start..<index))[...])
            {
                return true
            }
            start = index + 1
        }
        return false
    }

    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte < 0x80 && !(0x30...0x39 ~= byte || 0x61...0x7A ~= byte)
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
    /// - Parameter damaged: told which cards cannot be read; the rest is searched if it returns.
    /// - Throws: as `card`, unless `damaged` says otherwise.
    public func search(
        _ query: Query, among entries: [Entry], damaged: (Entry, FormatError) throws -> Void = { throw $1 }
    ) throws -> [Hit] {
        try map(entries, limit: Self.cardByteCount, damaged: damaged) { entry, content -> Hit? in
            guard let match = try query.match(entry.overview, content) else { return nil }
            return Hit(entry: entry, card: try Card(entry, content), match: match)
        }.compactMap(\.self).sorted { left, right in
            if left.match.level != right.match.level { return left.match.level < right.match.level }
            if left.match.place != right.match.place { return left.match.place < right.match.place }
            let (a, b) = (left.entry, right.entry)
            return a.updated == b.updated ? a.id < b.id : a.updated > b.updated
        }
    }
}
