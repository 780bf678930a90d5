import Values

extension QueryTerm {
    /// The longest query, in bytes of UTF-8.
    public static let byteCount = 1 << 16
    /// Brackets and `not` in one another, at most.
    public static let depth = 64
    /// Words and conditions of a query, at most.
    public static let leafCount = 1000

    /// Reads a query.
    ///
    /// - Throws: `QueryError`.
    public init(_ text: String) throws {
        var reader = QueryReader(text)
        self = try reader.query()
    }
}

/// Reads queries (Spec/product/query.md, 2) from left to right.
private struct QueryReader {
    private let text: String
    /// As it was typed, and with the signs of full width as those of ASCII.
    private let typed, scalars: [Unicode.Scalar]
    /// The bytes before each scalar, and all.
    private let offsets: [Int]
    private var index = 0
    private var depth = 0
    private var leafCount = 0

    init(_ text: String) {
        self.text = text
        typed = text.utf8.count > QueryTerm.byteCount ? [] : Array(text.unicodeScalars)
        scalars = typed.map { scalar in
            0xFF01...0xFF5E ~= scalar.value ? Unicode.Scalar(UInt8(scalar.value - 0xFEE0)) : scalar
        }
        offsets = typed.reduce(into: [0]) { $0.append($0[$0.count - 1] + UTF8.width($1)) }
    }

    private func error(_ what: Phrase, _ range: Range<Int>) -> QueryError {
        QueryError(what, text, offsets[range.lowerBound]..<offsets[range.upperBound])
    }

    mutating func query() throws -> QueryTerm {
        guard text.utf8.count <= QueryTerm.byteCount else {
            throw QueryError("a query is longer than 64 KiB", "", 0..<0)
        }
        let term = try choice()
        skipBlanks()
        guard index == scalars.count else { throw error("no bracket is open here", index..<index + 1) }
        return term
    }

    /// Terms with `or` between.
    private mutating func choice() throws -> QueryTerm {
        var terms = [try all()]
        while take(Self.orWords) { terms.append(try all()) }
        return terms.count == 1
            ? terms[0] : .any(terms.flatMap { if case .any(let inner) = $0 { inner } else { [$0] } })
    }

    /// Terms one behind the other.
    private mutating func all() throws -> QueryTerm {
        var terms = [try part()]
        while true {
            let hasAnd = take(Self.andWords)
            if !hasAnd, !beginsPart() { break }
            terms.append(try part())
        }
        return terms.count == 1
            ? terms[0] : .all(terms.flatMap { if case .all(let inner) = $0 { inner } else { [$0] } })
    }

    private mutating func part() throws -> QueryTerm {
        skipBlanks()
        let start = index
        guard let scalar = peek else { throw error("a word or a condition is missing", index..<index) }
        let isNot = take(Self.notWords) || takeSign()
        if isNot || Self.opening.contains(scalar) {
            depth += 1
            defer { depth -= 1 }
            guard depth <= QueryTerm.depth else {
                throw error("more than \(QueryTerm.depth) brackets in one another", start..<index + 1)
            }
            if isNot { return .not(try part()) }
            index += 1
            let term = try choice()
            skipBlanks()
            guard let end = peek, Self.closing.contains(end) else {
                throw error("this bracket is not closed", start..<start + 1)
            }
            index += 1
            return term
        }
        guard !Self.closing.contains(scalar), word(at: index).map({ !Self.joining.contains($0) }) ?? true else {
            throw error("a word or a condition is missing", index..<index)
        }
        leafCount += 1
        guard leafCount <= QueryTerm.leafCount else {
            throw error("more than \(QueryTerm.leafCount) words and conditions", start..<start + 1)
        }
        return try leaf()
    }

    /// A word, a condition, or the name of a query.
    private mutating func leaf() throws -> QueryTerm {
        let start = index
        if scalars[index] == "@" {
            index += 1
            guard let name = try text(until: { _ in false }), !name.text.isEmpty else {
                throw error("the name of a query is missing behind '@'", start..<index)
            }
            return .named(name)
        }
        if scalars[index] == "#", index + 1 < scalars.count, !scalars[index + 1].properties.isWhitespace,
            !Self.closing.contains(scalars[index + 1])
        {
            // As lists show tags.
            index += 1
            return .condition(try condition(QueryText("tag", offsets[start]..<offsets[index]), .has, from: start))
        }
        let field = try text(until: { $0.comparison(at: $0.index) != nil })
        if let field, field.isField, let comparison = takeComparison(), comparison != .has || !begins("//") {
            return .condition(try condition(field, comparison, from: start))
        }
        // What names no field is a word with all its signs.
        index = start
        if let sign = comparison(at: start)?.sign {
            throw error(
                "a field is missing before '\(sign)'; in quotes it is a word", start..<start + sign.unicodeScalars.count
            )
        }
        guard let word = try text(until: { _ in false }) else {
            throw error("a word or a condition is missing", start..<start)
        }
        return .word(word)
    }

    private mutating func condition(
        _ field: QueryText, _ comparison: QueryCondition.Comparison, from start: Int
    ) throws -> QueryCondition {
        skipBlanks()
        var values: [QueryCondition.Value] = []
        repeat {
            values.append(try value(of: field, comparison, from: start))
            leafCount += values.count > 1 ? 1 : 0
            guard leafCount <= QueryTerm.leafCount else {
                throw error("more than \(QueryTerm.leafCount) words and conditions", start..<start + 1)
            }
        } while take("|")
        return QueryCondition(
            field: field, comparison: comparison, values: values, place: offsets[start]..<offsets[index])
    }

