import Values
import VaultFormat
import VaultStore

/// Looks at one record after the other. Used by one thread.
struct QueryMatcher {
    typealias Found = CardQuery.Found

    private let query: Query
    private let context: QueryContext
    /// What was found of each word, and whether each condition holds, of the record that is looked at.
    private var best: [Found?] = []
    private var held: [Bool?] = []

    init(_ query: Query, _ context: QueryContext) { (self.query, self.context) = (query, context) }

    /// An answer: the best place of the worst word, if there are words.
    struct Answer { let found: Found? }

    /// What lists show of a record may decide the query; nil where its content has to be read.
    ///
    /// - Parameter hasOwnText: true of an attachment whose text is at hand.
    mutating func decide(_ entry: Entry, hasOwnText: Bool = false) -> Bool? {
        held = query.conditions.map { context.holds($0, entry) }
        let hasTexts = hasOwnText || entry.length > 0 && (entry.isCard || entry.isShare || entry.kind == .setting)
        if query.hasWords { query.words.look(entry.kind, entry.overview, &best) }
        // A word that was found may stand in a better place yet, so its record is read.
        return verdict(query.node) { word in hasTexts ? nil : best[word] != nil }
    }

    /// The answer of a record that `decide` has just looked at; nil where it is none.
    mutating func answer() -> Answer? { rank(query.node) }

    /// The answer of a record by its content; nil where it is none.
    ///
    /// - Parameter content: of an attachment that of the record with its text.
    /// - Throws: `FormatError.malformed`.
    mutating func answer(_ entry: Entry, _ content: Span<UInt8>) throws -> Answer? {
        held = query.conditions.map { context.holds($0, entry) }
        if query.hasWords { query.words.look(entry.kind, entry.overview, &best) }
        if entry.kind == .setting {
            try look(atSetting: content)
        } else if entry.isAttachment {
            try look(atText: content)
        } else {
            let fields = query.conditions.indices.filter { held[$0] == nil }.map { ($0, query.conditions[$0]) }
            try RecordFields.forEachText(content) { text, place in
                if query.hasWords { query.words.look(text, .value(place), &best) }
                for (index, condition) in fields where held[index] != true {
                    if Self.holds(condition, entry, text, place, content) { held[index] = true }
                }
            }
        }
        for index in held.indices where held[index] == nil {
            let condition = query.conditions[index]
            held[index] = try condition.field.place == .state && has(condition, entry, content)
        }
        return rank(query.node)
    }

    /// True if the fields of an app give it one of the marks that a condition asks for.
    private func has(_ condition: ResolvedCondition, _ entry: Entry, _ content: Span<UInt8>) throws -> Bool {
        let app = App(try RecordFields(parsing: Array(copying: content)).texts, created: entry.created)
        let marks = condition.words.compactMap { QueryState(rawValue: $0)?.mark }
        return marks.contains { app.has($0, at: context.clock.now) }
    }

    /// True if a save answers. It has no words.
    func holds(for save: SaveInfo) -> Bool {
        var matcher = self
        matcher.held = query.conditions.map { context.holds($0, save) }
        matcher.best = Array(repeating: nil, count: query.words.count)
        return matcher.answer() != nil
    }

    /// Looks at the value of a setting, unless it is secret or a file.
    private mutating func look(atSetting content: Span<UInt8>) throws {
        let texts: [String] =
            switch try Setting(parsing: Array(copying: content)).value {
            case .text(let text): [text]
            case .number(let number): [number.description]
            case .flag(let flag): ["\(flag)"]
            case .list(let items): items
            case .secret, .file: []
            }
        for text in texts {
            let text = Array(text.utf8)
            query.words.look(text.span, .setting, &best)
        }
    }

    /// Looks at the text of an attachment.
    private mutating func look(atText content: Span<UInt8>) throws {
        try RecordFields.forEachText(content) { text, place in
            guard case .field(let key, _) = place, content.extracting(key).isEqual(to: Self.textKey.span) else {
                return
            }
            query.words.look(text, .attachmentText, &best)
        }
    }

    private static let textKey = Array(AttachmentText.textKey.utf8)

    private static func holds(
        _ condition: ResolvedCondition, _ entry: Entry, _ text: Span<UInt8>, _ place: RecordFields.TextPlace,
        _ content: Span<UInt8>
    ) -> Bool {
        switch (condition.field.place, place) {
        case (.own(let name), .own(_, let label)):
            return QueryField.fold(label) == name && condition.tests.contains { $0.holds(text, nil) }
        case (.presence, .own(_, let label)): return condition.own.contains(QueryField.fold(label))
        case (_, .field(let key, _)):
            let key = content.extracting(key)
            guard let field = condition.fields[entry.kind]?.first(where: { key.isEqual(to: $0.bytes.span) }) else {
                return false
            }
            return condition.field.place == .presence || condition.tests.contains { $0.holds(text, field.check) }
        default: return false
        }
    }

    // MARK: The tree

    /// What is known: nil where a part that counts is not.
    private func verdict(_ node: QueryNode, _ word: (Int) -> Bool?) -> Bool? {
        switch node {
        case .word(let index): return word(index)
        case .condition(let index): return held[index]
        case .not(let inner): return verdict(inner, word).map { !$0 }
        case .all(let nodes): return verdict(nodes, deciding: false, word)
        case .any(let nodes): return verdict(nodes, deciding: true, word)
        }
    }

    /// What is known of several parts, of which one may decide for all.
    private func verdict(_ nodes: [QueryNode], deciding: Bool, _ word: (Int) -> Bool?) -> Bool? {
        var result: Bool? = !deciding
        for node in nodes {
            let part = verdict(node, word)
            if part == deciding { return deciding }
            if part == nil { result = nil }
        }
        return result
    }

    /// The answer of a part: of all the worst place, of any the best one. What is not wanted has no place.
    private func rank(_ node: QueryNode) -> Answer? {
        switch node {
        case .word(let index): return best[index].map { Answer(found: $0) }
        case .condition(let index): return held[index] == true ? Answer(found: nil) : nil
        case .not(let inner): return rank(inner) == nil ? Answer(found: nil) : nil
        case .all(let nodes):
            var worst: Found?
            for node in nodes {
                guard let answer = rank(node) else { return nil }
                if let found = answer.found, worst?.isBefore(found) ?? true { worst = found }
            }
            return Answer(found: worst)
        case .any(let nodes):
            let answers = nodes.compactMap { rank($0) }
            let best = answers.compactMap(\.found).reduce(nil as Found?) { best, found in
                best.map { found.isBefore($0) } ?? true ? found : best
            }
            return answers.isEmpty ? nil : Answer(found: best)
        }
    }
}