    private mutating func value(
        of field: QueryText, _ comparison: QueryCondition.Comparison, from start: Int
    ) throws -> QueryCondition.Value {
        if let sign = self.comparison(at: index)?.sign {
            throw error(
                "a value that begins with '\(sign)' stands in quotes", index..<index + sign.unicodeScalars.count)
        }
        let lower = try text(until: { $0.begins("..") || $0.begins("|") })
        guard begins("..") else {
            guard let lower else { throw error("a value is missing behind '\(field.text)'", start..<index) }
            return .text(lower)
        }
        let dots = index
        index += 2
        let upper = try text(until: { $0.begins("|") })
        guard lower != nil || upper != nil else { throw error("a range needs a value at one end", dots..<index) }
        guard [.has, .equal, .unequal].contains(comparison) else {
            throw error("a range goes with ':', not with '\(comparison.rawValue)'", start..<index)
        }
        return .range(lower, upper)
    }

    // MARK: Signs

    private static let opening: Set<Unicode.Scalar> = ["("]
    private static let closing: Set<Unicode.Scalar> = [")"]
    private static let quotes: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "“": "”", "「": "」"]
    private static let orWords: Set<String> = ["or", "或", "或者", "|", "||"]
    private static let andWords: Set<String> = ["and", "且", "并且", "&", "&&"]
    private static let notWords: Set<String> = ["not", "非", "不是"]
    private static let joining = orWords.union(andWords)
    private static let comparisons: [(sign: String, comparison: QueryCondition.Comparison)] = [
        ("!=", .unequal), ("<>", .unequal), ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">=", .greaterOrEqual),
        ("=>", .greaterOrEqual), ("==", .equal), ("≠", .unequal), ("≤", .lessOrEqual), ("≦", .lessOrEqual),
        ("≥", .greaterOrEqual), ("≧", .greaterOrEqual), (":", .has), ("=", .equal), ("<", .less), (">", .greater),
    ]

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private func begins(_ sign: String, at index: Int? = nil) -> Bool {
        scalars[(index ?? self.index)...].starts(with: sign.unicodeScalars)
    }

    private mutating func take(_ sign: String) -> Bool {
        guard begins(sign) else { return false }
        index += sign.unicodeScalars.count
        return true
    }

    private mutating func skipBlanks() { while let scalar = peek, scalar.properties.isWhitespace { index += 1 } }

    /// The word that stands alone at a place, in small letters.
    private func word(at place: Int) -> String? {
        let word = scalars[place...].prefix {
            !$0.properties.isWhitespace && !Self.opening.contains($0) && !Self.closing.contains($0)
        }
        return word.isEmpty || word.count > 4 ? nil : String(String.UnicodeScalarView(word)).lowercased()
    }

    /// Takes one of these words, if it is the next.
    private mutating func take(_ words: Set<String>) -> Bool {
        skipBlanks()
        guard let word = word(at: index), words.contains(word) else { return false }
        index += word.unicodeScalars.count
        return true
    }

    /// `-` or `!` directly before something.
    private mutating func takeSign() -> Bool {
        guard let sign = peek, sign == "-" || sign == "!", index + 1 < scalars.count,
            !scalars[index + 1].properties.isWhitespace, !Self.closing.contains(scalars[index + 1])
        else { return false }
        index += 1
        return true
    }

    private mutating func beginsPart() -> Bool {
        skipBlanks()
        guard let scalar = peek, !Self.closing.contains(scalar) else { return false }
        return word(at: index).map { !Self.joining.contains($0) } ?? true
    }

    private func comparison(at place: Int) -> (sign: String, comparison: QueryCondition.Comparison)? {
        guard place < scalars.count else { return nil }
        return Self.comparisons.first { begins($0.sign, at: place) }
    }

    /// Takes a comparison; all but `:` may stand behind blanks.
    private mutating func takeComparison() -> QueryCondition.Comparison? {
        var place = index
        while place < scalars.count, scalars[place].properties.isWhitespace { place += 1 }
        guard let found = comparison(at: place), found.comparison != .has || place == index else { return nil }
        index = place + found.sign.unicodeScalars.count
        return found.comparison
    }

    /// The text up to a blank, a bracket, or where `isEnd` says so; in quotes up to the closing one. Nil where there is none.
    private mutating func text(until isEnd: (Self) -> Bool) throws -> QueryText? {
        let start = index
        if let scalar = peek, let end = Self.quotes[scalar] { return try quoted(until: end) }
        while let scalar = peek, !scalar.properties.isWhitespace, !Self.opening.contains(scalar),
            !Self.closing.contains(scalar), !isEnd(self)
        { index += 1 }
        guard index > start else { return nil }
        let text = String(String.UnicodeScalarView(scalars[start..<index]))
        return QueryText(text, offsets[start]..<offsets[index])
    }

    private mutating func quoted(until end: Unicode.Scalar) throws -> QueryText {
        let start = index
        var text = String.UnicodeScalarView()
        index += 1
        while let scalar = peek, scalar != end {
            // A backslash stands before a quote or another one; else it is a sign like any other.
            let escapes = scalar == "\\" && index + 1 < scalars.count && ["\\", end].contains(scalars[index + 1])
            if escapes { index += 1 }
            text.append(typed[index])
            index += 1
        }
        guard peek != nil else { throw error("this quote is not closed", start..<start + 1) }
        index += 1
        guard !text.isEmpty else { throw error("these quotes hold nothing", start..<index) }
        return QueryText(String(text), isQuoted: true, offsets[start]..<offsets[index])
    }
}

extension QueryText {
    /// True if it may name a field: it begins with a letter, or in quotes, or with the point of a field of one's own. `12:30` and
    /// `https://…` are words.
    fileprivate var isField: Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return isQuoted || first == "." || first.properties.isAlphabetic || first.properties.isIdeographic
    }
}
